//! Authorization rules as puppetserver's `auth.conf` has them, and its default ones.
//!
//! The first rule that fits a request decides about it, in the order of `sort-order` and then of names. What no rule fits is
//! refused.

use hyper::Method;
use kukla::syntax::Problem;
use kukla::{Value, formats::hocon};
use regex::Regex;

use crate::call::Call;
use crate::peer::Peer;

/// All rules, in the order they are asked.
#[derive(Clone, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Whether headers may carry the client's certificate, because a proxy in front of the server has checked it.
    pub by_header: bool,
}

#[derive(Clone, Debug)]
struct Rule {
    name: String,
    order: i64,
    path: Pattern,
    methods: Vec<Method>,
    parameters: Vec<(String, Vec<String>)>,
    unauthenticated: bool,
    allow: Vec<Subject>,
    deny: Vec<Subject>,
}

#[derive(Clone, Debug)]
enum Pattern {
    /// All paths that begin with this.
    Prefix(String),
    Regex(Regex),
}

/// Whom a rule means.
#[derive(Clone, Debug)]
enum Subject {
    Everyone,
    /// A name, in which `$1` is replaced by a group of the path.
    Name(String),
    /// All names that end so.
    Domain(String),
    Names(Regex),
    /// Everyone whose certificate has these extensions, each with one of the values.
    Extensions(Vec<(String, Vec<String>)>),
}

/// Why a request is refused, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The rule that refused it.
    pub rule: String,
}

/// puppetserver's own rules: their names, what they are about, and whom they allow.
const DEFAULTS: [(&str, &str, &str, &str); 27] = [
    ("puppetlabs v3 catalog from agents", "~^/puppet/v3/catalog/([^/]+)$", "get post", "$1"),
    ("puppetlabs v4 catalog for services", "~^/puppet/v4/catalog/?$", "post", "-"),
    ("puppetlabs certificate", "/puppet-ca/v1/certificate/", "get", "?"),
    ("puppetlabs crl", "/puppet-ca/v1/certificate_revocation_list/ca", "get", "?"),
    ("puppetlabs csr", "/puppet-ca/v1/certificate_request", "get put", "?"),
    ("puppetlabs certificate renewal", "/puppet-ca/v1/certificate_renewal", "post", "*"),
    ("puppetlabs cert status", "/puppet-ca/v1/certificate_status", "get put delete", "!"),
    ("puppetlabs CRL update", "~^/puppet-ca/v1/certificate_revocation_list$", "put", "!"),
    ("puppetlabs cert statuses", "/puppet-ca/v1/certificate_statuses", "get", "!"),
    ("puppetlabs CA cert and CRL expirations", "/puppet-ca/v1/expirations", "get", "*"),
    ("puppetlabs cert clean", "/puppet-ca/v1/clean", "put", "!"),
    ("puppetlabs cert sign", "/puppet-ca/v1/sign", "post", "!"),
    ("puppetlabs cert sign all", "/puppet-ca/v1/sign/all", "post", "!"),
    ("puppetlabs status service - full", "/status/v1/services", "get", "?"),
    ("puppetlabs status service - simple", "/status/v1/simple", "get", "?"),
    ("puppetlabs environments", "/puppet/v3/environments", "get", "*"),
    ("puppetlabs file bucket file", "/puppet/v3/file_bucket_file", "get head post put", "*"),
    ("puppetlabs file content", "/puppet/v3/file_content", "get post", "*"),
    ("puppetlabs file metadata", "/puppet/v3/file_metadata", "get post", "*"),
    ("puppetlabs node", "~^/puppet/v3/node/([^/]+)$", "get", "$1"),
    ("puppetlabs report", "~^/puppet/v3/report/([^/]+)$", "put", "$1"),
    ("puppetlabs facts", "~^/puppet/v3/facts/([^/]+)$", "put", "$1"),
    ("puppetlabs static file content", "/puppet/v3/static_file_content", "get", "*"),
    ("puppet tasks information", "/puppet/v3/tasks", "", "*"),
    // What only Kukla has: the infrastructure's own certificates may tell it that code has changed, and read its figures.
    ("kukla environment cache", "/puppet-admin-api/v1/environment-cache", "delete post", "!"),
    ("kukla metrics", "/metrics", "get", "!"),
    ("puppetlabs deny all", "/", "", "-"),
];

