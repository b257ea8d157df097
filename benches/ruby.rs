//! `cargo bench -p kukla-benches --bench ruby`: Ruby programs and ERB templates, Kukla and `ruby` in turns.
//!
//! `KUKLA` names the binary to time (`target/release/kukla`), `RUBY` the Ruby to compare with, `KUKLA_REFERENCE` a command that answers `rpc`
//! for real Puppet, whose `template` is then timed as well. Arguments select rows by name. Times are those that the processes spent on a core,
//! of the best of several rounds, without starting up: each program runs in a process that waits for a line, works, and answers.

#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kukla_benches::peer::Peer;
use serde_json::{Value, json};

/// How often each is timed; the best counts.
const ROUNDS: usize = 5;

/// Programs, each the body of a method that is called over and over.
const PROGRAMS: &[(&str, &str)] = &[
    ("loops: while", "i = 0\nsum = 0\nwhile i < 300_000\n  sum += i if i % 3 == 0\n  i += 1\nend\nsum"),
    ("loops: blocks", "sum = 0\n100_000.times { |i| sum += i * 2 }\n(1..50_000).each { |i| sum -= i }\nsum"),
    ("loops: methods", "def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)\nfib(20)"),
    (
        "loops: map and select",
        "(1..40_000).map { |n| n * n }.select { |n| n.even? }.reduce(0) { |a, b| a + b }",
    ),
    ("strings: append", "s = +''\n60_000.times { |i| s << 'item ' << i.to_s << \"\\n\" }\ns.size"),
    (
        "strings: interpolate",
        "out = []\n40_000.times { |i| out << \"#{i}: value #{i * 2}\" }\nout.join(',').size",
    ),
    (
        "strings: split and gsub",
        "t = 'a=1;b=2;c=3;' * 200\n10.times { t.split(';').map { |p| p.gsub('=', ' => ') }.join }\nt.size",
    ),
    (
        "hashes: strings",
        "h = {}\n20_000.times { |i| h[\"key#{i % 1000}\"] = i }\nsum = 0\n20_000.times { |i| sum += h[\"key#{i % 1000}\"] }\nsum",
    ),
    ("hashes: integers", "h = Hash.new(0)\n100_000.times { |i| h[i % 997] += 1 }\nh.size"),
    (
        "hashes: each and merge",
        "h = (0...500).to_h { |i| [:\"k#{i}\", i] }\nn = 0\n60.times { h.merge(x: 1).each { |k, v| n += v } }\nn",
    ),
];

/// Runs the method `work` for each line that comes in.
fn program(body: &str) -> String {
    format!("def work\n{body}\nend\nwhile gets\n  work\n  puts 'done'\n  $stdout.flush\nend\n")
}

/// A template of `lines` lines: text, values, loops and conditions as in the templates of modules.
fn template(lines: usize) -> String {
    let mut text = String::from("# managed by <%= @owner %>\n");
    for line in 1..lines {
        let _ = match line % 10 {
            1 => writeln!(text, "<% @list.each do |item| -%>"),
            2 => writeln!(text, "  <%= item %> = <%= item.to_s.upcase %>"),
            3 => writeln!(text, "<% end -%>"),
            4 => writeln!(text, "<% if @enabled -%>"),
            5 => writeln!(text, "option_{line} = <%= @value %>"),
            6 => writeln!(text, "<% end -%>"),
            7 => writeln!(text, "key_{line} = <%= @options['a'] || 'none' %>"),
            _ => writeln!(text, "# a line of text that says what the next one is for, number {line}"),
        };
    }
    text
}

const VALUES: &str =
    "owner = 'kukla'; list = %w[one two three]; enabled = true; value = 42; options = { 'a' => 'b' }";

/// Renders as Puppet does: the template is read into code each time.
fn erb_script(path: &Path, times: usize) -> String {
    let assign = VALUES.split("; ").map(|part| format!("    @{part}\n")).collect::<String>();
    format!(
        "require 'erb'\nclass Wrapper\n  def initialize\n{assign}  end\n  def render(text)\n    \
         ERB.new(text, trim_mode: '-').result(binding)\n  end\nend\ntext = File.read('{}')\nwhile gets\n  \
         {times}.times {{ Wrapper.new.render(text) }}\n  puts 'done'\n  $stdout.flush\nend\n",
        path.display()
    )
}

fn erb_request(path: &Path, times: usize) -> Value {
    let code = format!(
        "$owner = 'kukla' $list = ['one', 'two', 'three'] $enabled = true $value = 42 $options = {{ 'a' => 'b' }} \
         Integer[1, {times}].each |$n| {{ template('{}') }}",
        path.display()
    );
    json!({"code": code})
}

