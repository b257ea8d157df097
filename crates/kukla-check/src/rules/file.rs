//! Templates and files of modules.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::{Span, diagnostic};
use kukla::values::Type;

use crate::describe::describe;
use crate::overlap::may_be;
use crate::repository::{Module, Question, literal};
use crate::rule::rules;
use crate::suggest;
use crate::walk::{Argument, Walk};

rules! {
    RULES;

    /// The code renders a template that the module does not have.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp')) }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp')) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// ```
    UNKNOWN_TEMPLATE = "unknown-template": Error Always, "The module `{module}` has no template `{path}`";

    /// The code reads a file, or names it in a `puppet:///modules/…` source, that the module does not have.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { file { '/etc/web': source => 'puppet:///modules/web/web.conf' } }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { file { '/etc/web': source => 'puppet:///modules/web/web.conf' } }
    /// ```
    ///
    /// ```text
    /// # modules/web/files/web.conf
    /// ```
    UNKNOWN_FILE = "unknown-file": Error Always, "The module `{module}` has no file `{path}`";

    /// An EPP template receives a parameter that it does not declare.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp', { 'prot' => 80 })) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// <%- | Integer $port = 80 | -%>
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp', { 'port' => 80 })) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// <%- | Integer $port = 80 | -%>
    /// ```
    UNKNOWN_TEMPLATE_PARAMETER = "unknown-template-parameter": Error Always, "The template `{template}` has no parameter `{name}`";

    /// An EPP template is rendered without a parameter that has no default.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp')) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// <%- | Integer $port | -%>
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp', { 'port' => 80 })) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// <%- | Integer $port | -%>
    /// ```
    MISSING_TEMPLATE_PARAMETER = "missing-template-parameter": Error Always, "The template `{template}` requires {names}";

    /// An EPP template receives a value that the type of its parameter never accepts.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp', { 'port' => 'http' })) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// <%- | Integer $port | -%>
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { notice(epp('web/site.epp', { 'port' => 80 })) }
    /// ```
    ///
    /// ```epp
    /// # modules/web/templates/site.epp
    /// <%- | Integer $port | -%>
    /// ```
    WRONG_TEMPLATE_PARAMETER = "wrong-template-parameter": Error Always, "The template `{template}`: {mismatch}";
}

impl<'i> Walk<'i> {
    /// Checks the arguments of `template`, `epp` and `file`.
    pub fn check_files(&mut self, function: &str, arguments: &[Argument<'_>]) {
        match function {
            "epp" => self.epp(arguments),
            "template" => {
                for argument in arguments {
                    if let Some(name) = literal::text(argument.expr) {
                        self.check_template(&name, argument.expr.span());
                    }
                }
            }
            // Of several files, the first one that exists is read.
            _ => {
                if let [only] = arguments
                    && let Some(name) = literal::text(only.expr)
                {
                    self.check_file(&name, only.expr.span());
                }
            }
        }
    }

    fn epp(&mut self, arguments: &[Argument<'_>]) {
        let Some(first) = arguments.first() else { return };
        let Some(name) = literal::text(first.expr) else { return };
        if !self.check_template(&name, first.expr.span()) {
            return;
        }
        let full = if name.ends_with(".epp") { name.clone() } else { format!("{name}.epp") };
        self.depend_on(Question::Template(full.clone()));
        let Some(Some(parameters)) = self.index.templates.get(&full).cloned() else { return };
        let given: Option<Vec<(String, Span, Type)>> = match arguments.get(1) {
            None => Some(Vec::new()),
            Some(argument) => fields(argument),
        };
        let Some(given) = given else { return };
        for (name, span, ty) in &given {
            match parameters.iter().find(|parameter| parameter.name == *name) {
                None => {
                    let names = parameters.iter().map(|parameter| parameter.name.as_str());
                    let near = suggest::nearest(name, names);
                    let mut wrong = diagnostic!(*span, UNKNOWN_TEMPLATE_PARAMETER { template: full, name });
                    wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
                    let fix = near.and_then(|near| self.rename_fix(*span, name, near));
                    self.report_with(wrong, fix);
                }
                Some(parameter) => {
                    let expected = parameter.ty.as_ref().and_then(|text| self.index.types.read(text));
                    let Some(expected) = expected else { continue };
                    let is_left_out = matches!(ty, Type::Undef) && parameter.has_default;
                    if !is_left_out && !may_be(&expected, ty) {
                        let mismatch = describe(&format!("parameter '{name}'"), &expected, ty);
                        self.report(diagnostic!(
                            *span,
                            WRONG_TEMPLATE_PARAMETER { template: full, mismatch }
                        ));
                    }
                }
            }
        }
        let is_given = |name: &str| given.iter().any(|(known, ..)| known == name);
        let missing: Vec<String> = parameters
            .iter()
            .filter(|parameter| !parameter.has_default && !is_given(&parameter.name))
            .map(|parameter| format!("`{}`", parameter.name))
            .collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            self.report(diagnostic!(first.expr.span(), MISSING_TEMPLATE_PARAMETER { template: full, names }));
        }
    }

    /// The module and the path that `module/path` names, if the module is here.
    fn in_module<'n>(&self, name: &'n str) -> Option<(&'i Module, &'n str)> {
        let (module, path) = name.split_once('/').filter(|(module, _)| !module.is_empty())?;
        Some((self.index.survey.module(module)?, path))
    }

