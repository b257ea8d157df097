# frozen_string_literal: true

require 'yaml'
# Lost: YARD takes this line for another comment.
# @param lost
# The last line is the description.
Puppet::Functions.create_function(:early) do
  # @param value The value.
  # @return the value
  dispatch :early do
    param 'Any', :value
    return_type 'Any'
  end
  LIMIT = [
    1,
  ]
  # @param value The value.
  # @param limit A line with a blank before it belongs to the comment above.
  # @return the value
  dispatch :limited do
    param 'Any', :value
    param 'Integer', :limit
    return_type 'Any'
  end

  def early(value)
    value
  end
end
