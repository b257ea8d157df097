# Compression is not there, except for sums.
module Zlib
  class Error < StandardError; end
  class GzipFile
    class Error < Zlib::Error; end
  end

  TABLE = Array.new(256) { |byte| 8.times.inject(byte) { |sum, _| sum.odd? ? (sum >> 1) ^ 0xedb88320 : sum >> 1 } }.freeze

  def self.crc32(text = '', start = 0)
    text.each_byte.inject(start ^ 0xffffffff) { |sum, byte| TABLE[(sum ^ byte) & 255] ^ (sum >> 8) } ^ 0xffffffff
  end

  def self.adler32(text = '', start = 1)
    low = start & 0xffff
    high = start >> 16
    text.each_byte do |byte|
      low = (low + byte) % 65_521
      high = (high + low) % 65_521
    end
    (high << 16) | low
  end

  def self.const_missing(name)
    raise NotImplementedError, "Zlib::#{name} is not there: of Zlib, Kukla has crc32 and adler32"
  end

  %i[deflate inflate gzip gunzip].each do |name|
    define_singleton_method(name) { |*| raise NotImplementedError, "Zlib.#{name} is not there: Kukla does not compress" }
  end
end
