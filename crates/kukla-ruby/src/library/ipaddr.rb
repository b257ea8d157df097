# Addresses of the internet protocol.
require 'socket'

class IPAddr
  include Comparable

  class Error < ArgumentError; end
  class InvalidAddressError < Error; end
  class AddressFamilyError < Error; end
  class InvalidPrefixError < InvalidAddressError; end

  IN4MASK = 0xffffffff
  IN6MASK = 0xffffffffffffffffffffffffffffffff
  IN6FORMAT = (['%.4x'] * 8).join(':').freeze

  attr_reader :family
  attr_writer :zone_id

  def zone_id
    raise InvalidAddressError, 'not an IPv6 address' unless ipv6?

    @zone_id
  end

  def initialize(address = '::', family = Socket::AF_UNSPEC)
    unless address.is_a?(String)
      raise AddressFamilyError, 'address family must be specified' if family == Socket::AF_UNSPEC
      raise AddressFamilyError, "unsupported address family: #{family}" unless [Socket::AF_INET, Socket::AF_INET6].include?(family)

      set(address, family)
      @mask_addr = all
      return
    end
    text, prefix, extra = address.split('/', 3)
    raise InvalidAddressError, "invalid address: #{address}" if extra || text.nil? && family == Socket::AF_UNSPEC && address.empty?

    text = text.to_s
    @zone_id = nil
    if text =~ /\A\[(.*)\]\z/
      text = Regexp.last_match(1)
      family = Socket::AF_INET6
    end
    if text =~ /\A(.*)(%\w+)\z/
      text = Regexp.last_match(1)
      @zone_id = Regexp.last_match(2)
      family = Socket::AF_INET6
    end
    begin
      if family != Socket::AF_INET6 && (number = in_addr(text))
        set(number, Socket::AF_INET)
      elsif family == Socket::AF_INET
        raise AddressFamilyError, "address family mismatch: #{address}" if in6_addr(text)
      else
        set(in6_addr(text), Socket::AF_INET6)
      end
    rescue InvalidAddressError => e
      raise e.class, "#{e.message}: #{address}"
    end
    @mask_addr = all
    mask!(prefix) if prefix
  end

  def self.new_ntoh(bytes)
    new(ntop(bytes))
  end

  def self.ntop(bytes)
    case bytes.bytesize
    when 4 then bytes.unpack('C4').join('.')
    when 16 then IN6FORMAT % bytes.unpack('n8')
    else raise AddressFamilyError, 'unsupported address family'
    end
  end

  def ipv4?
    @family == Socket::AF_INET
  end

  def ipv6?
    @family == Socket::AF_INET6
  end

  def to_i
    @addr
  end

  def &(other)
    clone.replace(@addr & number(other))
  end

  def |(other)
    clone.replace(@addr | number(other))
  end

  def <<(count)
    clone.replace((@addr << count) & all)
  end

  def >>(count)
    clone.replace(@addr >> count)
  end

  def ~
    clone.replace(@addr ^ all)
  end

  def +(count)
    clone.replace(@addr + count)
  end

  def -(count)
    clone.replace(@addr - count)
  end

  def ==(other)
    other = coerce_other(other)
    @family == other.family && @addr == other.to_i
  rescue StandardError
    false
  end

  def <=>(other)
    other = coerce_other(other)
    @addr <=> other.to_i if @family == other.family
  rescue StandardError
    nil
  end

  def eql?(other)
    other.is_a?(IPAddr) && hash == other.hash && self == other
  end

  def hash
    [@addr, @mask_addr, @family].hash
  end

  def succ
    clone.replace(@addr.succ)
  end

  def mask(prefix)
    clone.__send__(:mask!, prefix)
  end

  def include?(other)
    other = coerce_other(other)
    return false unless other.family == @family

    range = to_range
    other_range = other.to_range
    range.begin.to_i <= other_range.begin.to_i && range.end.to_i >= other_range.end.to_i
  end
  alias === include?

  def prefix
    count = 0
    mask = @mask_addr
    bits = ipv4? ? 32 : 128
    bits.times { |at| count += mask[at] }
    count
  end

  def prefix=(prefix)
    raise InvalidPrefixError, 'prefix must be an integer' unless prefix.is_a?(Integer)

    mask!(prefix)
  end

  def netmask
    text_of(@mask_addr)
  end

  def wildcard_mask
    text_of(@mask_addr ^ all)
  end

  def to_range
    first = clone.replace(@addr & @mask_addr)
    last = clone.replace(@addr | (all ^ @mask_addr))
    [first, last].each do |one|
      one.single!
      one.zone_id = nil
    end
    first..last
  end

  def to_s
    return to_string if ipv4?

    text = to_string_without_zone
    parts = text.split(':').map { |part| part.to_i(16).to_s(16) }
    best_start = best_size = 0
    at = 0
    while at < parts.size
      size = 0
      size += 1 while parts[at + size] == '0'
      best_start, best_size = at, size if size > best_size
      at += [size, 1].max
    end
    shown =
      if best_size > 1
        "#{parts[0, best_start].join(':')}::#{parts[(best_start + best_size)..].join(':')}"
      else
        parts.join(':')
      end
    if (@addr >> 32) == 0xffff || ((@addr >> 32).zero? && @addr > 0xffff)
      shown = "::#{'ffff:' if (@addr >> 32) == 0xffff}#{text_of_v4(@addr & IN4MASK)}"
    end
    "#{shown}#{@zone_id}"
  end

  def to_string
    ipv4? ? text_of_v4(@addr) : "#{to_string_without_zone}#{@zone_id}"
  end

  def to_string_without_zone
    text_of(@addr)
  end
  private :to_string_without_zone

  def inspect
    "#<#{self.class}: #{ipv4? ? 'IPv4' : 'IPv6'}:#{to_string}/#{netmask}>"
  end

  def hton
    ipv4? ? [@addr].pack('N') : (0..7).map { |at| (@addr >> (112 - 16 * at)) & 0xffff }.pack('n8')
  end

  def loopback?
    return @addr & 0xff000000 == 0x7f000000 if ipv4?

    @addr == 1 || (ipv4_mapped? && (@addr & 0xff000000) == 0x7f000000)
  end

  def private?
    if ipv4?
      @addr & 0xff000000 == 0x0a000000 || @addr & 0xfff00000 == 0xac100000 || @addr & 0xffff0000 == 0xc0a80000
    else
      @addr & 0xfe000000000000000000000000000000 == 0xfc000000000000000000000000000000
    end
  end

  def link_local?
    ipv4? ? @addr & 0xffff0000 == 0xa9fe0000 : @addr & 0xffc00000000000000000000000000000 == 0xfe800000000000000000000000000000
  end

  def ipv4_mapped?
    ipv6? && (@addr >> 32) == 0xffff
  end

  def ipv4_compat?
    ipv6? && (@addr >> 32).zero? && @addr > 1
  end

  def ipv4_mapped
    raise InvalidAddressError, "not an IPv4 address: #{self}" unless ipv4?

    other = IPAddr.new(@addr | 0xffff00000000, Socket::AF_INET6)
    other.__send__(:mask!, 96 + prefix)
  end

  def ipv4_compat
    raise InvalidAddressError, "not an IPv4 address: #{self}" unless ipv4?

    IPAddr.new(@addr, Socket::AF_INET6)
  end

  def native
    return self unless ipv4_mapped? || ipv4_compat?

    IPAddr.new(@addr & IN4MASK, Socket::AF_INET)
  end

  def reverse
    ipv4? ? "#{octets.reverse.join('.')}.in-addr.arpa" : ip6_arpa
  end

  def ip6_arpa
    raise InvalidAddressError, "not an IPv6 address: #{self}" unless ipv6?

    "#{text_of(@addr).delete(':').reverse.chars.join('.')}.ip6.arpa"
  end

  def ip6_int
    raise InvalidAddressError, "not an IPv6 address: #{self}" unless ipv6?

    "#{text_of(@addr).delete(':').reverse.chars.join('.')}.ip6.int"
  end


  def replace(number)
    set(number, @family)
    self
  end
  protected :replace

  def single!
    @mask_addr = all
    self
  end
  protected :single!

  private

  def all
    ipv4? ? IN4MASK : IN6MASK
  end

  def octets
    [24, 16, 8, 0].map { |shift| (@addr >> shift) & 255 }
  end

  def text_of_v4(number)
    [24, 16, 8, 0].map { |shift| (number >> shift) & 255 }.join('.')
  end

  def text_of(number)
    return text_of_v4(number) if ipv4?

    IN6FORMAT % (0..7).map { |at| (number >> (112 - 16 * at)) & 0xffff }
  end

  def set(number, family)
    most = family == Socket::AF_INET ? IN4MASK : IN6MASK
    raise InvalidAddressError, "invalid address: #{number}" unless number.is_a?(Integer) && number.between?(0, most)

    @addr = number
    @family = family
  end

  def coerce_other(other)
    case other
    when IPAddr then other
    when String then self.class.new(other)
    else self.class.new(other, @family)
    end
  end

  def number(other)
    other.is_a?(Integer) ? other : coerce_other(other).to_i
  end

  def mask!(prefix)
    bits = ipv4? ? 32 : 128
    if prefix.is_a?(String) && prefix !~ /\A(0|[1-9]+\d*)\z/
      mask = IPAddr.new(prefix)
      raise InvalidPrefixError, "address family is not same: #{self}/#{prefix}" if mask.family != @family

      number = mask.to_i
      flipped = number ^ all
      raise InvalidPrefixError, "invalid mask #{prefix}: #{self}" unless (flipped & (flipped + 1)).zero?

      @mask_addr = number
    else
      prefix = prefix.to_i
      raise InvalidPrefixError, "invalid length: #{self}/#{prefix}" unless prefix.between?(0, bits)

      @mask_addr = (all >> (bits - prefix)) << (bits - prefix)
    end
    @addr &= @mask_addr
    self
  end

  def in_addr(text)
    return nil unless text =~ /\A\d+\.\d+\.\d+\.\d+\z/

    text.split('.').inject(0) do |sum, part|
      raise InvalidAddressError, "zero-filled number in IPv4 address is ambiguous" if part =~ /\A0\d/
      raise InvalidAddressError, 'invalid address' if part.to_i > 255

      (sum << 8) + part.to_i
    end
  end

  def in6_addr(text)
    rest = text
    tail = nil
    if text =~ /\A(.*:)(\d+\.\d+\.\d+\.\d+)\z/
      rest = Regexp.last_match(1)
      number = in_addr(Regexp.last_match(2))
      tail = format('%x:%x', number >> 16, number & 0xffff)
      rest += tail
    end
    raise InvalidAddressError, 'invalid address' unless rest =~ /\A[0-9a-fA-F:]*\z/ && rest.include?(':')

    left, right, extra = rest.split('::', 3)
    raise InvalidAddressError, 'invalid address' if extra

    parts = (left || '').split(':', -1)
    if rest.include?('::')
      ending = (right || '').split(':', -1)
      missing = 8 - parts.size - ending.size
      raise InvalidAddressError, 'invalid address' if missing < 0

      parts += ['0'] * missing + ending
    end
    raise InvalidAddressError, 'invalid address' unless parts.size == 8 && parts.all? { |part| part =~ /\A[0-9a-fA-F]{1,4}\z/ }

    parts.inject(0) { |sum, part| (sum << 16) + part.to_i(16) }
  end
end
