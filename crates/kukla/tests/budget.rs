//! Programs and data that would use more than there is: each ends with an error that says how to allow more.

use kukla::rpc::Server;
use kukla::{Compiler, MemoryWorld, Node, SiteSpec, Value};
use serde_json::json;

/// Less than the defaults, so that the tests are quick; all else is as it comes.
const LIMITS: &[(&str, i64)] = &[
    ("limit_memory", 64 << 20),
    ("limit_steps", 2_000_000),
    ("limit_resources", 2_000),
    ("limit_logs", 1_000),
];

/// How a text of a few megabytes is made.
const LONG: &str = "$s = Integer[1, 18].reduce('0123456789') |$all, $i| { \"${all}${all}\" }\n";

fn site(world: MemoryWorld, spec: SiteSpec) -> (Compiler, SiteSpec) {
    let mut spec = spec;
    for (name, limit) in LIMITS {
        spec.settings.set(name, Value::Integer(*limit)).expect("a setting");
    }
    (Compiler::new(world), spec)
}

/// The code of the error that compiling ends with, innermost first; `fine` without one.
fn compiled(world: MemoryWorld, spec: SiteSpec) -> String {
    let (compiler, spec) = site(world, spec);
    let site = match compiler.open(&spec) {
        Ok(site) => site,
        Err(wrong) => return wrong.code.name.to_owned(),
    };
    match site.compile(&Node::named("n")).result {
        Ok(_) => "fine".to_owned(),
        Err(mut wrong) => {
            while let Some(cause) = wrong.cause.take() {
                wrong = cause;
            }
            let hinted = !wrong.hints.is_empty() || wrong.code.name == "ENDLESS_DECLARATIONS";
            assert!(hinted, "{} says how to go on", wrong.code.name);
            wrong.code.name.to_owned()
        }
    }
}

fn check(programs: &[(&str, &str, &str)]) {
    for (name, program, code) in programs {
        let spec = SiteSpec::of(program.replace("LONG", LONG));
        assert_eq!(compiled(MemoryWorld::default(), spec), *code, "{name}");
    }
}

#[test]
fn sequences_that_never_end() {
    const ALL: &str = "$all = Integer[0, 9223372036854775807]\n$steps = $all.step(2)\n";
    let programs = [
        ("unique", "unique($all)", "EVALUATION_LIMIT"),
        ("unique of steps", "unique($steps)", "EVALUATION_LIMIT"),
        ("one value each", "unique($all) |$x| { 1 }", "EVALUATION_LIMIT"),
        ("index", "index($all, -1)", "EVALUATION_LIMIT"),
        ("index backwards", "$all.reverse_each.index(-1)", "EVALUATION_LIMIT"),
        ("one slice", "slice($all, 9223372036854775807)", "TOO_MANY_ELEMENTS"),
        ("slices", "slice($all, 2)", "EVALUATION_LIMIT"),
        ("letters", "capitalize($steps)", "TOO_MANY_ELEMENTS"),
        ("text", "notice(String([$steps]))", "TOO_MANY_ELEMENTS"),
        ("a formatted text", "notice(String([$steps], {Any => '%p'}))", "TOO_MANY_ELEMENTS"),
        (
            "many in a text",
            "$x = Integer[1, 2000000].step(2) notice(String([$x, $x, $x]))",
            "TOO_MANY_ELEMENTS",
        ),
        ("an array", "Array($all)", "TOO_MANY_ELEMENTS"),
        ("an array of a number", "Array(9223372036854775807)", "TOO_MANY_ELEMENTS"),
        ("a hash of a number", "Hash(9223372036854775807)", "TOO_MANY_ELEMENTS"),
        ("an optional array", "Optional[Array].new(9223372036854775807)", "TOO_MANY_ELEMENTS"),
        ("an array by its type", "Init[Array].new(9223372036854775807)", "TOO_MANY_ELEMENTS"),
    ];
    for (name, program, code) in programs {
        assert_eq!(compiled(MemoryWorld::default(), SiteSpec::of(format!("{ALL}{program}"))), code, "{name}");
    }
}

