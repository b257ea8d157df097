//! Programs made by chance: mostly sensible, sometimes with the wrong kind of value in the wrong place.

use super::chance::Chance;
use super::phrases;

/// What an expression is likely to give.
#[derive(Clone, Copy, PartialEq)]
pub enum Sort {
    Integer,
    Float,
    Text,
    Boolean,
    Array,
    Hash,
    Type,
    Other,
}

const SORTS: [Sort; 8] =
    [Sort::Integer, Sort::Float, Sort::Text, Sort::Boolean, Sort::Array, Sort::Hash, Sort::Type, Sort::Other];

/// Writes programs.
pub struct Generator {
    chance: Chance,
    /// The variables in sight and what they hold.
    variables: Vec<(String, Sort)>,
    /// The functions defined, with what their parameters hold.
    functions: Vec<(String, Vec<Sort>)>,
    made: usize,
}

impl Generator {
    /// A generator that always writes the same programs for the same seed.
    pub fn new(seed: u64) -> Generator {
        let chance = Chance::new(seed);
        Generator { chance, variables: Vec::new(), functions: Vec::new(), made: 0 }
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.chance.roll(sides)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.chance.one_in(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        self.chance.pick(from)
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}{}", self.made)
    }

    /// One program.
    pub fn program(&mut self) -> String {
        self.variables.clear();
        self.functions.clear();
        self.made = 0;
        let mut lines = Vec::new();
        for _ in 0..self.roll(3) {
            lines.push(self.function());
        }
        for _ in 0..1 + self.roll(5) {
            lines.push(self.statement(2));
        }
        let sort = self.pick(&SORTS);
        lines.push(self.line(sort, 3));
        lines.join("\n")
    }

    fn function(&mut self) -> String {
        let name = self.fresh("fn");
        let outer = std::mem::take(&mut self.variables);
        let count = self.roll(4);
        let mut params = Vec::new();
        let mut sorts = Vec::new();
        for at in 0..count {
            let variable = self.fresh("p");
            let sort = self.pick(&SORTS);
            sorts.push(sort);
            let ty = if self.one_in(3) { format!("{} ", self.type_of(sort)) } else { String::new() };
            let default = match at + 1 == count && self.one_in(3) {
                true => format!(" = {}", self.expr(sort, 1)),
                false => String::new(),
            };
            let rest = if at + 1 == count && default.is_empty() && self.one_in(5) { "*" } else { "" };
            params.push(format!("{ty}{rest}${variable}{default}"));
            self.variables.push((variable, if rest.is_empty() { sort } else { Sort::Array }));
        }
        let sort = self.pick(&SORTS);
        let returns = if self.one_in(4) { format!(" >> {}", self.type_of(sort)) } else { String::new() };
        let mut body = Vec::new();
        for _ in 0..self.roll(3) {
            body.push(format!("  {}", self.statement(1)));
        }
        if self.one_in(8) {
            let value = self.expr(sort, 1);
            let jump = self.pick(&["return", "next"]);
            body.push(format!("  if {} {{ {jump}({value}) }}", self.expr(Sort::Boolean, 1)));
        }
        body.push(format!("  {}", self.line(sort, 2)));
        self.variables = outer;
        self.functions.push((name.clone(), sorts));
        format!("function {name}({}){returns} {{\n{}\n}}", params.join(", "), body.join("\n"))
    }

