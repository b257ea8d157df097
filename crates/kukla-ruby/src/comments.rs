//! Programs without their comments, to compare two texts as programs.

use crate::erb::{self, Trim};
use crate::nesting::{is_endless, parse};

/// Names with which a program can read its own text; in one that uses them, comments count.
const OWN_TEXT: [&str; 6] =
    ["__LINE__", "__END__", "caller", "source_location", "SCRIPT_LINES__", "backtrace"];

/// The text of a program without its comments, lines with nothing else included. `None` if it has syntax errors, or if its
/// comments or line numbers may matter to it.
pub fn without_comments(source: &str) -> Option<String> {
    if OWN_TEXT.iter().any(|word| source.contains(word)) {
        return None;
    }
    if is_endless(source.as_bytes()) {
        return None;
    }
    let parsed = parse(source.as_bytes());
    if parsed.errors().next().is_some() {
        return None;
    }
    // These comments are meant for Ruby: `# frozen_string_literal: true`.
    let mut plain: String = parsed
        .magic_comments()
        .map(|comment| {
            let [key, value] = [comment.key(), comment.value()].map(String::from_utf8_lossy);
            format!("#{key}:{value}\n")
        })
        .collect();
    let mut at = 0;
    for comment in parsed.comments() {
        let location = comment.location();
        let (start, mut end) = (location.start() as usize, location.end() as usize);
        let before = source.get(at..start)?;
        let code = before.trim_end_matches([' ', '\t']);
        let is_whole_line = code.is_empty() && at == 0 || code.ends_with('\n');
        plain.push_str(code);
        if is_whole_line && source[end..].starts_with('\n') {
            end += 1;
        }
        at = end;
    }
    plain.push_str(source.get(at..)?);
    Some(plain)
}

/// The program that a template is translated to, without comments.
pub fn template_without_comments(template: &str) -> Option<String> {
    without_comments(&erb::compile(template, Trim::DASH, "_erbout"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_as_ruby_finds_them() {
        let plain = |source: &str| without_comments(source).unwrap();
        assert_eq!(plain("# a\nx = 1 # b\n  # c\ny = '# no'\n"), "x = 1\ny = '# no'\n");
        assert_eq!(plain("=begin\nmuch\n=end\nx = \"#{1 # c\n}\"\n"), "x = \"#{1\n}\"\n");
        assert_eq!(plain("x = <<~E\n  # text\n\n  b\nE\n"), "x = <<~E\n  # text\n\n  b\nE\n");
        assert_eq!(plain("x # one\n  .y\n"), plain("x # two\n  # three\n  .y\n"));
        assert_eq!(plain("#"), "");
    }

    #[test]
    fn some_comments_matter() {
        let frozen = "# frozen_string_literal: true\nx = 'a'\n";
        assert_ne!(without_comments(frozen), without_comments("# nothing\nx = 'a'\n"));
        assert_eq!(without_comments("# a\nputs __LINE__\n"), None);
        assert_eq!(without_comments("def (\n"), None);
    }

    #[test]
    fn templates_have_comments_of_two_kinds() {
        let plain = |template: &str| template_without_comments(template).unwrap();
        assert_eq!(plain("a <%# one -%>\n<% x = 1 # two\n%>b"), plain("a <%# 1 -%>\n<% x = 1 # 2\n%>b"));
        assert_ne!(plain("a <%# one -%>\nb"), plain("a <%# one %>\nb"));
        assert_ne!(plain("# a\n"), plain("# b\n"));
    }
}