/// Every function, with what has no end in every place.
#[test]
fn no_function_waits_for_the_end_of_a_sequence() {
    const CALLS: &[&str] = &[
        "(ALL)",
        "(ALL.step(2))",
        "(ALL.reverse_each, 1)",
        "(1, ALL)",
        "('%s', [ALL.step(2)])",
        "([ALL.step(2)])",
        "({a => ALL.step(2)}, 9223372036854775807)",
        "(ALL) |$x| { $x }",
        "(ALL.step(2)) |$a, $b| { $b }",
    ];
    for name in kukla::registry().names() {
        for call in CALLS {
            let call = call.replace("ALL", "Integer[0, 9223372036854775807]");
            let mut spec = SiteSpec::of(format!("{name}{call}", name = name.as_str()));
            for (limit, most) in
                [("limit_steps", 20_000), ("limit_elements", 20_000), ("limit_memory", 16 << 20)]
            {
                spec.settings.set(limit, Value::Integer(most)).expect("a setting");
            }
            let site = Compiler::new(MemoryWorld::default()).open(&spec);
            let outcome = site.and_then(|site| site.eval(&Node::named("n")).result.map(drop));
            let code = outcome.map_or_else(|wrong| wrong.code.name, |()| "fine");
            assert_ne!(code, "INTERNAL_FAILURE", "{}{call}", name.as_str());
        }
    }
}

#[test]
fn memory() {
    check(&[
        ("strings", "LONG $x = Integer[1, 1000].map |$i| { \"${s}${i}\" }", "MEMORY_LIMIT"),
        ("strings in other case", "LONG $x = Integer[1, 1000].map |$i| { upcase($s) }", "MEMORY_LIMIT"),
        ("parts of strings", "LONG $x = Integer[1, 1000].map |$i| { $s[$i, -1] }", "MEMORY_LIMIT"),
        ("secrets", "LONG $x = Integer[1, 1000].map |$i| { Sensitive(\"${s}${i}\") }", "MEMORY_LIMIT"),
        ("bytes", "LONG $x = Integer[1, 1000].map |$i| { Binary($s, '%s') }", "MEMORY_LIMIT"),
        (
            "arrays",
            "$a = Integer[1, 9999].map |$i| { $i } $x = Integer[1, 9999].map |$i| { $a + [$i] }",
            "MEMORY_LIMIT",
        ),
        ("messages", "LONG Integer[1, 500].each |$i| { notice($s) }", "MEMORY_LIMIT"),
        (
            "attributes",
            "LONG Integer[1, 500].each |$i| { notify { \"${i}\": message => $s } }",
            "MEMORY_LIMIT",
        ),
        (
            "attributes in lists",
            "LONG Integer[1, 500].each |$i| { notify { \"${i}\": message => [$s] } }",
            "MEMORY_LIMIT",
        ),
        ("join", "LONG join(Integer[1, 999].map |$i| { 'a' }, $s)", "TEXT_TOO_LONG"),
        ("prefix", "LONG prefix(Integer[1, 999].map |$i| { 'a' }, $s)", "MEMORY_LIMIT"),
        ("suffix", "LONG suffix(Integer[1, 999].map |$i| { 'a' }, $s)", "MEMORY_LIMIT"),
        ("replacements", "LONG $x = regsubst($s, '0', $s, 'G')", "TEXT_TOO_LONG"),
        ("formats", "LONG $x = sprintf(join(Integer[1, 99].map |$i| { '%1$s' }, ''), $s)", "TEXT_TOO_LONG"),
        (
            "templates",
            "LONG $x = inline_epp('<% Integer[1, 99].each |$i| { %><%= $s %><% } %>')",
            "TEXT_TOO_LONG",
        ),
        ("splitting", "LONG $t = \"${s}${s}\" $x = split($t, '')", "TOO_MANY_ELEMENTS"),
        ("numbers below", "$x = Array(2147483647)", "TOO_MANY_ELEMENTS"),
        ("numbers between", "$x = Array(Integer[1, 2147483647])", "TOO_MANY_ELEMENTS"),
        ("unfolding", "$x = [*2147483647.reverse_each]", "EVALUATION_LIMIT"),
        (
            "lists of lists",
            "$a = Integer[1, 500000].map |$i| { $i } $x = concat($a, $a, $a, $a, $a)",
            "TOO_MANY_ELEMENTS",
        ),
        (
            "relationships",
            "$a = Integer[1, 1500].map |$i| { \"${i}\" } notify { $a: } Notify <| |> -> Notify <| |>",
            "MEMORY_LIMIT",
        ),
    ]);
}

