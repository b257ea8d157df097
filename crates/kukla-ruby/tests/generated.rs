//! Programs made up over the constructs of the language, run by `ruby` and by the interpreter: both must write the same.
//!
//! `KUKLA_RUBY_PROGRAMS` says how many, `KUKLA_RUBY_SEED` where to begin. Without `ruby` there is nothing to compare with.

#![allow(clippy::disallowed_methods, reason = "the reference is another process")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// How many programs are compared without being asked.
const FEW: u64 = 150;

/// The separator of programs, and of answers.
const MARK: &str = "\u{1e}\n";

/// Runs each program in a process of its own, quickly.
const DRIVER: &str = r##"
programs = STDIN.read.split("\u{1e}\n")
programs.each do |program|
  reader, writer = IO.pipe
  pid = fork do
    reader.close
    STDOUT.reopen(writer)
    STDERR.reopen(File::NULL)
    begin
      eval(program, TOPLEVEL_BINDING, "p.rb")
    rescue Exception => error
      puts "#{error.class}: #{error.message}"
    end
    STDOUT.flush
    exit!
  end
  writer.close
  STDOUT.write(reader.read, "\u{1e}\n")
  Process.wait(pid)
end
"##;

/// Makes programs; the same number makes the same program.
struct Maker {
    state: u64,
    /// The program so far.
    text: String,
    indent: usize,
    names: usize,
    /// Methods with how many arguments they take.
    methods: Vec<(String, usize)>,
    classes: Vec<String>,
}

const NUMBERS: &[&str] =
    &["a", "b", "0", "1", "-3", "7", "2**40", "10", "a + 1", "b * 2", "s.size", "l.size", "h.size"];
const TEXTS: &[&str] =
    &["s", "'x'", "\"y#{a}\"", "s + 'z'", "\"#{l.first.inspect}-#{b}\"", "%q(q'q)", "s.upcase", ":sym.to_s"];
const LISTS: &[&str] = &[
    "l",
    "[1, 2, 3]",
    "[a, b]",
    "[*l, 4]",
    "%w[p q r]",
    "[[1, [2, 3]], 4]",
    "(1..4).to_a",
    "h.keys",
    "[nil, false, 0]",
    "%i[m n]",
];
const HASHES: &[&str] =
    &["h", "{x: 1, y: 2}", "{'k' => a, **h}", "{a => b}", "l.each_with_index.to_h", "{a:, b:}"];