/// The time that the best of several questions takes.
fn best(peer: &mut Peer, mut ask: impl FnMut(&mut Peer) -> io::Result<String>) -> Result<Duration, String> {
    let mut best = Duration::MAX;
    // The first one also reads, compiles and warms up.
    for round in 0..=ROUNDS {
        let before = peer.processor_time().ok_or("this system does not tell what processes spend")?;
        let answer = ask(peer).map_err(|error| error.to_string())?;
        if answer.contains("\"error\"") {
            return Err(answer);
        }
        let spent = peer.processor_time().unwrap_or_default().saturating_sub(before);
        if round > 0 {
            best = best.min(spent);
        }
    }
    Ok(best)
}

fn run(command: &str, arguments: &[&str]) -> Result<Duration, String> {
    let mut peer = Peer::run(command, arguments).map_err(|error| format!("{command}: {error}"))?;
    best(&mut peer, |peer| peer.say(""))
}

/// The time of one rendering: that of many, minus everything else.
fn render(command: &str, path: &Path, times: usize) -> Result<Duration, String> {
    let mut peer = Peer::start(command).map_err(|error| format!("{command}: {error}"))?;
    let mut ask = |times: usize| best(&mut peer, |peer| peer.ask("eval", &erb_request(path, times)));
    Ok(ask(times)?.saturating_sub(ask(1)?) / (times as u32 - 1))
}

struct Sides {
    kukla: String,
    ruby: String,
    puppet: Option<String>,
    directory: PathBuf,
}

impl Sides {
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.directory.join(name);
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok(path)
    }

    fn program(&self, body: &str) -> Result<String, String> {
        let path = self.write("program.rb", &program(body))?;
        let path = path.to_str().unwrap_or_default();
        let ours = run(&self.kukla, &["ruby", path])?;
        let theirs = run(&self.ruby, &[path])?;
        Ok(format!("{} | {} | {} |", milliseconds(ours), milliseconds(theirs), ratio(theirs, ours)))
    }

    fn template(&self, lines: usize) -> Result<String, String> {
        let path = self.write("template.erb", &template(lines))?;
        let times = 20_000 / lines;
        let ours = render(&self.kukla, &path, times)?;
        let script = self.write("erb.rb", &erb_script(&path, times))?;
        let theirs = run(&self.ruby, &[script.to_str().unwrap_or_default()])? / times as u32;
        let mut row =
            format!("{} | {} | {} |", milliseconds(ours), milliseconds(theirs), ratio(theirs, ours));
        if let Some(puppet) = &self.puppet {
            let puppets = render(puppet, &path, 2_000 / lines + 20)?;
            row += &format!(" {} | {} |", milliseconds(puppets), ratio(puppets, ours));
        }
        Ok(row)
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e3)
}

fn ratio(theirs: Duration, ours: Duration) -> String {
    format!("{:.2}", theirs.as_secs_f64() / ours.as_secs_f64().max(1e-9))
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let named = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.into());
    let sides = Sides {
        kukla: named("KUKLA", "target/release/kukla"),
        ruby: named("RUBY", "ruby"),
        puppet: std::env::var("KUKLA_REFERENCE").ok(),
        directory: std::env::temp_dir().join(format!("kukla-bench-ruby-{}", std::process::id())),
    };
    if let Err(error) = std::fs::create_dir_all(&sides.directory) {
        println!("{}: {error}", sides.directory.display());
        std::process::exit(1);
    }
    let mut failed = 0;
    let mut row = |name: &str, timed: Result<String, String>| match timed {
        Ok(figures) => println!("| {name} | {figures}"),
        Err(error) => {
            failed += 1;
            println!("| {name} | failed: {error} |");
        }
    };
    println!("| program | Kukla ms | Ruby ms | times as fast |\n|---|---:|---:|---:|");
    for (name, body) in PROGRAMS.iter().filter(|(name, _)| is_wanted(name)) {
        row(name, sides.program(body));
    }
    let puppet = sides.puppet.is_some();
    let further = |text: &'static str| if puppet { text } else { "" };
    println!(
        "\n| template | Kukla ms | Ruby ms | times as fast |{}",
        further(" Puppet ms | times as fast |")
    );
    println!("|---|---:|---:|---:|{}", further("---:|---:|"));
    for lines in [10, 100, 500] {
        let name = format!("{lines} lines");
        if is_wanted(&name) {
            row(&name, sides.template(lines));
        }
    }
    let _ = std::fs::remove_dir_all(&sides.directory);
    if failed > 0 {
        std::process::exit(1);
    }
}
