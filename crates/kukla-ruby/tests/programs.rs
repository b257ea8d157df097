//! Programs and what Ruby itself writes when it runs them: `programs/NAME.rb` and `programs/NAME.out`.

use crate::host::{Buffer, run};
use kukla_ruby::{Ruby, State};

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            let name = stringify!($name);
            let source = include_str!(concat!("programs/", stringify!($name), ".rb"));
            let expected = include_str!(concat!("programs/", stringify!($name), ".out"));
            let written = run(&format!("{name}.rb"), source);
            let (mut lines, mut others) = (written.lines(), expected.lines());
            loop {
                match (lines.next(), others.next()) {
                    (None, None) => break,
                    (ours, theirs) => assert_eq!(ours, theirs, "in:\n{written}"),
                }
            }
        })*
    };
}

programs!(
    arguments,
    assignments,
    encodings,
    flow,
    libraries,
    modules,
    numbers,
    objects,
    options,
    patterns,
    signals,
    tables
);

/// Programs that go on for ever, or too deep, end as they should.
#[test]
fn limits() {
    let deep = "def f(n) = f(n + 1)\nbegin; f(0); rescue SystemStackError => e; puts e.message; end";
    assert_eq!(run("deep.rb", deep), "stack level too deep\n");
    // Expressions take stack as calls do, however few calls there are.
    let wide = format!("f(n + 1){}", ")".repeat(900));
    let wide = deep.replace("f(n + 1)", &format!("{}{wide}", "(1 + ".repeat(900)));
    assert_eq!(run("wide.rb", &wide), "stack level too deep\n");
    let nested = format!("p({}1{})", "[".repeat(500), "]".repeat(500));
    assert_eq!(run("nested.rb", &nested).trim_end().len(), 1001);
}

/// Endless growth ends with an error that nothing rescues, long before memory does.
#[test]
fn memory() {
    for code in [
        "a = []; loop { a << 'x' * 1000 }",
        "s = 'x'; loop { s += s }",
        "s = +'x'; loop { s << s }",
        "a = [1]; loop { a.push(*a) }",
        "h = {}; i = 0; loop { h[i += 1] = i }",
        "'x' * 100_000_000_000",
        "[nil] * 100_000_000",
        "Array.new(1 << 34)",
        "'x'.ljust(1 << 31)",
        "format('%99999999d', 1)",
        "1 << (1 << 31)",
        "(1..1 << 40).to_a",
        "('x' * 100_000).gsub(/x/, 'y' * 100_000)",
        "loop { Class.new }",
        "i = 0; loop { :\"s#{i += 1}\" }",
        "a = []; loop { a << proc { a } }",
        "a = []; loop { a << Object.new }",
        "1.step.to_a",
        "loop.to_a",
        "s = Struct.new(:a); a = []; loop { a << s.new(1) }",
        "x = nil; loop { x = [x] }",
    ] {
        let rescued = format!("begin; {code}; rescue Exception; puts 'rescued'; end");
        let written = run("memory.rb", &rescued);
        assert!(written.contains("memory"), "{code}: {written}");
    }
}

/// Freed memory can be allocated again, and circles are counted once.
#[test]
fn memory_is_given_back() {
    let code = "200.times { a = 'x' * 1_000_000; b = [nil] * 10_000; h = { a => b }; h.to_a.flatten.inspect.size }; puts 1";
    assert_eq!(run("again.rb", code), "1\n");
}

/// Circular references are dropped with their interpreter: a server has one for each catalog.
#[test]
fn circles_are_given_back() {
    for code in [
        "def a(n) = n.zero? ? 0 : a(n - 1)\na(3)",
        "class A; def x = y; def y = X; X = 'text'; end; A.new.x",
        "f = ->(n) { n.zero? ? f : f.call(n - 1) }; f.call(2)",
        "o = Object.new; o.instance_variable_set(:@o, o)",
        "class B; attr_accessor :o; end; b = B.new; b.o = [b]",
        "s = Struct.new(:a).new; s.a = s; s[:a] = [s]",
        "d = Data.define(:a); a = []; a << d.new(a: a)",
        "class C; define_method(:c) { self }; end; C.new.c",
        "o = Object.new; def o.x = self; @o = o; o.x",
        "h = Hash.new { |own, key| own[key] = [h.size] }; h[1]",
        "begin; raise 'x'; rescue => e; $e = e; e.instance_variable_set(:@e, e); end",
        "e = [1, 2].each; e.next; x = [e]; @x = x",
        "m = 'a'.method(:upcase); @m = m; b = binding; b.local_variable_set(:z, b)",
        "eval('def z(n) = n > 0 ? z(n - 1) : 0; z(2)')",
        "require 'set'; s = Set.new; o = Object.new; o.instance_variable_set(:@s, s); s << o",
        "catch(:x) { [1].each { |n| throw :x, -> { n } } }.call",
    ] {
        let before = kukla_ruby::memory_taken();
        let written = run("circles.rb", code);
        assert_eq!((written.as_str(), kukla_ruby::memory_taken() - before), ("", 0), "{code}");
    }
}

/// A program is shared by all interpreters, and what one changes no other sees.
#[test]
fn shared() {
    let source = "LIST = [] unless defined?(LIST)\nLIST << 1\nclass String; def shout = upcase + '!'; end\np LIST, 'a'.shout";
    let program = kukla_ruby::parse(source.as_bytes(), "shared.rb").expect("the program is valid");
    for _ in 0..3 {
        let mut host = Buffer::default();
        let mut ruby = Ruby::new(State::new(), &mut host);
        assert!(ruby.run_program(&program).is_ok());
        drop(ruby);
        assert!(host.steps < 1_000, "steps are counted by batches");
        assert_eq!(String::from_utf8_lossy(&host.out), "[1]\n\"A!\"\n");
    }
}
