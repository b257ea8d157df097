//! Documentation: comments that are missing or contradict the code, and references that are not current.

use std::path::Path;
use std::sync::Arc;

use kukla::syntax::{Source, Span, diagnostic};
use kukla::world::World;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::reference::docstring::Docstring;
use crate::reference::entry::{FunctionKind, Origin, Parameter};
use crate::reference::{self, Reference, markdown};
use crate::repository::{CodeFile, Module, Survey};
use crate::rule::rules;
use crate::text::Text;

rules! {
    RULES;

    /// A class, defined type, function, plan or data type has no comment above it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    UNDOCUMENTED = "undocumented": Warning Docs, "The {kind} `{name}` has no documentation";

    /// A comment does not describe a parameter.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @param port The port to listen on.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    UNDOCUMENTED_PARAMETER = "undocumented-parameter": Warning Docs, "The parameter `{parameter}` of the {kind} `{name}` has no `@param` tag";

    /// A comment describes a parameter that does not exist, often one that was renamed or removed.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @param ports The port to listen on.
    /// # @param port The port to listen on.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @param port The port to listen on.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    UNKNOWN_DOCUMENTED_PARAMETER = "unknown-documented-parameter": Error Docs, "The {kind} `{name}` has no parameter `{parameter}`";

    /// A comment has the same tag twice, where only the first one counts.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @summary Serves pages.
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    DUPLICATE_TAG = "duplicate-tag": Warning Docs, "`{tag}` is here twice";

    /// A comment gives a parameter another type than the code does. A type in a comment is only of use where the code declares none.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @param port [String] The port to listen on.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @param port The port to listen on.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    DOCUMENTED_TYPE = "documented-type": Warning Docs, "`{parameter}` is documented as `{documented}`, but declared as `{declared}`";

    /// A tag of a comment does not exist. puppet-strings leaves it out.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @params port The port to listen on.
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @param port The port to listen on.
    /// class web (Integer $port = 80) { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    UNKNOWN_TAG = "unknown-tag": Warning Docs, "`@{tag}` is not a tag of documentation";

    /// The text of a tag does not have the form of such tags, so puppet-strings leaves it out. An `@example` has a title or code below it.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @example
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// # @example
    /// #   include web
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    MALFORMED_TAG = "malformed-tag": Warning Docs, "The text of `@{tag}` has the wrong form";

    /// The `REFERENCE.md` of a module differs from what its code says. Write it again with `kukla doc --out REFERENCE.md`.
    ///
    /// Wrong:
    ///
    /// ```text
    /// # modules/web/REFERENCE.md
    /// # Reference
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// # @summary Serves web pages.
    /// class web { }
    /// ```
    ///
    /// ```puppet
    /// include web
    /// ```
    STALE_REFERENCE = "stale-reference": Error Docs, "The reference of the module `{module}` is not current";
}

/// The findings in the modules of a repository.
pub fn check(world: &dyn World, survey: &Survey, texts: &[(CodeFile, Arc<Text>)]) -> Vec<Finding> {
    let own = survey.modules.par_iter().enumerate().filter(|(_, module)| !module.is_third_party);
    let findings = own.map(|(at, module)| {
        let texts: FxHashMap<&Path, &Text> = texts
            .iter()
            .filter(|(file, _)| file.module == Some(at))
            .map(|(file, text)| (file.path.as_path(), &**text))
            .collect();
        check_module(world, module, &texts)
    });
    findings.flatten_iter().collect()
}

fn check_module(world: &dyn World, module: &Module, texts: &FxHashMap<&Path, &Text>) -> Vec<Finding> {
    let files = reference::files(world, &module.root, reference::DEFAULT_PATTERNS.iter().copied());
    let (known, other): (Vec<String>, Vec<String>) =
        files.into_iter().partition(|file| texts.contains_key(&*module.root.join(file)));
    let mut reference = Reference::of_files(world, &module.root, &other);
    for file in &known {
        if let Some(text) = texts.get(&*module.root.join(file)).filter(|text| !text.is_broken) {
            reference.add_manifest(file, &text.source, &text.tree);
        }
    }
    reference.settle();
    let mut review = Review { world, module, texts, sources: FxHashMap::default(), findings: Vec::new() };
    for (definitions, kind) in
        [(&reference.classes, "class"), (&reference.defines, "defined type"), (&reference.plans, "plan")]
    {
        for one in definitions {
            let subject = Subject { kind, name: &one.name, origin: &one.origin };
            review.presence(&subject, &one.written);
            review.parameters(&subject, &one.written, &one.parameters);
        }
    }
    for one in &reference.functions {
        let subject = Subject { kind: "function", name: &one.name, origin: &one.origin };
        let is_documented = one.overloads.iter().any(|overload| !overload.written.is_empty());
        if !is_documented {
            review.presence(&subject, &one.written);
        }
        match one.kind {
            FunctionKind::Puppet => review.parameters(&subject, &one.written, &one.parameters),
            FunctionKind::Ruby4x => {
                review.faults(&subject, &one.written);
                for overload in &one.overloads {
                    review.parameters(&subject, &overload.written, &overload.parameters);
                }
            }
            FunctionKind::Ruby3x => review.faults(&subject, &one.written),
        }
    }
    for one in &reference.aliases {
        let subject = Subject { kind: "data type", name: &one.name, origin: &one.origin };
        review.presence(&subject, &one.docstring);
        review.faults(&subject, &one.docstring);
    }
    for one in &reference.types {
        let subject = Subject { kind: "resource type", name: &one.name, origin: &one.origin };
        review.presence(&subject, &one.docstring);
        review.faults(&subject, &one.docstring);
    }
    review.staleness(&reference);
    review.findings
}