    fn type_of(&mut self, sort: Sort) -> String {
        let wide = self.one_in(8);
        let ty = match sort {
            Sort::Integer => self.pick(&["Integer", "Numeric", "Integer", "Integer[-5]"]),
            Sort::Float => self.pick(&["Float", "Numeric", "Float[0.0, 10.0]"]),
            Sort::Text => {
                self.pick(&["String", "String", "String[1]", "Pattern[/a/]", "Enum['a', 'b', 'abc']"])
            }
            Sort::Boolean => self.pick(&["Boolean", "Boolean", "Boolean[true]"]),
            Sort::Array => self.pick(&["Array", "Array", "Array[Any, 1]", "Array[Integer]", "Collection"]),
            Sort::Hash => self.pick(&[
                "Hash",
                "Hash",
                "Hash[String, Any]",
                "Struct[{a => Integer, Optional[b] => Integer}]",
                "Collection",
            ]),
            Sort::Type => self.pick(&["Type", "Type[Integer]", "Type[Scalar]"]),
            Sort::Other => self.pick(&["Any", "Any", "Any", "Undef", "Optional[Scalar]"]),
        };
        match wide {
            true => {
                let wrap = self.pick(&["Optional[_]", "Variant[_, Undef]", "Array[_]", "NotUndef[_]", "Any"]);
                wrap.replace('_', ty)
            }
            false => ty.to_owned(),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        if self.one_in(14) {
            let phrase = self.pick(phrases::HEREDOCS);
            return self.phrase(phrase, 0);
        }
        match self.roll(if depth == 0 { 5 } else { 10 }) {
            0..=2 => self.assignment(depth),
            3 => format!("notice({})", self.any(depth)),
            4 => {
                // Matches must be assigned, since a value that is forgotten is an error.
                let name = self.fresh("m");
                let text = self.operand(Sort::Text, 1);
                self.variables.push((name.clone(), Sort::Boolean));
                format!("${name} = {text} =~ {}", self.regexp())
            }
            5 => {
                let (a, b) = (self.fresh("v"), self.fresh("v"));
                let (first, second) = (self.expr(Sort::Integer, 1), self.expr(Sort::Text, 1));
                self.variables.push((a.clone(), Sort::Integer));
                self.variables.push((b.clone(), Sort::Text));
                match self.roll(3) {
                    0 => format!("[${a}, ${b}] = {{ '{a}' => {first}, '{b}' => {second} }}"),
                    _ => format!("[${a}, ${b}] = [{first}, {second}]"),
                }
            }
            6 => {
                let test = self.condition();
                let word = self.pick(&["if", "unless"]);
                let (then, other) = (self.inner(depth), self.inner(depth));
                format!("{word} {test} {{ {then} }} else {{ {other} }}")
            }
            7 => {
                let sort = self.pick(&SORTS);
                let test = self.expr(sort, 1);
                let options = self.options(sort);
                let mut arms = Vec::new();
                for option in options {
                    arms.push(format!("{option}: {{ {} }}", self.inner(depth)));
                }
                format!("case {test} {{ {} }}", arms.join(" "))
            }
            8 => {
                let list = self.line(Sort::Array, 1);
                let body = self.lambda(&[Sort::Other], Sort::Other, true);
                format!("({list}).each {body}")
            }
            _ => self.assignment(depth),
        }
    }

    fn inner(&mut self, depth: usize) -> String {
        let outer = self.variables.clone();
        let statement = self.statement(depth.saturating_sub(1));
        let sort = self.pick(&SORTS);
        let value = self.line(sort, 1);
        self.variables = outer;
        format!("{statement}\n {value}")
    }

    fn assignment(&mut self, depth: usize) -> String {
        let sort = self.pick(&SORTS);
        let value = self.expr(sort, depth);
        let reuse = self.one_in(25) && !self.variables.is_empty();
        let name = match reuse {
            true => {
                let at = self.roll(self.variables.len());
                self.variables[at].0.clone()
            }
            false => self.fresh("v"),
        };
        if !reuse {
            self.variables.push((name.clone(), sort));
        }
        format!("${name} = {value}")
    }

    fn condition(&mut self) -> String {
        match self.roll(4) {
            0 => {
                let text = self.expr(Sort::Text, 1);
                let operator = self.pick(&["=~", "=~", "!~"]);
                format!("{text} {operator} {}", self.regexp())
            }
            _ => self.expr(Sort::Boolean, 2),
        }
    }

    fn options(&mut self, sort: Sort) -> Vec<String> {
        let mut options = Vec::new();
        for _ in 0..1 + self.roll(3) {
            options.push(match self.roll(5) {
                0 => self.regexp(),
                1 => {
                    let sort = self.pick(&SORTS);
                    self.type_of(sort)
                }
                2 => format!("{}, {}", self.expr(sort, 1), self.expr(sort, 0)),
                3 => format!("*{}", self.expr(Sort::Array, 1)),
                _ => self.expr(sort, 1),
            });
        }
        if !self.one_in(4) {
            options.push("default".to_owned());
        }
        options
    }

    /// A pattern in parentheses, since a slash after a value would divide.
    fn regexp(&mut self) -> String {
        self.pick(&["(/a(b)?c/)", "(/^(.)(.*)$/)", "(/x|(y)/)", "(/(?i:AB)/)", "(/[0-9]+/)", "(/b/)", "(//)"])
            .to_owned()
    }

    /// An expression that begins a line: nothing before it can take it for its own continuation.
    fn line(&mut self, sort: Sort, depth: usize) -> String {
        let written = self.expr(sort, depth);
        match written.starts_with(|c: char| c.is_ascii_alphanumeric() || "$'\"".contains(c)) {
            true => written,
            false => format!("({written})"),
        }
    }

    fn any(&mut self, depth: usize) -> String {
        let sort = self.pick(&SORTS);
        self.expr(sort, depth)
    }

    fn expr(&mut self, sort: Sort, depth: usize) -> String {
        // Now and then something of another kind.
        let sort = if self.one_in(90) { self.pick(&SORTS) } else { sort };
        if self.one_in(4)
            && let Some(variable) = self.variable(sort)
        {
            return variable;
        }
        if depth == 0 {
            return self.literal(sort);
        }
        if self.one_in(9) {
            return self.general(sort, depth - 1);
        }
        if self.one_in(3) {
            let phrase = self.pick(phrases::of(sort));
            return self.phrase(phrase, depth - 1);
        }
        let d = depth - 1;
        match sort {
            Sort::Integer => self.integer(d),
            Sort::Float => self.float(d),
            Sort::Text => self.text(d),
            Sort::Boolean => self.boolean(d),
            Sort::Array => self.array(d),
            Sort::Hash => self.hash(d),
            Sort::Type => self.types(d),
            Sort::Other => self.other(d),
        }
    }

    /// A phrase with its places filled in.
    fn phrase(&mut self, phrase: &str, d: usize) -> String {
        let mut text = String::new();
        let mut rest = phrase;
        while let Some(at) = rest.find('<') {
            text.push_str(&rest[..at]);
            let mut place = rest[at..].chars().skip(1);
            let (letter, end) = (place.next().unwrap_or(' '), place.next());
            let sort = match letter {
                'i' => Some(Sort::Integer),
                'f' => Some(Sort::Float),
                't' => Some(Sort::Text),
                'b' => Some(Sort::Boolean),
                'a' => Some(Sort::Array),
                'h' => Some(Sort::Hash),
                'y' => Some(Sort::Type),
                'o' => Some(Sort::Other),
                'x' => Some(self.pick(&SORTS)),
                _ => None,
            };
            // In a string in double quotes another one would end it.
            let quoted = text.rsplit('\n').next().is_some_and(|line| line.matches('"').count() % 2 == 1);
            let filled = match (sort, letter, end) {
                (_, _, end) if end != Some('>') => None,
                (Some(sort), ..) => Some(self.operand(sort, d)),
                (None, 'r', _) => Some(self.regexp()),
                (None, 'n', _) => Some(self.fresh("n")),
                (None, 'v', _) => Some(match self.variables.is_empty() {
                    true => "unknown".to_owned(),
                    false => {
                        let at = self.roll(self.variables.len());
                        self.variables[at].0.clone()
                    }
                }),
                _ => None,
            };
            match filled {
                Some(filled) if quoted => text.push_str(&filled.replace('"', "'")),
                Some(filled) => text.push_str(&filled),
                None => text.push('<'),
            }
            let taken = if sort.is_some() || "rnv".contains(letter) && end == Some('>') { 3 } else { 1 };
            let taken = if end == Some('>') { taken } else { 1 };
            rest = &rest[at + taken..];
        }
        text + rest
    }

    fn variable(&mut self, sort: Sort) -> Option<String> {
        let fitting: Vec<String> =
            self.variables.iter().filter(|(_, other)| *other == sort).map(|(name, _)| name.clone()).collect();
        match fitting.is_empty() {
            true => None,
            false => {
                let at = self.roll(fitting.len());
                Some(format!("${}", fitting[at]))
            }
        }
    }

    fn literal(&mut self, sort: Sort) -> String {
        match sort {
            Sort::Integer => self.pick(&["0", "1", "2", "3", "7", "-1", "-4", "0x1F", "017", "100"]),
            Sort::Float => self.pick(&["0.5", "1.0", "-2.25", "1.5e3", "1e20", "3.14"]),
            Sort::Text => self.pick(&[
                "''",
                "'a'",
                "'b'",
                "'abc'",
                "'ABC'",
                "'xyz'",
                "'12'",
                "'3.5'",
                "'0x1F'",
                "'é x'",
                "bare",
                "\"t\\tab\"",
            ]),
            Sort::Boolean => self.pick(&["true", "false"]),
            Sort::Array => {
                self.pick(&["[]", "[1, 2, 3]", "['a', 'b']", "[1, 'a', undef]", "[[1, 2], [3]]", "[3, 1, 2]"])
            }
            Sort::Hash => self.pick(&[
                "{}",
                "{a => 1}",
                "{'a' => 1, 'b' => 2}",
                "{1 => 'x', b => [1]}",
                "{a => {b => 3}}",
            ]),
            Sort::Type => self.pick(&[
                "Integer",
                "String",
                "Integer[1, 3]",
                "Array[Integer]",
                "Any",
                "Enum['a', 'b']",
                "Numeric",
                "Optional[String]",
            ]),
            Sort::Other => self.pick(&["undef", "default", "(/a(b)?c/)", "$0", "$1", "undef"]),
        }
        .to_owned()
    }

    /// Forms that can give anything.
    fn general(&mut self, sort: Sort, d: usize) -> String {
        match self.roll(7) {
            0 => {
                let test = self.pick(&SORTS);
                let value = self.expr(test, d.min(1));
                let mut arms: Vec<String> = Vec::new();
                for option in self.options(test) {
                    // A selector takes one option per value.
                    let option = option.split(", ").next().unwrap_or_default().to_owned();
                    if option.matches('[').count() == option.matches(']').count()
                        && option.matches('(').count() == option.matches(')').count()
                        && option.matches('{').count() == option.matches('}').count()
                        && option.matches('\'').count() % 2 == 0
                        && option.matches('"').count() % 2 == 0
                    {
                        arms.push(format!("{option} => {}", self.expr(sort, d)));
                    }
                }
                if arms.is_empty() {
                    arms.push(format!("default => {}", self.expr(sort, 0)));
                }
                format!("({value} ? {{ {} }})", arms.join(", "))
            }
            1 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.condition(),
                self.expr(sort, d),
                self.expr(sort, d)
            ),
            2 => {
                let first = self.pick(&SORTS);
                let arg = self.expr(first, d.min(1));
                format!("with({arg}) {}", self.lambda(&[first], sort, false))
            }
            3 if !self.functions.is_empty() => {
                let at = self.roll(self.functions.len());
                let (name, mut sorts) = self.functions[at].clone();
                if self.one_in(20) {
                    sorts.push(Sort::Other);
                }
                let mut args = Vec::new();
                for sort in sorts {
                    args.push(self.expr(sort, d.min(1)));
                }
                format!("{name}({})", args.join(", "))
            }
            4 if self.one_in(4) => {
                format!("{}[{}]", self.operand(Sort::Array, d), self.expr(Sort::Integer, 0))
            }
            5 if self.one_in(4) => format!("{}[{}]", self.operand(Sort::Hash, d), self.expr(Sort::Text, 0)),
            4 => {
                format!("[{}, {}][{}]", self.expr(sort, d), self.expr(sort, d), self.pick(&["0", "1", "-1"]))
            }
            5 => format!(
                "{{ a => {}, b => {} }}[{}]",
                self.expr(sort, d),
                self.expr(sort, d),
                self.pick(&["a", "'b'"])
            ),
            _ => format!("({})", self.expr(sort, d)),
        }
    }

