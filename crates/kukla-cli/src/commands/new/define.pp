# One {{short}} of {{module}}.
#
# @param ensure whether it is there
#
# @example
#   {{name}} { 'example': }
define {{name}} (
  Enum['present', 'absent'] $ensure = 'present',
) {
  file { "/etc/{{module}}/${title}.conf":
    ensure => $ensure,
    mode   => '0644',
  }
}
