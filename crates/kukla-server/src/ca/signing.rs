//! The signing policy: rules, as data, for which requests are signed without a person.
//!
//! ```toml
//! [ca.signing]
//! reserved = ["*.infra.example.com"]
//!
//! [[ca.signing.rules]]
//! names = ["web*.example.com"]
//! extensions = { pp_role = ["web", "cache"] }
//! token = true
//! ttl = "90d"
//! ```

use std::time::Duration;

use der::asn1::ObjectIdentifier;
use kukla::Value;
use kukla::syntax::Problem;
use kukla::values::Hash;

use super::certificate::puppet_extensions;
use super::request::Request;
use super::{Refusal, oids, time};

/// The rules of an authority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SigningPolicy {
    /// Names that no rule grants.
    pub reserved: Vec<NamePattern>,
    /// The rules, in order: the first one that fits a name decides.
    pub rules: Vec<SigningRule>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningRule {
    /// The names that it is for.
    pub names: Vec<NamePattern>,
    /// The decision about a request that meets the conditions.
    pub action: RuleAction,
    /// Whether a request needs a one-time token.
    pub token: bool,
    /// The extensions that a request needs, with the values they may have; any, if there are none.
    pub extensions: Vec<(ObjectIdentifier, Vec<String>)>,
    /// The validity of the certificate.
    pub lifetime: Option<Duration>,
}

/// The decision of a rule about a request that meets its conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// Signs it.
    Sign,
    /// Leaves it to a person.
    Wait,
    /// Refuses it.
    Refuse,
}