/// The default rules in order, for the reference page: path, methods, and the clients that they allow.
pub fn default_rules() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    DEFAULTS.iter().map(|(_, path, methods, allow)| {
        let clients = match *allow {
            "?" => "everyone, also without a certificate",
            "*" => "every certificate",
            "$1" => "the certificate of the node in the path",
            "!" => "certificates with the extension `pp_cli_auth`",
            _ => "nobody",
        };
        (*path, *methods, clients)
    })
}

impl Default for Rules {
    fn default() -> Rules {
        let rule = |(at, (name, path, methods, allow)): (usize, &(&str, &str, &str, &str))| {
            let path = match path.strip_prefix('~') {
                Some(pattern) => {
                    Regex::new(pattern).map_or_else(|_| Pattern::Prefix(path.to_string()), Pattern::Regex)
                }
                None => Pattern::Prefix(path.to_string()),
            };
            Rule {
                name: name.to_string(),
                order: if at + 1 == DEFAULTS.len() { 999 } else { 500 },
                path,
                methods: methods
                    .split_whitespace()
                    .filter_map(|name| name.to_uppercase().parse().ok())
                    .collect(),
                parameters: Vec::new(),
                unauthenticated: *allow == "?",
                allow: match *allow {
                    "?" | "-" => Vec::new(),
                    "*" => vec![Subject::Everyone],
                    "!" => vec![Subject::Extensions(vec![("pp_cli_auth".into(), vec!["true".into()])])],
                    name => vec![Subject::Name(name.into())],
                },
                deny: Vec::new(),
            }
        };
        Rules::ordered(DEFAULTS.iter().enumerate().map(rule).collect(), false)
    }
}

impl Rules {
    fn ordered(mut rules: Vec<Rule>, by_header: bool) -> Rules {
        rules.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
        Rules { rules, by_header }
    }

    /// Permits requests to the webhook, whose signature decides. Rules with a lower `sort-order` come first, so they can permit it to some clients only.
    pub fn add_webhook(&mut self) {
        let rule = Rule {
            name: "kukla webhook".to_owned(),
            order: 500,
            path: Pattern::Prefix("/webhook".to_owned()),
            methods: vec![Method::POST],
            parameters: Vec::new(),
            unauthenticated: true,
            allow: Vec::new(),
            deny: Vec::new(),
        };
        let rules = std::mem::take(&mut self.rules);
        self.rules = Rules::ordered(rules.into_iter().chain([rule]).collect(), self.by_header).rules;
    }

    /// Reads an `auth.conf`.
    pub fn parse(text: &str) -> Result<Rules, Problem> {
        Rules::read(&hocon::read(text, &|_| Ok(None)).map_err(|error| Problem::invalid(error.to_string()))?)
    }

    /// Reads the rules of a file that was read.
    pub fn read(all: &Value) -> Result<Rules, Problem> {
        let authorization = get(all, "authorization").filter(|rules| rules.as_hash().is_some());
        let authorization = authorization.ok_or_else(|| missing("authorization"))?;
        if let Some(version) = get(authorization, "version")
            && *version != Value::Integer(1)
        {
            let got = match version {
                Value::Integer(number) => number.to_string(),
                _ => "another value".to_owned(),
            };
            return Err(Problem::invalid("unsupported 'version' of authorization rules")
                .because(format_args!("expected 1, got {got}")));
        }
        let by_header = get(authorization, "allow-header-cert-info") == Some(&Value::Boolean(true));
        let Some(Value::Array(rules)) = get(authorization, "rules") else {
            return Err(missing("rules"));
        };
        let rules = rules.iter().enumerate().map(|(at, rule)| {
            Rule::read(rule).map_err(|problem| {
                let rule = match get(rule, "name").and_then(Value::as_str) {
                    Some(name) => format!("'{name}'"),
                    None => (at + 1).to_string(),
                };
                Problem::new(problem.kind(), "invalid rule").on(rule).caused_by(problem)
            })
        });
        Ok(Rules::ordered(rules.collect::<Result<_, _>>()?, by_header))
    }