    /// Reports a template that a module does not have. Returns whether it may exist.
    fn check_template(&mut self, name: &str, span: Span) -> bool {
        let Some((module, path)) = self.in_module(name) else { return true };
        let with_ending = format!("{path}.epp");
        if module.templates.contains(path)
            || module.templates.contains(&with_ending)
            || self.index.survey.may_be_in_submodule(&module.root.join("templates").join(path))
        {
            return true;
        }
        let near = suggest::nearest(path, module.templates.iter().map(String::as_str));
        let mut wrong = diagnostic!(span, UNKNOWN_TEMPLATE { module: module.name, path });
        wrong.hints.extend(near.map(|near| format!("did you mean `{}/{near}`?", module.name)));
        self.report(wrong);
        false
    }

    fn check_file(&mut self, name: &str, span: Span) {
        let Some((module, path)) = self.in_module(name) else { return };
        self.file_of(module, path, span);
    }

    fn file_of(&mut self, module: &Module, path: &str, span: Span) {
        let path = path.trim_matches('/');
        if path.is_empty() || path.contains("//") || module.files.contains(path) {
            return;
        }
        if self.index.survey.may_be_in_submodule(&module.root.join("files").join(path)) {
            return;
        }
        let near = suggest::nearest(path, module.files.iter().map(String::as_str));
        let mut wrong = diagnostic!(span, UNKNOWN_FILE { module: module.name, path });
        wrong.hints.extend(near.map(|near| format!("did you mean `{}/{near}`?", module.name)));
        self.report(wrong);
    }

    /// Checks `source => 'puppet:///modules/…'`.
    pub fn check_source(&mut self, attribute: ast::Attribute<'_>) {
        let value = attribute.value().unwrap_parens();
        if let Expr::Array(_) = value {
            return;
        }
        let Some(text) = literal::text(value) else { return };
        let Some(name) = text.strip_prefix("puppet:///modules/") else { return };
        self.check_file(name, value.span());
    }
}

/// The entries of a literal hash.
fn fields(argument: &Argument<'_>) -> Option<Vec<(String, Span, Type)>> {
    let Expr::Hash(hash) = argument.expr.unwrap_parens() else { return None };
    let Type::Struct(types) = &argument.ty else {
        return hash.entries().next().is_none().then(Vec::new);
    };
    hash.entries()
        .map(|entry| {
            let name = literal::text(entry.key())?;
            let ty =
                types.iter().find(|field| field.name == name).map_or(Type::Any, |field| field.value.clone());
            Some((name, entry.key().span(), ty))
        })
        .collect()
}