#[test]
fn resources_and_messages() {
    check(&[
        (
            "doubling",
            "define d() { d { \"${title}a\": } d { \"${title}b\": } } d { 'x': }",
            "TOO_MANY_RESOURCES",
        ),
        ("many titles", "notify { Integer[1, 9999].map |$i| { \"n${i}\" }: }", "TOO_MANY_RESOURCES"),
        ("many messages", "Integer[1, 9999].each |$i| { notice($i) }", "TOO_MANY_LOGS"),
        ("one message too many", "Integer[1, 1001].each |$i| { notice($i) }", "TOO_MANY_LOGS"),
        ("just as many messages", "Integer[1, 1000].each |$i| { notice($i) }", "fine"),
        ("warnings", "Integer[1, 9999].each |$i| { warning($i) }", "TOO_MANY_LOGS"),
    ]);
}

#[test]
fn time() {
    let powers = |form: &str| -> String {
        let step = |name: &str, i: i32| {
            format!("type {name}{i} = {}\n", form.replace('@', &format!("{name}{}", i - 1)))
        };
        (1..40).flat_map(|i| [step("A", i), step("B", i)]).collect()
    };
    let start = "type A0 = Integer\ntype B0 = Integer\n";
    let tuples = format!("{start}{}", powers("Tuple[@, @]"));
    let variants = format!("{start}{}", powers("Variant[Array[@], Hash[@, @]]"));
    let optionals = format!("{start}{}", powers("Variant[@, Optional[@], Array[@]]"));
    let deep_in_each_call =
        format!("function f($n) {{ {}f($n + 1){} }} f(0)", "(1 + ".repeat(400), ")".repeat(400));
    let heirs: String = (1..20_000).map(|i| format!("class c{i} inherits c{} {{ }}\n", i - 1)).collect();
    check(&[
        ("equal names", &format!("{tuples}if !(A39 == B39) {{ fail('no') }}"), "fine"),
        ("unequal names", &format!("{tuples}if A39 == B38 {{ fail('no') }}"), "fine"),
        ("names of variants", &format!("{variants}if A39 < B39 {{ fail('no') }}"), "fine"),
        ("a value of many names", &format!("{optionals}if 'a' =~ A39 {{ fail('no') }}"), "fine"),
        ("a range of texts", "$x = range('a', 'zzzzzzzz', 2000000)", "EVALUATION_LIMIT"),
        (
            "a long number",
            "$s = Integer[1, 20].reduce('9') |$a, $i| { \"${a}${a}\" } $x = convert_base($s, 2)",
            "EVALUATION_LIMIT",
        ),
        ("a dear password", "$x = pw_hash('a', 'bcrypt', '18$abcdefghijklmnopqrstuv')", "EVALUATION_LIMIT"),
        ("a long password", "LONG $x = pw_hash($s, 'sha-512', 'abc')", "EVALUATION_LIMIT"),
        (
            "many passwords",
            "Integer[1, 99].each |$i| { str2saltedpbkdf2('a', 'abcdefgh', 69999) }",
            "EVALUATION_LIMIT",
        ),
        ("digests", "LONG Integer[1, 9999].each |$i| { sha256($s) }", "EVALUATION_LIMIT"),
        (
            "comparing",
            "$a = Integer[1, 50000].map |$i| { $i } Integer[1, 9999].each |$i| { $x = $a == $a + [] }",
            "EVALUATION_LIMIT",
        ),
        (
            "searching",
            "$a = Integer[1, 50000].map |$i| { \"a${i}\" } Integer[1, 99999].each |$i| { $x = 'b' in $a }",
            "EVALUATION_LIMIT",
        ),
        ("matching", "LONG Integer[1, 9999].each |$i| { $x = $s =~ /z/ }", "EVALUATION_LIMIT"),
        ("looking ahead", "LONG Integer[1, 9999].each |$i| { $x = $s =~ /(?=0)z/ }", "EVALUATION_LIMIT"),
        (
            "looking ahead in a type",
            "LONG Integer[1, 9999].each |$i| { $x = $s =~ Pattern[/(?=0)z/] }",
            "EVALUATION_LIMIT",
        ),
        (
            "looking ahead in a function",
            "LONG Integer[1, 9999].each |$i| { $x = match($s, /(?=0)z/) }",
            "EVALUATION_LIMIT",
        ),
        (
            "large patterns",
            "$s = sprintf('%300s', 'a') Integer[1, 9999].each |$i| { $x = $s =~ \"([[:word:]]{1,90}${i}){1,9}\" }",
            "EVALUATION_LIMIT",
        ),
        (
            "many groups",
            "$p = Integer[1, 11].reduce('([0-9]{1,2})') |$all, $i| { \"${all}${all}\" } LONG $x = $s =~ $p if !$x { fail('no') }",
            "fine",
        ),
        ("indexing", "LONG Integer[1, 9999].each |$i| { $x = $s[-1] }", "EVALUATION_LIMIT"),
        (
            "deleting",
            "$a = Integer[1, 50000].map |$i| { \"a${i}\" } $x = delete($a, $a.map |$i| { \"b${i}\" })",
            "EVALUATION_LIMIT",
        ),
        (
            "the difference",
            "$a = Integer[1, 50000].map |$i| { [$i] } $x = difference($a, $a.map |$i| { [$i] })",
            "fine",
        ),
        ("large expressions in deep calls", &deep_in_each_call, "RECURSION_LIMIT"),
        ("heirs of heirs", &format!("class c0 {{ }}\n{heirs}include c19999"), "RECURSION_LIMIT"),
        (
            "a large integer in YAML",
            "$s = Integer[1, 20].reduce('9') |$a, $i| { \"${a}${a}\" } $x = parseyaml($s, 'no') if $x != 'no' { fail('no') }",
            "fine",
        ),
        (
            "the same in hexadecimal",
            "$s = Integer[1, 20].reduce('f') |$a, $i| { \"${a}${a}\" } $x = parseyaml(\"0x${s}\", 'no') if $x != 'no' { fail('no') }",
            "fine",
        ),
        (
            "open brackets in YAML",
            "$s = Integer[1, 17].reduce('[') |$a, $i| { \"${a}${a}\" } $x = parseyaml($s, 'no')",
            "fine",
        ),
    ]);
}

