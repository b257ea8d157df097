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

    /// A function is called that is not built in and that no module brings, in Puppet or in Ruby.
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

    /// A function is called with fewer or more arguments than it takes, or without the lambda that it needs.
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

    /// A function is called with an argument that can never be what it takes.
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

    /// What a function comes to can never be of the type that it says it returns.
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

    /// `pick` takes the first of its arguments that is set. With a variable alone it can only give it back, or fail.
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
    NOTHING_TO_PICK = "nothing-to-pick": Warning Always, "`pick` has nothing to fall back on if {value} is not set";
}

impl Walk<'_> {
    /// Checks what the last statement of a function comes to.
    pub fn check_returned(&mut self, function: ast::FunctionDefinition<'_>, returned: &Type) {
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

    /// Says so if there is nothing to choose from.
    pub fn check_pick(&mut self, arguments: &[Argument<'_>]) {
        // Of what a function finds it may be the point to fail.
        if let [Argument { expr: expr @ Expr::Variable(_), .. }] = arguments {
            let value = format!("`{}`", expr.syntax().text());
            self.report(diagnostic!(expr.span(), NOTHING_TO_PICK { value }));
        }
    }

    /// A function that is nowhere.
    pub fn unknown_function(&mut self, name: &str, span: Span) {
        let names = self.index.function_names();
        let near = suggest::nearest(name, names.iter().copied());
        let mut wrong = diagnostic!(span, UNKNOWN_FUNCTION { name });
        wrong.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        let fix = near.and_then(|near| self.renamed(span, name, near));
        self.report_with(wrong, fix);
    }

    /// A function that may come from a module that is not here, unless its name is a slip of one that is known.
    pub fn likely_unknown_function(&mut self, name: &str, span: Span) {
        if name.contains("::") || name.len() < 5 {
            return;
        }
        let names = self.index.function_names();
        let near = suggest::nearest(name, names.iter().copied());
        if near.is_some_and(|near| suggest::is_slip(name, near)) {
            self.unknown_function(name, span);
        }
    }

    /// Says what is wrong with the arguments of a call; whether they may fit.
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
            let problem = format!("takes {}, and is given {}", counts(forms), several(count));
            self.report(diagnostic!(span, WRONG_ARGUMENT_COUNT { name, problem }));
            return false;
        }
        if fitting.iter().all(|form| form.needs_block) && !has_block {
            let problem = "takes a lambda, and is given none";
            self.report(diagnostic!(span, WRONG_ARGUMENT_COUNT { name, problem }));
            return false;
        }
        // The argument that no form takes, or else the first that the first form does not.
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

/// How many arguments there may be, over all forms.
fn counts(forms: &[Form]) -> String {
    let least = forms.iter().map(|form| form.required).min().unwrap_or(0);
    if forms.iter().any(|form| form.rest) {
        return format!("at least {}", several(least));
    }
    let most = forms.iter().map(|form| form.parameters.len()).max().unwrap_or(0);
    if least == most { several(most) } else { format!("{least} to {}", several(most)) }
}
