//! From a title to name variables.

use std::borrow::Cow;

use kukla_values::regexp::Regexp;
use kukla_values::{Error, Result, Str};

use super::{ResourceType, Titles};

/// One way of taking a title apart.
#[derive(Clone, Debug)]
pub struct TitlePattern {
    /// A regular expression as Ruby writes it, inline flags included.
    pub regexp: Cow<'static, str>,
    /// The attributes its groups set, in order.
    pub attributes: Cow<'static, [&'static str]>,
}

impl TitlePattern {
    /// A pattern from constants.
    pub const fn of(regexp: &'static str, attributes: &'static [&'static str]) -> TitlePattern {
        TitlePattern { regexp: Cow::Borrowed(regexp), attributes: Cow::Borrowed(attributes) }
    }
}

impl TitlePattern {
    /// What the groups caught in a title, if the pattern matches it.
    fn groups(&self, title: &str) -> Result<Option<Vec<Option<Str>>>> {
        let regexp = Regexp::new(&self.regexp)?;
        let groups = regexp.captures(title)?;
        Ok(groups.map(|groups| (1..groups.len()).map(|group| groups.get(group).map(Str::from)).collect()))
    }
}

/// Name variables with the values a title gives them; an absent group gives none.
pub type Names = Vec<(&'static str, Option<Str>)>;

impl ResourceType {
    /// Whether a title is the value of the only name variable, as it stands.
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
                _ => Err(Error::runtime(
                    "you must specify title patterns when there are two or more key attributes",
                )),
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
    Error::runtime(format!("No set of title patterns matched the title \"{title}\"."))
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
    fn trailing_slashes_go() {
        for (title, expected) in
            [("/tmp//", "/tmp"), ("/", "/"), ("//", "/"), ("/tmp", "/tmp"), ("C:/", "C:/"), ("a:b/", "a:b")]
        {
            assert_eq!(path(&title.into()), expected);
        }
    }
}
