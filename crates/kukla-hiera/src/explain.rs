//! Why a lookup gave what it gave: every layer, level and path that was asked, in the order they were asked.
//!
//! [`Explanation::puppet_text`] is what `puppet lookup --explain` prints; [`Explanation::text`] adds the file and line of
//! each value found. Values that are sensitive, that will be made so, or that were encrypted are never shown.

use kukla_values::{Hash, Str, Value};

use kukla_values::format;

/// The tree of everything that happened during a lookup.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Remarks about the whole.
    pub remarks: Vec<String>,
}

/// One thing done during a lookup and what came of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The action.
    pub what: Action,
    /// The steps that are part of it.
    pub steps: Vec<Step>,
    /// Its outcome.
    pub outcome: Option<Outcome>,
    /// Remarks, from `convert_to` and from backend functions.
    pub remarks: Vec<String>,
}

/// An action during a lookup.
#[derive(Clone, Debug)]
pub enum Action {
    /// Searching for a key.
    Search(Str),
    /// Searching for a key that is reserved.
    Reserved(Str),
    /// Taking the way to merge from `lookup_options`.
    MergeOptions,
    /// Asking for a module's data.
    Module(Str),
    /// Replacing the interpolations in a text.
    Interpolate(Str),
    /// Merging what several places have.
    Merge(&'static str, Hash),
    /// Asking a layer.
    Layer {
        /// Its name.
        name: String,
        /// Its configuration file, if there is one.
        config: Option<Str>,
    },
    /// Asking a level of a hierarchy.
    Level(String),
    /// Looking at a place.
    Location {
        /// As declared.
        original: Str,
        /// As resolved.
        location: Str,
        /// Whether it is a URI and not a path.
        is_uri: bool,
    },
    /// Following the parts of a dotted key.
    SubKey(String),
    /// Following one part.
    Segment,
    /// A search in something else, described in words.
    Scope(String),
}

/// The outcome of a step.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A value was found.
    Found {
        /// Under this key.
        key: Str,
        /// The value, or nothing if it must not be shown.
        value: Option<Value>,
        /// From where, if not from data.
        source: Source,
        /// In this line of the location's file, if known.
        line: Option<u32>,
    },
    /// The key is not there.
    NotFound(Str),
    /// The place is not there.
    LocationNotFound,
    /// A merge gave this, or something that must not be shown.
    Merged(Option<Value>),
    /// There is no such module.
    ModuleNotFound,
    /// The module has no data.
    ModuleWithoutData,
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Data, or a variable.
    Data,
    /// The `override` of the call.
    Overrides,
    /// The `default_values_hash` of the call.
    Defaults,
}

/// Builds an [`Explanation`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Explainer {
    done: Explanation,
    open: Vec<Step>,
    /// While above zero, values are not to be shown.
    pub hidden: u32,
    /// Decrypted values: text that contains one must not be shown.
    secrets: Vec<Str>,
}

impl Explainer {
    pub fn keep_secret(&mut self, text: &Str) {
        if !text.is_empty() && !self.secrets.contains(text) {
            self.secrets.push(text.clone());
        }
    }

    pub fn push(&mut self, mut what: Action) {
        if let Action::Interpolate(text) = &mut what
            && (self.hidden > 0 || self.is_secret(text))
        {
            *text = REDACTED.into();
        }
        self.open.push(Step { what, steps: Vec::new(), outcome: None, remarks: Vec::new() });
    }

    pub fn pop(&mut self) {
        if let Some(step) = self.open.pop() {
            self.siblings().push(step);
        }
    }

    fn siblings(&mut self) -> &mut Vec<Step> {
        match self.open.last_mut() {
            Some(parent) => &mut parent.steps,
            None => &mut self.done.steps,
        }
    }

    pub fn outcome(&mut self, outcome: Outcome) {
        if let Some(step) = self.open.last_mut() {
            step.outcome = Some(outcome);
        }
    }

    pub fn found(&mut self, key: Str, value: &Value, source: Source, line: Option<u32>) {
        let value = self.shown(value);
        self.outcome(Outcome::Found { key, value, source, line });
    }

    pub fn merged(&mut self, value: &Value) {
        let value = self.shown(value);
        self.outcome(Outcome::Merged(value));
    }

    fn shown(&self, value: &Value) -> Option<Value> {
        match value {
            _ if self.hidden > 0 => None,
            value if self.secrets.is_empty() => Some(value.clone()),
            Value::String(text) if self.is_secret(text) => None,
            value => Some(self.redacted(value)),
        }
    }

    fn is_secret(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// A value in which text that must not be shown is marked as such.
    fn redacted(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if self.is_secret(text) => Value::Sensitive(Value::Undef.into()),
            Value::Array(array) => {
                array.iter().map(|element| self.redacted(element)).collect::<kukla_values::Array>().into()
            }
            Value::Hash(hash) => {
                let entry = |(key, value)| (self.redacted(key), self.redacted(value));
                hash.iter().map(entry).collect::<Hash>().into()
            }
            other => other.clone(),
        }
    }

    pub fn remark(&mut self, text: String) {
        match self.open.last_mut() {
            Some(step) => step.remarks.push(text),
            None => self.done.remarks.push(text),
        }
    }

    pub fn finish(mut self) -> Explanation {
        while !self.open.is_empty() {
            self.pop();
        }
        self.done
    }
}

impl Explanation {
    /// The output of `puppet lookup --explain`.
    pub fn puppet_text(&self) -> String {
        self.write(false)
    }

    /// The same with the file and line of each value found.
    pub fn text(&self) -> String {
        self.write(true)
    }

