//! As much of TOML as `kukla.toml` needs: tables, and keys with texts, booleans and lists of texts.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A list of texts.
    List(Vec<String>),
}

/// A key: the table it is in, its name, what it is set to, and the line it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The table, as written between brackets; empty before the first.
    pub table: String,
    /// The key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Its line, from one.
    pub line: u32,
}

/// Reads all keys, in order; what cannot be read is told with its line.
pub fn read(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    let mut table = String::new();
    let mut lines = text.lines().zip(1u32..);
    while let Some((line, number)) = lines.next() {
        let mut line = without_comment(line).trim().to_owned();
        let wrong = |what: &str| format!("line {number}: {what}");
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let name = name.strip_suffix(']').ok_or_else(|| wrong("a table is named between brackets"))?;
            table = name.trim().to_owned();
            continue;
        }
        // A list may go on in further lines.
        while line.contains('[') && line.matches('[').count() > line.matches(']').count() {
            let (more, _) = lines.next().ok_or_else(|| wrong("the list does not end"))?;
            line.push(' ');
            line.push_str(without_comment(more).trim());
        }
        let (key, value) = split_key(&line).ok_or_else(|| wrong("expected `key = value`"))?;
        let value = read_value(value)
            .ok_or_else(|| wrong("expected a text in quotes, true, false, or a list of texts"))?;
        entries.push(Entry { table: table.clone(), key, value, line: number });
    }
    Ok(entries)
}

fn split_key(line: &str) -> Option<(String, &str)> {
    if let Some(rest) = line.strip_prefix('"') {
        let (key, rest) = rest.split_once('"')?;
        return Some((key.to_owned(), rest.trim_start().strip_prefix('=')?.trim()));
    }
    let (key, value) = line.split_once('=')?;
    Some((key.trim().to_owned(), value.trim()))
}

fn read_value(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Boolean(true)),
        "false" => return Some(Value::Boolean(false)),
        _ => {}
    }
    if let Some(inside) = text.strip_prefix('[') {
        let mut rest = inside.strip_suffix(']')?.trim();
        let mut list = Vec::new();
        while !rest.is_empty() {
            let (item, after) = read_text(rest)?;
            list.push(item);
            rest = after.trim_start();
            rest = rest.strip_prefix(',').map_or(rest, str::trim_start);
        }
        return Some(Value::List(list));
    }
    let (text, rest) = read_text(text)?;
    rest.trim().is_empty().then_some(Value::Text(text))
}

fn read_text(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let end = text[1..].find(quote)? + 1;
    Some((text[1..end].to_owned(), &text[end + 1..]))
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            (None, '#') => return &line[..at],
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_values() {
        let text = "a = 'x' # c\n[check]\nlist = [\n  \"p\", # first\n  'q',\n]\n\"a b\" = true\n";
        let entries = read(text).unwrap();
        let shown: Vec<String> = entries
            .iter()
            .map(|one| format!("{}/{} {:?} {}", one.table, one.key, one.value, one.line))
            .collect();
        assert_eq!(
            shown,
            ["/a Text(\"x\") 1", "check/list List([\"p\", \"q\"]) 3", "check/a b Boolean(true) 7"]
        );
        assert_eq!(
            read("x = 1").unwrap_err(),
            "line 1: expected a text in quotes, true, false, or a list of texts"
        );
        assert!(read("nonsense").is_err() && read("[a").is_err() && read("l = ['x',").is_err());
    }
}