impl Maker {
    fn new(seed: u64) -> Maker {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Maker { state, text: String::new(), indent: 0, names: 0, methods: Vec::new(), classes: Vec::new() }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 16) % limit.max(1) as u64) as usize
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        let at = self.below(list.len());
        list[at]
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        for line in text.lines() {
            let _ = writeln!(self.text, "{}{line}", "  ".repeat(self.indent));
        }
    }

    fn inside(&mut self, head: &str, depth: u32, body: impl FnOnce(&mut Maker, u32)) {
        self.line(head);
        self.indent += 1;
        body(self, depth.saturating_sub(1));
        self.indent -= 1;
    }

    fn number(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(NUMBERS).to_owned();
        }
        let (x, y) = (self.number(depth - 1), self.number(depth - 1));
        let list = self.list(depth - 1);
        match self.below(16) {
            0 => format!("({x} + {y})"),
            1 => format!("({x} - {y})"),
            2 => format!("({x} * {y})"),
            3 => format!("({x} / ({y}).nonzero?.to_i.succ.abs.clamp(1, 9))"),
            4 => format!("({x} % 7)"),
            5 => format!("({x} <=> {y}).to_i"),
            6 => format!("(({x}) > ({y}) ? {x} : {y})"),
            7 => format!("[{x}, {y}].max"),
            8 => format!("({x}).then {{ |n| n & 255 }}"),
            9 => format!("{list}.count {{ |e| e }}"),
            10 => format!("{list}.inject(0) {{ |m, e| m + e.to_s.size }}"),
            11 => format!("(begin; Integer({list}.first.to_s); rescue ArgumentError; {y}; end)"),
            12 => format!("->(n, m = {y}) {{ n ^ m }}.({x})"),
            13 => format!("(if {x} > 2 then {y} else -1 end)"),
            14 => format!("case {x} when 0..5 then {y} when Integer then 99 end"),
            _ => self.call(depth).map_or_else(|| x.clone(), |call| format!("({call}).to_s.size")),
        }
    }

    fn text_of(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(TEXTS).to_owned();
        }
        let (n, t) = (self.number(depth - 1), self.pick(TEXTS));
        let list = self.list(depth - 1);
        match self.below(12) {
            0 => format!("({t} * (({n}).abs % 3))"),
            1 => format!("{t}.sub(/[a-y]/) {{ $&.upcase + $~.pre_match }}"),
            2 => format!("\"<#{{{n}}}|#{{{list}.inspect}}>\""),
            3 => format!("{list}.join('-')"),
            4 => format!("{t}.tr('a-y', 'b-z')"),
            5 => format!("format('%05d/%-4s/%x', ({n}) & 4095, {t}, 255)"),
            6 => format!("({t} =~ /(?<w>\\w)(\\d)?/ ? [$~[0], $~[:w]].inspect : 'none')"),
            7 => format!("{t}.each_char.map {{ |c| c.ord.to_s(36) }}.join"),
            8 => format!("{t}.center(({n}).abs % 12, '*')"),
            9 => format!("({t}.frozen? ? 'f' : 'u')"),
            10 => format!("{t}.gsub(/(.)(.)/, '\\2\\1')"),
            _ => format!("{t}.scan(/[a-z]+|\\d+/).inspect"),
        }
    }

    fn list(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(LISTS).to_owned();
        }
        let (l, m, n) = (self.list(depth - 1), self.pick(LISTS), self.number(depth - 1));
        match self.below(14) {
            0 => format!("{l}.map {{ |e| [e, {n}] }}"),
            1 => format!("{l}.select {{ _1 }}"),
            2 => format!("({l} + {m})"),
            3 => format!("{l}.each_slice(2).to_a"),
            4 => format!("{l}.flat_map {{ |e, f = 9| [e, f] }}"),
            5 => format!("{l}.zip({m})"),
            6 => format!("{l}.partition {{ |e| e.to_s > '2' }}"),
            7 => format!("{l}.group_by {{ |e| e.class }}.to_a"),
            8 => format!("{l}.each_with_index.map {{ |(e, *), i| [i, e] }}"),
            9 => format!("[*{l}, *{m}].uniq"),
            10 => format!("{l}.sort_by {{ |e| e.inspect }}.reverse"),
            11 => format!("{l}.each_cons(2).to_a.first(2)"),
            12 => format!("{l}.reduce([]) {{ |acc, e| acc.unshift(e) }}"),
            _ => format!("{l}.take_while {{ |e| e }}.tap {{ |v| b += v.size }}"),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        match self.below(5) {
            0 | 1 => self.number(depth),
            2 => self.text_of(depth),
            3 => self.list(depth),
            _ => self.pick(HASHES).to_owned(),
        }
    }

    /// A call of a method that is defined by then, sometimes with a wrong number of arguments.
    fn call(&mut self, depth: u32) -> Option<String> {
        if self.methods.is_empty() {
            return None;
        }
        let at = self.below(self.methods.len());
        let (name, mut count) = self.methods[at].clone();
        if self.below(12) == 0 {
            count += 1;
        }
        let args: Vec<String> = (0..count).map(|_| self.value(depth.saturating_sub(1).min(1))).collect();
        let block = if self.below(3) == 0 { " { |y| [y, a] }" } else { "" };
        Some(format!("{name}({}){block}", args.join(", ")))
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let value = self.value(2);
        let (number, list) = (self.number(1), self.list(1));
        if depth == 0 {
            return self.line(&format!("p({value})"));
        }
        match self.below(24) {
            0 => self.line(&format!("p({value})")),
            1 => self.line(&format!("a = {number}\np a")),
            2 => self.line(&format!("b += {number}; b %= 1000\nh[a] ||= b\np h.size")),
            3 => self.line(&format!("l = {list}\nl <<= 1 if l.is_a?(Integer)\np l")),
            4 => self.line(&format!("x, (y, *z), *w = {list}\np [x, y, z, w]")),
            5 => self.line(&format!("*x, y = *{list}, {number}\np x, y")),
            6 => {
                let other = self.pick(NUMBERS);
                self.inside(&format!("if {number} > {other}"), depth, Maker::statements);
                self.inside("else", depth, Maker::statements);
                self.line("end");
            }
            7 => {
                let variable = self.name("i");
                self.line(&format!("{variable} = 0"));
                self.inside(&format!("while {variable} < 4"), depth, |made, depth| {
                    made.line(&format!("{variable} += 1\nnext if {variable} == 2"));
                    made.statements(depth.min(1));
                    made.line(&format!("break if {variable} == 3 && b.even?"));
                });
                self.line("end");
            }
            8 => {
                self.inside(&format!("{list}.each_with_index do |e, i|"), depth, |made, depth| {
                    made.line("break p(:broke) if i > 3\nnext if e.nil?");
                    made.statements(depth.min(1));
                });
                self.line("end");
            }
            9 => {
                self.inside("begin", depth, |made, depth| {
                    made.statements(depth.min(1));
                    let raised = made.pick(&["raise ArgumentError, \"bad #{a}\" if b.odd?", "nil.foo", "Integer('x')", "[].fetch(9)", "raise 'plain'", "{}.fetch(:q)", "throw :none", "'x'.freeze << 'y'", "1 / 0", "raise KeyError", "Float('q')", "a.undefined_thing"]);
                    made.line(raised);
                });
                self.line("rescue ZeroDivisionError, KeyError => e\n  p [:first, e.class, e.message]");
                self.line("rescue StandardError => e\n  p [e.class, e.message.lines.first, e.is_a?(NameError)]");
                if self.below(2) == 0 {
                    self.inside("else", depth.min(1), Maker::statements);
                }
                if self.below(2) == 0 {
                    self.line("ensure\n  p :ensured");
                }
                self.line("end");
            }
            10 => {
                let (name, counter) = (self.name("m"), self.below(6));
                let (head, count) = match counter {
                    0 => (format!("def {name}(x, y = x.to_s, *z, k: 3, **o, &g)"), 1),
                    1 => (format!("def {name}(*x, y)"), 2),
                    2 => (format!("def {name}(x, (y, z), k: x)"), 2),
                    3 => (format!("def {name}(...) = p(...)"), 2),
                    4 => (format!("def {name}(x, y)"), 2),
                    _ => (format!("def {name}"), 0),
                };
                if counter == 3 {
                    self.line(&head);
                } else {
                    self.inside(&head, depth, |made, _| {
                        made.line("a, b, s, l, h = 5, 6, 'in', [7], {i: 8}");
                        made.line("return yield(a) if block_given?");
                        let local = made.pick(&["p binding.local_variables.size", "p __method__", "p local_variables.size", "p defined?(x), defined?(yield), defined?(@q)"]);
                        made.line(local);
                        let value = made.value(1);
                        made.line(&format!("return {value} if a == 6\n[a, {value}]"));
                    });
                    self.line("end");
                }
                self.line(&format!("p method(:{name}).arity, method(:{name}).parameters"));
                self.methods.push((name, count));
            }
            11 => {
                if let Some(call) = self.call(2) {
                    self.line(&format!("p(begin; {call}; rescue ArgumentError, NoMethodError, TypeError => e; [e.class, e.message.lines.first]; end)"));
                }
            }
            12 | 13 => self.class(depth),
            14 => {
                let v = self.pick(&["[1, [2, 3]]", "{x: 1, y: {z: [2]}}", "a", "s", "l", "h", "nil", "[:k, 'v']"]);
                self.line(&format!("case {v}\nin [Integer => m, [*, n]] if m < n then p [m, n]\nin {{x: Integer | nil => m, **r}} then p m, r\nin String => m then p m.size\nin [] | nil then p :empty\nin [first, *] then p first\nin Integer | Float => m unless m > 50 then p m\nelse p :else\nend"));
            }
            15 => self.line(&format!("f = ->(n) {{ n <= 1 ? 1 : n * f.(n - 1) }}\np f.((({number}).abs % 9))\ng = f >> ->(n) {{ n.to_s }}\np g.call(4), f.curry.(3)")),
            16 => self.line(&format!("p catch(:done) {{ {list}.each {{ |e| throw :done, [e] if e.to_s > '1' }}; :never }}")),
            17 => self.line(&format!("c = 0\nadd = proc {{ |n, m| c += n.to_i; [n, m] }}\np add.(1), add.([2, 3]), add.yield(4, 5, 6), add.arity, add.lambda?\np c, {list}.each(&add).size")),
            18 => self.line(&format!("for q, r in {list}.each_with_index do p [q, r] end\np q")),
            19 => self.line(&format!("e = {list}.each\np e.next, (e.next rescue :stop), e.size\np e.with_index(1).to_a, e.lazy.map {{ |v| v.to_s }}.reject(&:empty?).first(2)")),
            20 if list.len() > 9 => self.line("s = <<~A + <<-'B' + %w[x y].join\n  here #{a}\n    more\\tend\nA\n  raw #{a}\n  B\nputs s, s.lines.size"),
            20 => self.line("$g = [$g, a].flatten.compact.last(3)\np $g, defined?($nope), defined?(String.new), defined?(zork)"),
            21 => self.line(&format!("t = Struct.new(:u, :v) {{ def sum = u.to_i + v.to_i }}\no = t.new({number}, 2)\no.u += 1; o[:v] **= 2\np o.to_a, o.sum, o == o.dup, o.eql?(t.new(1)), (o.w rescue $!.class)")),
            22 => self.line(&format!("tries = 0\nbegin\n  tries += 1\n  raise IOError, tries.to_s if tries < 3\n  p tries, {number}\nrescue IOError\n  retry\nend")),
            _ => {
                let text = self.text_of(1);
                self.line(&format!("s = {text}\np s, s.encoding, s&.size\nputs \"#{{s}}\" \" joined\", s.hash == s.dup.hash"));
            }
        }
    }

    fn class(&mut self, depth: u32) {
        let name = self.name("K");
        let parent = if self.classes.is_empty() || self.below(2) == 0 {
            String::new()
        } else {
            let at = self.below(self.classes.len());
            format!(" < {}", self.classes[at])
        };
        let (number, text) = (self.number(0), self.text_of(0));
        self.line(&format!("a0 = [{number}, {text}]"));
        self.inside(&format!("class {name}{parent}"), depth, |made, _| {
            made.line("include Comparable\nattr_accessor :v\nA = [1].freeze unless const_defined?(:A)\n@@count ||= 0");
            if parent.is_empty() {
                made.line("def initialize(v = 1, *rest, k: 0) = (@v, @rest, @k = v, rest, k)\ndef <=>(other) = v.to_s <=> other.v.to_s");
            } else {
                made.line("def initialize(*, **)\n  super\n  @sub = true\nend");
            }
            for _ in 0..1 + made.below(3) {
                let method = made.pick(&[
                    "def to_s = \"#{self.class.name}(#{@v})\"",
                    "def method_missing(n, *r) = n.end_with?('!') ? [n, r] : super\ndef respond_to_missing?(n, p = false) = n.end_with?('!') || super",
                    "def each = block_given? ? (yield @v; yield @k) : enum_for(:each)\ninclude Enumerable",
                    "def self.make(...) = new(...).tap { @@count += 1 }",
                    "def ==(o) = o.class == self.class && o.v == v\nalias_method :eql?, :==\ndef hash = v.hash",
                    "private def secret = @v\nprotected def half = :half\npublic def reveal(o = self) = [secret, o.half]",
                    "class << self\n  attr_reader :made\n  def inherited(k) = ((@made ||= []) << k.name; super)\nend",
                    "define_method(:dyn) { |x = 2, *y| [x, y, @v] }",
                    "def [](i) = [@v, i]\ndef []=(i, x)\n  @v = [i, x]\nend\ndef +(o) = self.class.new([v, o.is_a?(self.class) ? o.v : o])\ndef -@ = :neg\ndef !~(o) = :nomatch",
                    "prepend(Module.new { def to_s = \"<#{super}>\" })",
                    "def coerce(o) = [o, 3]\ndef to_str = 'str'\ndef to_proc = ->(x) { [x, @v] }\ndef to_ary = [@v, 2]",
                ]);
                made.line(method);
            }
        });
        self.line("end");
        self.line(&format!("o = {name}.new(*a0)"));
        for _ in 0..3 {
            let used = self.pick(&[
                "p o.v, o.to_s =~ /K/",
                "p (o.zap!(1) rescue $!.class), o.respond_to?(:zap!)",
                "p (o.map { |e| [e] } rescue $!.class)",
                "p (o.secret rescue $!.message[/private|undefined/]), (o.reveal rescue $!.class)",
                "p (o.class.make(4, k: 5).v rescue $!.message.lines.first)",
                "p o == o.dup, [o, o.dup].uniq.size, {o => 1}.key?(o.dup)",
                "p (o.dyn(9) rescue $!.class), (o.dyn rescue 0)",
                "p (o[1] rescue $!.class), ((o[2] = 3) rescue 0), o.v, (o[0] += 1 rescue $!.class)",
                "p (-o rescue $!.class), ((o + 1).v rescue $!.class), (5 + o rescue $!.class)",
                "x, y = o\np y.class, ('a' + o rescue $!.class), ([1].map(&o) rescue $!.class)",
                "p o.instance_variables, o.class.ancestors.take_while { |m| m != Object }.grep(Class).map(&:name)",
                "p o.frozen?, o.clone(freeze: true).frozen?, (o.dup.freeze.v = 1 rescue $!.class)",
                "p o.class.instance_methods(false).sort.first(4), o.singleton_methods",
                "def o.single = [:single, v]\np o.single, o.singleton_methods, (o.dup.single rescue :none)",
                "p o.public_send(:v), o.method(:v).owner.name, o.method(:v).unbind.class, o.is_a?(Comparable), o.clamp(o, o).v",
                "p o.instance_eval { @v }, o.class.class_eval { self::A }, (o.class.const_get(:Nope) rescue $!.message)",
            ]);
            self.line(used);
        }
        self.classes.push(name);
    }

    fn program(mut self) -> String {
        self.line(
            "a, b, s, l, h = 3, 8, +'str', [5, nil, 'e'], {p: 1, 'q' => [2]}\ne = o = x = y = nil\n$g = nil",
        );
        for _ in 0..4 + self.below(5) {
            self.statement(3);
        }
        self.line("p a, b, s, l, h");
        self.text
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The output of `ruby` for each program.
fn answers(programs: &[String]) -> Option<Vec<String>> {
    let mut child = Command::new("ruby")
        .args(["--disable=gems", "-W0", "-e", DRIVER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let text = programs.join(MARK);
    let writing = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writing.join().ok()?.ok()?;
    Some(String::from_utf8_lossy(&output.stdout).split(MARK).map(str::to_owned).collect())
}

/// Where objects are in memory is nobody's business.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("0x");
        plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    plain
}

/// The output of the interpreter.
fn ours(program: &str) -> String {
    let guarded = format!(
        "begin\n{program}rescue Exception => error\n  puts \"#{{error.class}}: #{{error.message}}\"\nend\n"
    );
    crate::host::run("p.rb", &guarded)
}

#[test]
fn programs_write_what_ruby_writes() {
    let (count, seed) =
        (number("KUKLA_RUBY_PROGRAMS").unwrap_or(FEW), number("KUKLA_RUBY_SEED").unwrap_or(1));
    let programs: Vec<String> = (seed..seed + count).map(|seed| Maker::new(seed).program()).collect();
    let Some(theirs) = answers(&programs).filter(|theirs| theirs.len() >= programs.len()) else {
        return kukla_testing::skip("kukla-ruby/generated", "no ruby");
    };
    let mut different = Vec::new();
    for (number, (program, theirs)) in programs.iter().zip(&theirs).enumerate() {
        let (ours, theirs) = (without_addresses(&ours(program)), without_addresses(theirs));
        if ours != theirs {
            let line = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
            let (ours, theirs) = line.unwrap_or(("(ends)", "(goes on)"));
            different.push(format!("program {}:\n  ruby:  {theirs}\n  kukla: {ours}", seed + number as u64));
            if let Ok(directory) = std::env::var("KUKLA_RUBY_FOUND") {
                let file = format!("{directory}/{}.rb", seed + number as u64);
                std::fs::write(file, program).expect("a directory to write to");
            }
        }
    }
    let shown = different[..different.len().min(100)].join("\n");
    assert!(different.is_empty(), "{} of {count} programs differ\n{shown}", different.len());
}