    /// A lambda of parameters that hold these sorts.
    fn lambda(&mut self, sorts: &[Sort], result: Sort, statements: bool) -> String {
        let outer = self.variables.clone();
        let mut params = Vec::new();
        for sort in sorts {
            let name = self.fresh("l");
            let ty = if self.one_in(12) { format!("{} ", self.type_of(*sort)) } else { String::new() };
            params.push(format!("{ty}${name}"));
            self.variables.push((name, *sort));
        }
        if self.one_in(14) {
            let name = self.fresh("l");
            params.push(format!("${name} = {}", self.expr(Sort::Integer, 1)));
            self.variables.push((name, Sort::Integer));
        }
        let mut body = String::new();
        if statements || self.one_in(4) {
            body.push_str(&self.statement(1));
            body.push_str("\n ");
        }
        if self.one_in(12) {
            let jump = self.pick(&["next", "next", "break", "return"]);
            let value = if jump == "break" { String::new() } else { self.expr(result, 0) };
            body.push_str(&format!("if {} {{ {jump}({value}) }}\n ", self.expr(Sort::Boolean, 1)));
        }
        body.push_str(&self.line(result, 1));
        self.variables = outer;
        format!("|{}| {{ {body} }}", params.join(", "))
    }

    fn integer(&mut self, d: usize) -> String {
        match self.roll(8) {
            0..=2 => {
                let operator = self.pick(&["+", "-", "*", "+", "-", "/", "%", "<<", ">>"]);
                // A large count would make the reference allocate all memory.
                let right = match operator {
                    "/" | "%" if !self.one_in(8) => self.pick(&["2", "3", "(-4)"]).to_owned(),
                    "<<" | ">>" => self.pick(&["0", "1", "2", "5", "20", "62", "(-2)", "1.5"]).to_owned(),
                    _ => self.operand(Sort::Integer, d),
                };
                format!("{} {operator} {right}", self.operand(Sort::Integer, d))
            }
            3 if self.one_in(3) => format!("9223372036854775807 + {}", self.operand(Sort::Integer, d)),
            3 => format!("-({})", self.expr(Sort::Integer, d)),
            4 => {
                let sort = self.pick(&[Sort::Text, Sort::Array, Sort::Hash]);
                format!("{}.length", self.operand(sort, d))
            }
            5 => format!("{}.reduce(0) |$m, $x| {{ {} }}", self.operand(Sort::Array, d), self.reducer()),
            6 if self.one_in(6) => format!("Integer({})", self.expr(Sort::Text, d)),
            6 => format!("Integer({})", self.pick(&["'12'", "'0x1F'", "'0b11'", "3.7", "true", "' 7'"])),
            _ => self.literal(Sort::Integer),
        }
    }

