# Names of hosts, behind the policy's door.
class Resolv
  class ResolvError < StandardError; end
  class ResolvTimeout < StandardError; end

  %i[getaddress getaddresses getname getnames each_address each_name].each do |name|
    define_singleton_method(name) { |host, *| Kernel.__network(host.to_s) }
    define_method(name) { |host, *| Kernel.__network(host.to_s) }
  end

  class DNS < Resolv
    module Resource
      module IN
        %i[A AAAA CNAME MX NS PTR SRV TXT SOA].each { |name| const_set(name, Class.new) }
      end
    end

    def self.open(*)
      yield new
    end

    def initialize(*); end

    def timeouts=(seconds); end

    def close; end

    %i[getresource getresources each_resource].each do |name|
      define_method(name) { |host, *| Kernel.__network(host.to_s) }
    end
  end

  class Hosts < Resolv; end

  class IPv4
    Regex = /\A((?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\.){3}(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\z/.freeze
  end

  class IPv6
    Regex_8Hex = /(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}/.freeze
    Regex_CompressedHex = /((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)::((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)/.freeze
    Regex = /\A(?:#{Regex_8Hex}|#{Regex_CompressedHex})\z/.freeze
  end

  AddressRegex = /(?:#{IPv4::Regex})|(?:#{IPv6::Regex})/.freeze
end
