//! PuppetDB's query language: `resources[certname, count()] { type = "File" and facts { kernel = "Linux" } group by certname }`.

use kukla_syntax::{Diagnostic, deep};
use serde_json::Value as Json;

use super::ast::{compared, related};
use super::{Condition, Entity, Field, Function, Order, Query, Selected, malformed};
use crate::Result;

/// Reads a query.
pub fn parse(text: &str) -> Result<Query> {
    let mut reader = Reader { text, at: 0 };
    let query = reader.query()?;
    match reader.peek() {
        None => Ok(query),
        Some(_) => Err(reader.unexpected("the end")),
    }
}

/// The rest of a text.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// The signs that compare, longer ones first.
const SIGNS: [&str; 10] = ["!~", "!=", "~>", "~", "<=", ">=", "<", ">", "=", "in"];

impl<'t> Reader<'t> {
    fn query(&mut self) -> Result<Query> {
        let mut query = Query::all(Entity::named(self.word("the name of an entity")?)?);
        if self.takes("[") {
            while !self.takes("]") {
                let selected = self.selected(query.entity)?;
                query.select.push(selected);
                if !self.takes(",") && self.peek() != Some(']') {
                    return Err(self.unexpected("',' or ']'"));
                }
            }
        }
        self.expect("{")?;
        self.body(&mut query)?;
        self.expect("}")?;
        Ok(query)
    }

