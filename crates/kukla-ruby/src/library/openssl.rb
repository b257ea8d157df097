# OpenSSL: digests, authentication codes, keys made from passwords, certificates to read. Keys and ciphers are not there, and say so.
require 'digest'

module OpenSSL
  class OpenSSLError < StandardError; end

  VERSION = '3.0.0'
  OPENSSL_VERSION = 'OpenSSL 3.0.0'

  class Digest < ::Digest::Class
    class DigestError < OpenSSLError; end

    NAMES = %w[MD5 SHA1 SHA224 SHA256 SHA384 SHA512].freeze

    def initialize(name, text = nil)
      @name = name.to_s.upcase.delete('-')
      raise RuntimeError, "Unsupported digest algorithm (#{name}).: unknown object name" unless NAMES.include?(@name)

      super()
      update(text) if text
    end

    attr_reader :name

    def block_length
      %w[SHA384 SHA512].include?(@name) ? 128 : 64
    end

    def self.digest(name, text)
      new(name).digest(text)
    end

    def self.hexdigest(name, text)
      new(name).hexdigest(text)
    end

    def self.base64digest(name, text)
      new(name).base64digest(text)
    end

    private

    def sum(text)
      ::Digest.__sum(@name, text.to_str)
    end

    NAMES.each do |name|
      const_set(name, Class.new(self) do
        define_method(:initialize) { |text = nil| super(name, text) }
        define_singleton_method(:digest) { |text| new.digest(text) }
        define_singleton_method(:hexdigest) { |text| new.hexdigest(text) }
        define_singleton_method(:base64digest) { |text| new.base64digest(text) }
      end)
    end
  end

  class HMAC
    def initialize(key, digest)
      @digest = digest.is_a?(Digest) ? digest : Digest.new(digest.to_s)
      @key = key.to_str
      @text = ''.b
    end

    def update(text)
      @text << text.to_str.b
      self
    end
    alias << update

    def digest
      HMAC.digest(@digest, @key, @text)
    end

    def hexdigest
      digest.unpack1('H*')
    end
    alias to_s hexdigest
    alias inspect hexdigest

    def base64digest
      [digest].pack('m0')
    end

    def reset
      @text = ''.b
      self
    end

    def self.digest(digest, key, text)
      sum = digest.is_a?(Digest) ? digest.dup : Digest.new(digest.to_s)
      size = sum.block_length
      key = key.to_str.b
      key = sum.digest(key) if key.bytesize > size
      bytes = key.bytes
      bytes << 0 while bytes.size < size
      inner = bytes.map { |byte| byte ^ 0x36 }.pack('C*')
      outer = bytes.map { |byte| byte ^ 0x5c }.pack('C*')
      sum.digest(outer + sum.digest(inner + text.to_str.b))
    end

    def self.hexdigest(digest, key, text)
      digest(digest, key, text).unpack1('H*')
    end

    def self.base64digest(digest, key, text)
      [digest(digest, key, text)].pack('m0')
    end
  end

  # Keys that are made from passwords.
  module KDF
    class KDFError < OpenSSLError; end

    def self.pbkdf2_hmac(password, salt:, iterations:, length:, hash:)
      sum = hash.is_a?(Digest) ? hash : Digest.new(hash.to_s)
      blocks = (length + sum.digest_length - 1) / sum.digest_length
      (1..blocks).map { |number| pbkdf2_block(sum, password, salt.b + [number].pack('N'), iterations) }.join.byteslice(0, length)
    end

    def self.pbkdf2_block(sum, password, text, iterations)
      last = HMAC.digest(sum, password, text)
      number = last.unpack1('H*').to_i(16)
      (iterations - 1).times do
        last = HMAC.digest(sum, password, last)
        number ^= last.unpack1('H*').to_i(16)
      end
      [number.to_s(16).rjust(sum.digest_length * 2, '0')].pack('H*')
    end
    private_class_method :pbkdf2_block
  end

  module PKCS5
    def self.pbkdf2_hmac(password, salt, iterations, length, hash)
      KDF.pbkdf2_hmac(password, salt: salt, iterations: iterations, length: length, hash: hash)
    end

    def self.pbkdf2_hmac_sha1(password, salt, iterations, length)
      pbkdf2_hmac(password, salt, iterations, length, 'SHA1')
    end
  end

  # What connections are asked for, and what goes wrong with them.
  module SSL
    class SSLError < OpenSSLError; end

    VERIFY_NONE = 0
    VERIFY_PEER = 1
  end

  def self.secure_compare(one, other)
    Digest.digest('SHA256', one) == Digest.digest('SHA256', other) && one == other
  end

  def self.fixed_length_secure_compare(one, other)
    raise ArgumentError, 'inputs must be of equal length' unless one.bytesize == other.bytesize

    one == other
  end

  def self.const_missing(name)
    raise NotImplementedError, "OpenSSL::#{name} is not there: of OpenSSL, Kukla has digests, HMAC, PBKDF2 and certificates"
  end
end