    fn reducer(&mut self) -> String {
        self.pick(&["$m + 1", "$m + 2", "$m * 3", "$m - 1", "$m + $x", "[$m, $x]"]).to_owned()
    }

    /// An operand that does not fall apart under an operator.
    fn operand(&mut self, sort: Sort, d: usize) -> String {
        let written = self.expr(sort, d);
        let simple = written.starts_with('$') && written[1..].chars().all(|c| c.is_ascii_alphanumeric());
        if simple || written.chars().all(|c| c.is_ascii_digit()) { written } else { format!("({written})") }
    }

    fn float(&mut self, d: usize) -> String {
        let operator = if self.one_in(15) { "%" } else { self.pick(&["+", "-", "*", "/"]) };
        match self.roll(4) {
            0 => format!("{} {operator} {}", self.operand(Sort::Float, d), self.operand(Sort::Float, d)),
            1 => format!("{} {operator} {}", self.operand(Sort::Integer, d), self.operand(Sort::Float, d)),
            2 => format!("Float({})", self.expr(Sort::Integer, d)),
            _ => self.literal(Sort::Float),
        }
    }

    fn text(&mut self, d: usize) -> String {
        match self.roll(10) {
            0..=2 => {
                let mut text = String::new();
                for _ in 0..1 + self.roll(3) {
                    text.push_str(self.pick(&["a ", "-", "x\\n", "\\$", ""]));
                    let sort = self.pick(&SORTS);
                    match self.variable(sort) {
                        Some(variable) if self.one_in(2) => {
                            text.push_str(&format!("${{{}}}", &variable[1..]))
                        }
                        _ => text.push_str(&format!("${{({})}}", self.expr(sort, d).replace('"', "'"))),
                    }
                }
                format!("\"{text}\"")
            }
            3 => format!("{}[{}]", self.operand(Sort::Text, d), self.expr(Sort::Integer, 0)),
            4 => format!(
                "{}[{}, {}]",
                self.operand(Sort::Text, d),
                self.expr(Sort::Integer, 0),
                self.expr(Sort::Integer, 0)
            ),
            5 => {
                let function =
                    self.pick(&["upcase", "downcase", "capitalize", "strip", "chop", "lstrip", "camelcase"]);
                format!("{}.{function}", self.operand(Sort::Text, d))
            }
            6 => format!("{}.join({})", self.operand(Sort::Array, d), self.expr(Sort::Text, 0)),
            7 => {
                let sort = self.pick(&SORTS);
                format!("String({})", self.expr(sort, d))
            }
            8 => format!("{}.regsubst('a', {}, 'G')", self.operand(Sort::Text, d), self.expr(Sort::Text, 0)),
            _ => self.literal(Sort::Text),
        }
    }

