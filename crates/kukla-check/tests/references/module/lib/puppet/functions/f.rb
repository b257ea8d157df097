# frozen_string_literal: true

# Head text
# @summary sum
#
# @example ex
#   f(1)
# @param x gone
#
# @raise [Foo] bar baz
# @raise Error text here
Puppet::Functions.create_function(:'a::f') do # trailing
  # First
  # @param a The a
  # @param [Foo] b The b
  # @return [String] ret
  # @example inner
  #   x
  dispatch :one do
    param 'String', :a
    optional_param "Optional[#{x}]", :b
    repeated_param 'Any', :c
    optional_block_param 'Callable[1]', :blk
    return_type 'Integer'
  end

  # Second, blank line between

  dispatch(:two) do
    required_repeated_param <<-TYPE, :xs
      Variant[String]
    TYPE
    block_param
    param 'x'
  end # end of two
  dispatch :three do
    param 'Str' 'ing', :q
    return_type 'A' 'B'
  end
  argument_mismatch :x do
    param 'Any', :z
  end
  def one(a) = 1
end
# g doc
Puppet::Functions.create_function(:g) do
  # doc for method
  # @param a The a
  def g(a, b = nil, c = :default, *d, e: 1, &f)
  end
end
Puppet::Functions.create_function(:h, Puppet::Functions::InternalFunction) do
  # one
  dispatch :h do
    scope_param
    param 'Hash[String, Any]', :hh
  end
end