/// Types with many members, and many types: made in linear time, compared under the limits.
#[test]
fn types() {
    const MANY: &str = "$k = Integer[1, 30000].map |$i| { \"k${i}\" }\n";
    let with = |program: &str| format!("{MANY}{program}");
    let forever = "Integer[1, 99999].each |$i| {";
    check(&[
        ("a large variant", &with("$t = Variant[*$k.map |$k| { Enum[$k] }]"), "fine"),
        ("a variant of tuples", &with("$t = Variant[*$k.map |$k| { Tuple[Enum[$k]] }]"), "fine"),
        ("a large struct", &with("$t = Struct[Hash($k.map |$k| { [$k, Integer] })]"), "fine"),
        ("a large pattern", &with("$t = Enum[$k] <= Pattern[/z/]"), "fine"),
        (
            "variants compared",
            &format!(
                "$t = Variant[*Integer[1, 2000].map |$i| {{ Array[Integer[$i, $i]] }}] $u = Variant[*Integer[1, 2000].map |$i| {{ Array[Integer[-$i, -$i]] }}] {forever} $x = $t <= $u }}"
            ),
            "EVALUATION_LIMIT",
        ),
        (
            "a struct matched",
            &with(&format!(
                "$t = Struct[Hash($k.map |$k| {{ [$k, Integer] }})] $h = Hash($k.map |$k| {{ [$k, 1] }}) {forever} $x = $h =~ $t }}"
            )),
            "EVALUATION_LIMIT",
        ),
        (
            "a mismatch described",
            "type T = Variant[Tuple[T, T], Array[T], Array[Variant[T, Integer]]] $v = Integer[1, 200].reduce('a') |$m, $i| { [$m] } assert_type(T, $v)",
            "EVALUATION_LIMIT",
        ),
        (
            "many types",
            "$l = Integer[1, 1000].map |$i| { Integer[$i, $i] } $x = Integer[1, 99999].map |$i| { Tuple[*$l] }",
            "MEMORY_LIMIT",
        ),
        ("many versions", "$x = Integer[1, 999999].map |$i| { SemVer(\"1.0.${i}\") }", "MEMORY_LIMIT"),
        ("many ranges", "$x = Integer[1, 999999].map |$i| { SemVerRange(\">1.0.${i}\") }", "MEMORY_LIMIT"),
        ("a large difference", &with(&format!("{forever} $x = $k - $k }}")), "EVALUATION_LIMIT"),
        (
            "keys taken away",
            &with(&format!("$h = Hash($k.map |$k| {{ [$k, 1] }}) {forever} $x = $h - $k }}")),
            "EVALUATION_LIMIT",
        ),
    ]);
}

