# Every machine has the right time.
policy('every machine runs a time server', Class['chrony'])

policy('no service is started by hand', Service) |$service| {
  $service['enable'] == true
}
