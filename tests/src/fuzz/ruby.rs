//! Ruby code and templates: run with small limits in a world that no code may reach.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kukla::MemoryWorld;
use kukla::Policy;
use kukla::ruby::{self, ScriptLimits, Surroundings};
use kukla::values::time::Timestamp;
use kukla::world::policy::Variables;
use kukla::world::{CommandOutput, DirectoryEntry, FileResult, Guarded, World};

/// A world with one directory, which detects accesses that policy does not allow.
#[derive(Debug)]
struct Sealed(MemoryWorld);

impl World for Sealed {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        assert!(path.starts_with("/open"), "read {}", path.display());
        self.0.read(path)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        // The directories on the way may be asked for what is on the way.
        let is_on_the_way = Path::new("/open").starts_with(path);
        assert!(is_on_the_way || path.starts_with("/open"), "listed {}", path.display());
        self.0.list(path)
    }

    fn now(&self) -> Timestamp {
        panic!("knew the time");
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        panic!("saw {name}");
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        panic!("ran {command:?}");
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.exists(path)
    }

    fn here(&self) -> PathBuf {
        PathBuf::from("/open")
    }
}

fn run(code: &[u8]) {
    let files = "repository,/open".parse().expect("a policy");
    let policy = Policy { files, variables: Variables::Off, ..Policy::default() };
    let inside = MemoryWorld::default().with("/open/a.rb", "A = 1\n").with("/etc/passwd", "secret");
    let world = Guarded::new(Sealed(inside), policy);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let limits = ScriptLimits { steps: 100_000, memory: 32 << 20, output: 1 << 20, deadline: None };
    let mut surroundings = Surroundings::new(&world, &mut out, &mut err, limits);
    drop(ruby::run(&mut surroundings, "fuzz.rb", code, &[], &[]));
    assert!(!out.windows(6).any(|part| part == b"secret"), "read what it may not");
}

/// Damaged Ruby programs.
pub(super) fn ruby(data: &[u8]) {
    run(data);
}

/// Damaged templates, as Puppet renders them.
pub(super) fn erb(data: &[u8]) {
    let template = String::from_utf8_lossy(data);
    let code = kukla::ruby::template(&template);
    run(format!("@a = 'x'; @list = [1, 'two', nil, {{'k' => 3}}]; scope = {{}}\n{code}").as_bytes());
}

/// Programs that are right by their form: each byte chooses what comes next.
pub(super) fn ruby_generated(data: &[u8]) {
    let mut choices = data.iter().copied();
    let mut code = String::from("a = [3, nil, 'b']; b = {x: 1, 'y' => [2.5]}; c = 'text é'; d = (1..4)\n");
    for name in ["a", "b", "c", "d", "e"] {
        code.push_str("begin\n  ");
        code.push_str(&format!("{name} = {}", expression(&mut choices, 4)));
        code.push_str(
            "\nrescue StandardError, NotImplementedError, SystemStackError => x\n  x.message\nend\n",
        );
    }
    code.push_str("p(a, b, c, d, e) rescue 0\n");
    run(code.as_bytes());
}

/// The names of all methods of the core classes, but for those that only wait or end.
static METHODS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("ruby_methods.txt").split_whitespace().collect());

fn method(choices: &mut impl Iterator<Item = u8>) -> &'static str {
    let chosen = choices.next().unwrap_or(0) as usize * 3 + choices.next().unwrap_or(0) as usize;
    METHODS[chosen % METHODS.len()]
}

fn expression(choices: &mut impl Iterator<Item = u8>, depth: u32) -> String {
    let choice = choices.next().unwrap_or(0) as usize;
    if depth == 0 || choice.is_multiple_of(4) {
        return LEAVES[choice / 4 % LEAVES.len()].to_owned();
    }
    let form = FORMS[(choice + choices.next().unwrap_or(0) as usize * 7) % FORMS.len()];
    let mut made = String::new();
    for (n, part) in form.split('@').enumerate() {
        if n > 0 {
            made.push_str(&expression(choices, depth - 1));
        }
        for (n, part) in part.split('$').enumerate() {
            if n > 0 {
                made.push_str(method(choices));
            }
            made.push_str(part);
        }
    }
    made
}

/// Where `@` is another expression and `$` a method.
const FORMS: &[&str] = &[
    "@.$",
    "@.$(@)",
    "@.$(@, @)",
    "@.$ { |v| @ }",
    "@.$(@) { |v, w| @ }",
    "@.$(&:$)",
    "@&.$",
    "(@ + @)",
    "(@ * @)",
    "(@ - @)",
    "(@ << @)",
    "(@ % @)",
    "(@ <=> @)",
    "(@ == @)",
    "(@ =~ @)",
    "(@ || @)",
    "@[@]",
    "@[@, @]",
    "(@[@] = @)",
    "[@, *@]",
    "{@ => @, **{}}",
    "\"x#{@}y\"",
    "/#{@}/x",
    ":\"#{@}\"",
    "(@ ? @ : @)",
    "(case @ when @ then @ else @ end)",
    "(case @; in [Integer => q, *r] then q; in {x:} then x; else @ end)",
    "(begin; @; rescue => z; @; ensure; @; end)",
    "(@ rescue @)",
    "->(q = @, *r) { @ }.call(@)",
    "catch(:t) { @; throw :t, @ }",
    "Struct.new(:q).new(@)",
    "Class.new { define_method(:$) { |*| @ } }.new.$",
    "@.dup.tap { |v| v.$(@) }",
    "@.freeze",
    "@.lazy.map { |v| @ }.first(3)",
    "@.each_with_object([]) { |v, m| m << @ }",
    "format(@, @)",
    "Array(@)",
    "Integer(@)",
    "Comparable.instance_method(:clamp).bind_call(@, @, @)",
    "@.send(:$, @)",
    "@.instance_variable_set(:@q, @)",
    "@.method(:$).unbind",
    "(l, *m = @; m)",
    "eval(@.to_s)",
    "@.inspect.to_sym",
    "Set.new(@)",
    "[@].pack('w*')",
    "@.to_json",
];

const LEAVES: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "0",
    "-1",
    "3",
    "9223372036854775807",
    "2**70",
    "1.5",
    "Float::NAN",
    "-0.0",
    "1r/3",
    "2i",
    "nil",
    "true",
    "''",
    "'abc'",
    "\"\\xFF\"",
    "'%-10.3s|%p'",
    "'a-z'",
    ":sym",
    "[]",
    "[[1, [2]], 3]",
    "{}",
    "{1 => {2 => 3}}",
    "(1..)",
    "('a'..'e')",
    "(1.0...2)",
    "/a(?<n>b)?|\\w+/i",
    "//",
    "Object",
    "Kernel",
    "String",
    "self",
    "->(q) { q }",
    "proc { |q, r| r }",
    "Time.at(0).utc",
    "Object.new",
    "[3, 1, 2].each",
    "'é😀'.encode('UTF-16LE')",
];