    fn boolean(&mut self, d: usize) -> String {
        match self.roll(10) {
            0 | 1 => {
                let operator = self.pick(&["==", "!="]);
                let sort = self.pick(&SORTS);
                format!("{} {operator} {}", self.operand(sort, d), self.operand(sort, d))
            }
            2 => {
                let operator = self.pick(&["<", "<=", ">", ">="]);
                let sort = self.pick(&[Sort::Integer, Sort::Float, Sort::Text, Sort::Type]);
                format!("{} {operator} {}", self.operand(sort, d), self.operand(sort, d))
            }
            3 => {
                let operator = self.pick(&["and", "or"]);
                format!("{} {operator} {}", self.operand(Sort::Boolean, d), self.operand(Sort::Boolean, d))
            }
            4 => format!("!{}", self.operand(Sort::Boolean, d)),
            5 => {
                let sort = self.pick(&SORTS);
                let operator = self.pick(&["=~", "!~"]);
                let other = self.pick(&SORTS);
                format!("{} {operator} {}", self.operand(sort, d), self.type_of(other))
            }
            6 => {
                let sort = self.pick(&[Sort::Integer, Sort::Text, Sort::Type, Sort::Other, Sort::Array]);
                let right = self.pick(&[Sort::Array, Sort::Hash, Sort::Text]);
                format!("{} in {}", self.operand(sort, d), self.operand(right, d))
            }
            7 => {
                let function = self.pick(&["any", "all"]);
                format!(
                    "{}.{function} {}",
                    self.operand(Sort::Array, d),
                    self.lambda(&[Sort::Other], Sort::Boolean, false)
                )
            }
            8 => format!("{} =~ {}", self.operand(Sort::Text, d), self.regexp()),
            _ => self.literal(Sort::Boolean),
        }
    }

