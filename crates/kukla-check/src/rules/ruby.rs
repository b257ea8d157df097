//! Syntax errors in the Ruby code of modules, and in ERB templates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::syntax::{Diagnostic, Source, Span, diagnostic};
use kukla::world::World;
use kukla_ruby::outline::SyntaxError;
use rayon::prelude::*;

use crate::erb::ErbFile;
use crate::finding::Finding;
use crate::repository::ruby::RubyFiles;
use crate::repository::{Module, Survey};
use crate::rule::rules;
use crate::walk::{Argument, Walk};

rules! {
    RULES;

    /// The code of an ERB template is not valid Ruby, so that the template cannot be rendered.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web($tls = true) {
    ///   file { '/etc/web.conf': content => template('web/web.conf.erb') }
    /// }
    /// ```
    ///
    /// ```erb
    /// # modules/web/templates/web.conf.erb
    /// <% if @tls %>
    /// Listen 443
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web($tls = true) {
    ///   file { '/etc/web.conf': content => template('web/web.conf.erb') }
    /// }
    /// ```
    ///
    /// ```erb
    /// # modules/web/templates/web.conf.erb
    /// <% if @tls %>
    /// Listen 443
    /// <% end %>
    /// ```
    TEMPLATE_SYNTAX = "template-syntax": Error Always, "Syntax error in the Ruby code of the template: {problem}";

    /// A file in `lib` of a module, such as a function, a resource type or a fact, is not valid Ruby, so that it cannot be loaded.
    ///
    /// Wrong:
    ///
    /// ```ruby
    /// # modules/web/lib/facter/web_port.rb
    /// Facter.add(:web_port) do
    ///   setcode { 80
    /// end
    /// ```
    ///
    /// Right:
    ///
    /// ```ruby
    /// # modules/web/lib/facter/web_port.rb
    /// Facter.add(:web_port) do
    ///   setcode { 80 }
    /// end
    /// ```
    RUBY_SYNTAX = "ruby-syntax": Error Always, "Syntax error in Ruby: {problem}";
}

/// Syntax errors in Ruby files and ERB templates. `is_selected` chooses the files to report on.
pub fn check(
    world: &dyn World,
    survey: &Survey,
    files: &RubyFiles,
    templates: &[Arc<ErbFile>],
    is_selected: &(dyn Fn(&Path) -> bool + Sync),
) -> Vec<Finding> {
    let templates = templates.iter().filter_map(|template| {
        let error = template.outline.syntax_error.as_ref()?;
        let wrong = diagnostic!(error.span, TEMPLATE_SYNTAX { problem: error.message });
        Some(Finding::from(with_advice(wrong, error, "<% end %>").in_source(&template.source)))
    });
    let mut findings: Vec<Finding> = templates.collect();
    let of_module = |module: &Module| -> Vec<PathBuf> {
        module.ruby.iter().map(|path| module.root.join("lib").join(path)).collect()
    };
    let paths: Vec<PathBuf> = survey.modules.iter().flat_map(of_module).collect();
    let broken = paths.par_iter().filter(|path| is_selected(path)).filter_map(|path| {
        let file = files.read(world, path);
        let error = file.syntax_error.as_ref()?;
        let text = String::from_utf8_lossy(&world.read(path).ok()?).into_owned();
        let source = Source::new(path.to_string_lossy().as_ref(), text);
        let wrong = diagnostic!(error.span, RUBY_SYNTAX { problem: error.message });
        Some(Finding::from(with_advice(wrong, error, "end").in_source(&source)))
    });
    findings.par_extend(broken);
    findings
}

/// Adds the advice for a keyword that is not closed.
fn with_advice(wrong: Diagnostic, error: &SyntaxError, end: &str) -> Diagnostic {
    if error.message.contains(" to close") && error.message.contains("`end`") {
        wrong.hint(format!("a `{end}` is missing"))
    } else {
        wrong
    }
}

impl Walk<'_> {
    /// Checks the text of `inline_template`.
    pub fn check_inline_template(&mut self, arguments: &[Argument<'_>]) {
        for argument in arguments {
            let Some(text) = crate::repository::literal::text(argument.expr) else { continue };
            let outline = kukla::extensions::outline::TemplateOutline::new(&text);
            if let Some(error) = outline.syntax_error {
                let span: Span = argument.expr.span();
                let wrong = diagnostic!(span, TEMPLATE_SYNTAX { problem: error.message });
                self.report(with_advice(wrong, &error, "<% end %>"));
            }
        }
    }
}
