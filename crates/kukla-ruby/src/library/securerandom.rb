# Random numbers that no seed decides: only where the policy allows them.
require 'digest'

module SecureRandom
  def self.bytes(count = 16)
    Random.urandom(count || 16)
  end

  def self.random_bytes(count = nil)
    bytes(count)
  end

  def self.hex(count = nil)
    bytes(count).unpack1('H*')
  end

  def self.base64(count = nil)
    [bytes(count)].pack('m0')
  end

  def self.urlsafe_base64(count = nil, padding = false)
    text = base64(count).tr('+/', '-_')
    padding ? text : text.delete('=')
  end

  def self.uuid
    digits = hex(16)
    digits[12] = '4'
    digits[16] = '89ab'[digits[16].hex % 4]
    [digits[0, 8], digits[8, 4], digits[12, 4], digits[16, 4], digits[20, 12]].join('-')
  end

  def self.random_number(limit = 0)
    Random.random_number(limit)
  end

  def self.rand(limit = 0)
    Random.random_number(limit)
  end

  def self.alphanumeric(count = nil)
    letters = [*'A'..'Z', *'a'..'z', *'0'..'9']
    Array.new(count || 16) { letters[Random.rand(letters.size)] }.join
  end
end
