# Digests, over sums that are computed natively.
module Digest
  module Instance
    def update(text)
      @text << ('' + text).b
      self
    end
    alias << update

    def reset
      @text = ''.b
      self
    end

    def digest(text = nil)
      return sum(@text) if text.nil?

      reset
      sum(text)
    end

    def digest!
      result = digest
      reset
      result
    end

    def hexdigest(text = nil)
      digest(text).unpack1('H*')
    end

    def hexdigest!
      result = hexdigest
      reset
      result
    end

    def base64digest(text = nil)
      [digest(text)].pack('m0')
    end

    def to_s
      hexdigest
    end

    def inspect
      "#<#{self.class}: #{hexdigest}>"
    end

    def ==(other)
      if other.is_a?(Digest::Instance)
        digest == other.digest
      else
        hexdigest == String.try_convert(other)
      end
    end

    def file(path)
      update(File.binread(path))
    end

    def new
      dup.reset
    end

    def digest_length
      digest.bytesize
    end

    def length
      digest_length
    end
    alias size length

    private

    def initialize_copy(other)
      @text = @text.dup
    end
  end

  class Class
    include Instance

    def initialize
      @text = ''.b
    end

    def self.digest(text, *args)
      new(*args).digest('' + text)
    end

    def self.hexdigest(text, *args)
      new(*args).hexdigest('' + text)
    end

    def self.base64digest(text, *args)
      new(*args).base64digest(text)
    end

    def self.file(path, *args)
      new(*args).file(path)
    end
  end

  class Base < Class
    def block_length
      %w[SHA384 SHA512].include?(sum_name) ? 128 : 64
    end

    private

    def sum_name
      self.class::SUM
    end

    def sum(text)
      Digest.__sum(sum_name, '' + text)
    end
  end

  %w[MD5 SHA1 SHA256 SHA384 SHA512].each do |name|
    const_set(name, ::Class.new(Base) { const_set(:SUM, name) })
  end

  class SHA2 < Base
    def initialize(bits = 256)
      raise ArgumentError, "unsupported bit length: %s" % bits.inspect unless [256, 384, 512].include?(bits)

      super()
      @bits = bits
    end

    private

    def sum_name
      "SHA#{@bits}"
    end
  end

  def self.hexencode(text)
    ('' + text).unpack1('H*')
  end
end

def Digest(name)
  Digest.const_get(name)
end
