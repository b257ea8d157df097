# The reader of XML.
require 'strscan'

module REXML
  # Reads a document.
  class Reader
    NAME = /[[:alpha:]_:][[:alnum:]_:.-]*/.freeze

    def initialize(text, document)
      @scanner = StringScanner.new(text)
      @document = document
      @open = [document]
    end

    def read
      part until @scanner.eos?
      # As REXML: a document that breaks off is as if nothing had been there.
      @document.children.clear if @open.size > 1
    end

    private

    def part
      if (text = @scanner.scan(/[^<]+/)) then add_text(text)
      elsif @scanner.scan(/<!--(.*?)-->/m) then add(Comment.new(@scanner[1]))
      elsif @scanner.scan(/<!\[CDATA\[(.*?)\]\]>/m) then add(CData.new(@scanner[1]))
      elsif (text = @scanner.scan(/<\?.*?\?>\n?|<!DOCTYPE(?:[^>\[]|\[.*?\])*>/m)) then add(Instruction.new(text))
      elsif @scanner.scan(%r{</(#{NAME})\s*>}) then close(@scanner[1])
      elsif @scanner.scan(/<(#{NAME})/) then open(@scanner[1])
      else fail('malformed XML: missing tag start')
      end
    end

    def add(child)
      @open.last.add(child)
    end

    # Blanks around the root are no text of anything.
    def add_text(text)
      add(Text.new(text)) unless @open.size == 1 && text.strip.empty?
    end

    def open(name)
      fail('attempted adding second root element to document') if @open.size == 1 && @document.root
      element = add(Element.new(name))
      read_attributes(element)
      return if @scanner.scan(%r{\s*/>})

      @scanner.scan(/\s*>/) || fail("Invalid attribute name: <#{@scanner.rest[/[^>]*/].strip}>")
      @open.push(element)
    end

    def read_attributes(element)
      while @scanner.scan(/\s+(#{NAME})\s*=\s*/)
        name = @scanner[1]
        value = @scanner.scan(/'([^']*)'|"([^"]*)"/) && (@scanner[1] || @scanner[2])
        fail("Missing attribute value start quote: <#{name}>") unless value
        fail("Duplicate attribute #{name.inspect}") if element.attributes.key?(name)
        element.attributes.add(Attribute.new(name, value, element))
      end
    end

    def close(name)
      fail("Unexpected top-level end tag (got '#{name}')") if @open.size == 1
      expected = @open.last.expanded_name
      fail("Missing end tag for '#{expected}' (got '#{name}')") unless expected == name
      @open.pop
    end

    def fail(message)
      line = @scanner.string.byteslice(0, @scanner.pos).count("\n") + 1
      raise ParseException,
            "#{message}\nLine: #{line}\nPosition: #{@scanner.pos}\nLast 80 unconsumed characters:\n#{@scanner.rest[0, 80]}"
    end
  end
end
