# Installs nginx and keeps it running.
#
# @param workers number of worker processes
# @param user    the user they run as
class nginx (
  Integer[1] $workers = 1,
  String[1]  $user    = 'www-data',
) {
  package { 'nginx':
    ensure => installed,
  }

  file { '/etc/nginx/nginx.conf':
    ensure  => file,
    mode    => '0644',
    content => epp('nginx/nginx.conf.epp', { 'workers' => $workers, 'user' => $user }),
    require => Package['nginx'],
  }

  service { 'nginx':
    ensure    => running,
    enable    => true,
    subscribe => File['/etc/nginx/nginx.conf'],
  }
}
