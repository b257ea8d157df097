# Uniform resource identifiers.
module URI
  class Error < StandardError; end
  class InvalidURIError < Error; end
  class InvalidComponentError < Error; end
  class BadURIError < Error; end

  PARTS = %r{
    \A(?:([A-Za-z][A-Za-z0-9+\-.]*):)?
    (?://(?:([^@/?\#]*)@)?(\[[^\]]*\]|[^:/?\#]*)(?::(\d*))?)?
    ([^?\#]*)(?:\?([^\#]*))?(?:\#(.*))?\z
  }mx.freeze
  ALLOWED = /\A(?:[A-Za-z0-9\-._~:\/?\#\[\]@!$&'()*+,;=]|%\h\h)*\z/.freeze

  class Generic
    include URI

    DEFAULT_PORT = nil

    attr_reader :scheme, :userinfo, :host, :port, :path, :query, :fragment, :opaque, :registry

    def self.default_port
      self::DEFAULT_PORT
    end

    def self.build(args)
      if args.is_a?(Hash)
        new(default_scheme, args[:userinfo], args[:host], args[:port], nil, args[:path] || '', args[:opaque], args[:query], args[:fragment])
      else
        new(default_scheme, args[0], args[1], args[2], nil, args[3] || '', nil, args[4], args[5])
      end
    end

    def self.default_scheme
      self == Generic ? nil : name.split('::').last.downcase
    end

    def initialize(scheme, userinfo, host, port, registry, path, opaque, query, fragment, *)
      @scheme = scheme&.downcase
      @userinfo = userinfo
      @host = host
      @port = port && port != '' ? port.to_i : default_port
      @path = path
      @opaque = opaque
      @query = query
      @fragment = fragment
    end

    def default_port
      self.class.default_port
    end

    attr_writer :path, :query, :fragment, :opaque

    def scheme=(scheme)
      @scheme = scheme&.downcase
    end

    attr_writer :host, :userinfo

    def port=(port)
      @port = port && port != '' ? port.to_i : default_port
    end

    def user
      @userinfo&.split(':', 2)&.first
    end

    def user=(user)
      @userinfo = [user, password].compact.join(':')
    end

    def password
      @userinfo&.split(':', 2)&.at(1)
    end

    def password=(password)
      @userinfo = "#{user}:#{password}"
    end

    def hostname
      @host && @host =~ /\A\[(.*)\]\z/ ? Regexp.last_match(1) : @host
    end

    def hostname=(name)
      @host = name&.include?(':') && !name.start_with?('[') ? "[#{name}]" : name
    end

    def absolute?
      !@scheme.nil?
    end
    alias absolute absolute?

    def relative?
      !absolute?
    end

    def hierarchical?
      @opaque.nil?
    end

    def to_s
      text = +''
      text << "#{@scheme}:" if @scheme
      if @opaque
        text << @opaque
      else
        text << '//' if @host || %w[file postgres].include?(@scheme)
        text << "#{@userinfo}@" if @userinfo
        text << @host if @host
        text << ":#{@port}" if @port && @port != default_port
        text << '/' if @host && !@path.to_s.empty? && !@path.start_with?('/')
        text << @path.to_s
        text << "?#{@query}" if @query
      end
      text << "##{@fragment}" if @fragment
      text
    end

    def inspect
      "#<#{self.class} #{self}>"
    end

    def ==(other)
      self.class == other.class && normalize.to_s == other.normalize.to_s
    end

    def eql?(other)
      self.class == other.class && to_s == other.to_s
    end

    def hash
      to_s.hash
    end

    def normalize
      copy = dup
      copy.host = @host.downcase if @host
      copy.path = '/' if @host && @path.to_s.empty?
      copy
    end

    def normalize!
      @host = @host.downcase if @host
      @path = '/' if @host && @path.to_s.empty?
      self
    end

    def merge(other)
      other = URI.parse(other.to_s) unless other.is_a?(Generic)
      return other if other.absolute?
      raise BadURIError, 'both URI are relative' unless absolute?

      copy = dup
      copy.fragment = other.fragment
      if other.host
        copy.userinfo = other.userinfo
        copy.host = other.host
        copy.port = other.port
        copy.path = other.path
        copy.query = other.query
        return copy
      end
      if other.path.to_s.empty?
        copy.query = other.query if other.query
        return copy
      end
      copy.query = other.query
      base = other.path.start_with?('/') ? other.path : @path.to_s.sub(%r{[^/]*\z}, '') + other.path
      copy.path = without_dots(base.start_with?('/') ? base : "/#{base}")
      copy
    end
    alias + merge

    def route_to(other)
      URI.parse(other.to_s)
    end

    def request_uri
      return unless @path

      text = @path.empty? ? '/' : @path
      @query ? "#{text}?#{@query}" : text
    end

    def select(*components)
      components.map { |component| __send__(component) }
    end

    def component
      %i[scheme userinfo host port path query fragment]
    end

    private

    def without_dots(path)
      names = []
      path.split('/', -1).each do |name|
        case name
        when '.' then names << '' if path.end_with?('.') && name.equal?(path)
        when '..' then names.pop if names.size > 1
        else names << name
        end
      end
      names << '' if path.end_with?('/.', '/..')
      names.join('/')
    end
  end

  class HTTP < Generic
    DEFAULT_PORT = 80

    def authority
      @port == default_port ? @host : "#{@host}:#{@port}"
    end

    def origin
      "#{@scheme}://#{authority}"
    end
  end

  class HTTPS < HTTP
    DEFAULT_PORT = 443
  end

  class FTP < Generic
    DEFAULT_PORT = 21

    # The path is relative to where the user starts; `%2F` in front makes it absolute.
    def initialize(*)
      super
      @path = @path.to_s.sub(%r{\A/}, '').sub(/\A%2F/i, '/')
    end

    def to_s
      copy = dup
      copy.path = "/#{@path.sub(%r{\A/}, '%2F')}"
      Generic.instance_method(:to_s).bind_call(copy)
    end
  end

  class LDAP < Generic
    DEFAULT_PORT = 389
  end

  class LDAPS < LDAP
    DEFAULT_PORT = 636
  end

  class File < Generic; end
  class WS < Generic
    DEFAULT_PORT = 80
  end
  class WSS < WS
    DEFAULT_PORT = 443
  end

  class MailTo < Generic
    def to
      @opaque&.split('?', 2)&.first
    end
  end

  SCHEMES = {
    'HTTP' => HTTP, 'HTTPS' => HTTPS, 'FTP' => FTP, 'LDAP' => LDAP, 'LDAPS' => LDAPS, 'FILE' => File, 'MAILTO' => MailTo,
    'WS' => WS, 'WSS' => WSS
  }

  def self.scheme_list
    SCHEMES
  end

  def self.split(text)
    parts = parts_of(text)
    [parts[0], parts[1], parts[2], parts[3], nil, parts[4], parts[5], parts[6], parts[7]]
  end

  def self.parts_of(text)
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless text.respond_to?(:to_str)

    text = text.to_str
    raise InvalidURIError, "URI must be ascii only #{text.dump}" unless text.ascii_only?

    match = PARTS.match(text)
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless match && ALLOWED.match?(text)

    scheme, userinfo, host, port, path, query, fragment = match.captures
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if fragment&.include?('#') || path =~ /[\[\]]/
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if scheme.nil? && host.nil? && path =~ /\A[^\/]*:/

    if scheme && host.nil? && !path.start_with?('/') && !path.empty?
      opaque = query ? "#{path}?#{query}" : path
      return [scheme, userinfo, host, port, nil, opaque, nil, fragment]
    end
    host = nil if host && host.empty? && scheme != 'file'
    [scheme, userinfo, host, port, path, nil, query, fragment]
  end
  private_class_method :parts_of

  def self.parse(text)
    scheme, userinfo, host, port, path, opaque, query, fragment = parts_of(text)
    made = SCHEMES[scheme.to_s.upcase] || Generic
    made.new(scheme, userinfo, host, port, nil, path, opaque, query, fragment)
  end

  def self.join(first, *others)
    others.inject(parse(first)) { |base, other| base.merge(other) }
  end

  def self.regexp(schemes = nil)
    names = schemes ? Array(schemes).map { |name| Regexp.escape(name) }.join('|') : '[A-Za-z][A-Za-z0-9+\-.]*'
    %r{(?:#{names}):(?://)?[^\s<>"]+}
  end

  def self.extract(text, schemes = nil)
    text.scan(regexp(schemes))
  end

  def self.encode_www_form_component(text, _ = nil)
    text.to_s.b.gsub(/[^*\-.0-9A-Z_a-z]/n) { |byte| byte == ' ' ? '+' : format('%%%02X', byte.ord) }.force_encoding('US-ASCII')
  end

  def self.decode_www_form_component(text, encoding = 'UTF-8')
    raise ArgumentError, "invalid %-encoding (#{text})" if text.match?(/%(?!\h\h)/)

    text.b.gsub(/\+|%\h\h/n) { |part| part == '+' ? ' ' : part[1, 2].hex.chr }.force_encoding(encoding)
  end

  def self.encode_uri_component(text, _ = nil)
    encode_www_form_component(text).gsub('+', '%20')
  end

  def self.decode_uri_component(text, encoding = 'UTF-8')
    raise ArgumentError, "invalid %-encoding (#{text})" if text.match?(/%(?!\h\h)/)

    text.b.gsub(/%\h\h/n) { |part| part[1, 2].hex.chr }.force_encoding(encoding)
  end

  def self.encode_www_form(pairs)
    pairs.map do |name, value|
      if value.nil?
        encode_www_form_component(name)
      elsif value.respond_to?(:to_ary)
        value.to_ary.map { |one| one.nil? ? encode_www_form_component(name) : "#{encode_www_form_component(name)}=#{encode_www_form_component(one)}" }.join('&')
      else
        "#{encode_www_form_component(name)}=#{encode_www_form_component(value)}"
      end
    end.join('&')
  end

  def self.decode_www_form(text)
    text.split('&').map do |pair|
      name, value = pair.split('=', 2)
      [decode_www_form_component(name), decode_www_form_component(value || '')]
    end
  end

  module Escape
    UNSAFE = %r{[^\-_.!~*'()a-zA-Z\d;/?:@&=+$,\[\]]}n.freeze

    def escape(text, unsafe = UNSAFE)
      unsafe = /[#{Regexp.quote(unsafe)}]/ unless unsafe.is_a?(Regexp)
      text.b.gsub(unsafe) { |part| part.bytes.map { |byte| format('%%%02X', byte) }.join }.force_encoding('US-ASCII')
    end

    def unescape(text)
      text.b.gsub(/%\h\h/n) { |part| part[1, 2].hex.chr }.force_encoding('UTF-8')
    end
    alias encode escape
    alias decode unescape
  end

  class Parser
    include Escape

    def parse(text)
      URI.parse(text)
    end

    def split(text)
      URI.split(text)
    end

    def join(*texts)
      URI.join(*texts)
    end

    def make_regexp(schemes = nil)
      URI.regexp(schemes)
    end

    def extract(text, schemes = nil)
      URI.extract(text, schemes)
    end
  end
  RFC2396_Parser = Parser
  RFC3986_Parser = Parser
  DEFAULT_PARSER = Parser.new
end

module Kernel
  def URI(text)
    text.is_a?(URI::Generic) ? text : URI.parse(text)
  end
  module_function :URI
end
