# Words as a shell reads them.
module Shellwords
  # The words of a line: quotes and backslashes are taken away.
  def shellsplit(line)
    words = []
    word = nil
    line.scan(/\G\s*(?:([^\s\\'"]+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|(\\.?)|(\S))(\s|\z)?/m) do
      plain, single, double, escaped, garbage, separator = $1, $2, $3, $4, $5, $6
      raise ArgumentError, "Unmatched quote: #{line.inspect}" if garbage
      word ||= +""
      word << (plain || single || (double && double.gsub(/\\([$`"\\\n])/, '\\1')) || escaped.gsub(/\\(.)/m, '\\1'))
      if separator
        words << word
        yield word if block_given?
        word = nil
      end
    end
    words
  end
  alias shellwords shellsplit
  module_function :shellsplit, :shellwords

  # The text as one word of a shell.
  def shellescape(text)
    text = text.to_s
    return "''" if text.empty?
    raise ArgumentError, "NUL character" if text.index("\0")
    text.gsub(/[^A-Za-z0-9_\-.,:+\/@\n]/) { |char| "\\#{char}" }.gsub("\n", "'\n'")
  end
  module_function :shellescape

  # The words as a line of a shell.
  def shelljoin(words)
    words.map { |word| Shellwords.shellescape(word) }.join(" ")
  end
  module_function :shelljoin

  class << self
    alias split shellsplit
    alias escape shellescape
    alias join shelljoin
  end
end

class String
  def shellsplit
    Shellwords.split(self)
  end

  def shellescape
    Shellwords.escape(self)
  end
end

class Array
  def shelljoin
    Shellwords.join(self)
  end
end