    /// Whether a request is allowed.
    pub fn check(&self, call: &Call) -> Result<(), Forbidden> {
        let refused = |rule: &str| Err(Forbidden { rule: rule.to_owned() });
        for rule in &self.rules {
            let Some(groups) = rule.fits(call) else { continue };
            if rule.unauthenticated {
                return Ok(());
            }
            let names = |all: &[Subject]| all.iter().any(|subject| subject.matches(&call.peer, &groups));
            return if call.peer.name.is_none() || names(&rule.deny) || !names(&rule.allow) {
                refused(&rule.name)
            } else {
                Ok(())
            };
        }
        refused("none fits")
    }

    /// The rules in the order they are asked, a line each.
    pub fn describe(&self) -> Vec<String> {
        self.rules.iter().map(|rule| format!("{:>4} {}", rule.order, rule.name)).collect()
    }
}

impl Rule {
    fn read(rule: &Value) -> Result<Rule, Problem> {
        let request = get(rule, "match-request").ok_or_else(|| missing("match-request"))?;
        let path = text(request, "path")?.ok_or_else(|| missing("path"))?;
        let path = match text(request, "type")?.as_deref() {
            Some("path") => Pattern::Prefix(path),
            Some("regex") => Pattern::Regex(regex(&path)?),
            Some(other) => return Err(expected("type", "path or regex", other)),
            None => return Err(missing("type")),
        };
        let mut methods = Vec::new();
        for name in get(request, "method").map(texts).transpose()?.unwrap_or_default() {
            match name.to_lowercase().as_str() {
                "any" => {}
                known @ ("get" | "post" | "put" | "delete" | "head") => {
                    methods.extend(known.to_uppercase().parse::<Method>().ok());
                }
                other => return Err(expected("method", "get, post, put, delete, head or any", other)),
            }
        }
        let mut parameters = Vec::new();
        if let Some(Value::Hash(wanted)) = get(request, "query-params") {
            for (name, values) in wanted.iter() {
                parameters.push((name.as_str().unwrap_or_default().to_owned(), texts(values)?));
            }
        }
        let subjects =
            |name: &str| get(rule, name).map(Subject::read_all).transpose().map(Option::unwrap_or_default);
        let unauthenticated = get(rule, "allow-unauthenticated") == Some(&Value::Boolean(true));
        let (allow, deny) = (subjects("allow")?, subjects("deny")?);
        if !unauthenticated && allow.is_empty() && deny.is_empty() {
            return Err(missing_one_of("'allow', 'deny' or 'allow-unauthenticated'"));
        }
        let order = match get(rule, "sort-order") {
            Some(Value::Integer(order @ 1..=999)) => *order,
            _ => return Err(Problem::invalid("invalid 'sort-order'").because("expected 1 to 999")),
        };
        let name = text(rule, "name")?.ok_or_else(|| missing("name"))?;
        Ok(Rule { name, order, path, methods, parameters, unauthenticated, allow, deny })
    }

    /// The groups of the path, if the request is one that the rule is about.
    fn fits(&self, call: &Call) -> Option<Vec<String>> {
        if !self.methods.is_empty() && !self.methods.contains(&call.method) {
            return None;
        }
        let has = |(name, values): &(String, Vec<String>)| {
            call.parameters.all(name).any(|value| values.iter().any(|wanted| wanted == value))
        };
        if !self.parameters.iter().all(has) {
            return None;
        }
        match &self.path {
            Pattern::Prefix(prefix) => call.path.starts_with(prefix).then(Vec::new),
            Pattern::Regex(regex) => {
                let found = regex.captures(&call.path)?;
                Some(
                    found
                        .iter()
                        .map(|group| group.map_or_else(String::new, |group| group.as_str().into()))
                        .collect(),
                )
            }
        }
    }
}

