//! Attempts of Ruby code to get out: each ends with an error, and where an option would allow it, the error names the option.

#![allow(clippy::disallowed_methods, reason = "a directory with a link that leads out of it")]

use std::path::Path;

use kukla::ruby::{self, Ended, ScriptLimits, Surroundings};
use kukla::world::Guarded;
use kukla::world::policy::{Clock, Randomness, Variables, Writes};
use kukla::{DiskWorld, Policy};

const FILES: &str = "is not allowed; `--files repository,/etc/passwd` would allow it (SecurityError)";
const DIRECTORY: &str = "is not allowed; `--files repository,/etc` would allow it (SecurityError)";
const UNCHANGED: &str = "is not allowed; `--writes /";
const LINKS: &str = "is not allowed: links and pipes are not made (SecurityError)";
const OWNERS: &str =
    "asking for users and groups is not allowed; `--writes DIR` would allow it (SecurityError)";
const COMMAND: &str = "running 'id' is not allowed; `--commands id` would allow it (SecurityError)";
const PROCESS: &str = "backticks and system run what --commands allows (SecurityError)";
const NETWORK: &str = "is not allowed; `--answers DIR` would allow it (SecurityError)";
const CLOCK: &str = "asking for the time is not allowed; `--clock on` would allow it (SecurityError)";
const CHANCE: &str = "is not allowed; `--randomness on` would allow it (SecurityError)";
const MISSING: &str = "cannot load such file";
const OBJECTS: &str = "objects are not listed, and code is not traced (SecurityError)";

