# The role of each machine.

File {
  owner => 'root',
  group => 'root',
}

node /^web\d+\./ {
  include profile::base
  include profile::web

  Class['profile::base'] -> Class['profile::web']
}

node default {
  include profile::base
}