/// Code that builds a value step by step is charged for the result, not for each step.
#[test]
fn what_is_let_go_is_not_charged() {
    check(&[
        ("hashes", "$h = Integer[1, 2500].reduce({}) |$all, $i| { $all + { \"k${i}\" => $i } }", "fine"),
        ("arrays", "$h = Integer[1, 5000].reduce([]) |$all, $i| { $all + [$i] }", "fine"),
    ]);
}

#[test]
fn nesting() {
    let steps = [
        "Array[$m]",
        "Optional[$m]",
        "Hash[String, $m]",
        "Struct[{a => $m}]",
        "Variant[String, Array[$m]]",
        "Type[$m]",
        "Callable[$m]",
        "Callable[[String], $m]",
        "Init[$m]",
        "Iterable[$m]",
        "NotUndef[$m]",
        "type([$m])",
        "Object[{attributes => {a => $m}}]",
        "Object[{parent => Object[{attributes => {a => $m}}]}]",
        "[type($m)]",
        "Object[{attributes => {a => {type => Any, value => $m}}}]",
        "Sensitive[$m]",
        "Sensitive([$m])",
        "Deferred('f', [$m])",
        "{[$m] => 1}",
        "{$m => 1}",
        "[[$m].tree_each]",
        "[[$m].reverse_each]",
        "then([$m]) |$x| { [$x] }",
        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, $m]",
    ];
    for step in steps {
        let program = format!("$x = Integer[1, 20000].reduce(Integer) |$m, $i| {{ {step} }}");
        assert_eq!(compiled(MemoryWorld::default(), SiteSpec::of(program)), "NESTED_TOO_DEEP", "{step}");
    }
    let doubled = "$x = Integer[1, 400].reduce(Integer) |$m, $i| { Tuple[$m, $m] }";
    assert_eq!(compiled(MemoryWorld::default(), SiteSpec::of(doubled)), "TOO_MANY_ELEMENTS_IN_ALL");
}

fn with_data(file: &str, text: String) -> String {
    let backend = if file.ends_with(".conf") { "hocon_data" } else { "yaml_data" };
    let hiera = format!("{{version: 5, hierarchy: [{{name: all, path: {file}, data_hash: {backend}}}]}}");
    let world = MemoryWorld::default()
        .with("/site/hiera.yaml", hiera)
        .with(format!("/site/data/{file}"), text)
        .with("/site/manifests/site.pp", "$x = lookup('k0') notify { 'x': message => \"${x}\" }");
    let (compiler, spec) = site(world, SiteSpec::at("/site"));
    let site = compiler.open(&spec).expect("a site");
    match site.compile(&Node::named("n")).result {
        Ok(_) => "fine".to_owned(),
        Err(mut wrong) => {
            while let Some(cause) = wrong.cause.take() {
                wrong = cause;
            }
            wrong.code.name.to_owned()
        }
    }
}

#[test]
fn data() {
    let all = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
    let doubled = all(&|i| format!("k{i}: \"%{{lookup('k{0}')}}%{{lookup('k{0}')}}\"\n", i + 1), 40)
        + "k40: abcdefgh\n";
    assert_eq!(with_data("a.yaml", doubled), "TEXT_TOO_LONG");
    let doubled =
        all(&|i| format!("k{i}: [\"%{{alias('k{0}')}}\", \"%{{alias('k{0}')}}\"]\n", i + 1), 40) + "k40: a\n";
    assert_eq!(with_data("a.yaml", doubled), "TOO_MANY_ELEMENTS_IN_ALL");
    let long = format!("k0: [{}]\n", "*s, ".repeat(60));
    assert_eq!(with_data("a.yaml", format!("s: &s {}\n{long}", "x".repeat(1 << 20))), "TOO_MUCH_TEXT_IN_ALL");
    let refused = |text: String| assert_ne!(with_data("a.conf", text), "fine");
    refused(format!("k0{} = 1\n", ".a".repeat(100_000)));
    refused(all(&|i| format!("k{i} = ${{k{}}}\n", i + 1), 20_000) + "k20000 = 1\n");
    refused(all(&|_| "k0 = ${k0}x\n".to_owned(), 20_000));
    assert_eq!(with_data("a.conf", all(&|i| format!("k0 = {i}\n"), 200_000)), "fine");
    assert_eq!(with_data("a.conf", all(&|i| format!("k0.a{i} = {i}\n"), 50_000)), "fine");
}

