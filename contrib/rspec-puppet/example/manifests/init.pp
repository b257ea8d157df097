# Greets whoever logs in.
class greeter (
  Greeter::Tone $tone = 'plain',
  Array[String[1]] $names = [],
) {
  file { '/etc/motd':
    content => template('greeter/motd.erb'),
    require => Package['motd'],
  }
  package { 'motd': ensure => installed }
  $names.each |$name| {
    greeter::person { $name: tone => $tone }
  }
  @@notify { $facts['networking']['fqdn']: message => $facts['networking']['ip'] }
}
