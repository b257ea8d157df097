# Names of hosts, from recorded answers or behind the policy's door.
require 'json'

class Resolv
  class ResolvError < StandardError; end
  class ResolvTimeout < StandardError; end

  # What is recorded for a name or an address, by the first of the spellings that is: a list, empty if there is no such name.
  def self.__ask(name, *spellings)
    answer = JSON.parse(Kernel.__answer('dns', name, *spellings))
    answer.nil? ? [] : [answer].flatten(1)
  end

  module Names
    def getaddress(name)
      getaddresses(name).first or raise ResolvError, "no address for #{name}"
    end

    def getaddresses(name)
      name = name.to_s
      return [name] if name.match?(AddressRegex)

      Resolv.__ask(name, name).map(&:to_s)
    end

    def each_address(name, &block)
      getaddresses(name).each(&block)
    end

    def getname(address)
      getnames(address).first or raise ResolvError, "no name for #{address}"
    end

    def getnames(address)
      Resolv.__ask(address.to_s, address.to_s).map(&:to_s)
    end

    def each_name(address, &block)
      getnames(address).each(&block)
    end
  end

  extend Names
  include Names

  def initialize(*, **); end

  class IPv4
    Regex = /\A((?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\.){3}(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\z/.freeze

    # The bytes of the address.
    attr_reader :address

    def self.create(address)
      return address if address.is_a?(self)
      raise ArgumentError, "cannot interpret as IPv4 address: #{address.inspect}" unless address.match?(Regex)

      new(address.split('.').map(&:to_i).pack('C4'))
    end

    def initialize(address)
      raise ArgumentError, 'IPv4 address must be String' unless address.is_a?(String)
      raise ArgumentError, "IPv4 address expects 4 bytes but #{address.bytesize} bytes" unless address.bytesize == 4

      @address = address
    end

    def to_s = @address.unpack('C4').join('.')

    def inspect = "#<#{self.class} #{self}>"

    def to_name = DNS::Name.create("#{@address.unpack('C4').reverse.join('.')}.in-addr.arpa.")

    def ==(other) = other.is_a?(IPv4) && @address == other.address

    def eql?(other) = self == other

    def hash = @address.hash
  end

  class IPv6
    Regex_8Hex = /(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}/.freeze
    Regex_CompressedHex = /((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)::((?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)/.freeze
    Regex = /\A(?:#{Regex_8Hex}|#{Regex_CompressedHex})\z/.freeze

    # The bytes of the address.
    attr_reader :address

    def self.create(address)
      return address if address.is_a?(self)

      # The last four bytes may be written as those of an IPv4 address.
      plain = address.sub(/:(\d+(?:\.\d+){3})\z/) do
        IPv4::Regex.match?($1) ? format(':%x:%x', *IPv4.create($1).address.unpack('nn')) : $&
      end
      before, after = plain.split('::', 2).map { |part| part.split(':').map(&:hex) }
      words = after ? before + [0] * [8 - before.size - after.size, 0].max + after : before
      unless plain.match?(Regex) && words&.size == 8
        raise ArgumentError, "not numeric IPv6 address: #{address}"
      end

      new(words.pack('n8'))
    end

    def initialize(address)
      raise ArgumentError, 'IPv6 address must be String' unless address.is_a?(String)
      raise ArgumentError, "IPv6 address expects 16 bytes but #{address.bytesize} bytes" unless address.bytesize == 16

      @address = address
    end

    def to_s = format(Array.new(8, '%x').join(':'), *@address.unpack('n8')).sub(/(^|:)0(:0)+(:|$)/, '::')

    def inspect = "#<#{self.class} #{self}>"

    def to_name = DNS::Name.create("#{@address.unpack1('H32').reverse.chars.join('.')}.ip6.arpa.")

    def ==(other) = other.is_a?(IPv6) && @address == other.address

    def eql?(other) = self == other

    def hash = @address.hash
  end

  AddressRegex = /(?:#{IPv4::Regex})|(?:#{IPv6::Regex})/.freeze

  class DNS < Resolv
    class Name
      def self.create(name)
        name.is_a?(Name) ? name : new(name.to_s)
      end

      def initialize(text)
        @text = text
      end

      def to_s = @text.delete_suffix('.')

      def absolute? = @text.end_with?('.')

      def inspect = "#<#{self.class}: #{@text}>"

      def ==(other) = other.is_a?(Name) && to_s.casecmp?(other.to_s)
    end

    # A record of a type: what is recorded for it is a hash of its parts, or its only part.
    class Resource
      attr_reader :ttl

      def self.parts(*names)
        @names = names
        attr_reader(*names.map(&:first))
      end

      def self.from(answer)
        answer = { @names.first.first.to_s => answer } unless answer.is_a?(Hash)
        new(*@names.map { |name, make| make.call(answer[name.to_s]) })
      end

      def self.names = @names

      def initialize(*values)
        self.class.names.zip(values) { |(name, _), value| instance_variable_set("@#{name}", value) }
      end

      NAME = ->(value) { Name.create(value) }
      SAME = ->(value) { value }

      module IN
        class A < Resource
          parts [:address, ->(value) { IPv4.create(value) }]
        end

        class AAAA < Resource
          parts [:address, ->(value) { IPv6.create(value) }]
        end

        class CNAME < Resource
          parts [:name, NAME]
        end

        class NS < Resource
          parts [:name, NAME]
        end

        class PTR < Resource
          parts [:name, NAME]
        end

        class MX < Resource
          parts [:preference, SAME], [:exchange, NAME]
        end

        class SRV < Resource
          parts [:priority, SAME], [:weight, SAME], [:port, SAME], [:target, NAME]
        end

        class TXT < Resource
          parts [:strings, ->(value) { Array(value) }]

          def data = strings.join
        end

        class SOA < Resource
          parts [:mname, NAME], [:rname, NAME], [:serial, SAME], [:refresh, SAME], [:retry, SAME], [:expire, SAME], [:minimum, SAME]
        end
      end
    end

    def self.open(*)
      dns = new
      block_given? ? yield(dns) : dns
    end

    def timeouts=(seconds); end

    def close; end

    def lazy_initialize = self

    def getresource(name, type)
      getresources(name, type).first or raise ResolvError, "DNS result has no information for #{name}"
    end

    def getresources(name, type)
      name = name.to_s.delete_suffix('.')
      word = type.name.split('::').last
      plain = { 'A' => IPv4::Regex, 'AAAA' => IPv6::Regex }[word]
      spellings = ["#{name} #{word}"]
      plain || word == 'PTR' ? spellings.push(name, Resolv.__address(name)) : nil
      answers = Resolv.__ask(name, *spellings.compact)
      answers = answers.select { |answer| answer.is_a?(Hash) || answer.match?(plain) } if plain
      answers.map { |answer| type.from(answer) }
    end

    def each_resource(name, type, &block)
      getresources(name, type).each(&block)
    end
  end

  # The address that a name below in-addr.arpa stands for.
  def self.__address(name)
    reversed = name[/\A([\d.]+)\.in-addr\.arpa\z/i, 1]
    reversed && reversed.split('.').reverse.join('.')
  end

  class Hosts < Resolv; end
end
