//! RSpec and rspec-puppet in Ruby, and the run of a file.

use std::path::Path;
use std::rc::Rc;

use kukla::extensions::guest;
use kukla::values::Value as PuppetValue;
use kukla_ruby::{Result, Ruby, Value, built_in};

use crate::rspec::bench::Bench;
use crate::rspec::{native, request};
use crate::runner::Filter;

macro_rules! text {
    ($name:literal) => {
        (concat!("rspec/", $name), include_str!(concat!("ruby/", $name)))
    };
}

/// The files that every suite has, in the order in which they build on each other.
const ALWAYS: &[(&str, &str)] = &[
    text!("core/process.rb"),
    text!("core/filter.rb"),
    text!("core/hooks.rb"),
    text!("core/memoized.rb"),
    text!("core/shared.rb"),
    text!("expectations/expect.rb"),
    text!("expectations/matcher.rb"),
    text!("expectations/values.rb"),
    text!("expectations/blocks.rb"),
    text!("core/group.rb"),
    text!("core/example.rb"),
    text!("core/configuration.rb"),
    text!("core/world.rb"),
    text!("expectations/language.rb"),
    text!("mocks/proxy.rb"),
    text!("mocks/answer.rb"),
    text!("mocks/double.rb"),
    text!("mocks/language.rb"),
    text!("puppet/settings.rb"),
    text!("puppet/facter.rb"),
    text!("puppet/catalog.rb"),
    text!("puppet/support.rb"),
    text!("puppet/contain.rb"),
    text!("puppet/matchers.rb"),
    text!("puppet/functions.rb"),
    text!("puppet/types.rb"),
    text!("puppet/groups.rb"),
    text!("puppet/fact_sets.rb"),
    text!("run.rb"),
];

/// Libraries that suites require and that change something when they are.
const REQUIRED: &[(&str, &str)] = &[
    ("puppetlabs_spec_helper/module_spec_helper", include_str!("ruby/puppet/puppetlabs.rb")),
    ("puppetlabs_spec_helper/puppetlabs_spec_helper", include_str!("ruby/puppet/puppetlabs.rb")),
    ("puppetlabs_spec_helper/contents", include_str!("ruby/puppet/contents.rb")),
    ("voxpupuli/test/spec_helper", include_str!("ruby/puppet/voxpupuli.rb")),
    ("voxpupuli/test/facts", include_str!("ruby/puppet/voxpupuli_facts.rb")),
    ("webmock", include_str!("ruby/mocks/web.rb")),
    ("webmock/rspec", include_str!("ruby/mocks/web.rb")),
    ("simp/rspec-puppet-facts", include_str!("ruby/puppet/simp.rb")),
];

/// Libraries that are there from the start.
const THERE: &[&str] = &[
    "puppet/type/package",
    "puppet/type/service",
    "puppet/type/file",
    "rspec",
    "rspec/autorun",
    "rspec/core",
    "rspec/core/rake_task",
    "rspec/expectations",
    "rspec/its",
    "rspec/matchers",
    "rspec/mocks",
    "rspec/support",
    "rspec/collection_matchers",
    "rspec-puppet",
    "rspec-puppet/spec_helper",
    "rspec-puppet/support",
    "rspec-puppet-facts",
    "rspec-puppet/cache",
    "facterdb",
    "puppetlabs_spec_helper/puppet_spec_helper",
    "puppetlabs_spec_helper/puppetlabs_spec/files",
    "puppetlabs_spec_helper/puppetlabs_spec/puppet_internals",
    "puppetlabs_spec_helper/puppetlabs_spec/matchers",
    "puppet/test/test_helper",
    "facter/util/test_helper",
];

/// Makes an interpreter ready for a suite.
pub fn start(ruby: &mut Ruby<'_>, bench: &Rc<Bench>, root: &Path) -> Result<()> {
    guest::bring_puppet(ruby)?;
    ruby.declare(native::CLASSES)?;
    native::set_bench(ruby, bench);
    for (name, text) in REQUIRED {
        ruby.provide(name, text);
    }
    for name in THERE {
        ruby.provide(name, "");
    }
    let directory = Value::Class(ruby.class_named("Dir")?);
    let change = ruby.symbols.intern("chdir");
    ruby.send(&directory, change, &[Value::from(root.to_string_lossy().as_ref())])?;
    for (name, text) in ALWAYS {
        match built_in(name, text) {
            Ok(program) => ruby.run_program(&program)?,
            Err(problem) => {
                return Err(ruby.runtime_error(format!("{name}:{}: {}", problem.line, problem.message)));
            }
        };
    }
    Ok(())
}

/// Runs a file and lists its results.
pub fn run_file(
    ruby: &mut Ruby<'_>,
    root: &Path,
    file: &Path,
    filter: &Filter,
    only_list: bool,
) -> Result<PuppetValue> {
    let suite = Value::Class(ruby.class_named("Kukla::Suite")?);
    let shown = match file.strip_prefix(root) {
        Ok(inside) => format!("./{}", inside.display()),
        Err(_) => file.display().to_string(),
    };
    let texts = Value::array(filter.texts.iter().map(|text| Value::from(text.as_str())).collect::<Vec<_>>());
    let line = filter.line.map_or(Value::Nil, |line| Value::Int(line as i64));
    let run = ruby.symbols.intern("run");
    let file = Value::from(file.to_string_lossy().as_ref());
    let args = [file, Value::from(shown), texts, line, Value::Bool(only_list)];
    let results = ruby.send(&suite, run, &args)?;
    request::plain(ruby, &results)
}
