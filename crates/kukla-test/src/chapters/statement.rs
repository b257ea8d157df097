//! Statements: where each one of a block begins and ends, and what it claims.
//!
//! The runner does not parse Puppet, because it must judge parsers. It goes by the layout that every chapter has:
//! a statement begins in the first column, and what continues it is indented or opens with a closing bracket, `else`,
//! `elsif`, an arrow or a dot. The text of a heredoc belongs to the statement that opens it.

use super::claim::{self, Claim};

/// One statement of a block, with its claims.
#[derive(Debug, Default)]
pub struct Statement {
    /// Its lines, without the claims.
    pub lines: Vec<String>,
    /// Index of its first line in the block.
    pub first: usize,
    /// The claims with the index of their line in the block.
    pub claims: Vec<(usize, Claim)>,
}

impl Statement {
    /// Must later statements of the block see this one?
    ///
    /// Everything without a claim stays. Of the others only what defines or declares something does: an expression in the
    /// middle of a program would be an error, for its value is forgotten.
    pub fn stays(&self) -> bool {
        if self.claims.is_empty() {
            return true;
        }
        if self.claims.iter().any(|(_, c)| matches!(c, Claim::Error(_))) {
            return false;
        }
        let text = self.lines.join("\n");
        let first = text.split([' ', '(', '\n']).next().unwrap_or_default();
        match first {
            "class" | "define" | "function" | "type" | "node" | "include" | "require" | "contain"
            | "realize" | "tag" | "create_resources" => true,
            _ => assigns(&text) || declares(&text),
        }
    }
}

fn assigns(text: &str) -> bool {
    let target_end = match text.as_bytes().first() {
        Some(b'$') => text[1..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').map(|i| i + 1),
        Some(b'[') => text.find(']').map(|i| i + 1),
        _ => None,
    };
    let rest = target_end.map(|i| text[i..].trim_start()).unwrap_or_default();
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=~") && !rest.starts_with("=>")
}

fn declares(text: &str) -> bool {
    let name = text.trim_start_matches('@');
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(name.len());
    let keyword = matches!(&name[..end], "if" | "unless" | "case");
    end > 0 && !keyword && name[end..].trim_start().starts_with('{')
}

/// Splits a block into its statements.
pub fn split(code: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    let mut heredocs: Vec<String> = Vec::new();
    for (index, line) in code.lines().enumerate() {
        if let Some(tag) = heredocs.first() {
            if ends_heredoc(line, tag) {
                heredocs.remove(0);
            }
            push(&mut statements, index, line, false);
            continue;
        }
        let (text, claim) = claim::of_line(line);
        push(&mut statements, index, text, begins(text));
        // A heredoc without an end is an error to be claimed below it, not a text that swallows the claim.
        let ends = |tag: &String| code.lines().skip(index + 1).any(|l| ends_heredoc(l, tag));
        heredocs.extend(heredoc_tags(text).into_iter().filter(ends));
        if let (Some(claim), Some(statement)) = (claim, statements.last_mut()) {
            statement.claims.push((index, claim));
        }
    }
    statements
}

fn push(statements: &mut Vec<Statement>, index: usize, line: &str, begins: bool) {
    if begins || statements.is_empty() {
        statements.push(Statement { first: index, ..Statement::default() });
    }
    if let Some(statement) = statements.last_mut() {
        statement.lines.push(line.trim_end().to_owned());
    }
}

fn begins(line: &str) -> bool {
    let continues = ["}", ")", "]", "|", ".", "#", "->", "~>", "<-", "<~", "else", "elsif", "?"];
    !line.is_empty() && !line.starts_with([' ', '\t']) && !continues.iter().any(|c| line.starts_with(c))
}

fn heredoc_tags(line: &str) -> Vec<String> {
    let mut tags = Vec::new();
    for (at, _) in line.match_indices("@(") {
        let Some(inside) = line[at + 2..].split(')').next() else { continue };
        let tag = inside.split(['/', ':']).next().unwrap_or_default().trim().trim_matches('"');
        if !tag.is_empty() && inside.len() < line.len() - at - 2 {
            tags.push(tag.to_owned());
        }
    }
    tags
}

fn ends_heredoc(line: &str, tag: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line).trim_start();
    line.strip_prefix('-').unwrap_or(line).trim_start() == tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout() {
        let code = "$a = [\n  1,\n]\n$a.each |$x| {\n  notice($x)   # notice: 1\n}\n\n@(END)\n# notice: no\n| END\n# => 'x'\n1 # => 1\n";
        let statements = split(code);
        let shape: Vec<(usize, usize, usize)> =
            statements.iter().map(|s| (s.first, s.lines.len(), s.claims.len())).collect();
        assert_eq!(shape, [(0, 3, 0), (3, 4, 1), (7, 4, 1), (11, 1, 1)]);
    }

    #[test]
    fn what_stays() {
        let stays = |code: &str| split(code)[0].stays();
        assert!(stays("$x = 1 # => 1"));
        assert!(stays("[$a, $b] = [1, 2] # => [1, 2]"));
        assert!(stays("notify { 'a': } # => x"));
        assert!(!stays("$x == 1 # => true"));
        assert!(!stays("$x =~ Integer # => true"));
        assert!(!stays("[1, 2] == [1] # => false"));
        assert!(!stays("if true { 1 } # => 1"));
        assert!(!stays("1 / 0 # error"));
    }
}
