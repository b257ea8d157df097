# The base profile of every machine.
#
# @param packages names of packages to install
# @param motd     the message at login
class profile::base (
  Array[String[1]] $packages,
  Optional[String] $motd = undef,
) {
  include chrony

  package { $packages:
    ensure => installed,
    tag    => 'base',
  }

  if $motd {
    file { '/etc/motd':
      ensure  => file,
      mode    => '0644',
      content => @("MOTD"),
        ${facts['networking']['fqdn']} (${facts['os']['name']} ${facts['os']['release']['full']})

        ${motd}
        | MOTD
    }
  }
}
