# HTTP, from recorded answers or behind the policy's door.
require 'json'
require 'stringio'
require 'uri'

module Net
  class ProtocolError < StandardError; end
  class HTTPError < ProtocolError; end
  class HTTPBadResponse < StandardError; end
  class OpenTimeout < StandardError; end
  class ReadTimeout < StandardError; end
  class HTTPServerException < ProtocolError; end
  class HTTPFatalError < ProtocolError; end
  class HTTPRetriableError < ProtocolError; end

  class HTTPResponse
    attr_reader :code, :message, :body
    alias msg message
    alias read_body body
    alias entity body

    def self.from(answer)
      answer = { 'body' => answer } unless answer.is_a?(Hash)
      status = (answer['status'] || 200).to_i
      kind, message = STATUS[status] || [{ 1 => HTTPInformation, 2 => HTTPSuccess, 3 => HTTPRedirection, 4 => HTTPClientError, 5 => HTTPServerError }[status / 100], '']
      kind.new(status.to_s, message, answer['headers'] || {}, answer['body'])
    end

    def initialize(code, message, headers, body)
      @code = code
      @message = message
      @headers = headers.transform_keys { |name| name.to_s.downcase }
      @body = body.nil? || body.is_a?(String) ? body.to_s : JSON.generate(body)
    end

    def [](name)
      @headers[name.to_s.downcase]
    end

    def key?(name) = @headers.key?(name.to_s.downcase)

    def to_hash = @headers.transform_values { |value| [value] }

    def each_header(&block) = @headers.each(&block)

    def content_type = self['content-type'].to_s[/\A[^;]+/]

    # Nothing, unless the server refused.
    def value
      error = { '3' => HTTPRetriableError, '4' => HTTPServerException, '5' => HTTPFatalError }[code[0]]
      raise error, "#{code} #{message.dump}" if error
    end
  end

  class HTTPInformation < HTTPResponse; end
  class HTTPSuccess < HTTPResponse; end
  class HTTPRedirection < HTTPResponse; end
  class HTTPClientError < HTTPResponse; end
  class HTTPServerError < HTTPResponse; end

  class HTTPOK < HTTPSuccess; end
  class HTTPCreated < HTTPSuccess; end
  class HTTPAccepted < HTTPSuccess; end
  class HTTPNoContent < HTTPSuccess; end
  class HTTPMovedPermanently < HTTPRedirection; end
  class HTTPFound < HTTPRedirection; end
  class HTTPNotModified < HTTPRedirection; end
  class HTTPBadRequest < HTTPClientError; end
  class HTTPUnauthorized < HTTPClientError; end
  class HTTPForbidden < HTTPClientError; end
  class HTTPNotFound < HTTPClientError; end
  class HTTPInternalServerError < HTTPServerError; end
  class HTTPBadGateway < HTTPServerError; end
  class HTTPServiceUnavailable < HTTPServerError; end

  class HTTPResponse
    STATUS = {
      200 => [HTTPOK, 'OK'], 201 => [HTTPCreated, 'Created'], 202 => [HTTPAccepted, 'Accepted'], 204 => [HTTPNoContent, 'No Content'],
      301 => [HTTPMovedPermanently, 'Moved Permanently'], 302 => [HTTPFound, 'Found'], 304 => [HTTPNotModified, 'Not Modified'],
      400 => [HTTPBadRequest, 'Bad Request'], 401 => [HTTPUnauthorized, 'Unauthorized'], 403 => [HTTPForbidden, 'Forbidden'],
      404 => [HTTPNotFound, 'Not Found'], 500 => [HTTPInternalServerError, 'Internal Server Error'], 502 => [HTTPBadGateway, 'Bad Gateway'],
      503 => [HTTPServiceUnavailable, 'Service Unavailable']
    }.freeze
  end

  class HTTP
    class Request
      attr_accessor :body
      attr_reader :path, :uri

      def initialize(path, headers = {})
        @uri = path if path.respond_to?(:request_uri)
        @path = @uri ? @uri.request_uri : path
        @headers = {}
        (headers || {}).each { |name, value| self[name] = value }
      end

      def method = self.class.name.split('::').last.upcase

      def [](name)
        @headers[name.to_s.downcase]
      end

      def []=(name, value)
        @headers[name.to_s.downcase] = value
      end

      alias add_field []=

      def to_hash = @headers

      def content_type=(type)
        self['content-type'] = type
      end

      def set_form_data(params, *)
        self.body = URI.encode_www_form(params)
      end
      alias form_data= set_form_data

      def basic_auth(user, password)
        self['authorization'] = "Basic #{["#{user}:#{password}"].pack('m0')}"
      end
    end
    GenericRequest = Request
    HTTPRequest = Request

    %i[Get Post Put Delete Head Patch].each { |name| const_set(name, Class.new(Request)) }

    attr_accessor :use_ssl, :verify_mode, :verify_callback, :open_timeout, :read_timeout, :ssl_timeout, :ca_file, :ca_path, :cert_store, :cert, :key,
                  :max_retries, :ssl_version, :min_version, :keep_alive_timeout
    alias use_ssl? use_ssl
    attr_reader :address, :port

    def self.default_port = 80

    # The answer to a request; its body and headers matter to tests only, which replace this.
    def self.__answer(method, url, host, _body = nil, _headers = {})
      spellings = ["#{method} #{url}"]
      spellings.unshift(url) if method == 'GET'
      HTTPResponse.from(JSON.parse(Kernel.__answer('http', host, *spellings)))
    end

    def self.start(address, port = nil, *, use_ssl: false, **, &block)
      http = new(address, port || (use_ssl ? 443 : 80))
      http.use_ssl = use_ssl
      http.start(&block)
    end

    def self.get(target, path = nil, *)
      get_response(target, path).body
    end

    def self.get_response(target, path = nil, *)
      return new(target).get(path) unless target.respond_to?(:host)

      __answer('GET', target.to_s, target.host)
    end

    def self.post(uri, body = nil, headers = {}, **)
      __answer('POST', uri.to_s, uri.host, body, headers)
    end

    def self.post_form(uri, params)
      __answer('POST', uri.to_s, uri.host, URI.encode_www_form(params))
    end

    def initialize(address, port = nil, *)
      @address = address
      @port = port || 80
    end

    def start
      @started = true
      block_given? ? yield(self) : self
    end

    def started? = @started || false

    def finish
      @started = false
    end

    def request(request, body = nil)
      request.body = body if body
      response = HTTP.__answer(request.method, __url(request.path), @address, request.body, request.to_hash)
      yield response if block_given?
      response
    end

    %w[get post put delete head patch].each do |word|
      define_method(word) do |path, *rest|
        headers, body = [Hash, String].map { |kind| rest.find { |one| one.is_a?(kind) } }
        HTTP.__answer(word.upcase, __url(path), @address, body, headers || {})
      end
    end
    alias request_get get

    private

    def __url(path)
      secure = use_ssl || port == 443
      usual = port == (secure ? 443 : 80)
      "#{secure ? 'https' : 'http'}://#{@address}#{":#{port}" unless usual}#{path}"
    end
  end
end

# URI.open and uri.read.
module OpenURI
  class HTTPError < StandardError
    attr_reader :io

    def initialize(message, io)
      super(message)
      @io = io
    end
  end

  module OpenRead
    def open(*)
      response = Net::HTTP.__answer('GET', to_s, host)
      io = StringIO.new(response.body)
      raise HTTPError.new("#{response.code} #{response.message}", io) unless response.is_a?(Net::HTTPSuccess)

      block_given? ? yield(io) : io
    end

    def read(*)
      open.read
    end
  end

  def self.open_uri(name, *, &block)
    URI.parse(name.to_s).open(&block)
  end
end

module URI
  class HTTP
    include OpenURI::OpenRead
  end

  def self.open(name, *, &block)
    OpenURI.open_uri(name, &block)
  end
end
