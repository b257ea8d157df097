//! Templates in Puppet: `epp`, `inline_epp`.

use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Diagnostic, Flow, Raise, Raised};
use kukla_eval::programs::Dialect;
use kukla_eval::unit::Unit;
use kukla_eval::vm::Vm;
use kukla_syntax::diagnostic;
use kukla_values::{Hash, Str, Value};

use crate::codes::{INVALID_TEMPLATE, NO_SUCH_TEMPLATE};
use crate::files::{existing, with_near};

builtins! {
    /// The text of a template in Puppet (EPP): `module/name` for one in a module's `templates` directory, or an absolute path. The template sees
    /// the values given for its parameters, and variables of the top scope.
    ///
    /// ```puppet
    /// epp('no_module/motd.epp')    # error: Could not find template 'no_module/motd.epp'
    /// ```
    "epp": RunsCode, ReadsFiles, TypedResult { "String $path, Hash[Pattern[/^\\w+$/], Any] $parameters = undef >> Variant[String, Sensitive[String]]" => epp }

    /// The text of a template in Puppet (EPP) that is given as a string. A template without a parameter list sees the variables
    /// where it is rendered.
    ///
    /// ```puppet
    /// inline_epp('<%= $x %> and <%= $x + 1 %>', {x => 1})    # => '1 and 2'
    /// ```
    "inline_epp": RunsCode, TypedResult { "String $template, Hash[Pattern[/^\\w+$/], Any] $parameters = undef >> Variant[String, Sensitive[String]]" => inline_epp }
}

fn epp(vm: &mut Vm<'_>, reference: Str, parameters: Option<Hash>) -> Flow<Value> {
    let reference =
        if reference.ends_with(".epp") { reference } else { ecow::eco_format!("{reference}.epp") };
    let Some(path) = existing(vm, &reference, "templates")? else {
        let wrong = diagnostic!(NO_SUCH_TEMPLATE { name: reference });
        return Err(with_near(vm, wrong, &reference, "templates").into());
    };
    vm.note_file(&path, std::iter::empty());
    let unit = vm.autoload_template(&path).map_err(|raise| match raise.into_reason() {
        Raised::Error(failure) => invalid("epp", failure),
        other => other.into(),
    })?;
    vm.render_epp("epp", &unit, parameters)
}

fn inline_epp(vm: &mut Vm<'_>, template: Str, parameters: Option<Hash>) -> Flow<Value> {
    let source = kukla_syntax::Source::new("inlined-epp-text", &*template);
    let (programs, rules) = (&vm.environment().programs, vm.environment().rules(None));
    let program =
        programs.read(&source, Dialect::Epp, &rules).map_err(|failure| invalid("inline_epp", failure))?;
    let unit = Arc::new(Unit::new(source, vm.module(), program));
    vm.render_epp("inline_epp", &unit, parameters)
}

/// The first error in the text of a template, with its position.
fn invalid(function: &str, cause: impl Into<Box<Diagnostic>>) -> Raise {
    diagnostic!(INVALID_TEMPLATE { function }).because(cause).into()
}
