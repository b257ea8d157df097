//! The evaluator on small programs; behaviour at large is in the conformance book.

use std::sync::Arc;

use kukla_values::{Value, format};

use crate::environment::{Environment, EnvironmentSpec, Node};
use crate::error::Raised;
use crate::registry::Registry;
use crate::settings::Settings;
use crate::vm::Vm;
use kukla_world::MemoryWorld;

fn environment(world: MemoryWorld, settings: Settings) -> Environment {
    let (world, registry) = (Arc::new(world), Arc::new(Registry::default()));
    Environment::new(EnvironmentSpec {
        modulepath: vec!["/modules".into()],
        settings,
        ..EnvironmentSpec::new("test", world, registry)
    })
}

/// The value of a program as text, or the message of what went wrong with its line and column.
fn run_in(environment: &Environment, code: &str) -> Result<String, String> {
    let node = Node::default();
    let mut vm = Vm::new(environment, &node);
    let unit = environment.load_text(code).map_err(|failure| failure.to_string())?;
    match vm.run_main(&unit) {
        Ok(value) => Ok(format::interpolate(&value).to_string()),
        Err(raise) => match raise.illegal().into_reason() {
            Raised::Error(failure) => Err(failure.to_string()),
            other => Err(format!("{other:?}")),
        },
    }
}

fn run(code: &str) -> Result<String, String> {
    run_in(&environment(MemoryWorld::default(), Settings::default()), code)
}

#[test]
fn match_variables_end_with_the_condition() {
    assert_eq!(run("if 'abc' =~ /b(.)/ { $x = $1 }\n[$x, $1]").unwrap(), "[c, ]");
    assert_eq!(run("$m = 'abc' =~ /b(.)/\n$n = 'abc' =~ /x/\n$1").unwrap(), "c");
}

#[test]
fn functions_see_the_top_scope_and_no_matches() {
    let code = "function f($a, $b = $a + 1, *$c) { [$a, $b, $c, $top, $0] }\n$top = 9\n$m = 'x' =~ /x/\nf(1)";
    assert_eq!(run(code).unwrap(), "[1, 2, [], 9, ]");
}

#[test]
fn errors_know_their_place() {
    assert_eq!(
        run("$a = 1\n$a = 2").unwrap_err(),
        "Evaluation Error: Cannot reassign variable '$a' (line: 2, column: 4)"
    );
    let recursion = run("function f() { f() }\nf()").unwrap_err();
    assert!(recursion.contains("stack level too deep"), "{recursion}");
}

#[test]
fn strings_are_numbers_if_strict_allows() {
    let mut settings = Settings::default();
    settings.set("strict", "warning".into()).unwrap();
    let lenient = environment(MemoryWorld::default(), settings);
    assert_eq!(run_in(&lenient, "'0x10' + 1").unwrap(), "17");
    assert!(run("'0x10' + 1").is_err());
}

#[test]
fn modules_bring_functions_and_types() {
    let world = MemoryWorld::default()
        .with("/modules/m/functions/twice.pp", "function m::twice(M::Small $n) >> Integer { $n * 2 }")
        .with("/modules/m/types/small.pp", "type M::Small = Integer[0, 9]")
        .with("/modules/m/types/tree.pp", "type M::Tree = Variant[Integer, Array[M::Tree]]");
    let environment = environment(world, Settings::default());
    assert_eq!(run_in(&environment, "m::twice(4)").unwrap(), "8");
    assert_eq!(run_in(&environment, "[1, [2, [3]]] =~ M::Tree").unwrap(), "true");
    let wrong = run_in(&environment, "m::twice(40)").unwrap_err();
    assert!(
        wrong.contains(
            "'m::twice' parameter 'n' expects a M::Small = Integer[0, 9] value, got Integer[40, 40]"
        ),
        "{wrong}"
    );
}

#[test]
fn values_stay_within_limits() {
    let mut settings = Settings::default();
    settings.set("limit_text", Value::Integer(100)).unwrap();
    settings.set("limit_steps", Value::Integer(50)).unwrap();
    let small = environment(MemoryWorld::default(), settings);
    let code = "$a = '0123456789'\n$b = \"${a}${a}${a}${a}\"\n\"${b}${b}${b}\"";
    assert!(run_in(&small, code).unwrap_err().contains("longer than the 100 allowed"));
    let code = "function g($n) { if $n == 0 { 0 } else { g($n - 1) } }\ng(60)";
    assert!(run_in(&small, code).unwrap_err().contains("more than the 50 steps"));
}

#[test]
fn an_environment_leaves_nothing_behind() {
    let environment = environment(MemoryWorld::default(), Settings::default());
    let code = "function f($n) { if $n > 0 { g($n - 1) } else { 'done' } }\nfunction g($n) { f($n) }\nf(3)";
    assert_eq!(run_in(&environment, code).unwrap(), "done");
    let function = environment.puppet_function(kukla_values::Name::new("f")).expect("it is known");
    let unit = Arc::downgrade(&function.unit);
    drop(function);
    assert!(unit.upgrade().is_some());
    drop(environment);
    assert!(unit.upgrade().is_none(), "functions that call each other keep each other");
}

/// Each signature names the other type, whose file is loaded to check the first.
#[test]
fn signatures_that_refer_to_each_other_are_checked_on_every_thread() {
    let world = |broken: &str| {
        MemoryWorld::default()
            .with("/modules/a/manifests/x.pp", "define a::x (Optional[B::Y] $y = undef) { }")
            .with(
                "/modules/b/manifests/y.pp",
                format!("define b::y (Optional[A::X] $x = undef{broken}) {{ }}"),
            )
    };
    let outcomes = |environment: &Environment| {
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|n| scope.spawn(move || run_in(environment, ["A::X", "B::Y"][n % 2]))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ends")).collect::<Vec<_>>()
        })
    };
    let good = environment(world(""), Settings::default());
    for outcome in outcomes(&good) {
        assert!(matches!(outcome.as_deref(), Ok("A::X" | "B::Y")), "{outcome:?}");
    }
    // A::X may be checked while B::Y is, and then passes; B::Y itself fails for everyone.
    let bad = environment(world(", Optional[No::Such] $z = undef"), Settings::default());
    for outcome in outcomes(&bad).into_iter().chain([run_in(&bad, "B::Y")]) {
        match outcome {
            Ok(value) => assert_eq!(value, "A::X"),
            Err(message) => assert!(message.contains("Resource type not found: No::Such"), "{message}"),
        }
    }
}
