//! From a title to name variables.

use std::borrow::Cow;

use kukla_syntax::{bail, diagnostic};
use kukla_values::case;
use kukla_values::regexp::Regexp;
use kukla_values::{Error, Result, Str};

use super::{NativeType, Titles};
use crate::codes::{NO_TITLE_PATTERNS, TITLE_NOT_MATCHED};

/// One way of taking a title apart.
#[derive(Clone, Debug)]
pub struct TitlePattern {
    /// A regular expression as Ruby writes it, inline flags included.
    pub regexp: Cow<'static, str>,
    /// The attributes its groups set, in order.
    pub attributes: Cow<'static, [&'static str]>,
    /// A conversion of the text of each group; none for groups beyond the end.
    pub changes: Vec<Vec<Change>>,
}

/// Something done to a part of a title before an attribute gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Capitals become small letters.
    Downcase,
    /// Small letters become capitals.
    Upcase,
    /// The first letter becomes a capital, the others small.
    Capitalize,
    /// White space at both ends goes.
    Strip,
    /// A line break at the end goes, or this text.
    Chomp(Option<String>),
    /// Replaces matches of a regular expression, all or the first, by a text.
    Replace(String, String, bool),
}

impl Change {
    fn apply(&self, text: &str) -> Result<String> {
        Ok(match self {
            Change::Downcase => case::downcase(text).into(),
            Change::Upcase => case::upcase(text).into(),
            Change::Capitalize => case::capitalize(text).into(),
            Change::Strip => text.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r', '\0']).to_owned(),
            Change::Chomp(Some(end)) => text.strip_suffix(end.as_str()).unwrap_or(text).to_owned(),
            Change::Chomp(None) => {
                let line = text.strip_suffix('\n').unwrap_or(text);
                line.strip_suffix('\r').unwrap_or(line).to_owned()
            }
            Change::Replace(regexp, with, true) => Regexp::new(regexp)?.replace_all(text, with)?,
            Change::Replace(regexp, with, false) => Regexp::new(regexp)?.replace_first(text, with)?,
        })
    }
}

impl TitlePattern {
    /// A pattern from constants.
    pub const fn of(regexp: &'static str, attributes: &'static [&'static str]) -> TitlePattern {
        TitlePattern {
            regexp: Cow::Borrowed(regexp),
            attributes: Cow::Borrowed(attributes),
            changes: Vec::new(),
        }
    }
}

impl TitlePattern {
    /// The groups of a title, if the pattern matches it.
    fn groups(&self, title: &str) -> Result<Option<Vec<Option<Str>>>> {
        let regexp = Regexp::new(&self.regexp)?;
        let Some(groups) = regexp.captures(title)? else { return Ok(None) };
        let group = |at: usize| {
            let Some(text) = groups.get(at) else { return Ok(None) };
            let Some(changes) = self.changes.get(at - 1).filter(|changes| !changes.is_empty()) else {
                return Ok(Some(text.into()));
            };
            let changed = changes.iter().try_fold(text.to_owned(), |text, change| change.apply(&text))?;
            Ok(Some(changed.into()))
        };
        (1..groups.len()).map(group).collect::<Result<Vec<Option<Str>>>>().map(Some)
    }
}

/// Name variables with the values a title gives them; an absent group gives none.
pub type Names = Vec<(&'static str, Option<Str>)>;

impl NativeType {
    /// Whether a title is, unchanged, the value of the only name variable.
    pub fn title_is_name(&self, title: &str) -> bool {
        match self.titles {
            Titles::Whole => self.namevars.len() == 1,
            Titles::Path => !title.is_empty() && (title == "/" || !title.ends_with('/')),
            Titles::First | Titles::Patterns(_) => false,
        }
    }

    /// The name variables a title sets.
    pub fn parse_title(&self, title: &Str) -> Result<Names> {
        match &self.titles {
            Titles::Whole => match &*self.namevars {
                [only] => Ok(vec![(*only, Some(title.clone()))]),
                [] => Err(unmatched(title)),
                _ => bail!(NO_TITLE_PATTERNS),
            },
            Titles::First => {
                Ok(self.namevars.first().map(|first| (*first, Some(title.clone()))).into_iter().collect())
            }
            Titles::Path => Ok(vec![(self.namevar(), Some(path(title)))]),
            Titles::Patterns(patterns) => {
                for pattern in patterns.iter() {
                    if let Some(groups) = pattern.groups(title)? {
                        let groups = groups.into_iter().chain(std::iter::repeat(None));
                        return Ok(pattern.attributes.iter().copied().zip(groups).collect());
                    }
                }
                Err(unmatched(title))
            }
        }
    }
}

fn unmatched(title: &str) -> Error {
    diagnostic!(TITLE_NOT_MATCHED { title }).into()
}

/// A path without trailing slashes, unless nothing else is left; a drive's root (`C:/`) keeps its slash.
fn path(title: &Str) -> Str {
    let trimmed = title.trim_end_matches('/');
    match trimmed.as_bytes() {
        [] if !title.is_empty() => "/".into(),
        [_, .., b':'] if trimmed.len() < title.len() => title[..=trimmed.len()].into(),
        _ if trimmed.len() == title.len() => title.clone(),
        _ => trimmed.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_titles_are_changed() {
        let changes = vec![
            vec![Change::Strip, Change::Capitalize],
            vec![Change::Chomp(Some(".".into())), Change::Replace("[aeiou]".into(), "*".into(), true)],
        ];
        let pattern = TitlePattern { changes, ..TitlePattern::of("(?m)(.*):(.*)", &["a", "b"]) };
        let groups = pattern.groups(" oNE :seven.").unwrap().unwrap();
        assert_eq!(groups, [Some("One".into()), Some("s*v*n".into())]);
    }

    #[test]
    fn trailing_slashes_go() {
        for (title, expected) in
            [("/tmp//", "/tmp"), ("/", "/"), ("//", "/"), ("/tmp", "/tmp"), ("C:/", "C:/"), ("a:b/", "a:b")]
        {
            assert_eq!(path(&title.into()), expected);
        }
    }
}
