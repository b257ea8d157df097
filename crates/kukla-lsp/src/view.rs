//! One text of a repository, as a feature sees it: the text that the client has, the tree, and the index around it.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::analysis;
use kukla::syntax::{Source, Span, Strict};
use kukla::values::Type;
use kukla::world::World;
use kukla_check::repository::{Definition, Index, Module, Role, Survey};
use kukla_check::symbols::{self, Occurrence, Owner, Symbol};
use kukla_check::text::Text;
use kukla_check::walk;
use kukla_check::{CheckedText, Snapshot};
use lsp_types::{Location, Position, Range, Uri};

use crate::analysis::Analysis;
use crate::documents::Document;
use crate::outbox::Refusal;
use crate::positions::{Encoding, Lines, Positions};
use crate::session::Session;
use crate::uris::uri_of;
use crate::workspace::Language;

/// One text of a repository.
#[derive(Debug)]
pub struct View<'s> {
    /// The session.
    pub session: &'s Session,
    /// Its path.
    pub path: PathBuf,
    /// The text.
    pub source: Source,
    /// Its lines.
    pub lines: Arc<Lines>,
    /// Its language.
    pub language: Option<Language>,
    /// The version that the client gave it; none if it is not open.
    pub version: Option<i32>,
    /// The repository.
    pub analysis: Option<&'s Analysis>,
    /// The repository as it was analysed last.
    pub snapshot: Option<&'s Arc<Snapshot>>,
    /// The module that it belongs to, once it has been looked for.
    module: OnceCell<Option<&'s Module>>,
}

impl<'s> View<'s> {
    /// The view of an open text or of a file.
    pub fn new(
        session: &'s Session,
        path: &Path,
        document: Option<Document>,
        analysis: Option<&'s Analysis>,
    ) -> Result<View<'s>, Refusal> {
        let language = session.language(path);
        let name = path.to_string_lossy().into_owned();
        let (source, lines, version) = match document {
            Some(document) => (Source::new(name, document.text), document.lines, Some(document.version)),
            None => {
                let bytes = session.world.read(path);
                let bytes = bytes.map_err(|error| Refusal::failed(format!("cannot read {name}: {error}")))?;
                let (source, _) = analysis::source(&name, bytes);
                let lines = Arc::new(Lines::of(source.text()));
                (source, lines, None)
            }
        };
        let snapshot = analysis.and_then(Analysis::snapshot);
        let (path, module) = (path.to_owned(), OnceCell::new());
        Ok(View { session, path, source, lines, language, version, analysis, snapshot, module })
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The unit of columns.
    pub fn encoding(&self) -> Encoding {
        self.session.client.encoding
    }

    /// Its positions.
    pub fn positions(&self) -> Positions<'_> {
        Positions { text: self.source.text(), lines: &self.lines, encoding: self.encoding() }
    }

    /// The offset of a position.
    pub fn offset(&self, position: Position) -> u32 {
        self.positions().offset(position)
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        self.positions().range(span)
    }

    /// The index of the repository.
    pub fn index(&self) -> Option<&'s Index> {
        self.snapshot.map(|snapshot| &snapshot.index)
    }

    /// The text as the analysis has it.
    fn checked(&self) -> Option<&'s CheckedText> {
        let checked = self.snapshot?.texts.get(&self.path)?;
        (checked.text.source.text() == self.text()).then_some(checked)
    }

    /// The module that the text belongs to.
    pub fn module(&self) -> Option<&'s Module> {
        let index = self.index()?;
        let find = || index.survey.modules.iter().find(|module| self.path.starts_with(&module.root));
        *self.module.get_or_init(find)
    }

    /// The text with its tree; `None` if it is not Puppet code.
    pub fn parsed(&self) -> Option<Arc<Text>> {
        if let Some(checked) = self.checked() {
            return Some(Arc::clone(&checked.text));
        }
        if !self.language?.is_puppet() {
            return None;
        }
        let bytes = self.text().as_bytes().to_vec();
        let empty = Survey::empty(self.path.parent().unwrap_or(&self.path));
        let survey = self.index().map_or(&empty, |index| &index.survey);
        Some(Arc::new(kukla::syntax::roomy(|| {
            Text::new(&self.path, bytes, None, Role::Extra, survey, Strict::Error)
        })))
    }

    /// The occurrences of names in the text, unresolved.
    pub fn occurrences(&self) -> Vec<Occurrence> {
        if let Some(snapshot) = self.snapshot
            && (self.checked().is_some() || self.language.is_some_and(|language| !language.is_puppet()))
        {
            let found = snapshot.occurrences(&self.path);
            // A hierarchy has no keys, but interpolations.
            return match self.language {
                Some(Language::Yaml | Language::Json) if found.is_empty() => {
                    symbols::interpolations(self.text())
                }
                _ => found,
            };
        }
        let module = self.module().map(|module| module.name.clone());
        let occurrences =
            |text: Arc<Text>| symbols::occurrences(&text.tree, &text.source, module.as_deref(), None);
        self.parsed().map(occurrences).unwrap_or_default()
    }

    /// The meaning of a symbol in the repository.
    pub fn resolve(&self, symbol: &Symbol) -> Option<Symbol> {
        match self.index() {
            Some(index) => symbols::resolve(index, symbol),
            None => Some(symbol.clone()),
        }
    }

    /// The occurrence at a position, with its symbol resolved.
    pub fn symbol_at(&self, position: Position) -> Option<Occurrence> {
        let offset = self.offset(position);
        let touches = |one: &Occurrence| one.span.start <= offset && offset <= one.span.end;
        let found = self.occurrences().into_iter().filter(touches);
        // Of two that touch each other, the one after the offset counts.
        let mut occurrence = found.min_by_key(|one| (!one.span.contains(offset), one.span.len()))?;
        occurrence.symbol = self.resolve(&occurrence.symbol)?;
        Some(occurrence)
    }

    /// A place in a text.
    pub fn location(&self, source: &Source, span: Span) -> Option<Location> {
        let uri = uri_of(Path::new(source.name()?))?;
        Some(Location { uri, range: self.range_in(source.text(), span) })
    }

    /// The range of a span in another text.
    pub fn range_in(&self, text: &str, span: Span) -> Range {
        let lines = Lines::of(text);
        Positions { text, lines: &lines, encoding: self.encoding() }.range(span)
    }

    /// The URI of the text.
    pub fn uri(&self) -> Option<Uri> {
        uri_of(&self.path)
    }
}

