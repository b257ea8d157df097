//! RSpec suites: the verdicts of examples of every kind.

use std::path::Path;
use std::sync::Arc;

use kukla::{MemoryWorld, World};
use kukla_test::discovery;
use kukla_test::model::{Suite, Verdict};
use kukla_test::runner;

use crate::common;

/// A module and one file of specs.
fn module(specs: &str) -> Arc<dyn World> {
    let metadata = r#"{"name": "acme-greeter", "version": "1.0.0", "author": "acme",
        "license": "Apache-2.0", "summary": "Greets", "source": "https://example.com", "dependencies": [], "operatingsystem_support": [
        {"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}, {"operatingsystem": "RedHat", "operatingsystemrelease": ["9"]}]}"#;
    let class = "class greeter (String $text = 'hello', Sensitive[String] $secret = Sensitive('x')) {
      package { 'greet': ensure => installed }
      -> file { '/etc/greet': ensure => directory }
      file { '/etc/greet/text': content => \"${text} from ${facts['os']['family']}\\n\", mode => '0644' }
      ~> service { 'greet': ensure => running }
      file { '/etc/greet/secret': content => $secret }
      if $text == 'hello' { file { '/etc/greet/bytes': content => Binary('aGVsbG8K', '%B') } }
      if $text == 'fail' { fail('no greeting') }
    }";
    let world = MemoryWorld::default()
        .with("/m/greeter/metadata.json", metadata)
        .with("/m/greeter/manifests/init.pp", class)
        .with("/m/greeter/manifests/person.pp", "define greeter::person ($age = 1) { notify { \"${title} ${age}\": } }")
        .with("/m/greeter/functions/twice.pp", "function greeter::twice(Integer $n) { $n * 2 }")
        .with(
            "/m/greeter/lib/puppet/type/greeting.rb",
            "Puppet::Type.newtype(:greeting) do
               newparam(:word, namevar: true) { validate { |value| raise ArgumentError, 'too loud' if value.end_with?('!') } }
               newparam(:reader)
               autobefore(:notify) { self[:reader] }
             end",
        )
        .with(
            "/m/greeter/lib/puppet/functions/greeter/tool.rb",
            "module GreeterTool; def self.word = 'real'; end
             Puppet::Functions.create_function(:'greeter::tool') { def tool = GreeterTool.word }",
        )
        .with("/m/greeter/lib/facter/greeter_words.rb", "Facter.add(:greeter_words) { setcode { 3 } }")
        .with("/m/greeter/types/tone.pp", "type Greeter::Tone = Enum['loud', 'soft']")
        .with("/m/greeter/spec/spec_helper.rb", "require 'puppetlabs_spec_helper/module_spec_helper'\nrequire 'rspec-puppet-facts'\ninclude RspecPuppetFacts")
        .with("/m/greeter/spec/greeter_spec.rb", format!("require 'spec_helper'\n{specs}"));
    Arc::new(world)
}

fn run(specs: &str) -> Suite {
    let world = module(specs);
    let files =
        discovery::find(&*world, &[Path::new("/m/greeter/spec/greeter_spec.rb").to_owned()]).expect("tests");
    let options = runner::RunOptions { fail_fast: false, ..common::options() };
    runner::run(&world, &files, &options, &()).remove(0)
}

/// Runs examples whose names begin with the verdict that they must have, and requires at least one.
fn expect(specs: &str) {
    let suite = run(specs);
    assert!(suite.problem.is_none(), "{:?}", suite.problem);
    assert!(!suite.examples.is_empty(), "no examples");
    for example in &suite.examples {
        let (verdict, why) = match &example.verdict {
            Verdict::Passed => ("passes", String::new()),
            Verdict::Failed(failures) => ("fails", failures.iter().map(ToString::to_string).collect()),
            Verdict::Skipped(why) => ("skips", why.clone()),
            Verdict::Pending(why) => ("waits", why.clone()),
        };
        let name = example.full_name();
        let expected = name.split(' ').find(|word| ["passes", "fails", "skips", "waits"].contains(word));
        assert_eq!(Some(verdict), expected, "{name}: {why}");
    }
}

#[test]
fn the_language_of_groups_and_examples() {
    expect(
        "RSpec.shared_examples('numbers') { |n| it(\"passes with #{n}\") { expect(n).to eq(value) } }
         describe 'language' do
           let(:value) { 1 }
           before(:all) { @all = [1] }
           before { @each = @all + [2] }
           around { |example| @around = 3; example.run }
           it('passes hooks') { expect([@each, @around]).to eq [[1, 2], 3] }
           context 'inner' do
             let(:value) { super() + 1 }
             it_behaves_like 'numbers', 2
             include_examples 'numbers', 2
             it('fails') { expect(value).to eq 1 }
           end
           it('skips') { skip 'not today' }
           xit('skips too') { raise }
           it('waits') { pending 'later'; raise 'not yet' }
           it('fails when fixed') { pending 'later' }
           it('passes all at once', :aggregate_failures) { expect(1).to eq 1 }
           it('fails with unless', unless: false) { raise 'x' }
           it('passes never', if: false) { raise 'x' }
         end",
    );
}

#[test]
fn matchers_and_mocks() {
    expect(
        "RSpec::Matchers.define(:be_twice) { |n| match { |actual| actual == n * 2 } }
         class Door; def open(how = 1) = how; end
         describe 'matchers' do
           it('passes') { expect([1, 2]).to include(1).and contain_exactly(2, 1) }
           it('passes its own') { expect(4).to be_twice(2) }
           it('passes errors') { expect { raise ArgumentError, 'bad thing' }.to raise_error(ArgumentError, /bad/) }
           it('fails on other errors') { expect { raise 'bad' }.to raise_error(ArgumentError) }
           it('passes stubs') { d = Door.new; allow(d).to receive(:open).with(2).and_return(5); expect(d.open(2)).to eq 5 }
           it('fails uncalled') { expect(Door.new).to receive(:open) }
           it('passes doubles') { d = double('d', a: 1); expect(d.a).to eq 1; expect { d.b }.to raise_error(/unexpected/) }
           it('passes any instance') { allow_any_instance_of(Door).to receive(:open).and_return(7); expect(Door.new.open).to eq 7 }
           it('passes constants') { stub_const('Door::WIDE', 2); expect(Door::WIDE).to eq 2 }
           it('passes restored') { expect([Door.new.open, defined?(Door::WIDE)]).to eq [1, nil] }
         end",
    );
}

#[test]
fn catalogs_of_classes_and_defines() {
    expect(
        "describe 'greeter', type: :class do
           on_supported_os.each do |os, os_facts|
             context \"passes on #{os}\" do
               let(:facts) { os_facts }
               it { is_expected.to compile.with_all_deps }
               it { is_expected.to contain_file('/etc/greet/text').with_content(/from #{os_facts[:os]['family']}/).with_mode('0644') }
               it { is_expected.to contain_file('/etc/greet').that_requires('Package[greet]') }
               it { is_expected.to contain_service('greet').that_subscribes_to('File[/etc/greet/text]') }
               it { is_expected.to contain_file('/etc/greet/text').that_requires('File[/etc/greet]') }
               it { is_expected.to contain_file('/etc/greet/secret').with_content(sensitive('x')) }
               it { is_expected.to have_file_resource_count(4) }
               it { is_expected.not_to contain_package('other') }
             end
           end
           context 'with parameters' do
             let(:params) { { text: 'fail' } }
             let(:facts) { { os: { 'family' => 'X' } } }
             it('passes') { is_expected.to compile.and_raise_error(/no greeting/) }
             it('fails') { is_expected.to compile }
           end
           context 'mismatch' do
             let(:facts) { { os: { 'family' => 'X' } } }
             it('fails') { is_expected.to contain_file('/etc/greet/text').with_mode('0600') }
             it('fails relation') { is_expected.to contain_package('greet').that_requires('Service[greet]') }
             it('fails count') { is_expected.to contain_file('/etc/greet').only_with(ensure: 'directory', mode: '1') }
           end
         end
         describe 'greeter::person', type: :define do
           let(:title) { 'ann' }
           let(:params) { { age: 3 } }
           it('passes') { is_expected.to contain_notify('ann 3') }
         end",
    );
}

#[test]
fn functions_and_types() {
    expect(
        "describe 'greeter::twice', type: :puppet_function do
           it('passes') { is_expected.to run.with_params(2).and_return(4) }
           it('passes errors') { is_expected.to run.with_params('x').and_raise_error(StandardError, /expects an Integer/) }
           it('fails') { is_expected.to run.with_params(2).and_return(5) }
         end
         describe 'Greeter::Tone', type: :type_alias do
           it('passes') { is_expected.to allow_values('loud', 'soft') }
           it('passes too') { is_expected.not_to allow_value('other') }
           it('fails') { is_expected.to allow_value('other') }
         end",
    );
}

#[test]
fn resources_are_found_by_title_and_ordered_by_their_types() {
    expect(
        "describe 'greeter', type: :class do
           let(:facts) { { os: { 'family' => 'X' } } }
           let(:pre_condition) { \"greeting { 'a': word => 'hi', reader => 'Bob' }\\nnotify { 'Bob': }\" }
           it('passes a relation that the type adds') { is_expected.to contain_greeting('a').that_comes_before('Notify[Bob]') }
           it('fails the other way') { is_expected.to contain_notify('Bob').that_comes_before('Greeting[a]') }
           it('passes where a name is not a title') { is_expected.not_to contain_greeting('hi') }
           it('passes references by that attribute') { is_expected.to contain_notify('Bob').that_requires('Greeting[hi]') }
           it 'passes with bare secrets' do
             secret = catalogue.resource('file', '/etc/greet/secret')
             expect([secret[:content], secret.send(:parameters)[:content], secret.sensitive_parameters]).to eq ['x', 'x', [:content]]
           end
           it('passes binary content') { expect(catalogue.resource('file', '/etc/greet/bytes')[:content]).to eq \"hello\\n\" }
           context 'refused' do
             let(:pre_condition) { \"greeting { 'a!': }\" }
             it('passes') { expect { catalogue.to_ral }.to raise_error(Puppet::Error, /too loud/) }
           end
         end",
    );
}

#[test]
fn the_place_of_a_test() {
    expect(
        "require 'webmock/rspec'
         describe 'greeter::tool', type: :puppet_function do
           it('passes once it is loaded') { is_expected.not_to be_nil }
           it 'passes with a replaced constant of the file' do
             allow(GreeterTool).to receive(:word).and_return('made up')
             is_expected.to run.and_return('made up')
           end
           it('passes with a directory for state') { expect(File.directory?(Puppet[:vardir])).to be true }
         end
         describe 'facts' do
           it('passes') { expect(Facter.fact(:greeter_words).value).to eq 3 }
           it('passes without') { expect(Facter.fact(:no_such_fact)).to be_nil }
         end
         describe 'lists' do
           it('passes') { expect([{ 'a' => 1, 'b' => 2 }]).to include('a' => 1, 'b' => 2) }
           it('fails on a part') { expect([{ 'a' => 1, 'b' => 2 }]).to include('a' => 1) }
         end
         describe 'the network' do
           let(:uri) { URI('http://localhost:8500/v1/kv?a=1&b=2') }
           it 'passes' do
             stub = stub_request(:put, 'http://localhost:8500/v1/kv?b=2&a=1').with(body: { 'x' => 1 }).to_return(status: 201, body: 'done')
             answer = Net::HTTP.start('localhost', 8500) { |http| http.request(Net::HTTP::Put.new(uri), JSON.generate('x' => 1)) }
             expect([answer.code, answer.body]).to eq %w[201 done]
             expect(stub).to have_been_requested
           end
           it('passes refusal') { expect { Net::HTTP.get(uri) }.to raise_error(WebMock::NetConnectNotAllowedError, /GET/) }
         end",
    );
}

#[test]
fn suites_of_simp() {
    expect(
        "require 'simp/rspec-puppet-facts'
        require 'etc'
        include Simp::RspecPuppetFacts
        describe 'greeter' do
          on_supported_os(extra_facts: { colour: 'red' }).each do |os, facts|
            it(\"passes on #{os}\") { expect(facts).to include(selinux: true, selinux_state: 'enforcing', colour: 'red') }
          end
          on_supported_os(selinux_mode: :disabled).each do |os, facts|
            it(\"passes without SELinux on #{os}\") { expect(facts[:selinux]).to be(false) }
          end
          it('passes') { expect { on_supported_os(selinux_mode: :odd) }.to raise_error(/must be one of: :enforcing/) }
          it('passes for the process') { expect([Process.pid, Etc.getpwuid(Process.uid).name]).to eq([1, 'root']) }
        end",
    );
}

#[test]
fn a_broken_module_fails_its_examples() {
    let specs = "describe 'greeter', type: :class do
        let(:facts) { { os: { 'family' => 'X' } } }
        it('mode') { is_expected.to contain_file('/etc/greet/text').with_mode('0644') }
        it('service') { is_expected.to contain_service('greet') }
      end";
    assert!(run(specs).passed());
    let broken = run(&specs.replace("'0644'", "'0640'"));
    let failed: Vec<&str> =
        broken.examples.iter().filter(|one| one.failed()).map(|one| one.name.as_str()).collect();
    assert_eq!(failed, ["mode"]);
}

#[test]
fn a_file_that_cannot_be_loaded_is_a_problem() {
    let suite = run("require 'no_such_library'");
    let problem = suite.problem.expect("a problem").to_string();
    assert!(problem.contains("cannot load such file -- no_such_library"), "{problem}");
}
