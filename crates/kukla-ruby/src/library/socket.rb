# The network, behind the policy's door.
class SocketError < StandardError; end

class BasicSocket < IO
  def self.new(*)
    Kernel.__network('a socket')
  end
end

class Socket < BasicSocket
  AF_UNSPEC = 0
  AF_UNIX = 1
  AF_INET = 2
  AF_INET6 = 10
  PF_INET = 2
  PF_INET6 = 10
  SOCK_STREAM = 1
  SOCK_DGRAM = 2
  IPPROTO_TCP = 6

  %i[gethostname gethostbyname getaddrinfo getnameinfo ip_address_list tcp getifaddrs].each do |name|
    define_singleton_method(name) { |host = 'this machine', *| Kernel.__network(host.to_s) }
  end
end

class IPSocket < BasicSocket
  def self.getaddress(host)
    Kernel.__network(host.to_s)
  end
end

class TCPSocket < IPSocket
  def self.new(host = 'a host', *)
    Kernel.__network(host.to_s)
  end

  def self.open(host = 'a host', *)
    Kernel.__network(host.to_s)
  end

  def self.gethostbyname(host)
    Kernel.__network(host.to_s)
  end
end

class UDPSocket < IPSocket; end
class UNIXSocket < BasicSocket; end
class TCPServer < TCPSocket; end
