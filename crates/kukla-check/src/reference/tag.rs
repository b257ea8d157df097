//! Tags: their forms, and how the text of each form is read.

use std::sync::OnceLock;

use regex::Regex;

use super::docstring::{is_space, strip};

/// A tag of a documentation comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// Its name, without `@`.
    pub name: String,
    /// The text.
    pub text: Option<String>,
    /// The types in brackets. A type that could not be read is `None`.
    pub types: Option<Vec<Option<String>>>,
    /// The name it is about: of a parameter, a link, an example.
    pub subject: Option<String>,
    /// The option of an `@option` or `@enum`.
    pub pair: Option<Box<Tag>>,
    /// Its line in the comment, from zero.
    pub line: u32,
}

impl Tag {
    /// A tag that the code shows, without a text.
    pub fn of_code(name: &str, subject: Option<&str>, ty: Option<String>) -> Tag {
        Tag {
            name: name.into(),
            text: Some(String::new()),
            types: Some(ty.into_iter().map(Some).collect()),
            subject: subject.map(Into::into),
            ..Tag::default()
        }
    }

    /// The first type.
    pub fn ty(&self) -> Option<&str> {
        self.types.as_ref()?.first()?.as_deref()
    }

    /// The types that could be read.
    pub fn type_names(&self) -> Vec<&str> {
        self.types.iter().flatten().map(|ty| ty.as_deref().unwrap_or_default()).collect()
    }
}

/// The text of a tag does not have the form of such tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The forms of tags.
enum Form {
    /// The text.
    Plain,
    /// A name, and the text.
    Name,
    /// Types, and the text.
    Types,
    /// Types and a name in any order, and the text.
    TypesAndName,
    /// A title on the first line, and the text below it.
    Title,
    /// A name, then types, a name, a default, and the text.
    Option,
    /// A name, then a name, and the text.
    Enum,
}

fn form(name: &str) -> Option<Form> {
    Some(match name {
        "abstract" | "api" | "author" | "deprecated" | "note" | "overload" | "private" | "since"
        | "summary" | "todo" | "version" => Form::Plain,
        "see" => Form::Name,
        "raise" | "return" | "yield" | "yieldreturn" => Form::Types,
        "attr" | "attr_reader" | "attr_writer" | "param" | "yieldparam" => Form::TypesAndName,
        "example" => Form::Title,
        "option" => Form::Option,
        "enum" => Form::Enum,
        _ => return None,
    })
}

/// Reads a tag; `None` if no tag of that name exists.
pub fn read(name: &str, text: &str, line: u32) -> Option<Result<Tag, Malformed>> {
    let form = form(name)?;
    let tag = Tag { name: name.into(), line, ..Tag::default() };
    Some(match form {
        Form::Plain => Ok(Tag { text: Some(strip(text).into()), ..tag }),
        Form::Name => {
            let (subject, text) = split_name(text);
            Ok(Tag { subject, text, ..tag })
        }
        Form::Types => match bracketed(text, BRACKETS) {
            Bracketed { before: Some(_), .. } => Err(Malformed),
            Bracketed { types, rest, .. } => Ok(Tag { types: some(types), text: Some(rest), ..tag }),
        },
        Form::TypesAndName => Ok(types_and_name(tag, text, BRACKETS)),
        Form::Title => match text.split_once('\n') {
            _ if text.is_empty() => Err(Malformed),
            Some((title, code)) => {
                // Ruby's `split` leaves out empty lines at the end.
                let code = code.replace("\r\n", "\n");
                Ok(Tag {
                    subject: Some(title_of(title)),
                    text: Some(code.trim_end_matches('\n').into()),
                    ..tag
                })
            }
            None => Ok(Tag { subject: Some(title_of(text)), text: Some(String::new()), ..tag }),
        },
        Form::Option => {
            let (subject, text) = split_name(text);
            let mut pair = types_and_name(tag.clone(), text.as_deref().unwrap_or_default(), OPTION_BRACKETS);
            if let Some(text) = pair.text.as_deref().filter(|text| text.starts_with('(')) {
                pair.text = Some(bracketed(text, ("(", ")")).rest);
            }
            Ok(Tag { subject, pair: Some(Box::new(pair)), ..tag })
        }
        Form::Enum => {
            let (subject, text) = split_name(text);
            let (option, text) = split_name(text.as_deref().unwrap_or_default());
            Ok(Tag { subject, pair: Some(Box::new(Tag { subject: option, text, ..tag.clone() })), ..tag })
        }
    })
}

fn types_and_name(tag: Tag, text: &str, brackets: (&str, &str)) -> Tag {
    let Bracketed { before, types, rest } = bracketed(text, brackets);
    let (subject, text) = match before {
        Some(before) => (Some(before), Some(rest)),
        None => split_name(&rest),
    };
    Tag { subject, text, types: some(types), ..tag }
}

fn some(types: Option<Vec<String>>) -> Option<Vec<Option<String>>> {
    Some(types?.into_iter().map(Some).collect())
}

/// The first word of a text and the rest.
fn split_name(text: &str) -> (Option<String>, Option<String>) {
    let text = strip(text);
    if text.is_empty() {
        return (None, None);
    }
    match text.find(is_space) {
        Some(end) => (Some(text[..end].into()), Some(text[end..].trim_start_matches(is_space).into())),
        None => (Some(text.into()), None),
    }
}

