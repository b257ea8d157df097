# frozen_string_literal: true

require 'spec_helper'

describe 'Greeter::Tone' do
  it { is_expected.to allow_values('plain', 'loud') }
  it { is_expected.not_to allow_value('shrill') }
end
