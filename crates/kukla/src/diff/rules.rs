//! The changes to report: rules by type, title, attribute and tag, and equivalent forms of values.

use std::path::Path;
use std::sync::Arc;

use kukla_catalog::difference::{Difference, PartChange, ResourceDifference};
use kukla_catalog::{Resource, ResourceRef};
use kukla_syntax::Problem;
use kukla_values::{Shown, Str, Value, format};
use regex::Regex;

use super::condition::Condition;
use super::{Changes, Kind};

/// Which changes a rule is about: `File[/tmp/*]`, `Service`, `File[/etc/motd] mode`, `* owner`, `File[~^/var/.*\.log$]`,
/// `tag noise`, `where $type == 'File' and $after =~ /^# Generated/`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its text.
    pub text: String,
    subject: RuleSubject,
    attribute: Option<String>,
}

#[derive(Clone, Debug)]
enum RuleSubject {
    Resource { type_name: String, title: Title },
    Tag(String),
    Where(Arc<Condition>),
}

/// The subject of a rule: a resource that is added, removed or changed, or one of its attributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeSubject<'a> {
    pub name: &'a ResourceRef,
    pub tags: &'a [&'a [Str]],
    pub change: Kind,
    /// The attribute, with its values before and after.
    pub attribute: Option<(&'a str, Option<&'a Value>, Option<&'a Value>)>,
}

#[derive(Clone, Debug)]
enum Title {
    Any,
    Like(String),
    Matches(Regex),
}

impl Rule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Rule, Problem> {
        let text = text.trim();
        let invalid = || Problem::invalid("invalid rule").on(format!("'{text}'"));
        let wrong = |why: &str| invalid().because(why).help("write it as Type[title] attribute");
        if text.is_empty() {
            return Err(wrong("it is empty"));
        }
        let expression = if text == "where" { Some("") } else { text.strip_prefix("where ") };
        if let Some(expression) = expression {
            let condition = Condition::new(expression).map_err(|problem| invalid().caused_by(problem))?;
            return Ok(Rule {
                text: text.to_owned(),
                subject: RuleSubject::Where(Arc::new(condition)),
                attribute: None,
            });
        }
        if let Some(tag) = text.strip_prefix("tag ") {
            let subject = RuleSubject::Tag(tag.trim().to_owned());
            return Ok(Rule { text: text.to_owned(), subject, attribute: None });
        }
        let (resource, attribute) = match (text.rfind(']'), text.split_once(char::is_whitespace)) {
            (Some(end), _) => (&text[..=end], text[end + 1..].trim()),
            (None, Some((resource, attribute))) => (resource, attribute.trim()),
            (None, None) => (text, ""),
        };
        if attribute.contains(char::is_whitespace) {
            return Err(wrong("an attribute is one word"));
        }
        let (type_name, title) = match resource.split_once('[') {
            None => (resource, Title::Any),
            Some((type_name, rest)) => {
                let title = rest.strip_suffix(']').ok_or_else(|| wrong("expected `]`"))?;
                let title = title.trim_matches(['\'', '"']);
                (
                    type_name,
                    match title.strip_prefix('~') {
                        Some(pattern) => {
                            Title::Matches(Regex::new(pattern).map_err(|error| wrong(&error.to_string()))?)
                        }
                        None => Title::Like(title.to_owned()),
                    },
                )
            }
        };
        if type_name.is_empty() {
            return Err(wrong("it names no type"));
        }
        Ok(Rule {
            text: text.to_owned(),
            subject: RuleSubject::Resource { type_name: type_name.to_lowercase(), title },
            attribute: Some(attribute.to_lowercase()).filter(|attribute| !attribute.is_empty()),
        })
    }

    /// Whether it is about a resource.
    fn is_of(&self, name: &ResourceRef, tags: &[&[Str]]) -> bool {
        match &self.subject {
            RuleSubject::Tag(tag) => tags.iter().any(|tags| tags.iter().any(|own| is_like(tag, own))),
            // It is asked with more than a name.
            RuleSubject::Where(_) => false,
            RuleSubject::Resource { type_name, title } => {
                let is_class = name.type_name() == "Class";
                is_like(type_name, &name.type_name().to_lowercase())
                    && match title {
                        Title::Any => true,
                        Title::Matches(pattern) => pattern.is_match(name.title()),
                        Title::Like(title) if is_class => {
                            is_like(&title.to_lowercase(), &name.title().to_lowercase())
                        }
                        Title::Like(title) => is_like(title, name.title()),
                    }
            }
        }
    }

    fn is_of_attribute(&self, attribute: &str) -> bool {
        self.attribute.as_ref().is_none_or(|own| is_like(own, attribute))
    }

    /// Whether it applies to a subject. A resource is a subject as a whole if it is added or removed, else attribute by attribute.
    fn fits(&self, asked: ChangeSubject<'_>) -> bool {
        match &self.subject {
            RuleSubject::Where(condition) => condition.holds(asked),
            _ => {
                self.is_of(asked.name, asked.tags)
                    && match asked.attribute {
                        Some((attribute, ..)) => self.is_of_attribute(attribute),
                        None => self.attribute.is_none(),
                    }
            }
        }
    }
}

