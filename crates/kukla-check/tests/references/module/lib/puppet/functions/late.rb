require 'yaml' # because of this comment, or of an operator, a line break does not end anything
# The first line counts,
# and so does the second.
Puppet::Functions.create_function(:late) do
# @param value
#   The value.
  dispatch :late do
    param 'Any', :value
  end
end
