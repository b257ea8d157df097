# Synchronises the clock.
#
# @param servers time servers
# @param config  path of the configuration file
# @param service name of the service
class chrony (
  Array[String[1], 1] $servers,
  Chrony::Path        $config,
  String[1]           $service,
) {
  package { 'chrony':
    ensure => installed,
  }
  -> file { $config:
    ensure  => file,
    mode    => '0644',
    content => epp('chrony/chrony.conf.epp'),
  }
  ~> service { $service:
    ensure => running,
    enable => true,
  }
}