#[test]
fn problems_are_listed_up_to_a_number() {
    let source = kukla::syntax::Source::new("a.pp", "$A = 1\n".repeat(100_000));
    let analysis = kukla::analysis::Analysis::new(&source, &Default::default());
    assert_eq!(analysis.diagnostics.len(), 101);
    assert_eq!(analysis.diagnostics[100].message(), "99900 more problems are not listed");
}

#[test]
fn formats_that_once_panicked() {
    check(&[
        ("many digits", "if length(sprintf('%.65536e', 1e308)) != 65543 { fail('no') }", "fine"),
        ("many decimals", "if length(sprintf('%.65536f', 1.5)) != 65538 { fail('no') }", "fine"),
        ("wide times", "if length(strftime(Timestamp(0), '%70000Y')) != 70000 { fail('no') }", "fine"),
        (
            "wide spans",
            "if length(strftime(Timespan(1), '%70000H%_70000N')) != 140000 { fail('no') }",
            "fine",
        ),
        (
            "many wide times",
            "$x = strftime(Timestamp(0), sprintf('%s', ['%9999999Y', '%9999999Y']))",
            "TEXT_TOO_LONG",
        ),
        ("many wide spans", "$x = strftime(Timespan(1), '%9999999H%9999999M')", "TEXT_TOO_LONG"),
        ("a backslash at the end", "$x = parseyaml('\"\\\\', 'no') if $x != 'no' { fail($x) }", "fine"),
        ("a tag behind text", "$x = parseyaml('[\"a\"!, b]', 'no') if $x != 'no' { fail('no') }", "fine"),
    ]);
}

#[test]
fn a_deadline_is_kept() {
    // A world whose clock goes on by a second whenever it is looked at.
    #[derive(Debug, Default)]
    struct Hurried(MemoryWorld, std::sync::atomic::AtomicU64);
    impl kukla::World for Hurried {
        fn inner(&self) -> Option<&dyn kukla::World> {
            Some(&self.0)
        }

        fn elapsed(&self) -> std::time::Duration {
            std::time::Duration::from_secs(self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        }
    }
    let ask = |deadline: serde_json::Value| {
        let code = "Integer[1, 100000].each |$i| { }";
        let request = json!({"method": "eval", "params": {"code": code, "deadline": deadline}}).to_string();
        Server::new(Hurried::default()).answer(&request)
    };
    assert!(
        ask(json!(10)).contains("The evaluation exceeded its deadline of 10 seconds"),
        "{}",
        ask(json!(10))
    );
    assert!(ask(json!(100_000)).contains("result"));
    assert!(ask(json!(null)).contains("result"));
    assert!(
        ask(json!("soon")).contains("invalid setting 'deadline': expected a number of seconds, got 'soon'")
    );
}

/// A request is answered as if it were the first, whichever requests came before.
#[test]
fn requests_leave_nothing_behind() {
    let server = Server::new(MemoryWorld::default());
    let ask = |code: &str| {
        let settings = json!({"limit_memory": 8 << 20, "limit_steps": 100_000});
        server
            .answer(&json!({"method": "compile", "params": {"code": code, "settings": settings}}).to_string())
    };
    let hostile = [
        "Integer[1, 99999999].each |$i| { notice($i) }".to_owned(),
        format!("{LONG} $x = Integer[1, 1000].map |$i| {{ \"${{s}}${{i}}\" }}"),
        "$x = Integer[1, 100000].reduce(Integer) |$m, $i| { Array[$m] }".to_owned(),
        "define d() { d { \"${title}a\": } d { \"${title}b\": } } d { 'x': }".to_owned(),
        "(".repeat(100_000),
        "$A = 1\n".repeat(1_000),
    ];
    let fresh = ask("notify { 'a': }");
    for code in hostile.iter().cycle().take(60) {
        assert!(ask(code).contains("\"error\""), "{}", &code[..50.min(code.len())]);
    }
    assert_eq!(ask("notify { 'a': }"), fresh);
}