    /// Reads the content of braces: a condition, and then how the rows are grouped, sorted and cut.
    fn body(&mut self, query: &mut Query) -> Result<()> {
        let is_clause = |reader: &Reader<'_>| {
            reader.peek() == Some('}')
                || ["group", "order", "limit", "offset"].iter().any(|word| reader.is_word(word))
        };
        if !is_clause(self) {
            query.condition = Some(self.any(query.entity)?);
        }
        loop {
            if self.takes_word("group") {
                self.expect_word("by")?;
                query.group_by = self.listed(|reader| reader.field(query.entity))?;
            } else if self.takes_word("order") {
                self.expect_word("by")?;
                query.order_by = self.listed(|reader| {
                    let field = reader.field(query.entity)?;
                    let descends = reader.takes_word("desc");
                    let way = if descends { Order::Descending } else { Order::Ascending };
                    if !descends {
                        reader.takes_word("asc");
                    }
                    Ok((field, way))
                })?;
            } else if self.takes_word("limit") {
                query.limit = Some(self.count()?);
            } else if self.takes_word("offset") {
                query.offset = self.count()?;
            } else {
                return Ok(());
            }
        }
    }

    fn listed<T>(&mut self, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.takes(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn selected(&mut self, entity: &'static Entity) -> Result<Selected> {
        let start = self.at;
        if let Ok(name) = self.word("a field")
            && self.takes("(")
        {
            let function =
                Function::named(name).ok_or_else(|| malformed(format!("unknown function '{name}'")))?;
            let of = if self.peek() == Some(')') { None } else { Some(self.field(entity)?) };
            self.expect(")")?;
            return Ok(Selected::Function(function, of));
        }
        self.at = start;
        self.field(entity).map(Selected::Field)
    }

    fn any(&mut self, entity: &'static Entity) -> Result<Condition> {
        let mut parts = vec![deep(|| self.all(entity))?];
        while self.takes_word("or") {
            parts.push(deep(|| self.all(entity))?);
        }
        Ok(only(parts, Condition::Or))
    }

    fn all(&mut self, entity: &'static Entity) -> Result<Condition> {
        let mut parts = vec![deep(|| self.one(entity))?];
        while self.takes_word("and") {
            parts.push(deep(|| self.one(entity))?);
        }
        Ok(only(parts, Condition::And))
    }

    fn one(&mut self, entity: &'static Entity) -> Result<Condition> {
        if self.takes("!") {
            return Ok(Condition::Not(Box::new(deep(|| self.one(entity))?)));
        }
        if self.takes("(") {
            let inner = deep(|| self.any(entity))?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("[") {
            let fields = self.listed(|reader| reader.field(entity))?;
            self.expect("]")?;
            self.expect_word("in")?;
            return self.among(fields);
        }
        let start = self.at;
        // `facts { ... }`: the node has such a row.
        if let Ok(name) = self.word("a field")
            && self.peek() == Some('{')
        {
            let mut query = Query::all(Entity::named(name)?);
            self.expect("{")?;
            self.body(&mut query)?;
            self.expect("}")?;
            let condition = query.condition.unwrap_or(Condition::And(Vec::new()));
            return related(entity, query.entity, condition);
        }
        self.at = start;
        let field = self.field(entity)?;
        if self.takes_word("is") {
            let is_null = !self.takes_word("not");
            self.expect_word("null")?;
            return Ok(Condition::IsNull(field, is_null));
        }
        let Some(sign) = SIGNS.into_iter().find(|sign| match *sign {
            "in" => self.takes_word("in"),
            sign => self.takes(sign),
        }) else {
            return Err(self.unexpected("an operator"));
        };
        match sign {
            "in" => self.among(vec![field]),
            "!=" => Ok(not(compared("=", entity, field, &self.value()?)?)),
            "!~" => Ok(not(compared("~", entity, field, &self.value()?)?)),
            sign => compared(sign, entity, field, &self.value()?),
        }
    }

    /// Reads the operand of `in`: values in brackets, or a query.
    fn among(&mut self, fields: Vec<Field>) -> Result<Condition> {
        if self.peek() != Some('[') {
            return Ok(Condition::In(fields, Box::new(deep(|| self.query())?)));
        }
        let Json::Array(values) = self.value()? else { return Err(self.unexpected("values")) };
        let row = |value: Json| match value {
            Json::Array(row) if fields.len() > 1 => row,
            one => vec![one],
        };
        let rows = values.into_iter().map(row).collect();
        Ok(Condition::among(fields, rows))
    }

    /// `certname`, `facts.os.family`, `parameters."key"`, `facts.disks[0]`, `latest_report?`.
    fn field(&mut self, entity: &'static Entity) -> Result<Field> {
        self.skip();
        let rest = &self.text[self.at..];
        let mut is_quoted = false;
        let end = rest.find(|c: char| {
            if c == '"' {
                is_quoted = !is_quoted;
                return false;
            }
            !(is_quoted || c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | ':' | '-' | '[' | ']'))
        });
        let mut name = &rest[..end.unwrap_or(rest.len())];
        // A bracket belongs to it only around a number.
        if let Some(open) = name.find('[')
            && !name[open + 1..].starts_with(|c: char| c.is_ascii_digit())
        {
            name = &name[..open];
        }
        while name.ends_with(']') && name.matches(']').count() > name.matches('[').count() {
            name = &name[..name.len() - 1];
        }
        if name.is_empty() {
            return Err(self.unexpected("a field"));
        }
        self.at += name.len();
        Field::parse(name, entity)
    }

    fn value(&mut self) -> Result<Json> {
        self.skip();
        match self.peek() {
            Some('[') => {
                self.expect("[")?;
                let mut values = Vec::new();
                while !self.takes("]") {
                    values.push(deep(|| self.value())?);
                    if !self.takes(",") && self.peek() != Some(']') {
                        return Err(self.unexpected("',' or ']'"));
                    }
                }
                Ok(values.into())
            }
            Some(quote @ ('"' | '\'')) => self.quoted(quote),
            Some(_) => {
                let rest = &self.text[self.at..];
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
                let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                let value = match &rest[..end] {
                    "true" => true.into(),
                    "false" => false.into(),
                    "null" => Json::Null,
                    number => match serde_json::from_str(number) {
                        Ok(number @ Json::Number(_)) => number,
                        _ => {
                            return Err(
                                self.unexpected("a value: text in quotation marks, a number, true or false")
                            );
                        }
                    },
                };
                self.at += end;
                Ok(value)
            }
            None => Err(self.unexpected("a value")),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Json> {
        let mut text = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 2;
                    return Ok(text.into());
                }
                // A backslash escapes quotation marks and backslashes; before anything else it stays: patterns have many.
                '\\' => match chars.next() {
                    Some((_, next)) if next == quote || next == '\\' => text.push(next),
                    Some((_, next)) => text.extend(['\\', next]),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(malformed("missing quotation mark at the end"))
    }

    fn count(&mut self) -> Result<usize> {
        let number = self.value()?.as_u64().and_then(|number| number.try_into().ok());
        number.ok_or_else(|| malformed("expected a number of rows"))
    }

    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].trim_start().chars().next()
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.skip();
        let is_there = self.text[self.at..].starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("'{sign}'"))) }
    }

    fn word(&mut self, what: &str) -> Result<&'t str> {
        self.skip();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.unexpected(what));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn is_word(&self, word: &str) -> bool {
        let rest = self.text[self.at..].trim_start();
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(goes_on))
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.skip();
            self.at += word.len();
        }
        is_there
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.takes_word(word) { Ok(()) } else { Err(self.unexpected(&format!("'{word}'"))) }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let rest = self.text[self.at..].trim_start();
        let column = self.text[..self.text.len() - rest.len()].chars().count() + 1;
        match rest.split_whitespace().next() {
            Some(got) => malformed(format!("expected {expected}, got '{got}' at character {column}")),
            None => malformed(format!("expected {expected} at the end")),
        }
    }
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

fn only(mut parts: Vec<Condition>, together: fn(Vec<Condition>) -> Condition) -> Condition {
    match (parts.len(), parts.pop()) {
        (1, Some(part)) => part,
        (_, last) => together(parts.into_iter().chain(last).collect()),
    }
}
