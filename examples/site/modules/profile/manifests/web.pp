# A web server with the virtual hosts that the data lists.
#
# @param vhosts parameters of `nginx::vhost` by name
class profile::web (
  Hash[String[1], Hash] $vhosts = {},
) {
  # Half of the cores, but at least one.
  class { 'nginx':
    workers => max($facts['processors']['count'] / 2, 1),
  }

  $vhosts.each |$name, $parameters| {
    nginx::vhost { $name:
      * => $parameters,
    }
  }
}
