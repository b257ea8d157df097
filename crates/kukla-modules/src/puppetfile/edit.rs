//! Changes of a Puppetfile in place: literals are replaced, everything else stays byte for byte.
//!
//! Every change is proved: the new text is evaluated, and must declare what the old one does but for the module that is changed.

use std::path::Path;

use kukla_ruby::outline::{Call, Expr, Node, Outline, Part};
use kukla_syntax::{Problem, ProblemKind};
use kukla_world::World;

use super::{Declaration, Puppetfile, ReadOptions, Source};

/// A Puppetfile that is being changed.
pub struct Editor<'w> {
    world: &'w dyn World,
    options: ReadOptions,
    /// The declarations of the text.
    pub puppetfile: Puppetfile,
    /// The text with all changes so far.
    pub text: String,
}

impl<'w> Editor<'w> {
    /// The Puppetfile at a path, with this text.
    pub fn new(
        world: &'w dyn World,
        path: &Path,
        text: &str,
        options: &ReadOptions,
    ) -> Result<Editor<'w>, Problem> {
        let puppetfile = Puppetfile::evaluate(world, path, text.as_bytes(), options)?;
        Ok(Editor { world, options: options.clone(), puppetfile, text: text.to_owned() })
    }

    /// Sets the version of a Forge module, or the branch, tag or commit of a module in git.
    pub fn set_version(&mut self, name: &str, version: &str) -> Result<(), Problem> {
        check_literal(version)?;
        let module = self.require(name)?.clone();
        let outline = Outline::new(&self.text);
        let call = self.find_call(&outline, &module)?;
        let edit = match &module.source {
            Source::Git(_) => {
                replace_option(call, &["ref", "tag", "commit", "branch", "version"], version, &self.text)
            }
            Source::Forge(_) => version_argument(call, version, &self.text),
            _ => None,
        };
        let edit = edit.ok_or_else(|| self.not_literal(&module))?;
        self.apply(&module.title, edit)
    }

    /// Removes the declaration of a module.
    pub fn remove(&mut self, name: &str) -> Result<(), Problem> {
        let module = self.require(name)?.clone();
        let outline = Outline::new(&self.text);
        let (mut start, mut end) = (0, 0);
        let call = self.find_call(&outline, &module)?;
        outline.each_call(|node, found| {
            if std::ptr::eq(found, call) {
                (start, end) = (node.span.start as usize, node.span.end as usize);
            }
        });
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[end..].find('\n').map_or(self.text.len(), |at| end + at + 1);
        let has_lines_to_itself = self.text[line_start..start].trim().is_empty() && {
            let rest = self.text[end..line_end].trim();
            rest.is_empty() || rest.starts_with('#')
        };
        let (start, end) = if has_lines_to_itself { (line_start, line_end) } else { (start, end) };
        self.apply(&module.title, Edit { start, end, text: String::new() })
    }

    /// Adds a declaration below the last one.
    pub fn add(&mut self, title: &str, declaration: &str) -> Result<(), Problem> {
        if let Some(known) = self.puppetfile.find(title) {
            return Err(Problem::new(ProblemKind::Conflict, "cannot add")
                .on(title)
                .because(format!("{}:{} declares '{}'", self.shown(), known.line, known.title))
                .help(format!("`kukla mod update {}` changes its version", known.title)));
        }
        let outline = Outline::new(&self.text);
        let statements: &[Node] = match &outline.body().expr {
            Expr::Sequence(nodes) => nodes,
            _ => std::slice::from_ref(outline.body()),
        };
        let last =
            statements.iter().rev().find(|node| matches!(&node.expr, Expr::Call(call) if is_mod(call)));
        let end = last.map_or(self.text.len(), |node| node.span.end as usize);
        let at = self.text[end..].find('\n').map_or(self.text.len(), |line| end + line + 1);
        let before = if self.text[..at].is_empty() || self.text[..at].ends_with('\n') { "" } else { "\n" };
        self.apply(title, Edit { start: at, end: at, text: format!("{before}{declaration}\n") })
    }

    fn shown(&self) -> String {
        self.puppetfile.path.display().to_string()
    }

    fn require(&self, name: &str) -> Result<&Declaration, Problem> {
        self.puppetfile.find(name).ok_or_else(|| {
            let names = self.puppetfile.modules.iter().flat_map(|module| [&*module.title, &*module.name]);
            let near = kukla_syntax::suggest::nearest(name, names);
            let problem = Problem::not_found(format!("{} declares no module '{name}'", self.shown()));
            match near {
                Some(near) => problem.help(format!("did you mean '{near}'?")),
                None => problem,
            }
        })
    }

    fn not_literal(&self, module: &Declaration) -> Problem {
        Problem::other("cannot change the version of")
            .on(format!("'{}'", module.title))
            .because(format!("{}:{} does not state it as a literal", self.shown(), module.line))
            .help("change it by hand")
    }

    /// The call of `mod` that declares a module.
    fn find_call<'o>(&self, outline: &'o Outline, module: &Declaration) -> Result<&'o Call, Problem> {
        let mut found = None;
        outline.each_call(|node, call| {
            let names_it = call
                .args
                .first()
                .and_then(literal)
                .is_some_and(|name| name.replace('/', "-") == module.title);
            if is_mod(call) && names_it && outline.line(node.span.start) == module.line {
                found = Some(call);
            }
        });
        found.ok_or_else(|| {
            Problem::other("cannot change the declaration of")
                .on(format!("'{}'", module.title))
                .because(format!("{}:{} does not name the module as a literal", self.shown(), module.line))
                .help("change it by hand")
        })
    }

    /// Makes a change, if only the declaration of this module differs afterwards.
    fn apply(&mut self, title: &str, edit: Edit) -> Result<(), Problem> {
        let mut text = self.text.clone();
        text.replace_range(edit.start..edit.end, &edit.text);
        let failed = || {
            Problem::other("cannot change the declaration of")
                .on(format!("'{title}'"))
                .because("the change would affect other code in the Puppetfile")
                .help("change it by hand")
        };
        let after = Puppetfile::evaluate(self.world, &self.puppetfile.path, text.as_bytes(), &self.options)
            .map_err(|problem| failed().caused_by(problem))?;
        if others(&self.puppetfile, title) != others(&after, title) {
            return Err(failed());
        }
        self.text = text;
        self.puppetfile = after;
        Ok(())
    }
}

