# frozen_string_literal: true

require 'spec_helper'

describe 'greeter::phrase' do
  it { is_expected.not_to be_nil }
  it { is_expected.to run.with_params("o'neil").and_return("hello o'neil") }
  it { is_expected.to run.with_params('a', 'loud').and_return('HELLO A!') }
  it { is_expected.to run.with_params('').and_raise_error(ArgumentError, /expects a String\[1\] value/) }
  it { is_expected.to run.with_params('nobody').and_raise_error(ArgumentError, /\Anobody is called that\z/) }
end