/// Whether a text matches a pattern, in which `*` matches anything and `?` one character.
fn is_like(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut here, mut star) = (0, 0, None);
    while here < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(&c) if c == '?' || c == text[here] => {
                at += 1;
                here += 1;
            }
            _ => match &mut star {
                Some((back, taken)) => {
                    *taken += 1;
                    (at, here) = (*back + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&c| c == '*')
}

/// The changes to report.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Changes to leave out.
    pub ignore: Vec<Rule>,
    /// The only changes to report, if there are any.
    pub only: Vec<Rule>,
    /// Changes to deny.
    pub deny: Vec<Rule>,
    /// Whether equivalent forms count as changes: `'0644'` and `644`, `[a]` and `a`, relations in another order.
    pub exact: bool,
    /// Whether tags count.
    pub tags: bool,
}

impl Rules {
    /// Adds the rules of a file, one per line: `ignore RULE`, `only RULE` or `deny RULE`. Lines that begin with `#` are comments.
    pub fn add_lines(&mut self, text: &str, file: &Path) -> Result<(), Problem> {
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = || Problem::invalid("").on(format!("{}:{}", file.display(), at + 1));
            let (word, rule) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let list = match word {
                "ignore" => &mut self.ignore,
                "only" => &mut self.only,
                "deny" => &mut self.deny,
                _ => return Err(place().because("expected `ignore`, `only` or `deny`")),
            };
            list.push(Rule::parse(rule).map_err(|problem| place().caused_by(problem))?);
        }
        Ok(())
    }

    /// Removes changes that are not reported from a difference.
    pub fn apply(&self, difference: &mut Difference) {
        difference.resources.retain(|name, difference| match difference {
            ResourceDifference::Added(one) => self.keep_whole(name, one, Kind::Added),
            ResourceDifference::Removed(one) => self.keep_whole(name, one, Kind::Removed),
            ResourceDifference::Changed(change) => {
                let tags: [&[Str]; 2] = [&change.before.tags, &change.after.tags];
                let asked = ChangeSubject { name, tags: &tags, change: Kind::Changed, attribute: None };
                let is_wanted =
                    |rule: &Rule| rule.is_of(name, &tags) || matches!(rule.subject, RuleSubject::Where(_));
                if self.ignore.iter().any(|rule| rule.attribute.is_none() && rule.is_of(name, &tags))
                    || !self.only.is_empty() && !self.only.iter().any(is_wanted)
                {
                    return false;
                }
                change.attributes.retain(|attribute| {
                    let (old, new) = (attribute.before.as_ref(), attribute.after.as_ref());
                    let of_attribute = Some((attribute.name.as_str(), old, new));
                    self.tells(ChangeSubject { attribute: of_attribute, ..asked })
                        && (self.exact || !is_equivalent(&attribute.name, old, new))
                });
                let of_attributes =
                    |rule: &Rule| rule.attribute.is_some() || matches!(rule.subject, RuleSubject::Where(_));
                if !self.only.is_empty() && self.only.iter().filter(|rule| is_wanted(rule)).all(of_attributes)
                {
                    change.moved = None;
                }
                true
            }
        });
        if !self.only.is_empty() {
            let about_classes = |class: &Str| {
                let name = ResourceRef::class(class);
                self.only.iter().any(|rule| rule.is_of(&name, &[]))
            };
            difference.classes_added.retain(about_classes);
            difference.classes_removed.retain(about_classes);
        }
    }

    /// Removes attributes that are not reported from an added or removed resource; whether any are left.
    fn keep_whole(&self, name: &ResourceRef, resource: &mut Resource, change: Kind) -> bool {
        let tags: [&[Str]; 1] = [&resource.tags];
        let asked = ChangeSubject { name, tags: &tags, change, attribute: None };
        let is_wanted = |rule: &Rule| rule.is_of(name, &tags) || rule.fits(asked);
        if self.ignore.iter().any(|rule| rule.fits(asked))
            || !self.only.is_empty() && !self.only.iter().any(is_wanted)
        {
            return false;
        }
        let stays = |attribute: &str| {
            let by_name = |rule: &Rule| rule.is_of(name, &tags) && rule.is_of_attribute(attribute);
            let is_wanted = |rule: &Rule| by_name(rule) || rule.fits(asked);
            (self.only.is_empty() || self.only.iter().any(is_wanted)) && !self.ignore.iter().any(by_name)
        };
        let stay: Vec<bool> = resource.parameters.iter().map(|(attribute, _)| stays(attribute)).collect();
        let mut stay = stay.into_iter();
        resource.parameters.retain(|_| stay.next().unwrap_or(true));
        true
    }

    /// Whether a change is reported.
    fn tells(&self, asked: ChangeSubject<'_>) -> bool {
        (self.only.is_empty() || self.only.iter().any(|rule| rule.fits(asked)))
            && !self.ignore.iter().any(|rule| rule.fits(asked))
    }

    /// The errors of conditions, each with its subject.
    pub fn problems(&self) -> Vec<String> {
        let rules = [&self.ignore, &self.only, &self.deny].into_iter().flatten();
        let conditions = rules.filter_map(|rule| match &rule.subject {
            RuleSubject::Where(condition) => Some((rule, condition.problem()?)),
            _ => None,
        });
        conditions
            .map(|(rule, problem)| format!("The rule '{}' does not always work: {problem}", rule.text))
            .collect()
    }

    /// Removes changes that are not significant.
    pub fn tidy(&self, changes: &mut Changes) {
        if !self.tags {
            for change in &mut changes.resources {
                change.tags_added.clear();
                change.tags_removed.clear();
            }
        }
        changes.resources.retain(|change| {
            change.kind != Kind::Changed
                || !change.attributes.is_empty()
                || change.moved.is_some()
                || !change.tags_added.is_empty()
                || !change.tags_removed.is_empty()
                || change.exported.0 != change.exported.1
        });
        let is_told = |name: &ResourceRef| {
            let is_ignored = self.ignore.iter().any(|rule| rule.attribute.is_none() && rule.is_of(name, &[]));
            let is_wanted = self.only.is_empty() || self.only.iter().any(|rule| rule.is_of(name, &[]));
            !is_ignored && is_wanted
        };
        let both = |relation: &super::Relation| is_told(&relation.from) && is_told(&relation.to);
        changes.relations_added.retain(both);
        changes.relations_removed.retain(both);
    }

    /// Whether changes of an attribute of a resource that both sides have are reported, regardless of its values.
    pub(super) fn tell(&self, resource: &Resource, attribute: &str) -> bool {
        let (name, tags): (_, [&[Str]; 1]) = (resource.reference(), [&resource.tags]);
        let attribute = Some((attribute, None, None));
        self.tells(ChangeSubject { name: &name, tags: &tags, change: Kind::Changed, attribute })
    }

    /// The rules that changes break: the text of each, and the resource.
    pub fn broken(&self, changes: &Changes) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for change in &changes.resources {
            let tags: [&[Str]; 2] = [&change.tags_added, &change.tags_removed];
            let asked =
                ChangeSubject { name: &change.name, tags: &tags, change: change.kind, attribute: None };
            let attributes = || {
                change.attributes.iter().map(|attribute| {
                    let value =
                        |side: fn(&PartChange) -> Option<&Shown>| attribute.parts.first().and_then(side);
                    let values = (value(|part| part.before.as_ref()), value(|part| part.after.as_ref()));
                    let values = (values.0.map(Shown::as_value), values.1.map(Shown::as_value));
                    ChangeSubject { attribute: Some((&attribute.name, values.0, values.1)), ..asked }
                })
            };
            for rule in &self.deny {
                if rule.fits(asked) || attributes().any(|asked| rule.fits(asked)) {
                    found.push((rule.text.clone(), change.name.to_string()));
                }
            }
        }
        found
    }
}

