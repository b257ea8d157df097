# Objects as bytes, in the format that Ruby writes (4.8).
module Marshal
  MAJOR_VERSION = 4
  MINOR_VERSION = 8

  # Writes objects.
  class Writer
    def initialize(limit)
      @out = "\x04\x08".b
      @limit = limit
      @symbols = {}
      @objects = {}.compare_by_identity
    end

    attr_reader :out

    def write(value, depth = 0)
      raise ArgumentError, 'exceed depth limit' if @limit >= 0 && depth > @limit

      case value
      when nil then @out << '0'
      when true then @out << 'T'
      when false then @out << 'F'
      when Symbol then symbol(value)
      when Integer then value.between?(-2**30, 2**30 - 1) ? (@out << 'i' && long(value)) : shared(value) { big(value) }
      else shared(value) { object(value, depth + 1) }
      end
    end

    private

    # An object that was written before is referred to.
    def shared(value)
      if (place = @objects[value])
        @out << '@'
        long(place)
      else
        @objects[value] = @objects.size
        yield
      end
    end

    def long(number)
      case number
      when 0 then byte(0)
      when 1..122 then byte(number + 5)
      when -123..-1 then byte((number - 5) & 255)
      else
        bytes = []
        left = number
        until left.zero? || left == -1
          bytes << (left & 255)
          left >>= 8
        end
        byte(number > 0 ? bytes.size : -bytes.size & 255)
        bytes.each { |one| byte(one) }
      end
    end

    def byte(number)
      @out << number.chr
    end

    def bytes(text)
      long(text.bytesize)
      @out << text.b
    end

    def symbol(name)
      if (place = @symbols[name])
        @out << ';'
        return long(place)
      end
      @symbols[name] = @symbols.size
      text = name.to_s
      @out << 'I' unless text.ascii_only?
      @out << ':'
      bytes(text)
      return if text.ascii_only?

      long(1)
      symbol(:E)
      @out << 'T'
    end

    def big(number)
      @out << 'l' << (number < 0 ? '-' : '+')
      digits = number.abs.to_s(16)
      digits = digits.rjust((digits.size + 3) / 4 * 4, '0')
      long(digits.size / 4)
      @out << [digits].pack('H*').reverse
    end

    def object(value, depth)
      refuse(value)
      return custom(value, depth) if value.is_a?(Rational) || value.is_a?(Complex) || value.respond_to?(:marshal_dump, true)
      return dumped(value) if value.respond_to?(:_dump, true)

      case value
      when Float then float(value)
      when Module then named(value)
      when String, Regexp then text(value, depth)
      else
        variables = value.is_a?(Array) || value.is_a?(Hash) || value.is_a?(Struct) ? value.instance_variables : []
        @out << 'I' unless variables.empty?
        container(value, depth)
        members(value, variables, depth) unless variables.empty?
      end
    end

    def refuse(value)
      raise TypeError, "singleton can't be dumped" unless value.is_a?(Module) || value.singleton_methods(false).empty?
      raise TypeError, "no _dump_data is defined for class #{value.class}" if [Proc, Method, UnboundMethod, Binding, IO, MatchData, Enumerator, Time, Random].any? { |kind| value.is_a?(kind) }
      raise TypeError, "can't dump anonymous class #{value.class}" if value.class.name.nil?
    end

    def custom(value, depth)
      @out << 'U'
      symbol(value.class.name.to_sym)
      write(case value
            when Rational then [value.numerator, value.denominator]
            when Complex then [value.real, value.imaginary]
            else value.__send__(:marshal_dump)
            end, depth)
    end

    def dumped(value)
      text = value.__send__(:_dump, -1)
      raise TypeError, '_dump() must return string' unless text.is_a?(String)

      @out << 'I' unless text.encoding == Encoding::BINARY
      @out << 'u'
      symbol(value.class.name.to_sym)
      bytes(text)
      encoding(text, [], 0) unless text.encoding == Encoding::BINARY
    end

    def float(value)
      @out << 'f'
      bytes(if value.nan? then 'nan'
            elsif value.infinite? then value > 0 ? 'inf' : '-inf'
            elsif value.zero? then 1 / value < 0 ? '-0' : '0'
            else "#{'-' if value < 0}#{digits_of(value.abs)}"
            end)
    end

    # The fewest digits that mean the float.
    def digits_of(value)
      mantissa, exponent = value.to_s.split('e')
      whole, part = mantissa.split('.')
      all = whole + part
      digits = all.sub(/\A0+/, '')
      point = whole.size + exponent.to_i - (all.size - digits.size)
      digits = digits.sub(/0+\z/, '')
      if point < -3 || point > digits.size
        "#{digits[0]}#{'.' if digits.size > 1}#{digits[1..]}e#{point - 1}"
      elsif point > 0
        "#{digits[0, point]}#{'.' if digits.size > point}#{digits[point..]}"
      else
        "0.#{'0' * -point}#{digits}"
      end
    end

    def named(value)
      raise TypeError, "can't dump anonymous #{value.is_a?(Class) ? 'class' : 'module'} #{value.inspect}" unless value.name

      @out << (value.is_a?(Class) ? 'c' : 'm')
      bytes(value.name)
    end

    def text(value, depth)
      variables = value.instance_variables
      plain = value.is_a?(String) ? value : value.source
      binary = plain.encoding == Encoding::BINARY && value.is_a?(String)
      @out << 'I' unless binary && variables.empty?
      own_class(value, value.is_a?(String) ? String : Regexp)
      @out << (value.is_a?(String) ? '"' : '/')
      bytes(plain)
      byte(value.options & 7) if value.is_a?(Regexp)
      encoding(plain, variables, depth, value) unless binary && variables.empty?
    end

    def encoding(text, variables, depth, owner = nil)
      marked = text.encoding != Encoding::BINARY
      long(variables.size + (marked ? 1 : 0))
      if marked
        symbol(:E)
        @out << (text.encoding == Encoding::US_ASCII ? 'F' : 'T')
      end
      variables.each { |name| symbol(name) && write(owner.instance_variable_get(name), depth) }
    end

    def own_class(value, plain)
      return if value.instance_of?(plain)

      @out << 'C'
      symbol(value.class.name.to_sym)
    end

    def container(value, depth)
      case value
      when Array
        own_class(value, Array)
        @out << '['
        long(value.size)
        value.each { |item| write(item, depth) }
      when Hash then hash(value, depth)
      when Struct
        @out << 'S'
        symbol(value.class.name.to_sym)
        long(value.size)
        value.each_pair do |name, item|
          symbol(name)
          write(item, depth)
        end
      when Set
        items = Hash.new(false)
        value.each { |item| items[item] = true }
        plain(value, { :@hash => items }, depth)
      when Range then plain(value, { excl: value.exclude_end?, begin: value.begin, end: value.end }, depth)
      else plain(value, value.instance_variables.to_h { |name| [name, value.instance_variable_get(name)] }, depth)
      end
    end

    def hash(value, depth)
      raise TypeError, "can't dump hash with default proc" if value.default_proc

      own_class(value, Hash)
      if value.compare_by_identity?
        @out << 'C'
        symbol(:Hash)
      end
      @out << (value.default.nil? ? '{' : '}')
      long(value.size)
      value.each_pair do |key, item|
        write(key, depth)
        write(item, depth)
      end
      write(value.default, depth) unless value.default.nil?
    end

    def plain(value, members, depth)
      @out << 'o'
      symbol(value.class.name.to_sym)
      long(members.size)
      members.each do |name, item|
        symbol(name)
        write(item, depth)
      end
    end

    def members(value, variables, depth)
      long(variables.size)
      variables.each do |name|
        symbol(name)
        write(value.instance_variable_get(name), depth)
      end
    end
  end

  # Reads objects.
  class Reader
    def initialize(text, proc, freeze)
      @text, @proc, @freeze = text.b, proc, freeze
      @at = 0
      @symbols, @objects = [], []
    end

    def document
      major, minor = byte, byte
      unless major == MAJOR_VERSION && minor <= MINOR_VERSION
        raise TypeError, "incompatible marshal file format (can't be read)\n\tformat version #{MAJOR_VERSION}.#{MINOR_VERSION} required; #{major}.#{minor} given"
      end

      read
    end

    private

    def byte
      found = @text.getbyte(@at) or raise ArgumentError, 'marshal data too short'
      @at += 1
      found
    end

    def bytes
      count = long
      found = @text.byteslice(@at, count)
      raise ArgumentError, 'marshal data too short' if count < 0 || found.nil? || found.bytesize < count

      @at += count
      found
    end

    def long
      first = byte
      first -= 256 if first > 127
      case first
      when 0 then 0
      when 5..127 then first - 5
      when -128..-5 then first + 5
      when 1..4 then first.times.sum { |place| byte << (8 * place) }
      else
        count = -first
        -1 - count.times.sum { |place| (255 - byte) << (8 * place) }
      end
    end

    def read(wrapped = nil)
      kind = byte.chr
      case kind
      when '0' then done(nil)
      when 'T' then done(true)
      when 'F' then done(false)
      when 'i' then done(long)
      when ':', ';' then done(symbol(kind))
      when '@' then @objects.fetch(long) { raise ArgumentError, 'dump format error (unlinked)' }
      when 'I' then with_variables
      when 'C' then of_class
      when 'l' then done(kept(big))
      when 'f' then done(kept(float(bytes)))
      when 'c', 'm', 'M' then done(kept(constant(bytes)))
      when '"' then wrapped ? kept(bytes) : done(kept(bytes))
      when '/' then wrapped ? regexp : done(regexp)
      when '[' then list
      when '{', '}' then hash(kind == '}', wrapped)
      when 'S' then structure
      when 'o' then object
      when 'U' then custom
      when 'u' then dumped(wrapped)
      else raise ArgumentError, format('dump format error(0x%x)', kind.ord)
      end
    end

    def done(value)
      value.freeze if @freeze && !value.is_a?(Module)
      @proc ? @proc.call(value) : value
    end

    def kept(value)
      @objects << value
      value
    end

    def symbol(kind = byte.chr)
      case kind
      when ';' then @symbols.fetch(long) { raise ArgumentError, 'bad symbol' }
      when ':'
        @symbols << bytes.force_encoding('UTF-8').to_sym
        @symbols.last
      when 'I'
        name = symbol
        long.times { symbol && read }
        name
      else raise ArgumentError, "dump format error for symbol(0x#{kind.ord.to_s(16)})"
      end
    end

    def with_variables
      return (name = symbol; long.times { symbol && read }; done(name)) if @text[@at] == ':'

      value = read([])
      place = @objects.index { |known| known.equal?(value) }
      long.times do
        name = symbol
        item = read
        case name
        when :E then value.is_a?(String) ? value.force_encoding(item ? 'UTF-8' : 'US-ASCII') : value
        when :encoding then value.force_encoding(item) if value.is_a?(String)
        else value.instance_variable_set(name, item)
        end
      end
      if value.is_a?(Later)
        value = value.revive
        @objects[place] = value if place
      end
      done(value)
    end

    # What a class makes of its own text, once the encoding of that is known.
    Later = Struct.new(:type, :text) do
      def force_encoding(name) = text.force_encoding(name)

      def revive = type.__send__(:_load, text)
    end

    def of_class
      type = constant(symbol.to_s)
      value = read([])
      return value.compare_by_identity if type == Hash && value.is_a?(Hash)

      copy = case value
             when String then type.new(value)
             when Array, Hash then type.allocate.replace(value)
             else type.new(value)
             end
      @objects[@objects.index { |known| known.equal?(value) }] = copy
      copy
    end

    def big
      negative = byte.chr == '-'
      count = long * 2
      digits = @text.byteslice(@at, count).reverse.unpack1('H*')
      @at += count
      negative ? -digits.to_i(16) : digits.to_i(16)
    end

    def float(text)
      case text
      when 'nan' then Float::NAN
      when 'inf' then Float::INFINITY
      when '-inf' then -Float::INFINITY
      else text.to_f
      end
    end

    def constant(name)
      name.split('::').inject(Object) { |scope, part| scope.const_get(part) }
    rescue NameError
      raise ArgumentError, "undefined class/module #{name}"
    end

    def regexp
      source = bytes.force_encoding('UTF-8')
      kept(Regexp.new(source, byte))
    end

    def list
      value = kept([])
      long.times { value << read }
      done(value)
    end

    def hash(with_default, wrapped)
      value = kept({})
      long.times do
        key = read
        value[key] = read
      end
      value.default = read if with_default
      wrapped ? value : done(value)
    end

    def structure
      type = constant(symbol.to_s)
      value = kept(type.allocate)
      members = {}
      long.times do
        name = symbol
        members[name] = read
      end
      members.each { |name, item| value[name] = item }
      done(value)
    end

    def object
      type = constant(symbol.to_s)
      return range if type <= Range
      return set(type) if type <= Set

      value = kept(type.allocate)
      long.times do
        name = symbol
        value.instance_variable_set(name, read)
      end
      done(value)
    end

    def set(type)
      value = kept(type.new)
      long.times { symbol == :@hash ? read.each_key { |item| value << item } : read }
      done(value)
    end

    def range
      place = @objects.size
      kept(nil)
      parts = {}
      long.times do
        name = symbol
        parts[name] = read
      end
      value = Range.new(parts[:begin], parts[:end], parts[:excl])
      @objects[place] = value
      done(value)
    end

    def custom
      type = constant(symbol.to_s)
      if type == Rational || type == Complex
        place = @objects.size
        kept(nil)
        return done(@objects[place] = type == Rational ? Rational(*read) : Complex(*read))
      end

      value = kept(type.allocate)
      value.__send__(:marshal_load, read)
      done(value)
    end

    def dumped(wrapped)
      type = constant(symbol.to_s)
      raise TypeError, "class #{type} needs to have method `_load'" unless type.respond_to?(:_load, true)

      later = Later.new(type, bytes)
      wrapped ? kept(later) : done(kept(later.revive))
    end
  end
  private_constant :Writer, :Reader

  class << self
    def dump(value, stream = nil, limit = nil)
      stream, limit = nil, stream if stream.is_a?(Integer)
      writer = Writer.new(limit || -1)
      writer.write(value)
      return writer.out unless stream
      raise TypeError, 'instance of IO needed' unless stream.respond_to?(:write)

      stream.write(writer.out)
      stream
    end

    def load(source, proc = nil, freeze: false)
      text = source.respond_to?(:to_str) ? source.to_str : source.respond_to?(:read) ? source.read : nil
      raise TypeError, 'instance of IO needed' unless text

      Reader.new(text, proc, freeze).document
    end
    alias restore load
  end
end
