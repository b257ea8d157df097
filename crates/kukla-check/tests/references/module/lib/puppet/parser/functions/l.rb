module Puppet::Parser::Functions
  # Ignored
  newfunction(:l, :type => :rvalue, :arity => 1, :doc => <<-EOS
    @summary Legacy
    Text

      code
    @param a The a
    @return [String] x
    EOS
  ) do |args|
  end
  newfunction(:l2, :doc => <<-EOS, :type => :rvalue) do |args|
    Two
    EOS
    1
  end
  # Comment doc
  # @param x X
  newfunction(:l3) { |a| }
  Puppet::Parser::Functions::newfunction(:l4, doc: "x \
  y") do |a| end
end
Puppet::Parser::Functions.newfunction(:l5, :type => :statement, :doc => 'single') do |a|
end
if true
  Puppet::Parser::Functions.newfunction(:l6) do |a| end
end
