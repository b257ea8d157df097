# Escapes for the web.
class CGI
  module Util
    ESCAPED_IN_HTML = { "'" => "&#39;", "&" => "&amp;", '"' => "&quot;", "<" => "&lt;", ">" => "&gt;" }.freeze
    NAMED_IN_HTML = { "amp" => "&", "lt" => "<", "gt" => ">", "quot" => '"', "apos" => "'" }.freeze
    RFC822_DAYS = %w[Sun Mon Tue Wed Thu Fri Sat].freeze
    RFC822_MONTHS = %w[Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec].freeze
    private_constant :ESCAPED_IN_HTML, :NAMED_IN_HTML

    def escape(text)
      percent_encode("" + text, /[^ a-zA-Z0-9_.\-~]+/n).tr(" ", "+")
    end

    def unescape(text, encoding = Encoding::UTF_8)
      percent_decode(text.tr("+", " "), encoding)
    end

    def escapeURIComponent(text)
      percent_encode("" + text, /[^a-zA-Z0-9_.\-~]+/n)
    end
    alias escape_uri_component escapeURIComponent

    def unescapeURIComponent(text, encoding = Encoding::UTF_8)
      percent_decode(text, encoding)
    end
    alias unescape_uri_component unescapeURIComponent

    def escapeHTML(text)
      text.gsub(/['&"<>]/, ESCAPED_IN_HTML)
    end
    alias escape_html escapeHTML
    alias h escapeHTML

    def unescapeHTML(text)
      return text.dup unless text.include?("&")
      text.gsub(/&(apos|amp|quot|gt|lt|#[0-9]+|#[xX][0-9A-Fa-f]+);/) do
        whole, inner = $~[0], $~[1]
        next NAMED_IN_HTML[inner] if NAMED_IN_HTML.key?(inner)
        code = inner.match?(/\A#x/i) ? inner[2..].hex : inner[1..].to_i
        code <= 0x10ffff && !code.between?(0xd800, 0xdfff) ? [code].pack("U") : whole
      end
    end
    alias unescape_html unescapeHTML

    def escapeElement(text, *elements)
      elements = elements.flatten
      return text if elements.empty?
      text.gsub(/<\/?(?:#{elements.join("|")})\b[^<>]*+>?/im) { |tag| CGI.escapeHTML(tag) }
    end
    alias escape_element escapeElement

    def unescapeElement(text, *elements)
      elements = elements.flatten
      return text if elements.empty?
      text.gsub(/&lt;\/?(?:#{elements.join("|")})\b(?>[^&]+|&(?![gl]t;)[^;]+;)*(?:&gt;)?/im) { |tag| CGI.unescapeHTML(tag) }
    end
    alias unescape_element unescapeElement

    def rfc1123_date(time)
      time.getgm.strftime("%a, %d %b %Y %T GMT")
    end

    def pretty(text, shift = "  ")
      lines = text.gsub(/(?!\A)<.*?>/m, "\n\\0").gsub(/<.*?>(?!\n)/m, "\\0\n")
      depth = 0
      lines.lines.map do |line|
        depth -= 1 if line.start_with?("</")
        shown = shift * [depth, 0].max + line
        depth += 1 if line.match?(/\A<(?!\/|!)/) && lines.include?("</#{line[/\A<(\w+)/, 1]}")
        shown
      end.join
    end

    private

    def percent_encode(text, unsafe)
      text = String.try_convert(text) || "" + text
      encoding = text.encoding
      text = text.b.gsub(unsafe) { |bytes| "%" + bytes.unpack("H2" * bytes.bytesize).join("%").upcase }
      text.force_encoding(encoding)
    end

    def percent_decode(text, encoding)
      decoded = text.b.gsub(/(?:%[0-9a-fA-F]{2})+/n) { |codes| [codes.delete("%")].pack("H*") }
      decoded.force_encoding(encoding)
      decoded.valid_encoding? ? decoded : decoded.force_encoding(text.encoding)
    end
  end

  include Util
  extend Util

  # The values of a query, by name.
  def self.parse(query)
    values = {}
    query.split(/[&;]/).each do |pair|
      name, value = pair.split("=", 2).map { |part| CGI.unescape(part) }
      next unless name

      values[name] ||= []
      values[name].push(value) if value
    end
    values.default = [].freeze
    values
  end
end
