# frozen_string_literal: true

# What is said to somebody.
Puppet::Functions.create_function(:'greeter::phrase') do
  dispatch :phrase do
    param 'String[1]', :name
    optional_param 'Greeter::Tone', :tone
    return_type 'String'
  end

  def phrase(name, tone = 'plain')
    raise ArgumentError, 'nobody is called that' if name == 'nobody'

    words = "hello #{name}"
    tone == 'loud' ? "#{words.upcase}!" : words
  end
end