/// A pattern of names: `*` matches anything but a dot, `**` anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// Reads a pattern. Names are in lower case, and a pattern that could never fit is an error.
    pub fn parse(text: &str) -> Result<NamePattern, Problem> {
        let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-@*".contains(c);
        if text.is_empty() || !text.chars().all(is_valid) {
            return Err(Problem::invalid("invalid pattern of names")
                .on(format_args!("'{}'", text.escape_debug()))
                .because("expected lower case letters, digits, and '.', '-', '_', '@', '*'"));
        }
        Ok(NamePattern(text.to_owned()))
    }

    /// Whether a name fits.
    pub fn matches(&self, name: &str) -> bool {
        // One pass over the name for each part of the pattern: `reached` has the places where the rest of the name may begin.
        let name = name.as_bytes();
        let mut reached = vec![false; name.len() + 1];
        reached[0] = true;
        let mut rest = self.0.as_bytes();
        while let Some((first, after)) = rest.split_first() {
            let is_any = rest.starts_with(b"**");
            let mut next = vec![false; name.len() + 1];
            for at in 0..=name.len() {
                match first {
                    b'*' => {
                        let continues = at > 0 && next[at - 1] && (is_any || name[at - 1] != b'.');
                        next[at] = reached[at] || continues;
                    }
                    byte => next[at] = at > 0 && reached[at - 1] && name[at - 1] == *byte,
                }
            }
            reached = next;
            rest = if is_any { &rest[2..] } else { after };
        }
        reached[name.len()]
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SigningPolicy {
    /// Reads the table `ca.signing`, whose keys were validated.
    pub fn read(table: &Hash) -> Result<SigningPolicy, Problem> {
        let rules = table.get("rules").and_then(Value::as_array).into_iter().flatten();
        let rules = rules.enumerate().map(|(at, rule)| {
            let rule = rule.as_hash().ok_or_else(|| Problem::invalid("expected a table"));
            rule.and_then(SigningRule::read).map_err(|problem| {
                Problem::invalid("invalid signing rule")
                    .on(format_args!("number {}", at + 1))
                    .caused_by(problem)
            })
        });
        Ok(SigningPolicy { reserved: patterns(table, "reserved")?, rules: rules.collect::<Result<_, _>>()? })
    }

    /// The first rule for a name, with its number.
    pub fn rule_for(&self, name: &str) -> Option<(usize, &SigningRule)> {
        let fits = |rule: &&SigningRule| rule.names.iter().any(|pattern| pattern.matches(name));
        self.rules.iter().enumerate().find(|(_, rule)| fits(rule)).map(|(at, rule)| (at + 1, rule))
    }
}

fn patterns(table: &Hash, key: &str) -> Result<Vec<NamePattern>, Problem> {
    let all = table.get(key).and_then(Value::as_array).into_iter().flatten();
    all.map(|text| NamePattern::parse(text.as_str().unwrap_or_default())).collect()
}

impl SigningRule {
    fn read(table: &Hash) -> Result<SigningRule, Problem> {
        let names = patterns(table, "names")?;
        if names.is_empty() {
            return Err(Problem::invalid("`names` is missing").help("`names = [\"**\"]` is for all names"));
        }
        let action = match table.get("action").and_then(Value::as_str) {
            None | Some("sign") => RuleAction::Sign,
            Some("wait") => RuleAction::Wait,
            Some("refuse") => RuleAction::Refuse,
            Some(other) => {
                return Err(Problem::invalid("invalid action")
                    .on(format_args!("'{other}'"))
                    .because("expected sign, wait or refuse"));
            }
        };
        let lifetime = match table.get("ttl") {
            None => None,
            Some(Value::Integer(seconds)) => u64::try_from(*seconds).ok().map(Duration::from_secs),
            Some(value) => Some(value.as_str().and_then(time::duration).ok_or_else(|| {
                Problem::invalid("invalid ttl")
                    .because("expected seconds, or a number with a unit: 90d, 12h, 5y")
            })?),
        };
        let required = table.get("extensions").and_then(Value::as_hash);
        let extensions = required.into_iter().flat_map(|hash| hash.iter()).map(|(name, values)| {
            let name = name.as_str().unwrap_or_default();
            let oid = oids::by_name(name).filter(|oid| oids::is_puppets(*oid)).ok_or_else(|| {
                Problem::invalid("unknown certificate extension").on(format_args!("'{name}'"))
            })?;
            Ok((oid, permitted_values(name, values)?))
        });
        Ok(SigningRule {
            names,
            action,
            token: table.get("token") == Some(&Value::Boolean(true)),
            extensions: extensions.collect::<Result<_, Problem>>()?,
            lifetime,
        })
    }

    /// The first condition on extensions that a request does not meet.
    pub fn unmet_extension(&self, request: &Request) -> Result<Option<String>, Refusal> {
        let extensions = request.extensions().map_err(Refusal::Rule)?;
        let present = puppet_extensions(&extensions);
        let unmet = self.extensions.iter().find(|(oid, permitted)| {
            let mut values = present.iter().filter(|(known, _)| known == oid).map(|(_, value)| value);
            !values.any(|value| permitted.is_empty() || permitted.contains(value))
        });
        Ok(unmet.map(|(oid, _)| oids::short_name(*oid).map_or_else(|| oid.to_string(), str::to_owned)))
    }
}

/// The values that an extension may have; `*` is any.
fn permitted_values(name: &str, values: &Value) -> Result<Vec<String>, Problem> {
    let all = match values {
        Value::String(text) if text == "*" => return Ok(Vec::new()),
        Value::String(text) => Some(vec![text.to_string()]),
        Value::Array(all) if !all.is_empty() => {
            all.iter().map(|value| Some(value.as_str()?.to_owned())).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    all.ok_or_else(|| {
        Problem::invalid("invalid values of extension")
            .on(format_args!("'{name}'"))
            .because("expected a string or a list of strings")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stop_at_dots() {
        for (pattern, name, fits) in [
            ("web1", "web1", true),
            ("web*", "web", true),
            ("web*.example.com", "web12.example.com", true),
            ("web*.example.com", "web1.evil.example.com", false),
            ("**.example.com", "a.b.example.com", true),
            ("**.example.com", "example.com", false),
            ("**", "a.b", true),
            ("*", "a.b", false),
            ("*.*", "a.b", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
        ] {
            assert_eq!(NamePattern::parse(pattern).unwrap().matches(name), fits, "{pattern} {name}");
        }
        let hostile = NamePattern::parse(&"*a".repeat(200)).unwrap();
        assert!(!hostile.matches(&"a".repeat(199)) && hostile.matches(&"a".repeat(250)));
        for invalid in ["", "Web", "a b", "a/b", "\u{e9}"] {
            assert!(NamePattern::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn rules_are_read_or_refused() {
        let read = |text: &str| {
            let path = std::path::Path::new("kukla.toml");
            let value = kukla::config_file::ConfigFile::parse(path, text).unwrap().to_value();
            SigningPolicy::read(value.as_hash().unwrap()).map_err(|problem| problem.to_string())
        };
        let policy = read(
            "reserved = ['a*']\n[[rules]]\nnames = ['web*']\nttl = '90d'\ntoken = true\nextensions = { pp_role = ['web', 'db'], pp_zone = '*' }\n[[rules]]\nnames = ['**']\naction = 'refuse'\n",
        )
        .unwrap();
        assert_eq!(policy.rule_for("web1").map(|(at, rule)| (at, rule.token)), Some((1, true)));
        assert_eq!(policy.rule_for("db1").map(|(_, rule)| rule.action), Some(RuleAction::Refuse));
        assert_eq!(policy.rules[0].extensions[0].1, ["web", "db"]);
        assert!(policy.rules[0].extensions[1].1.is_empty());
        for (text, reason) in [
            ("[[rules]]\n", "`names` is missing"),
            ("[[rules]]\nnames = ['a']\naction = 'sing'", "invalid action 'sing'"),
            ("[[rules]]\nnames = ['a']\nttl = 'soon'", "invalid ttl"),
            (
                "[[rules]]\nnames = ['a']\nextensions = { pp_rol = 'a' }",
                "unknown certificate extension 'pp_rol'",
            ),
            (
                "[[rules]]\nnames = ['a']\nextensions = { pp_role = 1 }",
                "invalid values of extension 'pp_role'",
            ),
            ("[[rules]]\nnames = ['A']", "invalid pattern of names 'A'"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(
                problem.starts_with("invalid signing rule number 1: ") && problem.contains(reason),
                "{problem}"
            );
        }
    }
}
