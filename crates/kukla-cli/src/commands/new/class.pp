# Manages {{short}}.
#
# @param ensure whether {{short}} is there
#
# @example
#   include {{name}}
class {{name}} (
  Enum['present', 'absent'] $ensure = 'present',
) {
  file { '/etc/{{short}}.conf':
    ensure => $ensure,
    mode   => '0644',
  }
}
