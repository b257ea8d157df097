# The network, behind the policy's door; names of hosts from recorded answers.
require 'resolv'

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

  %i[gethostname ip_address_list tcp getifaddrs].each do |name|
    define_singleton_method(name) { |host = 'this machine', *| Kernel.__network(host.to_s) }
  end

  def self.__addresses(host)
    addresses = Resolv.getaddresses(host)
    raise SocketError, 'getaddrinfo: Name or service not known' if addresses.empty?

    addresses.map { |address| [address.include?(':') ? AF_INET6 : AF_INET, address] }
  end

  def self.__bytes(family, address)
    family == AF_INET ? address.split('.').map(&:to_i).pack('C4') : IPAddr.new(address).hton
  end

  def self.getaddrinfo(host, service = nil, family = nil, *)
    wanted = { 'AF_INET' => AF_INET, 'INET' => AF_INET, 'AF_INET6' => AF_INET6, 'INET6' => AF_INET6 }.fetch(family.to_s, family)
    found = __addresses(host.to_s).select { |kind, _| wanted.nil? || wanted == AF_UNSPEC || wanted == kind }
    found.map do |kind, address|
      [kind == AF_INET ? 'AF_INET' : 'AF_INET6', service.to_i, address, address, kind, SOCK_STREAM, IPPROTO_TCP]
    end
  end

  def self.gethostbyname(host)
    found = __addresses(host.to_s)
    family = found.first.first
    [host.to_s, [], family, *found.select { |kind, _| kind == family }.map { |kind, address| __bytes(kind, address) }]
  end

  def self.getnameinfo(address, *)
    [Resolv.getnames(address[3] || address[2]).first || address[3], address[1].to_s]
  end
end

class IPSocket < BasicSocket
  def self.getaddress(host)
    Socket.__addresses(host.to_s).first.last
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
    found = Socket.__addresses(host.to_s)
    [host.to_s, [], found.first.first, *found.map(&:last)]
  end
end

class UDPSocket < IPSocket; end
class UNIXSocket < BasicSocket; end
class TCPServer < TCPSocket; end