/// A title with single spaces.
fn title_of(line: &str) -> String {
    let mut title = String::new();
    for c in strip(line.trim_end_matches('\r')).chars() {
        if c != ' ' || !title.ends_with(' ') {
            title.push(c);
        }
    }
    title
}

const BRACKETS: (&str, &str) = ("[({<", ">})]");
const OPTION_BRACKETS: (&str, &str) = ("[{<", ">}]");

/// A text split at the types in brackets at its beginning.
struct Bracketed {
    /// The name before the types.
    before: Option<String>,
    /// The types; `None` without brackets.
    types: Option<Vec<String>>,
    /// The rest.
    rest: String,
}

/// Splits a text at the types in brackets. They follow at most one word.
fn bracketed(text: &str, (opening, closing): (&str, &str)) -> Bracketed {
    let mut end = 0;
    let mut before = String::new();
    let mut list = vec![String::new()];
    let (mut level, mut has_space, mut last) = (0_i32, false, '\0');
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let is_unset = list.len() == 1 && list[0].is_empty();
        let current = list.len() - 1;
        if matches!(c, '"' | '\'')
            && let Some(quoted) = quoted(c).find(&text[at..])
        {
            list[current].push_str(quoted.as_str());
            at += quoted.len();
            continue;
        }
        if level > 0
            && c == '#'
            && let Some(method) = method_name().find(&text[at + 1..])
        {
            list[current].push(c);
            list[current].push_str(method.as_str());
            at += method.len() + 1;
            continue;
        }
        if opening.contains(c) {
            if level > 0 {
                list[current].push(c);
            }
            level += 1;
        } else if closing.contains(c) {
            if !(last == '=' && c == '>') {
                // Below zero, no end is found.
                level -= 1;
            }
            if level == 0 {
                end = at;
                break;
            }
            list[current].push(c);
        } else if c == ',' && level == 1 {
            list.push(String::new());
        } else if !is_space(c) && level == 0 {
            if has_space && is_unset {
                end = at;
                break;
            }
            before.push(c);
        } else if matches!(c, ' ' | '\t') && level == 0 && !before.is_empty() {
            has_space = true;
        } else if level >= 1 {
            list[current].push(c);
        } else if c == '\n' {
            end = at;
            break;
        }
        last = c;
        at += c.len_utf8();
    }
    if list.len() == 1 && list[0].is_empty() {
        return Bracketed { before: None, types: None, rest: strip(text).into() };
    }
    let rest = text.get(end..).unwrap_or_default().chars().next().map_or(end, |c| end + c.len_utf8());
    Bracketed {
        before: (!before.is_empty()).then_some(before),
        types: Some(list.iter().map(|ty| strip(ty).to_owned()).collect()),
        rest: strip(text.get(rest..).unwrap_or_default()).into(),
    }
}

/// Text in quotes, as far as one line goes.
fn quoted(quote: char) -> &'static Regex {
    static SINGLE: OnceLock<Regex> = OnceLock::new();
    static DOUBLE: OnceLock<Regex> = OnceLock::new();
    match quote {
        '"' => DOUBLE.get_or_init(|| regex("\".+?\"")),
        _ => SINGLE.get_or_init(|| regex("'.+?'")),
    }
}

/// The name of a Ruby method or operator.
fn method_name() -> &'static Regex {
    static NAME: OnceLock<Regex> = OnceLock::new();
    NAME.get_or_init(|| {
        regex(r"[a-zA-Z_]\w*[!?=]?|[-+~]@|<<|>>|=~|===?|![=~]?|<=>|[<>]=?|\*\*|[-/+%^&*~`]|\[\]=?")
    })
}

#[expect(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(text: &str) -> (Option<String>, Vec<String>, Option<String>) {
        let tag = read("param", text, 0).unwrap().unwrap();
        let types = tag.type_names().into_iter().map(str::to_owned).collect();
        (tag.subject, types, tag.text)
    }

    fn case(
        name: Option<&str>,
        types: &[&str],
        text: Option<&str>,
    ) -> (Option<String>, Vec<String>, Option<String>) {
        (name.map(Into::into), types.iter().map(|ty| (*ty).into()).collect(), text.map(Into::into))
    }

    #[test]
    fn types_and_names_in_any_order() {
        assert_eq!(param("[String] a The a"), case(Some("a"), &["String"], Some("The a")));
        assert_eq!(param("a [String] The a"), case(Some("a"), &["String"], Some("The a")));
        assert_eq!(param("a The [String] a"), case(Some("a"), &[], Some("The [String] a")));
        assert_eq!(param("a"), case(Some("a"), &[], None));
        assert_eq!(param(""), case(None, &[], None));
        assert_eq!(
            param("[Hash[String, Integer], Array<Any>] a x"),
            case(Some("a"), &["Hash[String, Integer]", "Array<Any>"], Some("x"))
        );
        assert_eq!(param("[Enum['a]', 'b']] a x"), case(Some("a"), &["Enum['a]', 'b']"], Some("x")));
        assert_eq!(param("{String => Integer} a x"), case(Some("a"), &["String => Integer"], Some("x")));
        assert_eq!(param("[String"), case(Some("String"), &["String"], None));
    }

    #[test]
    fn options_have_a_default() {
        let tag = read("option", "opts [String] :a (1) The a", 0).unwrap().unwrap();
        let pair = tag.pair.unwrap();
        assert_eq!((tag.subject.as_deref(), pair.subject.as_deref()), (Some("opts"), Some(":a")));
        assert_eq!((pair.ty(), pair.text.as_deref()), (Some("String"), Some("The a")));
    }
}
