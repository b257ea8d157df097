# The value with a colon in front of it.
#
# @param value the value
# @return the text
#
# @example
#   {{name}}('a')    # => ':a'
function {{name}}(String[1] $value) >> String {
  ":${value}"
}
