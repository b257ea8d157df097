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
    COMPONENT = %i[scheme userinfo host port registry path opaque query fragment].freeze

    attr_reader :scheme, :userinfo, :host, :port, :path, :query, :fragment, :opaque, :registry

    def self.default_port
      self::DEFAULT_PORT
    end

    def self.build(args)
      args = self::COMPONENT.zip(args).to_h unless args.is_a?(Hash)
      made = new(args[:scheme] || default_scheme, args[:userinfo], args[:host], args[:port], nil, args[:path] || '', args[:opaque], args[:query], args[:fragment])
      made.__send__(:check_path, made.path)
      made
    end

    def self.build2(args) = build(args)

    def self.component = self::COMPONENT

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

    attr_writer :fragment, :opaque

    def query=(query)
      raise InvalidURIError, 'query conflicts with opaque' if query && @opaque

      @query = query
    end

    def path=(path)
      raise InvalidURIError, 'path conflicts with opaque' if path && @opaque

      check_path(path)
      @path = path
    end

    def scheme=(scheme)
      @scheme = scheme&.downcase
    end

    def host=(host)
      raise InvalidURIError, 'can not set host with registry or opaque' if @opaque

      @host = host
    end

    def userinfo=(userinfo)
      raise InvalidURIError, 'can not set user with opaque' if @opaque && userinfo

      @userinfo = userinfo.is_a?(Array) ? userinfo.compact.join(':') : userinfo
    end

    def port=(port)
      raise InvalidURIError, 'can not set port with registry or opaque' if @opaque

      @port = port && port != '' ? port.to_i : default_port
    end

    def user
      @userinfo&.split(':', 2)&.first
    end

    def user=(user)
      raise InvalidURIError, 'can not set user with opaque' if @opaque

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
      dup.normalize!
    end

    def normalize!
      @path = '/' if @path&.empty?
      @scheme = @scheme.downcase if @scheme
      @host = @host.downcase if @host
      self
    end

    def merge!(other)
      merged = merge(other)
      merged.instance_variables.each { |name| instance_variable_set(name, merged.instance_variable_get(name)) }
      self
    end

    def coerce(other)
      raise ArgumentError, 'bad argument (expected URI object or URI string)' unless other.is_a?(String)

      [URI.parse(other), self]
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

    # How one gets here from there, as short as it can be said.
    def route_from(other)
      base = other.is_a?(Generic) ? other : URI.parse(other.to_s)
      raise BadURIError, "relative URI: #{self}" if relative?
      raise BadURIError, "relative URI: #{base}" if base.relative?
      return dup if scheme != base.scheme || !hierarchical?
      if [userinfo.to_s, host, port] != [base.userinfo.to_s, base.host, base.port]
        made = Generic.new(nil, userinfo, host, port, nil, @path, nil, query, fragment)
        made.port = nil if port == default_port
        return made
      end

      path = path_from(base.path.to_s.empty? ? '/' : base.path, @path.to_s.empty? ? '/' : @path)
      path = '' if @path == base.path && (query || fragment || base.query.nil?) && (query == base.query || query)
      made = Generic.new(nil, nil, nil, nil, nil, path, nil, query, fragment)
      made
    end
    alias - route_from

    def route_to(other)
      (other.is_a?(Generic) ? other : URI.parse(other.to_s)).route_from(self)
    end

    def select(*components)
      unknown = components - component
      raise ArgumentError, "expected of components of #{self.class} (#{component.join(', ')})" unless unknown.empty?

      components.map { |component| __send__(component) }
    end

    def component
      self.class.component
    end

    private

    def check_path(path)
      return if path.nil? || path.empty? || host.nil? && scheme.nil? || @opaque
      return if path.start_with?('/') || instance_of?(FTP) || host.nil?

      raise InvalidComponentError, "bad component(expected absolute path component): #{path}"
    end

    def path_from(from, to)
      return '' if from == to

      start, goal = from.split('/', -1), to.split('/', -1)
      start.pop
      while start.size > 1 && goal.size > 1 && start.first == goal.first || (start.first == '' && goal.first == '' && goal.size > 1 && !start.empty?)
        start.shift
        goal.shift
      end
      text = '../' * start.size + goal.join('/')
      text.empty? ? './' : text
    end

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
    COMPONENT = %i[scheme userinfo host port path query fragment].freeze

    def request_uri
      return unless @path

      text = @path.empty? ? '/' : @path
      @query ? "#{text}?#{@query}" : text
    end

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

    COMPONENT = %i[scheme userinfo host port path typecode].freeze

    attr_accessor :typecode

    def self.build(args)
      args = self::COMPONENT.zip(args).to_h unless args.is_a?(Hash)
      made = new('ftp', args[:userinfo], args[:host], args[:port], nil, "/#{args[:path]}", nil, nil, nil)
      made.typecode = args[:typecode]
      made
    end

    # The path is relative to where the user starts; `%2F` in front makes it absolute.
    def initialize(*)
      super
      @path = @path.to_s.sub(%r{\A/}, '').sub(/\A%2F/i, '/')
      return unless @path =~ /;type=([aid])\z/

      @typecode = Regexp.last_match(1)
      @path = @path.delete_suffix(";type=#{@typecode}")
    end

    def to_s
      copy = dup
      copy.instance_variable_set(:@path, "/#{@path.sub(%r{\A/}, '%2F')}#{";type=#{@typecode}" if @typecode}")
      Generic.instance_method(:to_s).bind_call(copy)
    end
  end

  class LDAP < Generic
    DEFAULT_PORT = 389
    COMPONENT = %i[scheme host port dn attributes scope filter extensions].freeze
    SCOPE = [SCOPE_ONE = 'one', SCOPE_SUB = 'sub', SCOPE_BASE = 'base'].freeze
    ASKED = %i[attributes scope filter extensions].freeze
    private_constant :ASKED

    def self.build(args)
      args = self::COMPONENT.zip(args).to_h unless args.is_a?(Hash)
      asked = ASKED.map { |name| args[name] }
      asked.pop while asked.last.nil? && asked.size > 1
      dn = args[:dn].to_s
      dn = "/#{dn}" unless dn.empty? || dn.start_with?('/')
      new(default_scheme, nil, args[:host], args[:port], nil, dn, nil, asked.join('?'), nil)
    end

    def hierarchical? = false

    def dn = @path&.delete_prefix('/')

    def dn=(name)
      @path = "/#{name}"
    end

    ASKED.each_with_index do |name, at|
      define_method(name) { @query&.split('?', -1)&.[](at) }
      define_method(:"#{name}=") do |value|
        asked = @query.to_s.split('?', -1)
        asked[at] = value
        @query = asked.join('?')
      end
    end
  end

  class LDAPS < LDAP
    DEFAULT_PORT = 636
  end

  class File < Generic
    COMPONENT = %i[scheme host path].freeze

    def user=(_)
      raise InvalidURIError, 'can not set user for file URI'
    end

    def password=(_)
      raise InvalidURIError, 'can not set password for file URI'
    end

    def userinfo=(_)
      raise InvalidURIError, 'can not set userinfo for file URI'
    end

    def port=(_); end

    def self.build(args)
      args = self::COMPONENT.zip(args).to_h unless args.is_a?(Hash)
      raise InvalidComponentError, 'bad component(expected host component): ' if args[:host] == ''

      super(scheme: 'file', host: args[:host] || '', path: args[:path])
    end
  end
  class WS < Generic
    DEFAULT_PORT = 80
    COMPONENT = %i[scheme userinfo host port path query].freeze

    def request_uri
      HTTP.instance_method(:request_uri).bind_call(HTTP.new(nil, nil, nil, nil, nil, @path, nil, @query, nil))
    end
  end
  class WSS < WS
    DEFAULT_PORT = 443
  end

  class MailTo < Generic
    COMPONENT = %i[scheme to headers].freeze

    attr_reader :to, :headers

    def self.build(args)
      to, headers = args.is_a?(Hash) ? args.values_at(:to, :headers) : args
      headers = Array(headers).map { |header| header.is_a?(Array) ? header.join('=') : header }
      query = headers.empty? ? '' : "?#{headers.join('&')}"
      new('mailto', nil, nil, nil, nil, nil, "#{to}#{query}", nil, nil)
    end

    def initialize(*)
      super
      @to, query = @opaque.to_s.split('?', 2)
      @to ||= ''
      @headers = query.to_s.split('&').map { |header| header.split('=', 2) }
    end

    def to=(to)
      @to = to
      compose
    end

    def headers=(headers)
      @headers = headers.to_s.split('&').map { |header| header.split('=', 2) }
      compose
    end

    # The letter as one would begin it.
    def to_mailtext
      to = URI.decode_www_form_component(@to)
      head, body = +'', +''
      @headers.each do |name, value|
        case name
        when 'body' then body = URI.decode_www_form_component(value)
        when 'to' then to << ", #{URI.decode_www_form_component(value)}"
        else head << "#{URI.decode_www_form_component(name).capitalize}: #{URI.decode_www_form_component(value)}\n"
        end
      end
      "To: #{to}\n#{head}\n#{body}\n"
    end
    alias to_rfc822text to_mailtext

    private

    def compose
      query = @headers.map { |header| header.join('=') }.join('&')
      @opaque = query.empty? ? @to : "#{@to}?#{query}"
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
    host = parts[2] == '' ? nil : parts[2]
    [parts[0], parts[1], host, parts[3], nil, parts[4], parts[5], parts[6], parts[7]]
  end

  # Whether brackets can hold this: an address of version 6, or of a version yet to come.
  def self.address?(text)
    return true if text.match?(/\Av\h+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+\z/)

    # The last four bytes can be written as in version 4, and one row of zeros left out.
    text = text.sub(/(?<=:)(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!\z)|\z)){4}\z/, '0:0')
    halves = text.split('::', -1).map { |half| half.split(':', -1) }
    words = halves.flatten
    return false unless words.all? { |word| word.match?(/\A\h{1,4}\z/) }

    halves.size == 2 ? words.size < 8 : halves.size == 1 && words.size == 8
  end
  private_class_method :address?

  def self.parts_of(text)
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless text.respond_to?(:to_str)

    text = text.to_str
    raise InvalidURIError, "URI must be ascii only #{text.dump}" unless text.ascii_only?

    match = PARTS.match(text)
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless match && ALLOWED.match?(text)

    scheme, userinfo, host, port, path, query, fragment = match.captures
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if host && !path.empty? && !path.start_with?('/')
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if fragment&.include?('#') || path =~ /[\[\]]/
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if scheme.nil? && host.nil? && path =~ /\A[^\/]*:/
    # Without a scheme there is no place for brackets.
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if host&.start_with?('[') && !(scheme && address?(host[1..-2]))

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

  class RFC2396_Parser
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
  class RFC3986_Parser < RFC2396_Parser; end
  Parser = RFC2396_Parser
  DEFAULT_PARSER = RFC2396_Parser.new
  RFC3986_PARSER = RFC3986_Parser.new

  def self.for(scheme, *arguments, default: Generic)
    (SCHEMES[scheme.to_s.upcase] || default).new(scheme, *arguments)
  end

  def self.register_scheme(scheme, made)
    SCHEMES[scheme.to_s.upcase] = made
  end
end

module Kernel
  def URI(text)
    return text if text.is_a?(URI::Generic)
    return URI.parse(text) if text.is_a?(String)

    raise ArgumentError, 'bad argument (expected URI object or URI string)'
  end
  module_function :URI
end
