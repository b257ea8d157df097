# frozen_string_literal: true

require 'spec_helper'

describe 'greeter' do
  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_class('greeter').with_tone('plain') }
  it { is_expected.to contain_file('/etc/motd').with_content("on a.example.com, for nobody\n").that_requires('Package[motd]') }
  it { is_expected.to have_package_resource_count(1) }
  it { is_expected.not_to contain_notify('a.example.com') }
  it { expect(exported_resources).to contain_notify('a.example.com').with_message('192.0.2.1') }

  context 'with names' do
    let(:params) { { names: %w[b a], tone: 'loud' } }

    it { is_expected.to contain_file('/etc/motd').with_content(/\AHELLO A!\nHELLO B!\n/) }
    it { is_expected.to contain_greeter__person('a').with_tone('loud') }
  end

  context 'on Debian' do
    let(:facts) { { os: { name: 'Debian' } } }

    it('reads data of the module') { is_expected.to contain_class('greeter').with_tone('loud') }
  end

  context 'with trusted facts and conditions' do
    let(:trusted_facts) { { 'pp_role' => 'all' } }
    let(:pre_condition) { '$before = 1' }
    let(:post_condition) { 'notify { "after ${before}": }' }

    it { is_expected.to contain_file('/etc/motd').with_content(/for all/) }
    it { is_expected.to contain_notify('after 1') }
  end

  context 'with a fact that has no value' do
    let(:facts) { { visitor: nil, visitors: [nil] } }
    let(:post_condition) { 'notify { "${$facts[visitor] =~ Undef} ${$facts[visitors] =~ Array[Undef]} ${$visitor =~ Undef}": }' }

    it { is_expected.to contain_notify('true true true') }
  end

  context 'with a setting of the test itself' do
    before { Puppet[:cacrl] = '/ca/crl.pem' }

    let(:post_condition) { 'notify { $settings::cacrl: }' }

    it { is_expected.to contain_notify('/ca/crl.pem') }
  end

  context 'with a function of the test itself' do
    before do
      Puppet::Parser::Functions.newfunction(:visitors, type: :rvalue) { |args| "#{args.size} visitors, last #{args.last.inspect}" }
    end

    let(:post_condition) { "notify { visitors('a'): message => visitors('a', ['b']) }" }

    it { is_expected.to contain_notify('1 visitors, last "a"').with_message('2 visitors, last ["b"]') }
  end

  context 'with a wrong tone' do
    let(:params) { { tone: 'shrill' } }

    it { is_expected.to compile.and_raise_error(/parameter 'tone' expects a match for Greeter::Tone/) }
  end

  context 'with something missing' do
    let(:pre_condition) { "notify { 'x': require => File['/missing'] }" }

    it { is_expected.not_to compile.with_all_deps }
  end
end
