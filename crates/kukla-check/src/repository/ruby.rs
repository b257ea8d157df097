//! What modules bring in Ruby, as far as its text tells: functions with their signatures, and facts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use kukla::world::{Stamp, World};
use regex::Regex;
use rustc_hash::FxHashMap;

/// A function that a module has in Ruby.
#[derive(Clone, Debug)]
pub struct RubyFunction {
    /// Its name.
    pub name: String,
    /// The ways to call it; none if they could not be read.
    pub signatures: Vec<RubySignature>,
}

/// One way to call a Ruby function.
#[derive(Clone, Debug, Default)]
pub struct RubySignature {
    /// The types of its parameters as text, in order.
    pub parameters: Vec<String>,
    /// How many of them are needed.
    pub required: usize,
    /// Whether the last one takes all that is left.
    pub rest: bool,
    /// What it returns.
    pub returns: Option<String>,
}

/// What a file of functions or facts says.
#[derive(Clone, Debug, Default)]
pub struct RubyFile {
    /// The ways to call the function that it holds.
    pub signatures: Vec<RubySignature>,
    /// The facts that it adds.
    pub facts: Vec<String>,
    /// Whether it adds facts whose names are computed.
    pub has_computed_facts: bool,
}

/// Files of functions and facts, kept for as long as they do not change.
#[derive(Debug, Default)]
pub struct RubyFiles(Mutex<FxHashMap<PathBuf, (Stamp, Arc<RubyFile>)>>);

impl RubyFiles {
    /// What a file says.
    pub fn read(&self, world: &dyn World, path: &Path) -> Arc<RubyFile> {
        let stamp = world.stamp(path);
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, file)) = files.get(path)
            && Some(*known) == stamp
        {
            return Arc::clone(file);
        }
        let text =
            world.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let file = Arc::new(RubyFile {
            signatures: if text.contains("newfunction") {
                arity(&text).into_iter().collect()
            } else if text.contains("dispatch") {
                signatures(&text)
            } else {
                method(&text).into_iter().collect()
            },
            facts: facts(&text),
            has_computed_facts: has_computed_facts(&text),
        });
        if let Some(stamp) = stamp {
            files.insert(path.to_owned(), (stamp, Arc::clone(&file)));
        }
        file
    }
}

/// The name of the function that a file below `lib` holds.
pub fn function_name(path: &str) -> Option<String> {
    let new = path.strip_prefix("puppet/functions/");
    let name = new.or_else(|| path.strip_prefix("puppet/parser/functions/"))?.strip_suffix(".rb")?;
    Some(name.replace('/', "::"))
}

/// Reads the signatures of a function of today's interface: a `dispatch` for each, whose parameters are literal.
fn signatures(text: &str) -> Vec<RubySignature> {
    static DISPATCH: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*dispatch[ (]:?\w+\)?\s*(do|\{)"));
    static PARAM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r##"^\s*(param|required_param|optional_param|repeated_param|optional_repeated_param|required_repeated_param)[ (]+(?:'([^']*)'|"([^"#]*)")\s*,"##,
        )
    });
    static RETURN: LazyLock<Regex> =
        LazyLock::new(|| regex(r##"^\s*return_type[ (]+(?:'([^']*)'|"([^"#]*)")"##));
    // What has types of its own, or is made in a loop, is not read.
    if text.contains("local_types") || text.contains(".each do |") && text.contains("dispatch(") {
        return Vec::new();
    }
    let mut found: Vec<RubySignature> = Vec::new();
    let mut dispatches = 0;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line);
        if DISPATCH.is_match(line) {
            dispatches += 1;
            found.push(RubySignature::default());
            continue;
        }
        let Some(signature) = found.last_mut() else { continue };
        if let Some(captures) = PARAM.captures(line) {
            let ty = captures.get(2).or(captures.get(3)).map_or("Any", |found| found.as_str()).to_owned();
            signature.parameters.push(ty);
            match &captures[1] {
                "param" | "required_param" => signature.required += 1,
                "required_repeated_param" => {
                    signature.required += 1;
                    signature.rest = true;
                }
                "optional_param" => {}
                _ => signature.rest = true,
            }
        } else if line.trim_start().contains("_param") || line.trim_start().starts_with("param") {
            // A parameter that is written in another way.
            if !line.contains("block_param") {
                return Vec::new();
            }
        } else if let Some(captures) = RETURN.captures(line) {
            signature.returns = captures.get(1).or(captures.get(2)).map(|found| found.as_str().to_owned());
        }
    }
    if dispatches == 0 { Vec::new() } else { found }
}

/// How many arguments a function without a `dispatch` takes: as many as the method of its name.
fn method(text: &str) -> Option<RubySignature> {
    static METHOD: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"create_function\(:'?(?:\w+::)*(\w+)'?\)[^\n]*\n(?:[^\n]*\n)*?\s*def (\w+)\(([^()]*)\)")
    });
    let captures = METHOD.captures(text)?;
    let parameters: Vec<&str> = captures[3].split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let is_rest = |one: &str| one.starts_with('*');
    if captures[1] != captures[2] || parameters.iter().any(|one| one.starts_with('&') || one.contains(':')) {
        return None;
    }
    if let [rest] = &parameters[..]
        && is_rest(rest)
    {
        return counted(text, &rest[1..]).and_then(exactly);
    }
    Some(RubySignature {
        required: parameters.iter().filter(|one| !one.contains('=') && !is_rest(one)).count(),
        rest: parameters.last().is_some_and(|last| is_rest(last)),
        parameters: vec!["Any".to_owned(); parameters.len()],
        ..RubySignature::default()
    })
}

