# @api private
# @param   nonexist foo
# @param (see a)
#
define a::b ($x, $name) { }
# (see a2)
# foo
define a::c () { }
