//! Chapters: a Markdown file becomes a list of sections with their files, options and blocks.

use super::options::Options;

/// A heading with everything below it up to the next heading.
#[derive(Debug)]
pub struct Section {
    /// The line of its heading.
    pub line: usize,
    /// Its last line.
    pub last: usize,
    /// The titles of the headings that lead to it, that of the chapter first.
    pub path: Vec<String>,
    /// Its position in the book, as a path of words: `language/arithmetic/division`.
    pub name: String,
    /// Files that the section's programs find in their environment, those of the outer sections first.
    pub files: Vec<(String, String)>,
    /// The parameters of requests of this section, besides the code.
    pub options: Options,
    /// The cases that it runs in, as written, those of the outer sections first.
    pub matrices: Vec<MatrixText>,
    /// The programs, each with what must hold for it.
    pub blocks: Vec<Block>,
}

/// The text of a `matrix` block.
#[derive(Clone, Debug)]
pub struct MatrixText {
    /// The line of the chapter on which it begins.
    pub line: usize,
    /// The lines between the fences.
    pub text: String,
}

impl Section {
    /// The titles of the groups around it, and its own.
    pub fn titles(&self) -> (Vec<String>, String) {
        match self.path.split_last() {
            Some((own, groups)) => (groups.to_vec(), own.clone()),
            None => (Vec::new(), self.name.clone()),
        }
    }
}

/// One `puppet` block: a program of its own. Expectations without one before them are about the site manifest.
#[derive(Debug)]
pub struct Block {
    /// The line of the chapter with the program's first line.
    pub line: usize,
    /// Whether there is a program; otherwise it is the site manifest.
    pub has_code: bool,
    /// The expression that must hold in a case for the block to count: `puppet if $facts['os']['family'] == 'Debian'`.
    pub condition: Option<String>,
    /// The program's text, claims included.
    pub code: String,
    /// Comments above it about real Puppet.
    pub marks: Marks,
    /// `catalog` and `diagnostic` blocks that follow it.
    pub expectations: Vec<Expectation>,
}

/// A block that says what must come out of the program before it.
#[derive(Debug)]
pub struct Expectation {
    /// The expected outcome.
    pub kind: ExpectationKind,
    /// The expression that must hold in a case for the expectation to count.
    pub condition: Option<String>,
    /// The line of the chapter on which its text begins.
    pub line: usize,
    /// The lines between the fences.
    pub text: String,
}

/// The kinds of expectation blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectationKind {
    /// Facts about the finished catalog, one per line.
    Catalog,
    /// Kukla's output for the errors.
    Diagnostic,
    /// Parts of the error messages, one per line.
    Error,
    /// Parts of all warnings, one per line.
    Warning,
    /// All notices, one per line.
    Notice,
    /// The value of the last expression.
    Value,
    /// Keys and the values that data has for them, one per line.
    Lookup,
    /// The catalog is the one that was accepted before.
    Snapshot,
}

impl ExpectationKind {
    fn named(name: &str) -> Option<ExpectationKind> {
        Some(match name {
            "catalog" => ExpectationKind::Catalog,
            "diagnostic" => ExpectationKind::Diagnostic,
            "error" => ExpectationKind::Error,
            "warning" => ExpectationKind::Warning,
            "notice" => ExpectationKind::Notice,
            "value" => ExpectationKind::Value,
            "lookup" => ExpectationKind::Lookup,
            "snapshot" => ExpectationKind::Snapshot,
            _ => return None,
        })
    }
}

/// A note about the reference: that it differs, or the version that is meant.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// `<!-- differs: why -->`
    pub differs: Option<String>,
    /// `<!-- puppet: 8 -->`
    pub puppet: Option<String>,
}

/// A place in a chapter that the runner cannot make sense of.
#[derive(Debug)]
pub struct Malformed {
    /// The line of the chapter.
    pub line: usize,
    /// The error.
    pub problem: String,
}

struct Open {
    level: usize,
    slug: String,
    title: String,
    files: Vec<(String, String)>,
    options: Options,
    matrices: Vec<MatrixText>,
    marks: Marks,
}

/// Reads a chapter; `name` is its path in the book without the ending.
pub fn read(name: &str, text: &str) -> Result<Vec<Section>, Malformed> {
    let mut reader = Reader {
        name,
        open: Vec::new(),
        sections: Vec::new(),
        pending_file: None,
        pending: Marks::default(),
        fresh: false,
        titles: 0,
    };
    let mut lines = text.lines().enumerate().map(|(i, l)| (i + 1, l));
    while let Some((number, line)) = lines.next() {
        reader.extend_to(number);
        if let Some(fence) = fence_of(line) {
            let language = line[fence.len()..].trim().to_owned();
            let mut body = String::new();
            let closed = lines.by_ref().any(|(_, l)| {
                let end = l.trim_end() == fence;
                if !end {
                    body.push_str(l);
                    body.push('\n');
                }
                end
            });
            if !closed {
                return Err(Malformed { line: number, problem: "this block has no end".into() });
            }
            reader.extend_to(number + 1 + body.lines().count());
            reader.block(number + 1, &language, body)?;
        } else {
            reader.prose(number, line)?;
        }
    }
    Ok(reader.finish())
}

fn fence_of(line: &str) -> Option<&str> {
    let ticks = line.bytes().take_while(|b| *b == b'`').count();
    (ticks >= 3).then(|| &line[..ticks])
}

