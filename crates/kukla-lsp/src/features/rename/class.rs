//! Renames classes, defined types, functions and type aliases, with their files.

use std::path::{Path, PathBuf};

use kukla::syntax::Span;
use kukla::world::World;
use kukla_check::repository::{Definition, Role as FileRole};
use kukla_check::symbols::{self, Role, Symbol};

use super::{Edits, Renaming, name};
use crate::features::documentation::capitalize;
use crate::outbox::Refusal;

impl Renaming<'_> {
    /// Renames a definition.
    pub fn definition(&self, new: &str) -> Result<Edits, Refusal> {
        let index = &self.snapshot.index;
        let old = self.symbol.name().to_string();
        let new = new.trim_start_matches("::");
        let (definition, new_plain) = match self.symbol {
            Symbol::DataType(_) => {
                name::check_alias(new)?;
                (index.aliases.get(old.as_str()), new.to_lowercase())
            }
            Symbol::Class(_) => (index.classes.get(old.as_str()), self.check_name(new)?),
            Symbol::ResourceType(_) => (index.defines.get(old.as_str()), self.check_name(new)?),
            _ => (index.functions.get(old.as_str()), self.check_name(new)?),
        };
        let Some(definition) = definition else { return Err(Refusal::failed("the definition is not here")) };
        self.refuse_taken(&new_plain)?;
        let module = |name: &str| name.split("::").next().unwrap_or_default().to_owned();
        if old.contains("::") && module(&old) != module(&new_plain) {
            return Err(Refusal::failed(format!(
                "`{new}` would belong to another module; its data, templates and `$module_name` would change"
            )));
        }
        let path = PathBuf::from(definition.source.name().unwrap_or_default());
        let role = self.snapshot.texts.get(&path).map(|checked| checked.role);
        if !old.contains("::") && role == Some(FileRole::Module) {
            return Err(Refusal::failed(format!(
                "`{old}` has the name of its module; rename the module, then its directory"
            )));
        }
        let mut edits = Edits::default();
        self.occurrences(new, &new_plain, &mut edits)?;
        if let Symbol::Class(_) = self.symbol {
            self.class_keys(&old, &new_plain, &mut edits)?;
        }
        if role == Some(FileRole::Module) {
            self.file(definition, &path, &old, &new_plain, &mut edits)?;
        }
        Ok(edits)
    }

    fn check_name(&self, new: &str) -> Result<String, Refusal> {
        name::check_qualified(new)?;
        Ok(new.to_owned())
    }

    fn refuse_taken(&self, new: &str) -> Result<(), Refusal> {
        let index = &self.snapshot.index;
        let taken = match self.symbol {
            Symbol::DataType(_) => index.aliases.contains_key(new),
            Symbol::Function(_) => {
                !matches!(index.function(new, true), kukla_check::repository::Callee::Missing)
            }
            // A class and a defined type of one name cannot be referred to apart.
            _ => {
                index.classes.contains_key(new)
                    || !matches!(
                        index.resource(new, true),
                        kukla_check::repository::Resource::Missing
                            | kukla_check::repository::Resource::Elsewhere
                    )
            }
        };
        match taken {
            true => Err(Refusal::failed(format!("`{new}` exists already"))),
            false => Ok(()),
        }
    }

    /// Replaces all occurrences in code, templates and data.
    fn occurrences(&self, new: &str, new_plain: &str, edits: &mut Edits) -> Result<(), Refusal> {
        let old = self.symbol.name();
        for located in symbols::references(self.snapshot, self.symbol) {
            let span = located.occurrence.span;
            let written = &located.source.text()[span.range()];
            if !written.eq_ignore_ascii_case(old) {
                // The name of a definition inside of a class, which lacks that of the class.
                let around = old.strip_suffix(written.to_lowercase().as_str());
                let short = around.and_then(|around| new_plain.strip_prefix(around));
                match short.filter(|_| located.occurrence.role == Role::Definition) {
                    Some(short) => edits.replace(&located.source, span, short),
                    None => {
                        return Err(Refusal::failed(format!(
                            "`{written}` is defined inside of another class and must keep the name of that class"
                        )));
                    }
                }
                continue;
            }
            let is_capital = written.starts_with(|c: char| c.is_ascii_uppercase());
            let text = match self.symbol {
                Symbol::DataType(_) => new.to_owned(),
                _ if is_capital => capitalize(new_plain),
                _ => new_plain.to_owned(),
            };
            edits.replace(&located.source, span, &text);
        }
        // A string that is exactly a qualified name means it, as in a list of classes.
        if old.contains("::") && matches!(self.symbol, Symbol::Class(_) | Symbol::ResourceType(_)) {
            self.exact_strings(old, new_plain, edits);
        }
        Ok(())
    }

    /// Replaces strings in code that are exactly the name.
    fn exact_strings(&self, old: &str, new: &str, edits: &mut Edits) {
        for checked in self.snapshot.texts.values() {
            let source = &checked.text.source;
            for start in name::word_starts(source.text(), old) {
                if is_quoted(source.text(), start, old.len()) {
                    edits.replace(source, Span::new(start as u32, (start + old.len()) as u32), new);
                }
            }
        }
    }

    /// Renames the data keys of the parameters of a class, and the variables of the class in ERB templates.
    fn class_keys(&self, old: &str, new: &str, edits: &mut Edits) -> Result<(), Refusal> {
        let index = &self.snapshot.index;
        let is_own = |key: &str| {
            key.rsplit_once("::").is_some_and(|(class, name)| {
                class == old && index.classes.get(old).is_some_and(|class| class.parameter(name).is_some())
            })
        };
        let prefix = |span: Span, key: &str, name: &str| {
            // The occurrence of a key is all of it.
            let length = key.len() - name.len() - 2;
            Span::new(span.start, span.start + length as u32)
        };
        let mut add = |source: &kukla::syntax::Source, one: &symbols::Occurrence| {
            if let Symbol::DataKey(key) = &one.symbol
                && is_own(key)
                && source.text()[one.span.range()] == **key
                && let Some((_, name)) = key.rsplit_once("::")
            {
                edits.replace(source, prefix(one.span, key, name), new);
            }
        };
        for file in &self.snapshot.data.files {
            symbols::data_occurrences(index, file).iter().for_each(|one| add(&file.source, one));
            let pattern = file.options.iter().find(|(key, _)| key.starts_with('^') && key.contains(old));
            if let Some((pattern, _)) = pattern {
                let path = self.relative(Path::new(&file.path));
                return Err(Refusal::failed(format!(
                    "lookup_options in {path} has the pattern `{pattern}`, which matches the keys of `{old}`"
                )));
            }
        }
        for (path, checked) in &self.snapshot.texts {
            if name::has_word(checked.text.source.text(), old) {
                self.snapshot.occurrences(path).iter().for_each(|one| add(&checked.text.source, one));
            }
        }
        for file in &self.snapshot.templates {
            let text = file.source.text();
            for start in name::word_starts(text, old) {
                let before = text[..start].trim_end_matches("::");
                if before.ends_with(['"', '\'']) && text[start + old.len()..].starts_with("::") {
                    edits.replace(&file.source, Span::new(start as u32, (start + old.len()) as u32), new);
                }
            }
        }
        Ok(())
    }

    /// Renames the file of a definition, which the autoloader finds by the name.
    fn file(
        &self,
        definition: &Definition,
        path: &Path,
        old: &str,
        new: &str,
        edits: &mut Edits,
    ) -> Result<(), Refusal> {
        let directory = match self.symbol {
            Symbol::Function(_) => "functions",
            Symbol::DataType(_) => "types",
            _ => "manifests",
        };
        let survey = &self.snapshot.index.survey;
        let module = survey.modules.iter().find(|module| path.starts_with(&module.root));
        let Some(module) = module else { return Ok(()) };
        let file_of = |name: &str| {
            let inside = name.split_once("::").map_or("init", |(_, inside)| inside).replace("::", "/");
            module.root.join(directory).join(format!("{inside}.pp"))
        };
        if file_of(old) != path {
            return Ok(());
        }
        let outline = self.snapshot.texts.get(path).map(|checked| &checked.text.outline);
        let others = outline.into_iter().flat_map(|outline| &outline.definitions);
        if let Some(other) = others.into_iter().find(|one| one.name != definition.name) {
            return Err(Refusal::failed(format!(
                "{} also defines `{}`, which would no longer be found; move it to its own file first",
                self.relative(path),
                other.name
            )));
        }
        let target = file_of(new);
        if self.view.session.world.exists(&target) {
            return Err(Refusal::failed(format!("{} exists already", self.relative(&target))));
        }
        edits.rename_file(path.to_owned(), target);
        Ok(())
    }
}

/// Whether a part of a text is a whole string in quotes.
fn is_quoted(text: &str, start: usize, length: usize) -> bool {
    let (before, after) = (&text[..start], &text[start + length..]);
    let before = before.strip_suffix("::").unwrap_or(before);
    before.ends_with('\'') && after.starts_with('\'') || before.ends_with('"') && after.starts_with('"')
}
