# HTTP, behind the policy's door.
require 'uri'

module Net
  class ProtocolError < StandardError; end
  class HTTPError < ProtocolError; end
  class HTTPBadResponse < StandardError; end
  class OpenTimeout < StandardError; end
  class ReadTimeout < StandardError; end
  class HTTPResponse; end
  class HTTPSuccess < HTTPResponse; end
  class HTTPOK < HTTPSuccess; end
  class HTTPRedirection < HTTPResponse; end
  class HTTPClientError < HTTPResponse; end
  class HTTPServerError < HTTPResponse; end

  class HTTP
    class Request
      attr_accessor :body
      attr_reader :path

      def initialize(path, headers = {})
        @path = path
        @headers = headers || {}
      end

      def [](name)
        @headers[name]
      end

      def []=(name, value)
        @headers[name] = value
      end

      def basic_auth(user, password)
        @headers['Authorization'] = "Basic #{["#{user}:#{password}"].pack('m0')}"
      end
    end

    %i[Get Post Put Delete Head Patch].each { |name| const_set(name, Class.new(Request)) }

    attr_accessor :use_ssl, :verify_mode, :open_timeout, :read_timeout, :ca_file, :cert, :key
    attr_reader :address, :port

    def initialize(address, port = 80, *)
      @address = address
      @port = port
    end

    def self.start(address, *, **)
      Kernel.__network(address.to_s)
    end

    %i[get get_response post post_form get_print].each do |name|
      define_singleton_method(name) { |target, *, **| Kernel.__network((target.respond_to?(:host) ? target.host : target).to_s) }
    end

    %i[start request get post put delete head].each do |name|
      define_method(name) { |*, **| Kernel.__network(@address.to_s) }
    end
  end
end