/// How many arguments a function of the interface before that takes, if it says so: where it is made, or because it fails for others
/// in its first lines.
fn arity(text: &str) -> Option<RubySignature> {
    static ARITY: LazyLock<Regex> = LazyLock::new(|| regex(r":arity\s*=>\s*(-?\d+)|\barity:\s*(-?\d+)"));
    static NAMED: LazyLock<Regex> = LazyLock::new(|| regex(r"newfunction[^\n]*\bdo\s*\|\s*(\w+)\s*\|"));
    match ARITY.captures(text) {
        Some(captures) => exactly(captures.get(1).or(captures.get(2))?.as_str().parse().ok()?),
        None => counted(text, &NAMED.captures(text)?[1]).and_then(exactly),
    }
}

/// The number of arguments for which a function goes on; for all others it fails before it does anything.
fn counted(text: &str, arguments: &str) -> Option<i64> {
    static FAILS: LazyLock<Regex> = LazyLock::new(|| {
        let count = r"(?:if (\w+)\.(?:size|length) !=|unless (\w+)\.(?:size|length) ==) (\d+)";
        regex(&format!(
            r"(?:\|\s*\w+\s*\||\(\*\w+\))\s*\n(?:\s*#[^\n]*\n)*\s*(?:{count}\s+raise\b|raise\b[^\n]*(?:\n[^\n]*)?\s{count}\s*\n)"
        ))
    });
    let captures = FAILS.captures(text)?;
    let found: Vec<&str> = captures.iter().skip(1).flatten().map(|found| found.as_str()).collect();
    match found[..] {
        [name, count] if name == arguments => count.parse().ok(),
        _ => None,
    }
}

/// A signature with so many arguments. As in Ruby: one less than the least, if there may be more.
fn exactly(arity: i64) -> Option<RubySignature> {
    let required = usize::try_from(if arity < 0 { -arity - 1 } else { arity }).ok()?;
    let parameters = vec!["Any".to_owned(); required.max(usize::from(arity < 0))];
    Some(RubySignature { parameters, required, rest: arity < 0, ..RubySignature::default() })
}

/// The names of the facts that a file adds, as far as they are literal.
fn facts(text: &str) -> Vec<String> {
    static ADD: LazyLock<Regex> = LazyLock::new(|| regex(r#"Facter\.add\s*\(?\s*(?::|'|")(\w+)"#));
    ADD.captures_iter(text).map(|captures| captures[1].to_owned()).collect()
}

/// Whether a file adds facts whose names are not literal.
fn has_computed_facts(text: &str) -> bool {
    static ADD: LazyLock<Regex> = LazyLock::new(|| regex(r##"Facter\.add\s*\(?\s*(?:"[^"]*#\{|:"|[a-z])"##));
    ADD.is_match(text)
}

#[allow(clippy::unwrap_used)] // the patterns are ours
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_of_dispatches() {
        let text = "Puppet::Functions.create_function(:'a::b') do
  dispatch :one do
    param 'String', :x
    optional_param 'Integer[0]', :y
    return_type 'Boolean'
  end
  dispatch :many do
    required_repeated_param 'Any', :xs
    block_param
  end
end";
        let found = signatures(text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (&found[0].parameters[..], found[0].required),
            (&["String".to_owned(), "Integer[0]".to_owned()][..], 1)
        );
        assert_eq!(found[0].returns.as_deref(), Some("Boolean"));
        assert!(found[1].rest && found[1].required == 1);
    }

    #[test]
    fn old_functions_say_how_many() {
        let takes = |text| arity(text).map(|found| (found.required, found.parameters.len(), found.rest));
        assert_eq!(takes("newfunction(:a, :type => :rvalue, :arity => 2) do"), Some((2, 2, false)));
        assert_eq!(takes("newfunction(:a, arity: -2) do"), Some((1, 1, true)));
        assert_eq!(takes("newfunction(:a) do"), None);
        let fails = "newfunction(:a, :type => :rvalue) do |args|\n  raise(E, 'no') if args.size != 1\n  x";
        assert_eq!(takes(fails), Some((1, 1, false)));
        let fails =
            "newfunction(:a) do |arguments|\n  unless arguments.length == 2\n    raise E, 'no'\n  end";
        assert_eq!(takes(fails), Some((2, 2, false)));
        assert_eq!(takes("newfunction(:a) do |args|\n  if args.size != 1\n    x = 1\n  end"), None);
    }

    #[test]
    fn methods_say_how_many() {
        let takes =
            |text: &str| method(text).map(|found| (found.required, found.parameters.len(), found.rest));
        let head = "Puppet::Functions.create_function(:'a::b') do\n  def b";
        assert_eq!(takes(&format!("{head}(x, y = 1)\n")), Some((1, 2, false)));
        assert_eq!(takes(&format!("{head}(x, *more)\n")), Some((1, 2, true)));
        assert_eq!(
            takes(&format!("{head}(*args)\n    raise(E, 'a' +\n 'b') if args.size != 1\n")),
            Some((1, 1, false))
        );
        assert_eq!(takes(&format!("{head}(*args)\n    x\n")), None);
    }

    #[test]
    fn facts_that_are_added() {
        assert_eq!(facts("Facter.add(:one) do\nFacter.add 'two' do\n"), ["one", "two"]);
        assert!(has_computed_facts("Facter.add(\"x_#{y}\") do") && has_computed_facts("Facter.add(name) do"));
        assert!(!has_computed_facts("Facter.add('x') do"));
    }
}
