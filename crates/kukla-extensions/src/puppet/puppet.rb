# Puppet's own classes as modules' Ruby code knows them.

# What Puppet itself has required, so that modules never do.
{
  Base64: 'base64', CGI: 'cgi', Date: 'date', DateTime: 'date', Digest: 'digest', Etc: 'etc', FileUtils: 'fileutils',
  Find: 'find', Forwardable: 'forwardable', IPAddr: 'ipaddr', JSON: 'json', OpenSSL: 'openssl', OpenStruct: 'ostruct',
  Pathname: 'pathname', Psych: 'yaml', SecureRandom: 'securerandom', Shellwords: 'shellwords', StringIO: 'stringio', StringScanner: 'strscan',
  Tempfile: 'tempfile', Timeout: 'timeout', URI: 'uri', YAML: 'yaml'
}.each { |name, library| Object.autoload(name, library) unless Object.const_defined?(name, false) }
Object.autoload(:Hiera, 'hiera')
%i[Base Class Instance MD5 SHA1 SHA2 SHA256 SHA384 SHA512].each { |name| Digest.autoload(name, 'digest') }

module Puppet
  %i[Parameter Property Provider Coercion].each { |name| autoload(name, 'puppet/parameter') }
  %i[Type CompilableResourceType].each { |name| autoload(name, 'puppet/type') }
  %i[HTTP RUNTIME].each { |name| autoload(name, 'puppet/http') }
  autoload(:CoreTypes, 'puppet/core_types')
  autoload(:ResourceApi, 'puppet/resource_api')

  # What Puppet has one of: a client for HTTP, Facter.
  def self.runtime = RUNTIME

  class Error < RuntimeError
    attr_accessor :original, :issue_code
    # The kind of a refusal by a resource type, and the attribute that it is about.
    attr_reader :refusal_kind, :refusal_attribute

    def initialize(message, original = nil)
      super(message)
      @original = original
    end

    # The same error, as a refusal of a kind.
    def refusing(kind, attribute)
      @refusal_kind = kind
      @refusal_attribute = attribute
      self
    end
  end

  class DevError < Error; end

  module ExternalFileError; end

  class MissingCommand < Error; end
  class ExecutionFailure < Error; end

  class ParseError < Error
    attr_accessor :file, :line, :pos, :environment

    def initialize(message, file = nil, line = nil, pos = nil, original = nil)
      if file.is_a?(Exception)
        original = file
        file = nil
      end
      super(message, original)
      @file = file unless file.is_a?(String) && file.empty?
      @line = line
      @pos = pos
    end
  end

  class ParseErrorWithIssue < ParseError
    attr_reader :basic_message, :arguments

    def initialize(message, file = nil, line = nil, pos = nil, original = nil, issue_code = nil, arguments = nil)
      super(message, file, line, pos, original)
      @issue_code = issue_code
      @arguments = arguments
      @basic_message = message
    end
  end

  class PreformattedError < ParseErrorWithIssue; end

  class ResourceError < Error
    attr_accessor :file, :line
  end

  module Util
    class << self
      def logmethods(klass = nil, _use_transaction_log = true); end

      # Whether the node, whose resources are judged, runs Windows.
      def on_windows?
        return @on_windows unless @on_windows.nil?

        os = Puppet::Parser::Scope.facts['os']
        @on_windows = os.is_a?(Hash) && os['family'] == 'windows'
      end

      def absolute_path?(path, platform = nil)
        if platform == :windows || (platform.nil? && on_windows?)
          !!(path =~ /\A(?:(?:[A-Z]:[\\\/])|(?:[\\\/][\\\/][^\\\/]+[\\\/][^\\\/]+)|(?:[\\\/][\\\/]\?[\\\/][^\\\/]+))/i)
        else
          !!(path =~ %r{^/})
        end
      end

      def which(_bin)
        nil
      end

      def get_env(name, _mode = nil)
        ENV[name]
      end

      def uri_encode(text, _options = { allow_fragment: false })
        text.gsub(/[^a-zA-Z0-9_\-.~\/:?&=%#]/) { |c| c.bytes.map { |b| format('%%%02X', b) }.join }
      end

      def uri_unescape(text)
        text.gsub(/%([0-9a-fA-F]{2})/) { [Regexp.last_match(1)].pack('H2') }.force_encoding('UTF-8')
      end

      def uri_query_encode(text)
        text.gsub(/[^a-zA-Z0-9_\-.~]/) { |c| c.bytes.map { |b| format('%%%02X', b) }.join }
      end

      def deterministic_rand(seed, max)
        deterministic_rand_int(seed, max).to_s
      end

      def deterministic_rand_int(seed, max)
        Random.new(seed).rand(max)
      end

      def symbolizehash(hash)
        hash.to_h { |name, value| [name.is_a?(String) ? name.to_sym : name, value] }
      end

      def safe_posix_fork(*); end

      def execute(*arguments)
        Puppet::Util::Execution.execute(*arguments)
      end
    end

    def benchmark(*)
      yield if block_given?
    end

    def which(bin)
      Puppet::Util.which(bin)
    end

    def absolute_path?(path, platform = nil)
      Puppet::Util.absolute_path?(path, platform)
    end

    def symbolizehash(hash)
      Puppet::Util.symbolizehash(hash)
    end

    module Errors
      def devfail(message)
        raise Puppet::DevError, message
      end

      def fail(*args)
        type = args.first.is_a?(Class) ? args.shift : Puppet::Error
        raise type, args.join(' ')
      end
    end

    module Logging
      %w[debug info notice warning err alert emerg crit].each do |level|
        define_method(level) { |*messages| Puppet.send(level, *messages) }
      end

      def send_log(level, message)
        Puppet.send(level, message)
      end

      def warnonce(message)
        Puppet.warn_once('warnings', message, message)
      end

      def deprecation_warning(message, key = nil)
        Puppet.deprecation_warning(message, key)
      end
    end

    module Warnings
      def warnonce(message)
        Puppet.warn_once('warnings', message, message)
      end

      def notice_once(message)
        Puppet.notice(message)
      end
    end

    module Docs
      def self.scrub(text)
        return text unless text.is_a?(String)

        margins = text.split("\n").reject { |line| line =~ /\A\s*\z/ }.drop(1).map { |line| line[/\A */].length }
        indent = margins.min || 0
        text.gsub(/^ {#{indent}}/, '').strip
      end

      def doc=(text)
        @doc = text
      end

      def doc
        @doc
      end
    end

    module MethodHelper
      def set_options(options)
        options.each { |name, value| send("#{name}=", value) }
      end

      def symbolize_options(options)
        options.to_h { |name, value| [name.to_s.to_sym, value] }
      end
    end

    module Package
      def versioncmp(first, second, ignore_trailing_zeroes = false)
        if ignore_trailing_zeroes
          first = first.to_s.sub(/(?:\.0+)+(?=\z|-)/, '')
          second = second.to_s.sub(/(?:\.0+)+(?=\z|-)/, '')
        end
        ours, theirs = [first, second].map { |version| version.to_s.scan(/[-.]|\d+|[^-.\d]+/) }
        ours.zip(theirs).each do |a, b|
          next if a == b
          break if b.nil?

          # A dash comes before a dot, and both before anything else.
          ['-', '.'].each { |mark| return a == mark ? -1 : 1 if [a, b].include?(mark) }
          numbers = [a, b].all? { |part| part =~ /\A\d+\z/ && !part.start_with?('0') }
          return numbers ? a.to_i <=> b.to_i : a.upcase <=> b.upcase
        end
        first.to_s <=> second.to_s
      end
      module_function :versioncmp
    end

    module Execution
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(output, status)
          super(output)
          @exitstatus = status
        end
      end

      def self.execute(command, _options = {})
        words = command.is_a?(Array) ? command.flatten.map(&:to_s) : ['/bin/sh', '-c', command.to_s]
        ProcessOutput.new(Puppet::Parser::Scope.top.call_function('generate', words), 0)
      end

      def self.execpipe(command, _fail = true)
        yield execute(command)
      end
    end

    module Checksums
      def known_checksum_types
        %i[sha256 sha256lite md5 md5lite sha1 sha1lite sha512 sha384 sha224 mtime ctime none]
      end
      module_function :known_checksum_types

      def md5(content)
        require 'digest'
        Digest::MD5.hexdigest(content)
      end

      def sha1(content)
        require 'digest'
        Digest::SHA1.hexdigest(content)
      end

      def sha256(content)
        require 'digest'
        Digest::SHA256.hexdigest(content)
      end
    end

    class Autoload
      def initialize(object, path, _options = {})
        @object = object
        @path = path
      end

      def load(name, *)
        require File.join(@path, name.to_s)
      rescue LoadError
        false
      end

      def loadall(*); end
    end

    module Profiler
      def self.profile(*)
        yield
      end
    end
  end

  module FileSystem
    class << self
      def exist?(path)
        File.exist?(path.to_s)
      end

      def directory?(path)
        File.directory?(path.to_s)
      end

      def file?(path)
        File.file?(path.to_s)
      end

      def read(path, _options = {})
        File.read(path.to_s)
      end

      def binread(path)
        File.binread(path.to_s)
      end

      def read_preserve_line_endings(path)
        File.read(path.to_s)
      end

      def pathname(path)
        require 'pathname'
        Pathname.new(path.to_s)
      end

      def basename_string(path)
        File.basename(path.to_s)
      end

      def dir_string(path)
        File.dirname(path.to_s)
      end

      def path_string(path)
        path.to_s
      end

      def children(path)
        Dir.children(path.to_s).map { |name| File.join(path.to_s, name) }
      end

      def open(path, mode, options, &block)
        File.open(path.to_s, options, *[mode].compact, &block)
      end

      # The file has its new contents when they are whole.
      def replace_file(path, mode = nil, &block)
        beside = "#{path}.new"
        File.open(beside, 'w', *[mode].compact, &block)
        File.rename(beside, path.to_s)
      end

      def exclusive_create(path, mode, &block)
        open(path, mode, File::CREAT | File::EXCL | File::WRONLY, &block)
      end

      def exclusive_open(path, mode, options = 'r', *, &block)
        open(path, mode, options, &block)
      end

      def touch(path, mtime: nil)
        FileUtils.touch(path.to_s, mtime: mtime)
      end

      def mkpath(path)
        FileUtils.mkdir_p(path.to_s)
      end

      def dir_mkpath(path)
        mkpath(File.dirname(path.to_s))
      end

      def dir_exist?(path)
        exist?(File.dirname(path.to_s))
      end

      def unlink(*paths)
        File.unlink(*paths.map(&:to_s))
      end

      def chmod(mode, path)
        File.chmod(mode, path.to_s)
      end

      def writable?(path)
        File.writable?(path.to_s)
      end

      def size(path)
        File.size(path.to_s)
      end

      def stat(path)
        File.stat(path.to_s)
      end
    end
  end

  class Settings
    def [](name)
      Puppet::Parser::Scope.setting(name.to_s)
    end

    def []=(name, value)
      Puppet::Parser::Scope.change_setting(name.to_s, value)
    end

    def value(name, *)
      self[name]
    end

    # Settings are not kept by the sections of a file.
    def set_in_section(_name, _section)
      nil
    end

    def set_in_section?(name, section)
      !set_in_section(name, section).nil?
    end

    def include?(name)
      !self[name].nil?
    end
  end

  class Features
    def method_missing(name, *)
      super unless name.to_s.end_with?('?')
      %w[posix? root? yaml? json? hiera? base64? external_facts? manages_symlinks? cfacter?].include?(name.to_s)
    end

    def respond_to_missing?(name, _private = false)
      name.to_s.end_with?('?')
    end

    def add(*); end
  end

  class << self
    def [](name)
      settings[name]
    end

    def []=(name, value)
      settings[name] = value
    end

    def settings
      @settings ||= Settings.new
    end

    def features
      @features ||= Features.new
    end

    def log_exception(exception, message = nil, *)
      err(message || exception.message)
    end

    def warn_once(_kind, key, message, *)
      @warned ||= {}
      return if @warned[key]

      @warned[key] = true
      warning(message)
    end

    def deprecation_warning(message, key = nil)
      warn_once('deprecations', key || message, message)
    end

    def puppet_deprecation_warning(message, options = {})
      deprecation_warning(message, options[:key])
    end

    def lookup(name)
      case name
      when :global_scope, :current_scope then Puppet::Parser::Scope.top
      when :current_environment, :root_environment then Puppet::Node::Environment.current
      when :environments then Puppet::Environments.new
      when :loaders then nil
      else
        raise Puppet::DevError, "no '#{name}' in scope" unless block_given?

        yield
      end
    end

    def override(*)
      yield
    end

    def version
      self[:puppetversion] || '8.11.0'
    end

    def run_mode
      @run_mode ||= RunMode.new
    end

    def initialize_settings(*); end
  end

  class RunMode
    def name
      :server
    end

    def server?
      true
    end
    alias master? server?

    def agent?
      false
    end

    def user?
      false
    end
  end

  class Environments
    def get(name)
      Puppet::Node::Environment.current if name.to_s == Puppet::Node::Environment.current.name.to_s
    end

    def list
      [Puppet::Node::Environment.current]
    end
  end

  PUPPETVERSION = '8.11.0'
end

module Kernel
  def _(text)
    text
  end

  def n_(one, many, count)
    count == 1 ? one : many
  end

  private :_, :n_
end
