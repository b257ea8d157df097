//! Invariants of every text: nothing panics, nothing is lost, PN can be written and read back.
//!
//! The texts are programs and templates with random damage done to them, the same ones in every run. The fuzz targets in
//! `fuzz/` check the same properties for as long as one likes.

use kukla_syntax::ast::{Expr, Segment};
use kukla_syntax::pn::Pn;
use kukla_syntax::{Parse, Source, parse, parse_epp};

/// Programs that between them use the whole grammar.
const PROGRAMS: &[&str] = &[
    "class a::b(Integer[1, 2] $x = 3, *$y) inherits c { include d, e\n file { ['/x', \"${y}/z\"]: ensure => file; default: mode => '0644', * => $o } }",
    "@@x { 'y': } -> Y['z'] ~> Z <| a == 'b' and (c != 1 or d == true) |> { e +> [f] } <- W <<| |>>",
    "$r = $s ? { /^a(b)\\/c/ => \"x$1 ${$t['k'][0].call(1) |$u| { $u + 1 }}\", default => { 'k' => undef, l => -0x1F } }",
    "if $a in [1, 2] and !($b =~ /x/) { notice(@(A), @(\"B\"/L$:json)) } elsif 1.5e3 < 017 { } else { 'e' }\n one\n  | - A\n two ${x} \\\n B\n",
    "case $x { a, 'b': { [$c, $d] = [1, 2] } default: { fail \"no\\t\\u{1f600}\" } }\nunless true { } else { }\n# c\n/* d */",
    "function f::g(Optional[String] $x, Hash *$y) >> Array[Any] { $x.each |$k, $v| { next() } return [*$y] }",
    "node default, /re/, a.b.c { } type T = Struct[{ a => Integer }] define d ($x) { } type M[X] = Y",
    "private class p { $a += 1 $b -= [2] } File { mode => 1 } File['a', 'b'] { owner => 'c' } foo [1] notice { a => 1 }",
    "<%- | String $x = 'y', | -%>\ntext <%= $x -%>\n<% if $y { %>a<%# c %>b<% } -%>\n  <%% %%> <%= { a => 1 } %>\n",
];

/// Texts that once broke something.
const SEEDS: &[&str] = &[
    "@(\"A\")\nfoo ${bar\nA",
    "\"${",
    "\"${@(A)}\n\"\nfoo\nA\n",
    "@(\"A\")\n${ if x {\nA",
    "\"\"\"",
    "'''",
    "\\/\\/\\/",
    "a::",
    "<%%",
    "{",
    "}",
    "\u{feff}",
];

fn check(text: &str) {
    let source = Source::unnamed(text);
    for parsed in [parse(&source), parse_epp(&source)] {
        nothing_is_lost(text, &parsed);
        views_can_be_read(&source, &parsed);
        let pn = Pn::of(&parsed.tree);
        assert_eq!(Pn::read(&pn.to_text()).as_ref(), Ok(&pn), "{text:?}");
        assert_eq!(Pn::read(&pn.to_pretty_text()).as_ref(), Ok(&pn), "{text:?}");
    }
}

fn nothing_is_lost(text: &str, parsed: &Parse) {
    let tokens = parsed.tree.elements().filter(|element| element.kind().is_token());
    assert_eq!(tokens.map(|token| token.text()).collect::<String>(), text);
}

fn views_can_be_read(source: &Source, parsed: &Parse) {
    for diagnostic in &parsed.diagnostics {
        source.line_column(diagnostic.span().point);
    }
    for expr in parsed.tree.elements().filter_map(Expr::cast) {
        assert!(expr.puppet_offset() as usize <= source.text().len());
        match expr {
            Expr::String(string) => drop(string.value()),
            Expr::Interpolated(string) => drop(string.segments().collect::<Vec<Segment<'_>>>()),
            Expr::Heredoc(heredoc) => drop(heredoc.segments().collect::<Vec<Segment<'_>>>()),
            Expr::RenderText(text) => drop(text.value()),
            _ => {}
        }
    }
}

/// A generator of numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn damaged(random: &mut Random) -> String {
    let mut chars: Vec<char> = PROGRAMS[random.below(PROGRAMS.len())].chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(chars.len());
        match random.below(4) {
            0 => drop(chars.drain(at..(at + 1 + random.below(12)).min(chars.len()))),
            1 => {
                let other: Vec<char> = PROGRAMS[random.below(PROGRAMS.len())].chars().collect();
                let from = random.below(other.len());
                let piece = &other[from..(from + 1 + random.below(30)).min(other.len())];
                chars.splice(at..at, piece.iter().copied());
            }
            2 => {
                let signs: Vec<char> = "\"'${}[]()|<>%@#/\\\n,;:é\u{a0}".chars().collect();
                chars.insert(at, signs[random.below(signs.len())]);
            }
            _ => chars.truncate(at),
        }
        if chars.is_empty() {
            break;
        }
    }
    chars.into_iter().collect()
}

#[test]
fn whole_programs() {
    for text in PROGRAMS.iter().chain(SEEDS) {
        check(text);
    }
}

#[test]
fn damaged_programs() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..4_000 {
        check(&damaged(&mut random));
    }
}