/// Attributes whose values are sets, one or several.
const SETS: [&str; 6] = ["before", "notify", "require", "subscribe", "tag", "alias"];

/// Whether two values of an attribute are equivalent for an agent.
fn is_equivalent(attribute: &str, before: Option<&Value>, after: Option<&Value>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => plain(attribute, before) == plain(attribute, after),
        // A missing value is equivalent to an undefined one.
        (Some(Value::Undef), None) | (None, Some(Value::Undef)) => true,
        _ => false,
    }
}

fn plain(attribute: &str, value: &Value) -> Value {
    match value {
        Value::Integer(_) | Value::Float(_) => plain(attribute, &Value::from(format::to_s(value))),
        Value::String(text) if attribute == "mode" && text.bytes().all(|b| b.is_ascii_digit()) => {
            Value::from(text.trim_start_matches('0'))
        }
        Value::Array(values) if values.len() == 1 => plain(attribute, &values[0]),
        Value::Array(values) if SETS.contains(&attribute) => {
            let mut texts: Vec<String> =
                values.iter().map(|value| format::to_s(&plain(attribute, value)).to_string()).collect();
            texts.sort_unstable();
            texts.dedup();
            texts.into_iter().map(Value::from).collect::<Vec<_>>().into()
        }
        Value::Array(values) => {
            kukla_syntax::deep(|| values.iter().map(|value| plain("", value)).collect::<Vec<_>>().into())
        }
        Value::Hash(entries) => kukla_syntax::deep(|| {
            let entries = entries.iter().map(|(key, value)| (key.clone(), plain("", value)));
            Value::Hash(entries.collect())
        }),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(rule: &str, type_name: &str, title: &str) -> bool {
        Rule::parse(rule).unwrap().is_of(&ResourceRef::new(type_name, title), &[&["noise".into()]])
    }

    #[test]
    fn rules_name_resources_in_many_ways() {
        for rule in [
            "File",
            "file[/tmp/a]",
            "File['/tmp/a']",
            "File[/tmp/*]",
            "*[/t?p/*]",
            "File[~^/tmp]",
            "tag noise",
            "* mode",
        ] {
            assert!(fits(rule, "File", "/tmp/a"), "{rule}");
        }
        for rule in ["Service", "File[/tmp]", "File[~^tmp]", "tag quiet", "File[/tmp/a/*]"] {
            assert!(!fits(rule, "File", "/tmp/a"), "{rule}");
        }
        assert!(fits("Class[ntp::*]", "Class", "Ntp::Server"));
        for wrong in ["", "File[/a", "[x]", "File[~(] mode", "File[/a] one two", "where $type ==", "where "] {
            assert!(Rule::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn conditions_are_asked_of_each_attribute() {
        let name = ResourceRef::new("File", "/tmp/a");
        let (old, new) = (Value::from(1), Value::from(5));
        let tags: [Str; 1] = ["noise".into()];
        let tags = [&tags[..]];
        let asked = |change, attribute| ChangeSubject { name: &name, tags: &tags, change, attribute };
        let mode = asked(Kind::Changed, Some(("mode", Some(&old), Some(&new))));
        for rule in [
            "where $type == 'File' and $title =~ /tmp/ and 'noise' in $tags",
            "where $attribute == 'mode' and $before < $after",
            "where $change == 'changed' and $after - $before > 3",
        ] {
            assert!(Rule::parse(rule).unwrap().fits(mode), "{rule}");
        }
        let rule = Rule::parse("where $attribute and $before < $after").unwrap();
        assert!(!rule.fits(asked(Kind::Added, None)));
        let rules = Rules { ignore: vec![Rule::parse("where $after < 'x'").unwrap()], ..Rules::default() };
        assert!(rules.tells(mode) && rules.problems()[0].contains("File[/tmp/a]"), "{:?}", rules.problems());
    }

    #[test]
    fn forms_that_mean_the_same() {
        let array =
            |values: &[&str]| Value::from(values.iter().map(|value| Value::from(*value)).collect::<Vec<_>>());
        let same = |attribute: &str, a: Value, b: Value| is_equivalent(attribute, Some(&a), Some(&b));
        assert!(same("mode", "0644".into(), 644.into()) && same("uid", "5".into(), 5.into()));
        assert!(same("source", array(&["a"]), "a".into()));
        assert!(same("require", array(&["A[b]", "C[d]"]), array(&["C[d]", "A[b]", "A[b]"])));
        assert!(!same("source", array(&["a", "b"]), array(&["b", "a"])));
        assert!(!same("mode", "0644".into(), "0600".into()) && !same("content", "007".into(), "7".into()));
    }
}
