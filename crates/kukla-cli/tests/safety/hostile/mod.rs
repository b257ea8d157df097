//! Programs that try to take more time, memory or stack than they may. Each ends by itself or with an error, soon after its deadline.
//!
//! They are in the chapters beside this file: a heading names a program. `«1000|text»` repeats a text, and `№` in it is the number of
//! the round, `№+1` the next one. Each runs as a process with limits of the system on memory and CPU time, which kill it if it passes
//! them. A test run takes one in [`ONE_IN`] of them; `KUKLA_HOSTILE=TEXT` takes those with a text in their names (all, if it is
//! empty), and prints how long each took.

use std::time::Duration;

use super::Scratch;

/// How many programs there are for each that runs without being asked.
const ONE_IN: usize = 23;

/// The deadline of a program, in seconds.
const DEADLINE: &str = "0.5";

/// The CPU time that a program may take: beyond its deadline, for slow machines.
const LONGEST: Duration = Duration::from_secs(1);

/// The CPU time after which the system kills it, in seconds.
const SECONDS: u32 = 4;

/// The address space that a program may take, in kilobytes: the budget of half a gigabyte, twice as much for what it does not count, and the program.
const KILOBYTES: u32 = 2_500_000;

struct Program {
    name: String,
    language: &'static str,
    code: String,
}

/// The programs of a chapter.
fn programs(chapter: &str, language: &'static str) -> Vec<Program> {
    let sections = chapter.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (name, rest) = section.split_once('\n').unwrap();
            let (_, code) = rest.split_once("```").unwrap();
            let (code, _) = code.split_once('\n').unwrap().1.rsplit_once("\n```").unwrap();
            Program { name: name.to_owned(), language, code: code.to_owned() }
        })
        .collect()
}

/// Writes out the repetitions of a text.
fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        out.push_str(before);
        let (count, after) = after.split_once('|').unwrap();
        let end = closing(after);
        let body = &after[..end];
        for round in 0..count.parse::<usize>().unwrap() {
            out.push_str(&numbered(&expand(body), round));
        }
        rest = &after[end + '»'.len_utf8()..];
    }
    out + rest
}

/// Where the repetition ends whose text begins here.
fn closing(text: &str) -> usize {
    let mut open = 0;
    for (at, c) in text.char_indices() {
        match c {
            '«' => open += 1,
            '»' if open == 0 => return at,
            '»' => open -= 1,
            _ => {}
        }
    }
    panic!("a repetition is not closed: {text:.40}")
}

/// The text of one round.
fn numbered(text: &str, round: usize) -> String {
    let mut parts = text.split('№');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits =
            part.strip_prefix('+').map_or(0, |rest| rest.chars().take_while(char::is_ascii_digit).count());
        let (number, part) = if digits > 0 { part.split_at(1 + digits) } else { ("0", part) };
        let number: usize = number.trim_start_matches('+').parse().unwrap();
        out.push_str(&(round + number).to_string());
        out.push_str(part);
    }
    out
}

/// Runs a command under the system's limits: what is wrong with how it ended, and its CPU time.
fn run(scratch: &Scratch, arguments: &str) -> (Option<String>, Duration) {
    let limited = format!("ulimit -v {KILOBYTES}; ulimit -t {SECONDS}; exec \"$KUKLA\" {arguments}");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &limited]).current_dir(&scratch.root).env("KUKLA", env!("CARGO_BIN_EXE_kukla"));
    command.env("XDG_CACHE_HOME", scratch.path("caches")).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null());
    command.stderr(std::fs::File::create(scratch.path("errors")).unwrap());
    let mut child = command.spawn().unwrap();
    let about = format!("/proc/{}/stat", child.id());
    let mut taken = Duration::ZERO;
    let status = loop {
        // The numbers are those of the whole process as long as nobody has waited for it.
        let numbers = std::fs::read_to_string(&about).unwrap_or_default();
        let mut fields = numbers.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let ticks = (0..2).filter_map(|_| fields.next()?.parse::<u64>().ok()).sum::<u64>();
        taken = taken.max(Duration::from_millis(ticks * 10));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let errors = String::from_utf8_lossy(&std::fs::read(scratch.path("errors")).unwrap()).into_owned();
    let wrong = match status.code() {
        None => Some(format!("was killed: {status}")),
        Some(code) if code > 2 => Some(format!("ended with {code}")),
        Some(_) if errors.contains("INTERNAL_FAILURE") || errors.contains("panicked") => {
            Some("failed inside".to_owned())
        }
        Some(_) if taken > LONGEST => Some(format!("took {} ms", taken.as_millis())),
        Some(_) => None,
    };
    (wrong.map(|wrong| format!("{wrong}: {errors:.300}")), taken)
}

