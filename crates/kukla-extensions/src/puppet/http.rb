# Puppet's own client for HTTP, as functions use it.
require 'net/http'

module Puppet
  module HTTP
    class HTTPError < Puppet::Error; end
    class ConnectionError < HTTPError; end

    class ResponseError < HTTPError
      attr_reader :response

      def initialize(response)
        super(response.reason)
        @response = response
      end
    end

    class Response
      attr_reader :url, :body, :reason

      def initialize(url, answer)
        @url = url
        @answer = answer
        @body = answer.body
        @reason = answer.message
      end

      def code = @answer.code.to_i

      def success? = @answer.is_a?(Net::HTTPSuccess)

      def [](name) = @answer[name]

      def each_header(&block) = @answer.each_header(&block)

      def read_body
        block_given? ? yield(body) : body
      end
    end

    class Client
      def initialize(**); end

      %w[get head put post delete].each do |word|
        define_method(word) do |url, *_body, params: {}, **, &block|
          url = url.dup
          url.query = URI.encode_www_form(params) unless params.empty?
          response = Response.new(url, Net::HTTP.__answer(word.upcase, url.to_s, url.host))
          block&.call(response)
          response
        end
      end

      def create_session = self

      def close; end
    end
  end

  RUNTIME = { http: HTTP::Client.new, facter: Facter }.freeze
end