impl Subject {
    fn read_all(value: &Value) -> Result<Vec<Subject>, Problem> {
        match value {
            Value::Array(all) => {
                let read: Result<Vec<_>, _> = all.iter().map(Subject::read_all).collect();
                Ok(read?.into_iter().flatten().collect())
            }
            Value::String(name) => Ok(vec![Subject::named(name)?]),
            Value::Hash(_) => {
                let mut all = Vec::new();
                if let Some(names) = get(value, "certname") {
                    all.extend(Subject::read_all(names)?);
                }
                if let Some(Value::Hash(extensions)) = get(value, "extensions") {
                    let read = extensions.iter().map(|(name, values)| {
                        Ok::<_, Problem>((name.as_str().unwrap_or_default().to_owned(), texts(values)?))
                    });
                    all.push(Subject::Extensions(read.collect::<Result<_, _>>()?));
                }
                if all.is_empty() { Err(missing_one_of("'certname' or 'extensions'")) } else { Ok(all) }
            }
            _ => Err(Problem::invalid("invalid 'allow' or 'deny'")
                .because("expected a name, a list of names or a hash")),
        }
    }

    fn named(name: &str) -> Result<Subject, Problem> {
        if name == "*" {
            return Ok(Subject::Everyone);
        }
        if let Some(domain) = name.strip_prefix("*.") {
            return Ok(Subject::Domain(format!(".{}", domain.to_lowercase())));
        }
        if let Some(pattern) = name.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            return regex(pattern).map(Subject::Names);
        }
        Ok(Subject::Name(name.to_owned()))
    }

    fn matches(&self, peer: &Peer, groups: &[String]) -> bool {
        let Some(name) = &peer.name else { return false };
        match self {
            Subject::Everyone => true,
            Subject::Name(wanted) if wanted.contains('$') => {
                // The longest number first, so that `$1` does not match the beginning of `$12`.
                let mut wanted = wanted.clone();
                for (at, group) in groups.iter().enumerate().skip(1).rev() {
                    wanted = wanted.replace(&format!("${at}"), group);
                }
                wanted == *name
            }
            Subject::Name(wanted) => wanted == name,
            Subject::Domain(domain) => name.to_lowercase().ends_with(domain),
            Subject::Names(regex) => regex.is_match(name),
            Subject::Extensions(wanted) => wanted.iter().all(|(extension, values)| {
                peer.extension(extension).is_some_and(|value| values.iter().any(|wanted| wanted == value))
            }),
        }
    }
}

fn get<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_hash()?.get(name)
}

fn regex(pattern: &str) -> Result<Regex, Problem> {
    Regex::new(pattern).map_err(|error| {
        Problem::invalid("invalid regular expression").on(format_args!("'{pattern}'")).because(error)
    })
}

fn missing(name: &str) -> Problem {
    Problem::invalid(format!("'{name}' is missing"))
}

fn missing_one_of(names: &str) -> Problem {
    Problem::invalid(format!("expected {names}"))
}

fn expected(name: &str, values: &str, got: &str) -> Problem {
    Problem::invalid(format!("invalid '{name}'")).because(format_args!("expected {values}, got '{got}'"))
}

fn text(value: &Value, name: &str) -> Result<Option<String>, Problem> {
    match get(value, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.to_string())),
        Some(Value::Integer(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(Problem::invalid(format!("invalid '{name}'")).because("expected a string")),
    }
}

