# Every machine has the right time.
policy('every machine runs a time server', Class['chrony']) # lint:ignore:reference_on_foreign_class a policy declares nothing

policy('no service is started by hand', Service) |$service| {
  $service['enable'] == true
}