fn try_all(programs: &[Program], command: &str) {
    let wanted = std::env::var("KUKLA_HOSTILE").ok();
    let is_chosen = |(at, program): &(usize, &Program)| match &wanted {
        Some(text) => program.name.contains(text.as_str()),
        None => at.is_multiple_of(ONE_IN),
    };
    let mut wrong = Vec::new();
    for (_, program) in programs.iter().enumerate().filter(is_chosen) {
        let file = format!("main.{}", program.language);
        let scratch = Scratch::new(&format!("hostile-{}", command.split(' ').next().unwrap_or_default()));
        let scratch = scratch.with(&file, &expand(&program.code));
        let (failure, taken) = run(&scratch, &format!("{command} {file}"));
        if wanted.is_some() {
            println!("{:>6} ms  {command} {}", taken.as_millis(), program.name);
        }
        wrong.extend(failure.map(|failure| format!("{}: {command} {failure}", program.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn puppet() -> Vec<Program> {
    programs(include_str!("puppet.md"), "pp")
}

#[test]
fn puppet_programs_end() {
    try_all(&puppet(), &format!("eval --deadline {DEADLINE}"));
}

#[test]
fn ruby_programs_end() {
    try_all(&programs(include_str!("ruby.md"), "rb"), &format!("ruby --deadline {DEADLINE}"));
}

/// No code runs once a limit is exceeded.
#[test]
fn limits_are_final() {
    for code in [
        "begin; loop { }; rescue Exception; puts 'on'; end; puts 'on'",
        "begin; loop { }; ensure; puts 'on'; end",
        "begin; x = 'a'; loop { x += x }; rescue NoMemoryError, Exception; puts 'on'; end",
        "def a; a; ensure; a; end; begin; a; rescue Exception; puts 'on'; end",
        "at_exit { puts 'on' }; loop { }",
        "catch(:x) { begin; loop { }; ensure; throw :x; end }; puts 'on'",
        "loop { begin; loop { }; ensure; puts 'on'; break; end }",
        "def method_missing(*) = loop { }\nbegin; foo; rescue Exception; puts 'on'; retry; end",
        "class A; define_method(:a) { loop { } rescue puts 'on' }; end; A.new.a; puts 'on'",
        "[3, 1, 2].sort { |a, b| loop { } rescue 0 }; puts 'on'",
        "begin; 'x' * 40 + '!' =~ /^(a+)+\\1$/; loop { }; rescue Exception; exit! 0; end",
    ] {
        let scratch = Scratch::new("hostile-final").with("a.rb", code);
        let ended = scratch.run(&["ruby", "--limit-steps", "300000", "--limit-memory", "20000000", "a.rb"]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{code}\n{}", ended.err);
        assert!(ended.err.contains("than it may"), "{code}\n{}", ended.err);
    }
}

#[test]
fn repetitions_are_written_out() {
    assert_eq!(expand("a«3|№»b"), "a012b");
    assert_eq!(expand("«2|x«2|-»№+1 »"), "x--1 x--2 ");
}