/// The code that a comment belongs to.
struct Subject<'r> {
    kind: &'static str,
    name: &'r str,
    origin: &'r Origin,
}

/// The review of one module.
struct Review<'a> {
    world: &'a dyn World,
    module: &'a Module,
    texts: &'a FxHashMap<&'a Path, &'a Text>,
    sources: FxHashMap<String, Source>,
    findings: Vec<Finding>,
}

impl Review<'_> {
    fn source(&mut self, file: &str) -> Source {
        let path = self.module.root.join(file);
        if let Some(text) = self.texts.get(&*path) {
            return text.source.clone();
        }
        let read = || {
            let bytes = self.world.read(&path).unwrap_or_default();
            Source::new(path.to_string_lossy(), String::from_utf8_lossy(&bytes).into_owned())
        };
        self.sources.entry(file.to_owned()).or_insert_with(read).clone()
    }

    /// The span of a line of a comment, without blanks around it.
    fn line(&mut self, origin: &Origin, line: u32) -> (Source, Span) {
        let source = self.source(&origin.file);
        let span = source.line_span(line).unwrap_or_default();
        let text = &source.text()[span.range()];
        let start = span.start + (text.len() - text.trim_start().len()) as u32;
        (source.clone(), Span::new(start, span.start + text.trim_end().len() as u32))
    }

    fn presence(&mut self, subject: &Subject<'_>, written: &Docstring) {
        if written.is_empty() {
            let source = self.source(&subject.origin.file);
            let wrong = diagnostic!(
                subject.origin.name_span,
                UNDOCUMENTED { kind: subject.kind, name: subject.name }
            );
            self.findings.push(wrong.in_source(&source).into());
        }
    }

    /// Tags that cannot be read or are repeated.
    fn faults(&mut self, subject: &Subject<'_>, written: &Docstring) {
        for fault in &written.faults {
            let (source, span) = self.line(subject.origin, written.line_of(fault.line));
            let tag = &fault.name;
            let wrong = match fault.is_unknown {
                true => diagnostic!(span, UNKNOWN_TAG { tag }),
                false => diagnostic!(span, MALFORMED_TAG { tag }),
            };
            self.findings.push(wrong.in_source(&source).into());
        }
        for (at, tag) in written.tags.iter().enumerate() {
            let is_single = matches!(tag.name.as_str(), "summary" | "return" | "param");
            let before = written.tags[..at].iter();
            if is_single && before.clone().any(|one| one.name == tag.name && one.subject == tag.subject) {
                let (source, span) = self.line(subject.origin, written.line_of(tag.line));
                let subject = tag.subject.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
                let wrong = diagnostic!(span, DUPLICATE_TAG { tag: format!("@{}{subject}", tag.name) });
                self.findings.push(wrong.in_source(&source).into());
            }
        }
    }

    fn parameters(&mut self, subject: &Subject<'_>, written: &Docstring, parameters: &[Parameter]) {
        self.faults(subject, written);
        if written.is_empty() {
            return;
        }
        let Subject { kind, name, origin } = subject;
        let plain = |parameter: &Parameter| parameter.name.trim_start_matches(['*', '&']).to_owned();
        for parameter in parameters {
            let own = plain(parameter);
            let Some(tag) = written.parameter(&own).or_else(|| written.parameter(&parameter.name)) else {
                let source = self.source(&origin.file);
                let wrong =
                    diagnostic!(parameter.span, UNDOCUMENTED_PARAMETER { kind, name, parameter: own });
                self.findings.push(wrong.in_source(&source).into());
                continue;
            };
            let normal = |ty: &str| ty.split_whitespace().collect::<String>();
            if let (Some(declared), Some(documented)) = (&parameter.ty, tag.ty())
                && !documented.is_empty()
                && normal(declared) != normal(documented)
            {
                let (source, span) = self.line(origin, written.line_of(tag.line));
                let wrong = diagnostic!(span, DOCUMENTED_TYPE { parameter: own, documented, declared });
                self.findings.push(wrong.in_source(&source).into());
            }
        }
        for tag in written.named("param") {
            let parameter = tag.subject.as_deref().unwrap_or_default();
            let is_own = |one: &Parameter| one.name == parameter || plain(one) == parameter;
            let is_title = *kind == "defined type" && matches!(parameter, "name" | "title");
            if !is_title && !parameters.iter().any(is_own) {
                let (source, span) = self.line(origin, written.line_of(tag.line));
                let wrong = diagnostic!(span, UNKNOWN_DOCUMENTED_PARAMETER { kind, name, parameter });
                let names: Vec<String> = parameters.iter().map(plain).collect();
                let near = crate::suggest::hint(parameter, names.iter().map(String::as_str));
                let wrong = near.into_iter().fold(wrong, |wrong, hint| wrong.hint(hint));
                self.findings.push(wrong.in_source(&source).into());
            }
        }
    }

    /// Compares the committed page with the current one.
    fn staleness(&mut self, reference: &Reference) {
        let path = self.module.root.join("REFERENCE.md");
        if !self.world.exists(&path) {
            return;
        }
        let source = self.source("REFERENCE.md");
        let page = markdown::page(reference);
        if page == source.text() {
            return;
        }
        let same = page.lines().zip(source.text().lines()).take_while(|(one, other)| one == other).count();
        let span = source.line_span(same as u32 + 1).unwrap_or_default();
        let wrong = diagnostic!(span, STALE_REFERENCE { module: &self.module.name });
        let wrong = wrong.hint("write it again: kukla doc --out REFERENCE.md");
        self.findings.push(wrong.in_source(&source).into());
    }
}
