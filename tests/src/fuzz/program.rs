//! Programs: evaluated with small limits, whatever they are.

use std::sync::LazyLock;

use kukla::{Compiler, MemoryWorld, Node, SiteSpec, Value};

const LIMITS: &[(&str, i64)] = &[
    ("limit_steps", 20_000),
    ("limit_memory", 8 << 20),
    ("limit_text", 1 << 20),
    ("limit_elements", 20_000),
    ("limit_logs", 1_000),
];

/// A site without a program, with the limits set.
static SITE: LazyLock<SiteSpec> = LazyLock::new(|| {
    let mut spec = SiteSpec::of("");
    for (name, limit) in LIMITS {
        spec.settings.set(name, Value::Integer(*limit)).expect("a setting");
    }
    spec
});

fn compile(code: &str) {
    let spec = SiteSpec { settings: SITE.settings.clone(), ..SiteSpec::of(code) };
    if let Ok(site) = Compiler::new(MemoryWorld::default()).open(&spec) {
        let node = Node::named("n");
        if let Ok(catalog) = site.compile(&node).result {
            assert!(catalog.to_json().starts_with('{'));
        }
        if let Ok(value) = site.eval(&node).result {
            drop(kukla::values::Shown::of(&value).to_json());
        }
    }
}

/// Damaged programs.
pub(super) fn program(data: &[u8]) {
    compile(&String::from_utf8_lossy(data));
}

/// Programs that are right by their form: each byte chooses what comes next.
pub(super) fn generated(data: &[u8]) {
    let mut choices = data.iter().copied();
    let mut code = String::new();
    for n in 0..6 {
        code.push_str(&format!("$v{n} = {}\n", expression(&mut choices, n, 4)));
    }
    code.push_str("notify { 'x': message => $v5 }\nnotice(\"${v4}\", type($v3))\n$v2 == $v1\n");
    compile(&code);
}

/// Functions and operators with places for others.
const FORMS: &[&str] = &[
    "[@, @]",
    "{@ => @}",
    "\"x${@}y\"",
    "(@ + @)",
    "(@ - @)",
    "(@ == @)",
    "(@ =~ @)",
    "(@ in @)",
    "@[@]",
    "@[@, @]",
    "-@",
    "!@",
    "[*@]",
    "if @ { @ } else { @ }",
    "(@ ? { @ => @, default => @ })",
    "@.map |$x| { @ }",
    "@.reduce |$m, $x| { @ }",
    "@.filter |$x| { @ }",
    "@.each |$x| { @ }",
    "@.with |$x| { @ }",
    "type(@)",
    "String(@, @)",
    "Array(@)",
    "Hash(@)",
    "Integer(@)",
    "Sensitive(@)",
    "Type(@)",
    "Deferred(@, @)",
    "sprintf(@, @)",
    "split(@, @)",
    "regsubst(@, @, @, 'G')",
    "join(@, @)",
    "flatten(@)",
    "unique(@)",
    "sort(@)",
    "lookup(@, Any, first, @)",
    "dig(@, @)",
    "@.tree_each",
    "@.reverse_each",
    "@.step(2)",
    "Array[@]",
    "Struct[{a => @}]",
    "Variant[@, @]",
    "Tuple[@, @]",
    "Optional[@]",
    "Init[@]",
    "Callable[@]",
    "Enum[@]",
    "Integer[@, @]",
    "Object[{attributes => {a => @}}]",
    "Pattern[@]",
    "merge(@, @)",
    "range(@, @)",
    "prefix(@, @)",
    "to_json(@)",
    "parsejson(@, 1)",
    "parseyaml(@, 1)",
    "inline_epp(@)",
    "strftime(Timestamp(@), @)",
    "Timespan(@)",
    "SemVer(@)",
    "SemVerRange(@)",
    "URI(@)",
    "Binary(@, '%s')",
    "scanf(@, @)",
    "convert_base(@, 2)",
    "match(@, @)",
    "then(@) |$x| { @ }",
];

const LEAVES: &[&str] = &[
    "1",
    "0",
    "-9223372036854775807",
    "9223372036854775807",
    "1.5",
    "1e308",
    "''",
    "'abc'",
    "'%s%d'",
    "'<%= 1 %>'",
    "'1.2.3'",
    "[1]",
    "{a => 1}",
    "undef",
    "default",
    "true",
    "/a(b)?/",
    "Integer",
    "String",
    "Integer[1, 3]",
    "Any",
    "$x",
    "$m",
    "'[1, {\"a\": 2}]'",
    "'a,b'",
    "$facts",
    "Data",
];

fn expression(choices: &mut impl Iterator<Item = u8>, variables: usize, levels: usize) -> String {
    let mut choose = |count: usize| choices.next().map_or(0, |byte| byte as usize % count);
    if levels == 0 || choose(4) == 0 {
        return match choose(3) {
            0 if variables > 0 => format!("$v{}", choose(variables)),
            _ => LEAVES[choose(LEAVES.len())].to_owned(),
        };
    }
    let mut code = String::new();
    for (n, part) in FORMS[choose(FORMS.len())].split('@').enumerate() {
        if n > 0 {
            code.push_str(&expression(choices, variables, levels - 1));
        }
        code.push_str(part);
    }
    code
}