/// A parameter with its documentation.
#[derive(Clone, Debug)]
pub struct ParameterDetails {
    /// Its name.
    pub name: String,
    /// Its type as written.
    pub ty: Option<String>,
    /// Its default as written.
    pub default: Option<String>,
    /// Its documentation.
    pub doc: Option<String>,
}

impl ParameterDetails {
    /// The parameter as it is declared.
    pub fn text(&self) -> String {
        let ty = self.ty.as_ref().map(|ty| format!("{ty} ")).unwrap_or_default();
        let default = self.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        format!("{ty}${}{default}", self.name)
    }
}

impl<'s> View<'s> {
    /// The parameter that a resolved symbol is, if it is one of a class, a defined type or a function.
    pub fn parameter(&self, symbol: &Symbol) -> Option<ParameterDetails> {
        let Symbol::Variable { owner, name } = symbol else { return None };
        let parameter = self.definition_of(owner)?.parameter(name)?;
        Some(ParameterDetails {
            name: parameter.name.to_string(),
            ty: parameter.ty.as_ref().map(|ty| ty.to_string()),
            default: None,
            doc: None,
        })
    }

    /// The definition whose variables an owner has.
    pub fn definition_of(&self, owner: &Owner) -> Option<&'s Definition> {
        let index = self.index()?;
        let found = match owner {
            Owner::Class(class) => index.classes.get(class)?,
            Owner::Define(define) => index.defines.get(define)?,
            Owner::Function(function) => index.functions.get(function)?,
            Owner::Template(_) | Owner::Block(..) | Owner::Top => return None,
        };
        Some(found)
    }

    /// The types of the expressions of the text, as far as they are known.
    pub fn types(&self) -> Vec<(Span, Type)> {
        let (Some(text), Some(index)) = (self.parsed(), self.index()) else { return Vec::new() };
        if text.is_broken {
            return Vec::new();
        }
        let module = self.module().map(|module| module.name.as_str());
        kukla::syntax::roomy(|| walk::types(index, &text.source, &text.tree, module))
    }

    /// The type of the variable at a span, if it is known and not plain from its declaration.
    pub fn inferred_type(&self, span: Span) -> Option<String> {
        let types = self.types();
        let ty = types.iter().find(|(own, _)| own.end == span.end && own.start <= span.start)?;
        type_text(&ty.1)
    }
}

/// A type in words; `None` if nothing is known of it.
pub fn type_text(ty: &Type) -> Option<String> {
    const MOST: usize = 60;
    let text = ty.generalized().to_string();
    let is_known = !matches!(ty, Type::Any | Type::Unit) && text != "Any";
    is_known.then(|| crate::features::documentation::shorten(&text, MOST))
}
