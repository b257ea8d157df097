# frozen_string_literal: true

require 'spec_helper'

describe 'greeter::person' do
  let(:title) { 'ann' }
  let(:params) { { tone: 'loud', password: sensitive('secret') } }

  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_file('/etc/greeter/ann').with_content(sensitive('secret')).that_notifies('Exec[greet ann]') }
  it { is_expected.to contain_exec('greet ann').with(command: "/bin/echo 'HELLO ANN!'", refreshonly: true) }

  context 'with a name that the function refuses' do
    let(:title) { 'nobody' }

    it { is_expected.to compile.and_raise_error(/nobody is called that/) }
  end
end
