//! No text makes the lexer, the parser, the validator or a walk over the typed views panic.
#![no_main]

use kukla_syntax::ast::{Expr, Segment};
use kukla_syntax::validate::{Rules, check};
use kukla_syntax::{Source, parse, parse_epp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::unnamed(text);
    for parsed in [parse(&source), parse_epp(&source)] {
        for diagnostic in &check(&source, &parsed, &Rules::default()) {
            source.line_column(diagnostic.span.start);
        }
        for element in parsed.tree.elements() {
            let Some(expr) = Expr::cast(element) else { continue };
            expr.puppet_offset();
            match expr {
                Expr::String(string) => drop(string.value()),
                Expr::Number(number) => drop(number.value()),
                Expr::Regex(regex) => drop(regex.pattern()),
                Expr::Interpolated(string) => drop(string.segments().collect::<Vec<Segment<'_>>>()),
                Expr::Heredoc(heredoc) => drop(heredoc.segments().collect::<Vec<Segment<'_>>>()),
                Expr::RenderText(text) => drop(text.value()),
                _ => {}
            }
        }
    }
});