    fn write(&self, places: bool) -> String {
        let mut writer = Writer { out: String::new(), places };
        for step in &self.steps {
            writer.step(step, 0, None);
        }
        writer.remarks(&self.remarks, 0);
        writer.out
    }
}

struct Writer {
    out: String,
    places: bool,
}

impl Writer {
    fn line(&mut self, indent: usize, text: &str) {
        self.out.push_str(&" ".repeat(indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn remarks(&mut self, remarks: &[String], indent: usize) {
        for remark in remarks {
            self.line(indent, remark);
        }
    }

    fn steps(&mut self, steps: &[Step], indent: usize, file: Option<&str>) {
        for step in steps {
            self.step(step, indent, file);
        }
    }

    fn step(&mut self, step: &Step, indent: usize, file: Option<&str>) {
        let inner = indent + 2;
        match &step.what {
            Action::Search(key) => {
                self.line(indent, &format!("Searching for \"{key}\""));
                self.steps(&step.steps, inner, file);
            }
            Action::Reserved(key) => self.line(indent, &format!("Invalid key \"{key}\"")),
            Action::MergeOptions => self.line(indent, "Using merge options from \"lookup_options\" hash"),
            Action::Module(name) => match step.outcome {
                Some(Outcome::ModuleNotFound) => self.line(indent, &format!("Module \"{name}\" not found")),
                Some(Outcome::ModuleWithoutData) => {
                    self.line(indent, &format!("Module data provider for module \"{name}\" not found"));
                }
                _ => {}
            },
            Action::Interpolate(text) => {
                self.line(indent, &format!("Interpolation on \"{text}\""));
                self.steps(&step.steps, inner, None);
            }
            Action::Merge(strategy, options) => match &step.steps[..] {
                [] => {}
                [only] => self.step(only, indent, file),
                steps => {
                    self.line(indent, &format!("Merge strategy {strategy}"));
                    let options: Hash = options
                        .iter()
                        .filter(|(k, _)| k.as_str() != Some("strategy"))
                        .map(|(k, v)| (k.clone(), v.clone()))
                        .collect();
                    if !options.is_empty() {
                        let options = show(Some(&options.into()), inner);
                        self.line(inner, &format!("Options: {options}"));
                    }
                    self.steps(steps, inner, file);
                    if let Some(Outcome::Merged(value)) = &step.outcome {
                        let value = show(value.as_ref(), inner);
                        self.line(inner, &format!("Merged result: {value}"));
                    }
                }
            },
            Action::Layer { name, config } => {
                self.line(indent, name);
                if let Some(config) = config {
                    self.line(inner, &format!("Using configuration \"{config}\""));
                }
                self.steps(&step.steps, inner, None);
                self.outcome(step, inner, None);
            }
            Action::Level(name) => {
                self.line(indent, name);
                self.steps(&step.steps, inner, None);
                self.outcome(step, inner, None);
            }
            Action::Location { original, location, is_uri } => {
                let (kind, lower) = if *is_uri { ("URI", "uri") } else { ("Path", "path") };
                self.line(indent, &format!("{kind} \"{location}\""));
                self.line(inner, &format!("Original {lower}: \"{original}\""));
                self.steps(&step.steps, inner, None);
                if let Some(Outcome::LocationNotFound) = step.outcome {
                    self.line(inner, &format!("{kind} not found"));
                }
                self.outcome(step, inner, Some(location).filter(|_| !is_uri).map(Str::as_str));
            }
            Action::SubKey(segments) => {
                self.line(indent, &format!("Sub key: \"{segments}\""));
                self.steps(&step.steps, inner, None);
                self.outcome(step, inner, None);
            }
            Action::Segment => self.outcome(step, indent, None),
            Action::Scope(name) => {
                self.line(indent, name);
                self.steps(&step.steps, inner, None);
                self.outcome(step, inner, None);
            }
        }
    }

    fn outcome(&mut self, step: &Step, indent: usize, file: Option<&str>) {
        match &step.outcome {
            Some(Outcome::NotFound(key)) => self.line(indent, &format!("No such key: \"{key}\"")),
            Some(Outcome::Found { key, value, source, line }) => {
                let source = match source {
                    Source::Data => "",
                    Source::Overrides => " in overrides",
                    Source::Defaults => " in defaults",
                };
                let place = match (file, line) {
                    (Some(file), Some(line)) if self.places => format!(" ({file}:{line})"),
                    _ => String::new(),
                };
                let value = show(value.as_ref(), indent);
                self.line(indent, &format!("Found key: \"{key}\" value: {value}{source}{place}"));
            }
            _ => {}
        }
        self.remarks(&step.remarks, indent);
    }
}

/// The replacement for a value that must not be shown.
const REDACTED: &str = "Sensitive [value redacted]";

/// A value over several lines, the way Puppet shows it.
fn show(value: Option<&Value>, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let inner = indent + 2;
    let list = |open: char, items: Vec<String>, close: char| {
        if items.is_empty() {
            return format!("{open}{close}");
        }
        let items: Vec<String> = items.into_iter().map(|item| format!("{pad}  {item}")).collect();
        format!("{open}\n{}\n{pad}{close}", items.join(",\n"))
    };
    match value {
        None => REDACTED.into(),
        Some(Value::Hash(hash)) => {
            let entry = |(k, v)| format!("{} => {}", show(Some(k), inner), show(Some(v), inner));
            list('{', hash.iter().map(entry).collect(), '}')
        }
        Some(Value::Array(array)) => list('[', array.iter().map(|v| show(Some(v), inner)).collect(), ']'),
        Some(other) => format::inspect(other).into(),
    }
}
