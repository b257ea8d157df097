# The argument of `listen` for a port, on all addresses.
function nginx::listen(Nginx::Port $port) >> String {
  $port ? {
    80      => '*:80 default_server',
    default => "*:${port}",
  }
}
