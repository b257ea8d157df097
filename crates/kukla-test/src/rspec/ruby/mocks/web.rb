# What `require 'webmock/rspec'` brings: answers to HTTP requests in place of the network.

module WebMock
  class NetConnectNotAllowedError < Exception; end # rubocop:disable Lint/InheritException

  # A request as it was made.
  Request = Struct.new(:method, :uri, :body, :headers) do
    def to_s = "#{method} #{uri}"
  end

  # A kind of request, and the answers to it in turn.
  class Stub
    attr_reader :requests

    def initialize(method, uri)
      @method = method.to_s.upcase
      @uri = uri
      @with = {}
      @answers = []
      @requests = []
    end

    def with(options = {}, &block)
      @with.merge!(options)
      @block = block if block
      self
    end

    def to_return(*answers, &block)
      @answers.concat(block ? [block] : answers)
      self
    end

    def to_raise(error) = to_return(->(_) { raise error })
    def to_timeout = to_raise(Net::OpenTimeout)
    def then = self

    def fits?(request)
      (@method == 'ANY' || @method == request.method) && uri?(request) && body?(request.body) && headers?(request.headers) &&
        (@block.nil? || @block.call(request))
    end

    def answer(request)
      @requests << request
      answer = @answers.size > 1 ? @answers.shift : @answers.first
      answer = answer.call(request) if answer.respond_to?(:call)
      answer ||= {}
      status, message = answer[:status]
      body = answer[:body]
      body = body.read if body.respond_to?(:read)
      Net::HTTPResponse.from('status' => status || 200, 'message' => message, 'headers' => answer[:headers] || {}, 'body' => body)
    end

    def to_s = "#{@method} #{@uri.inspect}"

    private

    def uri?(request)
      return @uri.match?(request.uri) if @uri.is_a?(Regexp)

      wanted, query = split(@uri.to_s)
      given, asked = split(request.uri)
      query = URI.encode_www_form(@with[:query]).split('&').sort if @with[:query].is_a?(Hash)
      wanted == given && query == asked
    end

    # The address with its usual port, and the parameters in order.
    def split(uri)
      address, query = uri.split('?', 2)
      address = address.sub(%r{\A(http://[^/:]+):80(?=/|\z)}, '\\1').sub(%r{\A(https://[^/:]+):443(?=/|\z)}, '\\1')
      [address.sub(%r{\A(\w+://[^/]+)\z}, '\\1/'), query.to_s.split('&').sort]
    end

    def body?(body)
      case wanted = @with[:body]
      when nil then true
      when Hash then [parsed(body), URI.decode_www_form(body.to_s).to_h].include?(JSON.parse(JSON.generate(wanted)))
      when Regexp then wanted.match?(body.to_s)
      else wanted === body || wanted.to_s == body.to_s
      end
    end

    def parsed(body)
      JSON.parse(body.to_s)
    rescue JSON::ParserError
      nil
    end

    def headers?(headers)
      given = headers.to_h { |name, value| [name.to_s.downcase, value] }
      (@with[:headers] || {}).all? { |name, value| value === given[name.to_s.downcase.tr('_', '-')] }
    end
  end

  class << self
    def stubs = @stubs ||= []
    def requests = @requests ||= []
    def disable_net_connect!(*) = nil
    def allow_net_connect!(*) = nil
    def enable!(*) = nil
    def disable!(*) = nil

    def reset!
      stubs.clear
      requests.clear
    end

    def answer(request)
      requests << request
      found = stubs.reverse.find { |stub| stub.fits?(request) }
      raise NetConnectNotAllowedError, "Real HTTP connections are disabled. Unregistered request: #{request}" unless found

      found.answer(request)
    end
  end

  module API
    def stub_request(method, uri)
      Stub.new(method, uri).tap { |stub| WebMock.stubs << stub }
    end

    def a_request(method, uri) = Stub.new(method, uri)
    def remove_request_stub(stub) = WebMock.stubs.delete(stub)
    def have_requested(method, uri) = Requested.new(Stub.new(method, uri))
    def have_been_requested = Requested.new(nil)
    def have_been_made = have_been_requested
  end

  # The number of requests that were made.
  class Requested < RSpec::Matchers::Base
    def initialize(stub)
      super()
      @stub = stub
      @count = 1
    end

    def with(...) = tap { @stub.with(...) }
    def times(count) = tap { @count = count }
    def once = times(1)
    def twice = times(2)
    def at_least_once = times(1..)

    def match?(actual)
      stub = @stub || actual
      @count === WebMock.requests.count { |request| stub.fits?(request) }
    end

    def does_not_match?(actual)
      stub = @stub || actual
      WebMock.requests.none? { |request| stub.fits?(request) }
    end

    def words = 'have been requested'
  end
end

module Net
  class HTTP
    def self.__answer(method, url, _host, body = nil, headers = {})
      WebMock.answer(WebMock::Request.new(method, url, body, headers))
    end
  end
end

RSpec.configure { |config| config.include WebMock::API }
RSpec.world.on_example { WebMock.reset! }