struct Reader<'a> {
    name: &'a str,
    open: Vec<Open>,
    sections: Vec<Section>,
    pending_file: Option<String>,
    pending: Marks,
    /// Only blank lines and marks since the heading: a mark is for the whole section, later ones for the next block.
    fresh: bool,
    /// The number of titles so far.
    titles: usize,
}

impl Reader<'_> {
    /// The section being read reaches to this line.
    fn extend_to(&mut self, line: usize) {
        if let Some(section) = self.sections.last_mut() {
            section.last = section.last.max(line);
        }
    }

    fn prose(&mut self, number: usize, line: &str) -> Result<(), Malformed> {
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if level > 0 && line[level..].starts_with(' ') {
            return self.heading(number, level, line[level..].trim());
        }
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("<!--").and_then(|l| l.strip_suffix("-->")) {
            self.mark(number, comment.trim())?;
        } else if let Some(file) = line.strip_prefix('`').and_then(|l| l.strip_suffix("`:")) {
            self.pending_file = Some(file.to_owned());
        } else if !line.is_empty() {
            self.fresh = false;
        }
        Ok(())
    }

    fn heading(&mut self, number: usize, level: usize, title: &str) -> Result<(), Malformed> {
        self.settle();
        while self.open.last().is_some_and(|o| o.level >= level) {
            self.open.pop();
        }
        let slug = slug(title);
        let parent = self.open.last();
        let open = Open {
            level,
            slug: slug.clone(),
            title: title.to_owned(),
            files: Vec::new(),
            matrices: Vec::new(),
            options: parent.map(|p| p.options.clone()).unwrap_or_default(),
            marks: parent.map(|p| p.marks.clone()).unwrap_or_default(),
        };
        self.open.push(open);
        self.fresh = true;
        if self.open.len() == 1 {
            self.titles += 1;
        }
        // The chapter's own title adds nothing to the file's name; further ones do.
        let name = self
            .open
            .iter()
            .skip(usize::from(self.titles == 1))
            .fold(self.name.to_owned(), |n, o| n + "/" + &o.slug);
        if self.sections.iter().any(|s| s.name == name) {
            return Err(Malformed { line: number, problem: format!("there are two sections named {name}") });
        }
        self.sections.push(Section {
            line: number,
            last: number,
            path: self.open.iter().map(|open| open.title.clone()).collect(),
            name,
            files: Vec::new(),
            options: Options::default(),
            matrices: Vec::new(),
            blocks: Vec::new(),
        });
        Ok(())
    }

    fn mark(&mut self, number: usize, comment: &str) -> Result<(), Malformed> {
        let Some((key, value)) = comment.split_once(':') else { return Ok(()) };
        let marks = match self.open.last_mut() {
            Some(section) if self.fresh => &mut section.marks,
            _ => &mut self.pending,
        };
        match key.trim() {
            "differs" => marks.differs = Some(value.trim().to_owned()),
            "puppet" => marks.puppet = Some(value.trim().to_owned()),
            other => {
                let problem = format!("`{other}` is not a mark; there are `differs` and `puppet`");
                return Err(Malformed { line: number, problem });
            }
        }
        Ok(())
    }

    fn block(&mut self, line: usize, language: &str, text: String) -> Result<(), Malformed> {
        self.fresh = false;
        let malformed = |problem: String| Malformed { line, problem };
        let (Some(open), Some(section)) = (self.open.last_mut(), self.sections.last_mut()) else {
            return Err(malformed("there is a block before the first heading".into()));
        };
        if let Some(file) = self.pending_file.take() {
            open.files.push((file, text));
            return Ok(());
        }
        let (language, condition) = match language.split_once(" if ") {
            Some((language, condition)) => (language.trim(), Some(condition.trim().to_owned())),
            None => (language, None),
        };
        match language {
            "puppet" => {
                let mut marks = std::mem::take(&mut self.pending);
                marks.differs = marks.differs.or_else(|| open.marks.differs.clone());
                marks.puppet = marks.puppet.or_else(|| open.marks.puppet.clone());
                let (code, expectations) = (text, Vec::new());
                section.blocks.push(Block { line, has_code: true, condition, code, marks, expectations });
            }
            "toml" => open.options.read(&text).map_err(malformed)?,
            "matrix" => open.matrices.push(MatrixText { line, text }),
            _ => {
                let Some(kind) = ExpectationKind::named(language) else { return Ok(()) };
                if section.blocks.is_empty() {
                    let (code, marks) = (String::new(), open.marks.clone());
                    let expectations = Vec::new();
                    section.blocks.push(Block {
                        line,
                        has_code: false,
                        condition: None,
                        code,
                        marks,
                        expectations,
                    });
                }
                if let Some(block) = section.blocks.last_mut() {
                    block.expectations.push(Expectation { kind, condition, line, text });
                }
            }
        }
        Ok(())
    }

    /// Gives the section being read its files and options, its own and inherited ones.
    fn settle(&mut self) {
        if let (Some(open), Some(section)) = (self.open.last(), self.sections.last_mut()) {
            section.files = self.open.iter().flat_map(|o| o.files.iter().cloned()).collect();
            section.options = open.options.clone();
            section.matrices = self.open.iter().flat_map(|open| open.matrices.iter().cloned()).collect();
        }
    }

    fn finish(mut self) -> Vec<Section> {
        self.settle();
        self.sections.retain(|s| !s.blocks.is_empty());
        self.sections
    }
}

/// The words of a title in lower case, with hyphens between them.
pub fn slug(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|w| w.to_lowercase())
        .collect();
    if words.is_empty() { "section".into() } else { words.join("-") }
}