    fn array(&mut self, d: usize) -> String {
        match self.roll(14) {
            0 | 1 => {
                let mut elements = Vec::new();
                for _ in 0..self.roll(4) {
                    let splat = if self.one_in(8) { "*" } else { "" };
                    elements.push(format!(
                        "{splat}{}",
                        if splat.is_empty() { self.any(d) } else { self.operand(Sort::Array, d) }
                    ));
                }
                format!("[{}]", elements.join(", "))
            }
            2 => {
                let sort = self.pick(&[Sort::Array, Sort::Array, Sort::Hash, Sort::Integer]);
                let operator = self.pick(&["+", "-", "<<"]);
                let left =
                    if operator == "<<" { self.literal(Sort::Array) } else { self.operand(Sort::Array, d) };
                format!("{left} {operator} {}", self.operand(sort, d))
            }
            3 => {
                let result = self.pick(&SORTS);
                format!("{}.map {}", self.operand(Sort::Array, d), self.lambda(&[Sort::Other], result, false))
            }
            4 => {
                let result = self.pick(&SORTS);
                format!(
                    "{}.map {}",
                    self.operand(Sort::Hash, d),
                    self.lambda(&[Sort::Text, Sort::Other], result, false)
                )
            }
            5 => format!(
                "{}.filter {}",
                self.operand(Sort::Array, d),
                self.lambda(&[Sort::Other], Sort::Boolean, false)
            ),
            6 => format!(
                "{}.map {}",
                self.operand(Sort::Array, d),
                self.lambda(&[Sort::Integer, Sort::Other], Sort::Text, false)
            ),
            7 => format!(
                "Integer[{}, {}].map {}",
                self.roll(3),
                2 + self.roll(4),
                self.lambda(&[Sort::Integer], Sort::Integer, false)
            ),
            8 => {
                let function = self.pick(&["keys", "values"]);
                format!("{}.{function}", self.operand(Sort::Hash, d))
            }
            9 => {
                let function = self.pick(&[
                    "flatten",
                    "unique",
                    "sort",
                    "reverse_each.map |$r| { $r }",
                    "slice(2)",
                    "step(2).map |$r| { $r }",
                ]);
                format!("{}.{function}", self.operand(Sort::Array, d))
            }
            10 => format!(
                "{}[{}, {}]",
                self.operand(Sort::Array, d),
                self.expr(Sort::Integer, 0),
                self.expr(Sort::Integer, 0)
            ),
            11 => format!("{}.split({})", self.operand(Sort::Text, d), self.regexp()),
            12 => {
                let result = self.pick(&SORTS);
                format!(
                    "{}.reduce {}",
                    self.operand(Sort::Array, d),
                    self.lambda(&[Sort::Other, Sort::Other], result, false)
                )
            }
            _ => self.literal(Sort::Array),
        }
    }

