//! Manifests made by chance for catalogs: a few classes, defined types and resources in ever new constellations.

use super::chance::Chance;

/// What a manifest begins with; later statements use what these define.
const DEFINITIONS: &[&str] = &[
    "class one { notify { 'in one': } $x = 1 }",
    "class two($aB = 5, $tag_of = 'x') { notify { \"in two ${aB}\": tag => $tag_of } }",
    "class three inherits one { Notify['in one'] { message => 'three' } notice($x) }",
    "class waits { require([]) require(one) }",
    "class early { return() notify { 'never': } }",
    "class settings { $own = 1 notify { 'in settings': } }",
    "class holds { contain one tag('held') }",
    "class inherits_settings inherits settings { notice($strict) }",
    "define part($aB = 1, $size = 2, $noop_of = undef) { notify { \"in ${title}\": message => $aB } }",
    "define many($list = []) { $list.each |$n| { part { \"${title} ${n}\": size => $n } } }",
    "define lazy($values = [1, 2].reverse_each) { }",
    "define careless($noop = true) { notify { \"c ${title}\": } }",
    "define careful($before) { }",
    "define spot() { }\ntype Spot = Integer",
    "function addOne($n) { $n + 1 }",
    "node default { notify { 'of the node': } }",
    "node default { return() }",
];

/// What follows; `<n>` is a new title, `<t>` one that may be taken, `<v>` a value.
const STATEMENTS: &[&str] = &[
    "notify { '<n>': message => <v> }",
    "notify { ['<n>', '<n>']: message => <v>; '<n>': }",
    "notify { '<n>': * => {message => <v>, loglevel => 'info'} }",
    "notify { '<n>': tag => <v> }",
    "notify { '<n>': require => <r> }",
    "notify { '<n>': before => [<r>, <r>] }",
    "@notify { '<t>': message => <v> }",
    "@part { '<t>': aB => <v> }",
    "part { '<n>': aB => <v> }",
    "part { '<n>': ab => <v> }",
    "part { '<n>': }",
    "::part { '<n>': size => 3 }",
    "::notify { '<n>': }",
    "many { '<n>': list => [1, 2] }",
    "lazy { '<n>': }",
    "careless { '<n>': }",
    "component { '<n>': }",
    "include <c>",
    "include settings",
    "contain <c>",
    "require <c>",
    "class { '<c>': }",
    "class { 'two': aB => <v> }",
    "Notify { message => <v> }",
    "Part { aB => <v> }",
    "Notify['<t>'] { message => <v> }",
    "Notify['<t>'] { message +> <v> }",
    "Part['<t>'] { aB => <v> }",
    "Notify <| title == '<t>' |>",
    "Notify <| tag == 'held' |> { loglevel => 'debug' }",
    "Part <| aB == 1 |> { size => <v> }",
    "realize(Notify['<t>'])",
    "<r> -> <r>",
    "<r> ~> <r> -> <r>",
    "Notify <| |> -> <r>",
    "tag('<n>')",
    "notice($oNE::x)",
    "notice($settings::own)",
    "notice(aDDoNE(1))",
    "notice(tagged('held'), defined(Notify['<t>']), defined('<c>'))",
    "notice(Notify['<t>']['message'])",
    "notice(Class['two']['aB'])",
    "create_resources('part', {'<n>' => {'aB' => <v>}})",
];

const VALUES: &[&str] = &[
    "1",
    "'text'",
    "undef",
    "[1, 'b']",
    "{a => 1, 1 => b, '1' => c}",
    "700000000000000.25",
    "Notify['t1']",
    "[Notify['t1'], Class['one']]",
    "Class",
    "Notify",
    "Sensitive('s')",
    "Sensitive(Notify['t1'])",
    "[1].reverse_each",
    "Integer[1, 2]",
    "default",
    "Timespan(5)",
    "Resource[Notify['t1']]",
];

const REFERENCES: &[&str] = &[
    "Notify['t1']",
    "Notify['t2']",
    "Class['one']",
    "Class['::two']",
    "Part['t1']",
    "[Notify['t1'], Notify['t2']]",
    "'Notify[t1]'",
];

const CLASSES: &[&str] =
    &["one", "two", "three", "waits", "early", "holds", "settings", "missing", "inherits_settings"];

/// A manifest.
pub fn manifest(chance: &mut Chance) -> String {
    let mut lines = Vec::new();
    // Most definitions are there most of the time, those that fail by themselves seldom.
    for (at, definition) in DEFINITIONS.iter().enumerate() {
        let seldom = matches!(at, 5 | 11..=13 | 15 | 16);
        if chance.one_in(if seldom { 30 } else { 1 }) {
            lines.push((*definition).to_owned());
        }
    }
    lines.push("notify { ['t1', 't2']: }".into());
    let mut made = 0;
    for _ in 0..1 + chance.roll(6) {
        lines.push(filled(chance.pick(STATEMENTS), chance, &mut made));
    }
    lines.join("\n")
}

fn filled(pattern: &str, chance: &mut Chance, made: &mut usize) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let (place, after) = rest[at..].split_at(3.min(rest.len() - at));
        let filler = match place {
            "<n>" => {
                *made += 1;
                format!("n{made}")
            }
            "<t>" => format!("t{}", 1 + chance.roll(3)),
            "<v>" => chance.pick(VALUES).to_owned(),
            "<r>" => chance.pick(REFERENCES).to_owned(),
            "<c>" => chance.pick(CLASSES).to_owned(),
            _ => {
                text.push('<');
                rest = &rest[at + 1..];
                continue;
            }
        };
        text.push_str(&filler);
        rest = after;
    }
    text + rest
}