const ATTEMPTS: &[(&str, &str)] = &[
    ("File.read('/etc/passwd')", FILES),
    ("File.open('/etc/passwd') { |f| f.read }", FILES),
    ("File.new('/etc/passwd').read", FILES),
    ("IO.read('/etc/passwd')", FILES),
    ("IO.readlines('/etc/passwd')", FILES),
    ("File.foreach('/etc/passwd') { |line| puts line }", FILES),
    ("File.binread('/etc/passwd')", FILES),
    ("open('/etc/passwd').read", FILES),
    ("Kernel.open('/etc/passwd')", FILES),
    ("require 'pathname'; Pathname('/etc/passwd').read", FILES),
    ("File.read('../../../../../../../../../../../../etc/passwd')", FILES),
    (
        "File.read(File.join(Dir.pwd, '..', '..', '..', '..', '..', '..', '..', '..', '..', '..', '..', 'etc', 'passwd'))",
        FILES,
    ),
    ("File.read('link')", "is not allowed; `--files repository,"),
    ("File.stat('/etc/passwd').size", FILES),
    ("File.realpath('/etc/passwd')", FILES),
    ("require 'yaml'; YAML.load_file('/etc/passwd')", FILES),
    ("require 'json'; JSON.load_file('/etc/passwd')", FILES),
    ("eval(\"File.read('/etc/passwd')\")", FILES),
    ("instance_eval(\"File.read('/etc/passwd')\")", FILES),
    ("binding.eval(\"File.read('/etc/passwd')\")", FILES),
    ("Object.const_get(:File).send(:read, '/etc/passwd')", FILES),
    ("File.method(:read).unbind.bind(File).call('/etc/passwd')", FILES),
    ("['/etc/passwd'].each(&File.method(:read))", FILES),
    ("at_exit { File.read('/etc/passwd') }", FILES),
    ("require '/etc/passwd'", FILES),
    ("require_relative '../../../../../../../../../../../../etc/passwd'", FILES),
    ("load '/etc/passwd'", FILES),
    ("autoload(:Foo, '/etc/passwd'); Foo", FILES),
    ("Dir.entries('/etc')", DIRECTORY),
    ("Dir.children('/etc')", DIRECTORY),
    ("Dir.each_child('/etc') { |name| puts name }", DIRECTORY),
    ("raise 'seen' if Dir.glob('/etc/*').any?; raise 'nothing there'", "nothing there"),
    ("raise 'seen' if File.exist?('/etc/passwd'); raise 'nothing there'", "nothing there"),
    ("Dir.chdir('/etc')", DIRECTORY),
    ("Dir.chdir('/') { File.read('etc/passwd') }", FILES),
    ("Dir.mkdir('x')", UNCHANGED),
    ("File.write('x', 'x')", UNCHANGED),
    ("File.open('x', 'w') { |f| f.write 'x' }", UNCHANGED),
    ("File.open('x', File::WRONLY | File::CREAT)", UNCHANGED),
    ("IO.write('x', 'x')", UNCHANGED),
    ("open('x', 'w')", UNCHANGED),
    ("File.delete('link')", UNCHANGED),
    ("File.rename('link', 'x')", UNCHANGED),
    ("File.symlink('/etc', 'x')", LINKS),
    ("File.link('/etc/passwd', 'x')", LINKS),
    ("Process.uid", OWNERS),
    ("File.chmod(0777, 'link')", UNCHANGED),
    ("require 'fileutils'; FileUtils.rm_rf('link')", UNCHANGED),
    ("require 'tempfile'; Tempfile.new('x')", UNCHANGED),
    ("require 'logger'; Logger.new('x').info('x')", UNCHANGED),
    ("`id`", COMMAND),
    ("%x(id)", COMMAND),
    ("system('id')", COMMAND),
    ("system('id', '-u')", COMMAND),
    ("exec('id')", COMMAND),
    ("spawn('id')", COMMAND),
    ("IO.popen('id').read", COMMAND),
    ("IO.popen(['id', '-u'])", COMMAND),
    ("open('|id').read", COMMAND),
    ("Kernel.method(:system).call('id')", COMMAND),
    ("Object.const_get(:Kernel).send(:`, 'id')", COMMAND),
    ("__send__(:exec, 'id')", COMMAND),
    ("Object.new.instance_eval { system('id') }", COMMAND),
    ("BasicObject.new.instance_eval { ::Kernel.exec('id') }", COMMAND),
    ("Class.new { class_eval(\"def x = system('id')\") }.new.x", COMMAND),
    ("def self.method_missing(*) = system('id'); foo", COMMAND),
    ("at_exit { system('id') }", COMMAND),
    ("`id; true`", "running '/bin/sh' is not allowed; `--commands /bin/sh` would allow it"),
    ("fork { puts 1 }", "running 'fork' is not allowed"),
    ("Process.fork", PROCESS),
    ("Process.spawn('id')", PROCESS),
    ("Process.exec('id')", PROCESS),
    ("Process.kill(9, 1)", PROCESS),
    ("Process.daemon", PROCESS),
    ("Process.pid", PROCESS),
    ("IO.pipe", PROCESS),
    ("IO.for_fd(0).read", PROCESS),
    ("IO.copy_stream('/etc/passwd', $stdout)", PROCESS),
    ("syscall(39)", PROCESS),
    ("require 'etc'; Etc.getpwuid", OWNERS),
    ("require 'etc'; Etc.uname", "it would tell about this machine"),
    ("require 'open3'; Open3.capture2('id')", COMMAND),
    ("require 'pty'", MISSING),
    ("require 'fiddle'", MISSING),
    ("require 'ffi'", MISSING),
    ("ObjectSpace.each_object(Class) { }", OBJECTS),
    ("set_trace_func(proc { })", OBJECTS),
    ("TracePoint.new(:call) { }.enable", "uninitialized constant TracePoint"),
    ("RubyVM::InstructionSequence.compile('1')", "uninitialized constant RubyVM"),
    ("Thread.new { }", "threads are not supported"),
    ("sleep 100", "nothing waits while a catalog is compiled"),
    ("require 'socket'; TCPSocket.new('example.com', 80)", NETWORK),
    ("require 'socket'; Socket.getaddrinfo('example.com', 80)", NETWORK),
    ("require 'socket'; UNIXSocket.new('/run/x.sock')", NETWORK),
    ("require 'net/http'; Net::HTTP.get(URI('http://example.com/'))", NETWORK),
    ("require 'resolv'; Resolv.getaddress('example.com')", NETWORK),
    ("ENV['HOME']", "`--env HOME` would allow it (SecurityError)"),
    ("ENV.fetch('PATH')", "`--env PATH` would allow it (SecurityError)"),
    ("ENV.to_h", "`--env NAME,NAME` would allow those named (SecurityError)"),
    ("Time.now", CLOCK),
    ("require 'date'; Date.today", CLOCK),
    ("Process.clock_gettime(Process::CLOCK_MONOTONIC)", CLOCK),
    ("rand", CHANCE),
    ("Random.new", CHANCE),
    ("[1, 2].shuffle", CHANCE),
    ("[1, 2].sample", CHANCE),
    ("require 'securerandom'; SecureRandom.hex", CHANCE),
];

fn ended(code: &str, policy: Policy, limits: ScriptLimits) -> (Ended, String) {
    let world = Guarded::new(DiskWorld::default(), policy);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut surroundings = Surroundings::new(&world, &mut out, &mut err, limits);
    let ended = ruby::run(&mut surroundings, "script", code.as_bytes(), &[], &[]);
    (ended, String::from_utf8_lossy(&out).into_owned())
}

/// A policy that allows one directory to be read and nothing else.
fn closed(directory: &Path) -> Policy {
    let files = format!("repository,{}", directory.display()).parse().unwrap();
    Policy {
        files,
        variables: Variables::Off,
        writes: Writes::Off,
        clock: Clock::Off,
        randomness: Randomness::Off,
        ..Policy::default()
    }
}