/// A text, or several; HOCON reads `true` as a boolean, which here is a word.
fn texts(value: &Value) -> Result<Vec<String>, Problem> {
    match value {
        Value::String(text) => Ok(vec![text.to_string()]),
        Value::Boolean(truth) => Ok(vec![truth.to_string()]),
        Value::Integer(number) => Ok(vec![number.to_string()]),
        Value::Array(all) => Ok(all.iter().map(texts).collect::<Result<Vec<_>, _>>()?.concat()),
        _ => Err(Problem::invalid("expected a string or a list of strings")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Parameters;
    use crate::peer::Listener;
    use std::sync::Arc;

    fn call(method: Method, path: &str, name: Option<&str>, extensions: &[(&str, &str)]) -> Call {
        let peer = Peer {
            address: ([127, 0, 0, 1], 1).into(),
            listener: Listener::Tls,
            certificate: None,
            name: name.map(str::to_owned),
            extensions: extensions
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            socket: None,
        };
        Call {
            method,
            path: path.into(),
            parameters: Parameters::parse("environment=dev").unwrap(),
            headers: Default::default(),
            body: Default::default(),
            peer: Arc::new(peer),
        }
    }

    #[test]
    fn by_default_nodes_reach_what_is_theirs() {
        let rules = Rules::default();
        let allows = |method: Method, path: &str, name: Option<&str>| {
            rules.check(&call(method, path, name, &[])).is_ok()
        };
        assert!(allows(Method::POST, "/puppet/v3/catalog/a", Some("a")));
        assert!(!allows(Method::POST, "/puppet/v3/catalog/a", Some("b")));
        assert!(!allows(Method::POST, "/puppet/v3/catalog/a", None));
        assert!(!allows(Method::DELETE, "/puppet/v3/catalog/a", Some("a")));
        assert!(allows(Method::GET, "/puppet-ca/v1/certificate/ca", None));
        assert!(allows(Method::PUT, "/puppet-ca/v1/certificate_request/a", None));
        assert!(!allows(Method::PUT, "/puppet-ca/v1/certificate_status/a", Some("a")));
        assert!(!allows(Method::DELETE, "/puppet-ca/v1/certificate_request/a", None));
        assert!(allows(Method::GET, "/puppet/v3/file_content/modules/x/y", Some("a")));
        assert!(!allows(Method::POST, "/puppet/v4/catalog", Some("a")));
        assert!(!allows(Method::GET, "/anything", Some("a")));
        assert!(allows(Method::GET, "/status/v1/simple", None));
        let admin =
            call(Method::PUT, "/puppet-ca/v1/certificate_status/a", Some("ca"), &[("pp_cli_auth", "true")]);
        assert!(rules.check(&admin).is_ok());
    }

    #[test]
    fn files_of_rules() {
        let rules = Rules::parse(
            r#"authorization: { version: 1, rules: [
              { match-request: { path: "^/puppet/v3/catalog/([^/]+)$", type: regex, method: [get, post],
                                 query-params: { environment: [dev, test] } }
                allow: ["$1", "*.ops.example.com", "/^admin/", { extensions: { pp_role: [a, b] } }], deny: "bad.ops.example.com"
                sort-order: 200, name: "catalogs" },
              { match-request: { path: "/", type: path }, deny: "*", sort-order: 999, name: "rest" } ] }"#,
        )
        .unwrap();
        let name =
            |name: &str| rules.check(&call(Method::GET, "/puppet/v3/catalog/n", Some(name), &[])).is_ok();
        assert_eq!(
            ["n", "x.ops.example.com", "bad.ops.example.com", "admin1", "other"].map(name),
            [true, true, false, true, false]
        );
        assert!(
            rules.check(&call(Method::GET, "/puppet/v3/catalog/n", Some("o"), &[("pp_role", "b")])).is_ok()
        );
        let refused = rules.check(&call(Method::PUT, "/puppet/v3/catalog/n", Some("n"), &[])).unwrap_err();
        assert_eq!(refused.rule, "rest");
        for (text, problem) in [
            ("", "'authorization' is missing"),
            (
                "authorization: {version: 2, rules: []}",
                "unsupported 'version' of authorization rules: expected 1, got 2",
            ),
            (
                "authorization: {rules: [{name: x, sort-order: 1, match-request: {path: a, type: path}}]}",
                "invalid rule 'x': expected 'allow', 'deny' or 'allow-unauthenticated'",
            ),
            (
                "authorization: {rules: [{name: x, sort-order: 1, allow: \"*\", match-request: {path: \"(\", type: regex}}]}",
                "invalid rule 'x': invalid regular expression '(': ",
            ),
        ] {
            let message = Rules::parse(text).unwrap_err().to_string();
            assert!(message.starts_with(problem), "{text}: {message}");
        }
    }
}
