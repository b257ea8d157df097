//! Functions and their arguments.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::{Span, diagnostic};
use kukla::values::Type;

use crate::describe::describe;
use crate::overlap::may_be;
use crate::repository::Form;
use crate::rule::rules;
use crate::suggest;
use crate::walk::{Argument, Walk};

rules! {
    RULES;

    /// The code calls a function that is neither built in nor defined by a module, in Puppet or in Ruby.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice(lenght('abc'))
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice(length('abc'))
    /// ```
    UNKNOWN_FUNCTION = "unknown-function": Error Always, "There is no function `{name}`";

    /// A call has too few or too many arguments, or lacks a required lambda.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice(sprintf())
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice(sprintf('%s', 'abc'))
    /// ```
    WRONG_ARGUMENT_COUNT = "wrong-argument-count": Error Always, "`{name}` {problem}";

    /// A call has an argument of a type that the function never accepts.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// notice(split('a,b', 1))
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// notice(split('a,b', ','))
    /// ```
    WRONG_ARGUMENT_TYPE = "wrong-argument-type": Error Always, "`{name}`: {mismatch}";

    /// The value of a function is never of its declared return type.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// # modules/web/functions/port.pp
    /// function web::port() >> Integer {
    ///   '80'
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// # modules/web/functions/port.pp
    /// function web::port() >> Integer {
    ///   80
    /// }
    /// ```
    WRONG_RETURN_TYPE = "wrong-return-type": Error Always, "The function `{name}`: {mismatch}";

    /// `pick` returns the first of its arguments that is set. With a single variable, it can only return that variable or fail.
    ///
    /// Wrong:
    ///
    /// ```ruby
    /// # modules/stdlib/lib/puppet/parser/functions/pick.rb
    /// Puppet::Parser::Functions.newfunction(:pick, :type => :rvalue) { |args| args.find { |arg| !arg.nil? } }
    /// ```
    ///
    /// ```puppet
    /// class web(Optional[Integer] $port = undef) {
    ///   notice(pick($port))
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```ruby
    /// # modules/stdlib/lib/puppet/parser/functions/pick.rb
    /// Puppet::Parser::Functions.newfunction(:pick, :type => :rvalue) { |args| args.find { |arg| !arg.nil? } }
    /// ```
    ///
    /// ```puppet
    /// class web(Optional[Integer] $port = undef) {
    ///   notice(pick($port, 80))
    /// }
    /// ```
    NOTHING_TO_PICK = "nothing-to-pick": Warning Always, "`pick` has no fallback if {value} is not set";
}

impl Walk<'_> {
    /// Checks the type of the last statement of a function.
    pub fn check_return_type(&mut self, function: ast::FunctionDefinition<'_>, returned: &Type) {
        let Some(expected) = function.return_type().and_then(|ty| self.index.types.read(ty.syntax().text()))
        else {
            return;
        };
        let Some(last) = function.statements().last() else { return };
        if may_be(&expected, returned) {
            return;
        }
        let mismatch = describe("value returned", &expected, returned);
        if !mismatch.is_empty() {
            self.report(diagnostic!(last.span(), WRONG_RETURN_TYPE { name: function.name(), mismatch }));
        }
    }

    /// Reports a `pick` with a single variable.
    pub fn check_pick(&mut self, arguments: &[Argument<'_>]) {
        // With the result of a function, failing may be the purpose.
        if let [Argument { expr: expr @ Expr::Variable(_), .. }] = arguments {
            let value = format!("`{}`", expr.syntax().text());
            self.report(diagnostic!(expr.span(), NOTHING_TO_PICK { value }));
        }
    }

    /// Reports an unknown function.
    pub fn unknown_function(&mut self, name: &str, span: Span) {
        let names = self.index.function_names();
        let near = suggest::nearest(name, names.iter().copied());
        let mut wrong = diagnostic!(span, UNKNOWN_FUNCTION { name });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        let fix = near.and_then(|near| self.rename_fix(span, name, near));
        self.report_with(wrong, fix);
    }

    /// Reports a function that may belong to a missing module only if its name is a typo of a known one.
    pub fn likely_unknown_function(&mut self, name: &str, span: Span) {
        if name.contains("::") || name.len() < 5 {
            return;
        }
        let names = self.index.function_names();
        let near = suggest::nearest(name, names.iter().copied());
        if near.is_some_and(|near| suggest::is_typo(name, near)) {
            self.unknown_function(name, span);
        }
    }

    /// Reports invalid arguments of a call. Returns whether they may be valid.
    pub fn check_call(
        &mut self,
        name: &str,
        span: Span,
        forms: &[Form],
        arguments: &[Argument<'_>],
        has_block: bool,
    ) -> bool {
        if forms.iter().any(|form| form.accepts(arguments) && (has_block || !form.needs_block)) {
            return true;
        }
        let count = arguments.len();
        let fitting: Vec<&Form> = forms.iter().filter(|form| form.takes(count)).collect();
        if fitting.is_empty() {
            let problem = format!("takes {}, got {}", counts(forms), several(count));
            self.report(diagnostic!(span, WRONG_ARGUMENT_COUNT { name, problem }));
            return false;
        }
        if fitting.iter().all(|form| form.needs_block) && !has_block {
            let problem = "requires a lambda";
            self.report(diagnostic!(span, WRONG_ARGUMENT_COUNT { name, problem }));
            return false;
        }
        // The argument that no signature accepts, or else the first one that the first signature does not accept.
        let refused = |form: &Form| {
            arguments
                .iter()
                .enumerate()
                .find(|(at, argument)| form.parameter(*at).is_some_and(|(_, ty)| !may_be(ty, &argument.ty)))
        };
        let furthest =
            fitting.iter().filter_map(|form| Some((refused(form)?.0, *form))).max_by_key(|(at, _)| *at);
        let Some((at, form)) = furthest else { return true };
        let Some((parameter, expected)) = form.parameter(at) else { return true };
        let subject = if parameter.is_empty() {
            format!("argument {}", at + 1)
        } else {
            format!("parameter '{parameter}'")
        };
        let others =
            fitting.iter().filter(|other| refused(other).is_some_and(|(place, _)| place == at)).count();
        let mismatch = if others > 1 {
            let all: Vec<String> = fitting
                .iter()
                .filter(|form| refused(form).is_some_and(|(place, _)| place == at))
                .filter_map(|form| form.parameter(at).map(|(_, ty)| ty.to_string()))
                .collect();
            let given = arguments[at].ty.generalized();
            format!("{subject} expects one of {}, got {given}", all.join(", "))
        } else {
            describe(&subject, expected, &arguments[at].ty)
        };
        self.report(diagnostic!(arguments[at].expr.span(), WRONG_ARGUMENT_TYPE { name, mismatch }));
        false
    }
}

fn several(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// The number of arguments, over all signatures.
fn counts(forms: &[Form]) -> String {
    let least = forms.iter().map(|form| form.required).min().unwrap_or(0);
    if forms.iter().any(|form| form.rest) {
        return format!("at least {}", several(least));
    }
    let most = forms.iter().map(|form| form.parameters.len()).max().unwrap_or(0);
    if least == most { several(most) } else { format!("{least} to {}", several(most)) }
}