#[test]
fn every_attempt_is_refused() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("escapes");
    let link = directory.join("link");
    std::fs::create_dir_all(&directory).unwrap();
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
    let mut wrong = Vec::new();
    for (code, sign) in ATTEMPTS {
        let code = code.replace("'link'", &format!("'{}'", link.display()));
        let (ended, out) = ended(&code, closed(&directory), ScriptLimits::default());
        match ended {
            Ended::Failed(message) if message.contains(sign) && out.is_empty() => {}
            other => wrong.push(format!("{code}\n  {other:?} {out:?}")),
        }
    }
    assert!(link.is_symlink(), "nothing outside was changed");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_allowed_is_done() {
    let policy = Policy {
        commands: "/bin/echo,/bin/sh".parse().unwrap(),
        variables: "PATH".parse().unwrap(),
        clock: Clock::On,
        randomness: Randomness::On,
        ..Policy::default()
    };
    let code = "print `/bin/echo a b`, $?.success?, `/bin/echo c | tr c d; exit 3`, $?.exitstatus
system('/bin/echo', 'e  f')
p rand.class, Time.now.class, ENV['PATH'].class, SecureRandom.hex.size, File.read('/dev/null')
begin; `id`; rescue SecurityError => e; puts e.message; end
begin; ENV['HOME']; rescue SecurityError => e; puts e.message; end";
    let (ended, out) = ended(code, policy, ScriptLimits::default());
    let expected = "a b\ntrued\n3e  f\nFloat\nTime\nString\n32\n\"\"\n\
        running 'id' is not allowed; `--commands id` would allow it\n\
        seeing the environment variable 'HOME' is not allowed; `--env HOME` would allow it\n";
    assert_eq!((ended, out.as_str()), (Ended::With(0), expected));
}

/// Changes that code attempts outside of the directory in which it may change everything.
const OUTWARDS: &[&str] = &[
    "File.write(at('../outside'), 'x')",
    "File.write(at('inside/../../outside'), 'x')",
    "File.write(at('out/outside'), 'x')",
    "File.open(at('out/kept'), 'a') { |f| f.write 'x' }",
    "File.chmod(0777, at('out'))",
    "File.chmod(0777, at('out/kept'))",
    "File.delete(at('out/kept'))",
    "File.rename(at('inside'), at('out/inside'))",
    "File.rename(at('out/kept'), at('inside/kept'))",
    "Dir.mkdir(at('../sibling'))",
    "FileUtils.rm(at('out/kept'))",
    "FileUtils.cp(at('inside/file'), at('../outside'))",
    "File.write(at('dangling'), 'x')",
];

#[test]
fn what_may_be_changed_lies_below_a_directory() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("writes");
    let _ = std::fs::remove_dir_all(&root);
    let (here, away) = (root.join("here"), root.join("away"));
    for directory in [&here.join("inside"), &away] {
        std::fs::create_dir_all(directory).unwrap();
    }
    std::fs::write(away.join("kept"), "kept").unwrap();
    std::fs::write(here.join("inside/file"), "file").unwrap();
    std::os::unix::fs::symlink(&away, here.join("out")).unwrap();
    std::os::unix::fs::symlink(away.join("nothing"), here.join("dangling")).unwrap();
    let allowed = |code: &str| {
        let writes = here.display().to_string().parse().unwrap();
        let code =
            format!("def at(path) = File.join('{}', path)\nrequire 'fileutils'\n{code}", here.display());
        ended(&code, Policy { writes, ..closed(&here) }, ScriptLimits::default())
    };
    for code in OUTWARDS {
        match allowed(code) {
            (Ended::Failed(_), _) => {}
            other => panic!("{code}: {other:?}"),
        }
    }
    let names = |path: &Path| std::fs::read_dir(path).unwrap().count();
    assert_eq!((names(&root), names(&away), names(&here)), (2, 1, 3), "nothing has changed");
    assert_eq!(std::fs::read_to_string(away.join("kept")).unwrap(), "kept");
    let code = "FileUtils.mkdir_p(at('a/b'))
File.open(at('a/b/c'), 'w', 0600) { |f| f.puts 'one'; f.write 'two' }
File.open(at('a/b/c'), 'a+') { |f| f << '!'; f.rewind; p f.read }
p File.stat(at('a/b/c')).mode.to_s(8), File.stat(at('a/b/c')).uid == Process.uid, File.writable?(at('a'))
p %w[a a/b/c a/none].map { |path| File.executable?(at(path)) }
File.delete(at('out')); FileUtils.rm_rf(at('a')); p Dir.children(at('.')).sort";
    let expected =
        "\"one\\ntwo!\"\n\"100600\"\ntrue\ntrue\n[true, false, false]\n[\"dangling\", \"inside\"]\n";
    assert_eq!(allowed(code), (Ended::With(0), expected.to_owned()));
    assert!(away.join("kept").exists(), "a link is removed, and not what it leads to");
}

#[test]
fn limits_name_what_raises_them() {
    let small = ScriptLimits { steps: 2_000_000, memory: 16 << 20, output: 1_000, deadline: None };
    for (code, sign) in [
        ("loop { }", "takes more steps"),
        ("begin; loop { }; rescue Exception; retry; end", "takes more steps"),
        ("begin; loop { }; ensure; puts 1; end", "takes more steps"),
        ("a = []; loop { a << 'x' * 100_000 }", "takes more memory"),
        ("loop { puts 'x' * 100 }", "writes more"),
    ] {
        let (ended, _) = ended(code, Policy::default(), small);
        assert!(matches!(&ended, Ended::Failed(message) if message.contains(sign)), "{code}: {ended:?}");
    }
}