/// The declarations of all other modules, without their lines.
fn others<'p>(file: &'p Puppetfile, title: &str) -> Vec<(&'p str, &'p Path, &'p Source)> {
    let others = file.modules.iter().filter(|module| module.title != title);
    others.map(|module| (&*module.title, &*module.directory, &module.source)).collect()
}

/// A text from outside becomes a literal of Ruby only if it cannot be anything else.
pub fn check_literal(text: &str) -> Result<(), Problem> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/+:@-~^=<> |*,%&?".contains(&byte);
    match text.bytes().all(is_plain) {
        true => Ok(()),
        false => Err(Problem::invalid("cannot write into a Puppetfile")
            .on(format!("{text:?}"))
            .because("it has characters that need quoting")),
    }
}

/// A replacement of a part of the text.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

fn is_mod(call: &Call) -> bool {
    call.receiver.is_none() && call.name == "mod"
}

/// The text of a string without interpolation.
fn literal(node: &Node) -> Option<String> {
    match &node.expr {
        Expr::Text(parts) => match parts.as_slice() {
            [] => Some(String::new()),
            [Part::Text(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn symbol(node: &Node) -> Option<String> {
    match &node.expr {
        Expr::Symbol(parts) => match parts.as_slice() {
            [Part::Text(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Replaces a literal, with the quotes that it has.
fn replace(node: &Node, value: &str, text: &str) -> Option<Edit> {
    if literal(node).is_none() && symbol(node).is_none() {
        return None;
    }
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    let quote = if text[start..end].starts_with('"') { '"' } else { '\'' };
    Some(Edit { start, end, text: format!("{quote}{value}{quote}") })
}

fn replace_option(call: &Call, options: &[&str], value: &str, text: &str) -> Option<Edit> {
    let pairs = call.args.iter().filter_map(|argument| match &argument.expr {
        Expr::Hash(pairs) => Some(pairs),
        _ => None,
    });
    let is_wanted = |key: &Node| symbol(key).is_some_and(|key| options.contains(&key.as_str()));
    let mut found = pairs.flatten().filter(|(key, _)| is_wanted(key));
    // The last of several counts.
    replace(&found.next_back()?.1, value, text)
}

fn version_argument(call: &Call, version: &str, text: &str) -> Option<Edit> {
    match call.args.get(1) {
        None => {
            let name = call.args.first()?;
            let (start, end) = (name.span.start as usize, name.span.end as usize);
            let quote = if text[start..end].starts_with('"') { '"' } else { '\'' };
            Some(Edit { start: end, end, text: format!(", {quote}{version}{quote}") })
        }
        Some(Node { expr: Expr::Hash(_), .. }) => replace_option(call, &["version"], version, text),
        Some(node) => replace(node, version, text),
    }
}