    fn hash(&mut self, d: usize) -> String {
        match self.roll(7) {
            0 | 1 => {
                let mut entries = Vec::new();
                for _ in 0..self.roll(4) {
                    let key = self.fresh("k");
                    entries.push(format!("{key} => {}", self.any(d)));
                }
                format!("{{ {} }}", entries.join(", "))
            }
            2 => format!("{} + {}", self.operand(Sort::Hash, d), self.operand(Sort::Hash, d)),
            3 => {
                let sort = self.pick(&[Sort::Array, Sort::Hash, Sort::Text]);
                format!("{} - {}", self.operand(Sort::Hash, d), self.operand(sort, d))
            }
            4 => format!(
                "{}.filter {}",
                self.operand(Sort::Hash, d),
                self.lambda(&[Sort::Text, Sort::Other], Sort::Boolean, false)
            ),
            5 if self.one_in(8) => format!("Hash({})", self.expr(Sort::Array, d)),
            5 => format!("Hash([['x', {}], ['y', {}]])", self.any(d), self.any(d)),
            _ => self.literal(Sort::Hash),
        }
    }

    fn types(&mut self, d: usize) -> String {
        match self.roll(4) {
            0 => {
                let sort = self.pick(&SORTS);
                self.type_of(sort)
            }
            1 => {
                let sort = self.pick(&SORTS);
                format!("type({})", self.expr(sort, d))
            }
            // Small, because types of integers are iterated.
            2 => format!("Integer[{}, {}]", self.roll(4), 1 + self.roll(6)),
            _ => self.literal(Sort::Type),
        }
    }

    fn other(&mut self, d: usize) -> String {
        match self.roll(6) {
            0 => self.regexp(),
            1 => format!("{}.dig({})", self.operand(Sort::Hash, d), self.expr(Sort::Text, 0)),
            2 => format!(
                "{}.then {}",
                self.any(0).replace('-', "").trim_start_matches('*'),
                self.lambda(&[Sort::Other], Sort::Other, false)
            ),
            3 => "$1".to_owned(),
            _ => self.literal(Sort::Other),
        }
    }
}
