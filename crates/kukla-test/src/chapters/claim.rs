//! Claims: what a comment beside a statement says about it.

/// The expected behaviour of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// `# => value`: it has this value, written in Puppet notation.
    Value(String),
    /// `# error: CODE "part of the message"`: it fails.
    Error(Message),
    /// `# notice: text`, `# warning: text` and so on for every log level.
    Log { level: String, message: Message },
}

/// A message to look for, with the issue code if it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The issue code.
    pub code: Option<String>,
    /// The text, or a part of it.
    pub text: String,
    /// Whether the text is all of it: `only "…"`.
    pub whole: bool,
}

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit"];

/// Splits a line of Puppet into its code and the claim in its comment.
pub fn of_line(line: &str) -> (&str, Option<Claim>) {
    for (at, _) in line.match_indices("# ") {
        let comment = at == 0 || line[..at].ends_with([' ', '\t']);
        if let Some(claim) = parse(line[at + 2..].trim()).filter(|_| comment) {
            return (&line[..at], Some(claim));
        }
    }
    // An `# error` without a message has nothing behind it.
    match line.strip_suffix("# error") {
        Some(code) => (code, Some(Claim::Error(Message::default()))),
        None => (line, None),
    }
}

fn parse(comment: &str) -> Option<Claim> {
    if let Some(value) = comment.strip_prefix("=>") {
        return Some(Claim::Value(value.trim().to_owned()));
    }
    let (word, rest) = comment.split_once(':').unwrap_or((comment, ""));
    let message = || Message::parse(rest.trim(), matches!(word, "error" | "warning"));
    match word {
        "error" => Some(Claim::Error(message())),
        level if LEVELS.contains(&level) && comment.len() > level.len() => {
            Some(Claim::Log { level: level.to_owned(), message: message() })
        }
        _ => None,
    }
}

impl Message {
    /// Reads `text`, `CODE "text"` or `only "text"`.
    pub fn parse(text: &str, may_have_code: bool) -> Self {
        let word = text.split(' ').next().unwrap_or_default();
        let is_code = may_have_code
            && word.len() > 2
            && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && word.bytes().any(|b| b.is_ascii_uppercase());
        let rest = if is_code { text[word.len()..].trim() } else { text };
        if is_code && !rest.is_empty() && !rest.starts_with('"') {
            return Self { text: text.to_owned(), ..Self::default() };
        }
        let (rest, whole) = match rest.strip_prefix("only ").filter(|rest| rest.starts_with('"')) {
            Some(all) => (all, true),
            None => (rest, false),
        };
        let unquoted = serde_json::from_str::<String>(rest).unwrap_or_else(|_| rest.to_owned());
        Self { code: is_code.then(|| word.to_owned()), text: unquoted, whole }
    }

    /// Does an error or warning with this code and text fulfil the claim?
    pub fn found_in(&self, code: Option<&str>, text: &str) -> bool {
        self.code.as_deref().is_none_or(|c| Some(c) == code)
            && if self.whole { text == self.text } else { text.contains(&self.text) }
    }
}

impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(value) => write!(f, "=> {value}"),
            Self::Error(message) => write!(f, "error: {message}"),
            Self::Log { level, message } => write!(f, "{level}: {message}"),
        }
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{code} {:?}", self.text),
            None if self.whole => write!(f, "only {:?}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: Option<&str>, text: &str) -> Claim {
        Claim::Error(Message { code: code.map(str::to_owned), text: text.to_owned(), whole: false })
    }

    #[test]
    fn forms() {
        assert_eq!(of_line("1 + 1  # => 2"), ("1 + 1  ", Some(Claim::Value("2".into()))));
        assert_eq!(
            of_line("1 / 0 # error: DIV_BY_ZERO \"Division by 0\"").1,
            Some(error(Some("DIV_BY_ZERO"), "Division by 0"))
        );
        assert_eq!(of_line("1 / 0 # error: DIV_BY_ZERO").1, Some(error(Some("DIV_BY_ZERO"), "")));
        assert_eq!(of_line("1 / 0 # error: Division by 0").1, Some(error(None, "Division by 0")));
        let whole = Message { text: "no".into(), whole: true, ..Message::default() };
        assert!(!whole.found_in(None, "no more") && whole.found_in(None, "no"));
        assert_eq!(of_line("f() # error: only \"no\"").1, Some(Claim::Error(whole)));
        assert_eq!(of_line("1 / 0 # error").1, Some(error(None, "")));
        assert_eq!(of_line("$x = 1 # an ordinary notice").1, None);
        assert_eq!(of_line("'# => 1' # => 'a'").1, Some(Claim::Value("'a'".into())));
        assert_eq!(
            of_line("notice('x') # notice: ABC means x").1,
            Some(Claim::Log {
                level: "notice".into(),
                message: Message { text: "ABC means x".into(), ..Message::default() }
            })
        );
    }
}
