# A virtual host.
#
# @param docroot directory of its files
# @param port    port to listen on
# @param aliases further server names
define nginx::vhost (
  Pattern[/\A\//]  $docroot,
  Nginx::Port      $port    = 80,
  Array[String[1]] $aliases = [],
) {
  include nginx

  file { $docroot:
    ensure => directory,
    mode   => '0755',
  }

  file { "/etc/nginx/sites-enabled/${title}.conf":
    ensure  => file,
    mode    => '0644',
    content => epp('nginx/vhost.conf.epp', {
      'names'   => [$title] + $aliases,
      'docroot' => $docroot,
      'listen'  => nginx::listen($port),
    }),
    require => [Package['nginx'], File[$docroot]], # lint:ignore:reference_on_declaration_outside_of_class included above
    notify  => Service['nginx'],
  }
}
