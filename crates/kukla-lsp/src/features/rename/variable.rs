//! Renames variables and parameters, with the data keys, attributes, templates and documentation of parameters.

use std::path::Path;

use kukla::syntax::{Source, Span, SyntaxKind as K};
use kukla_check::repository::{Definition, Role as FileRole};
use kukla_check::symbols::{self, Owner, Symbol};

use super::{Edits, Renaming, name};
use crate::outbox::Refusal;

impl Renaming<'_> {
    /// Renames a variable or parameter.
    pub fn variable(&self, owner: &Owner, old: &str, new: &str) -> Result<Edits, Refusal> {
        name::check_variable(new)?;
        let located = symbols::references(self.snapshot, self.symbol);
        self.refuse_clash(new, &located)?;
        self.refuse_hidden_uses(owner, old, &located)?;
        let mut edits = Edits::default();
        for one in &located {
            let span = one.occurrence.span;
            let written = &one.source.text()[span.range()];
            // In data, the name is the end of the key.
            let start = match written.rsplit_once("::") {
                Some((_, last)) => span.end - last.len() as u32,
                None => span.start,
            };
            edits.replace(&one.source, Span::new(start, span.end), new);
        }
        if let Some(definition) = self.owner_definition(owner).filter(|one| one.parameter(old).is_some()) {
            documented(&definition.source, definition, old)
                .into_iter()
                .for_each(|span| edits.replace(&definition.source, span, new));
        }
        Ok(edits)
    }

    fn owner_definition(&self, owner: &Owner) -> Option<&Definition> {
        let index = &self.snapshot.index;
        let found = match owner {
            Owner::Class(name) => index.classes.get(name),
            Owner::Define(name) => index.defines.get(name),
            Owner::Function(name) => index.functions.get(name),
            _ => None,
        };
        found.map(|found| &**found)
    }

    /// Refuses a name that means something else where the variable is used.
    fn refuse_clash(&self, new: &str, located: &[symbols::Located]) -> Result<(), Refusal> {
        let mut files: Vec<&str> = located.iter().filter_map(|one| one.source.name()).collect();
        files.dedup();
        for file in files {
            for one in self.snapshot.occurrences(Path::new(file)) {
                let Symbol::Variable { owner, name } = &one.symbol else { continue };
                if name != new {
                    continue;
                }
                let Some(checked) = self.snapshot.texts.get(Path::new(file)) else { continue };
                // An attribute or a key belongs to another definition.
                let text = checked.text.source.text();
                if !text[..one.span.start as usize].ends_with(['$', '{']) {
                    continue;
                }
                if matches!(owner, Owner::Class(class) if text[..one.span.start as usize].ends_with(&format!("{class}::")))
                {
                    continue;
                }
                let line = checked.text.source.line_column(one.span.start).line;
                return Err(Refusal::failed(format!(
                    "`${new}` is used in {}, line {line}, already",
                    self.relative(Path::new(file))
                )));
            }
        }
        Ok(())
    }

    /// Refuses if the variable may be used by a computed name, or in a text that is not read.
    fn refuse_hidden_uses(
        &self,
        owner: &Owner,
        old: &str,
        located: &[symbols::Located],
    ) -> Result<(), Refusal> {
        let mut files: Vec<&str> = located.iter().filter_map(|one| one.source.name()).collect();
        files.dedup();
        for file in files {
            let marks = [format!("${old}"), format!("@{old}"), format!("${{{old}")];
            for (path, text) in self.strings_with(old, Some(Path::new(file))) {
                let is_code =
                    marks.iter().any(|mark| name::has_word(&text, mark) || text.contains(mark.as_str()));
                let is_name = matches!(text.trim_matches(['\'', '"']), own if own == old)
                    && mentions_getvar(self, path);
                if is_code || is_name {
                    return Err(Refusal::failed(format!(
                        "a string in {} may name the variable: {}",
                        self.relative(path),
                        crate::features::documentation::shorten(&text, 60)
                    )));
                }
            }
        }
        self.refuse_open_templates(owner, old)?;
        if let Owner::Class(by) | Owner::Define(by) = owner {
            self.refuse_splats(by, old)?;
            for file in &self.snapshot.templates {
                let text = file.source.text();
                let renders = symbols::renderers(self.snapshot, &file.name).any(|renderer| renderer == by);
                let quoted =
                    [format!("'{old}'"), format!("\"{old}\""), format!(" :{old}"), format!("(:{old}")];
                if renders && quoted.iter().any(|quoted| text.contains(quoted.as_str())) {
                    return Err(Refusal::failed(format!(
                        "the template {} may use the variable by its name as a string",
                        file.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Templates without parameters see the variables of the code that renders them.
    fn refuse_open_templates(&self, owner: &Owner, old: &str) -> Result<(), Refusal> {
        let (Owner::Class(by) | Owner::Define(by)) = owner else { return Ok(()) };
        let module = by.split("::").next().unwrap_or_default();
        for (path, checked) in &self.snapshot.texts {
            if checked.role != FileRole::Template || checked.text.parameters.is_some() {
                continue;
            }
            let own = checked.module.and_then(|at| self.snapshot.index.survey.modules.get(at));
            if own.is_some_and(|own| own.name == module)
                && name::has_word(checked.text.source.text(), &format!("${old}"))
            {
                return Err(Refusal::failed(format!(
                    "the template {} declares no parameters, so its `${old}` may be this one",
                    self.relative(path)
                )));
            }
        }
        Ok(())
    }

    /// Declarations that take their attributes from a hash may set the parameter.
    fn refuse_splats(&self, by: &str, old: &str) -> Result<(), Refusal> {
        let definition = self.snapshot.index.classes.get(by).or_else(|| self.snapshot.index.defines.get(by));
        if definition.is_none_or(|definition| definition.parameter(old).is_none()) {
            return Ok(());
        }
        let last = by.rsplit("::").next().unwrap_or(by);
        for (path, checked) in &self.snapshot.texts {
            let text = checked.text.source.text();
            if !name::has_word(text, last) {
                continue;
            }
            for node in checked.text.tree.elements() {
                let is_splat = node.kind() == K::ResourceBody
                    && node.children().any(|child| child.kind() == K::AttributeSplat);
                let is_generated = matches!(node.kind(), K::Call | K::StatementCall)
                    && ["create_resources", "ensure_resource"]
                        .iter()
                        .any(|name| node.text().starts_with(name));
                if !is_splat && !is_generated {
                    continue;
                }
                let around = self.resource_text(checked, node);
                if around.trim_start_matches(['@', ':']).to_lowercase().contains(last) {
                    let line = checked.text.source.line_column(node.start()).line;
                    return Err(Refusal::failed(format!(
                        "attributes come from a hash in {}, line {line}, which may have the key `{old}`",
                        self.relative(path)
                    )));
                }
            }
        }
        Ok(())
    }

    /// The beginning of the resource or call around a node.
    fn resource_text(
        &self,
        checked: &kukla_check::CheckedText,
        node: kukla::syntax::tree::Node<'_>,
    ) -> String {
        let around = checked.text.tree.elements().filter(|one| {
            matches!(one.kind(), K::Resource | K::Call | K::StatementCall)
                && one.start() <= node.start()
                && node.span().end <= one.span().end
        });
        around.last().map(|one| one.text().chars().take(120).collect()).unwrap_or_default()
    }
}

fn mentions_getvar(renaming: &Renaming<'_>, path: &Path) -> bool {
    let text = renaming.snapshot.texts.get(path).map(|checked| checked.text.source.text());
    text.is_some_and(|text| text.contains("getvar") || text.contains("lookupvar"))
}

/// The names of a parameter in the `@param` tags above a definition.
fn documented(source: &Source, definition: &Definition, parameter: &str) -> Vec<Span> {
    let text = source.text();
    let before = &text[..definition.span.start as usize];
    let mut spans = Vec::new();
    let mut end = before.rfind('\n').map_or(0, |at| at + 1);
    while end > 0 {
        let start = before[..end - 1].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[start..end];
        if !line.trim_start().starts_with('#') {
            break;
        }
        if let Some(at) = line.find("@param") {
            let rest = &line[at + 6..];
            let found = name::word_starts(rest, parameter).next();
            // The name is the first word, or the one after the types.
            let is_name = |found: usize| {
                let between = rest[..found].trim();
                between.is_empty() || between.starts_with('[') && between.ends_with(']')
            };
            if let Some(found) = found.filter(|found| is_name(*found)) {
                let from = (start + at + 6 + found) as u32;
                spans.push(Span::new(from, from + parameter.len() as u32));
            }
        }
        end = start;
    }
    spans
}
