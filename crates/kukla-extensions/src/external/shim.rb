# Runs functions and templates of modules in another Ruby. The compilation is at the other end of two pipes: each line is a message in JSON,
# from there something to do or an answer, from here an answer or something to ask. Answers may wait for others, to any depth.
# Puppet's own classes are those that Kukla has for its own Ruby, which are sent at the start; only what reaches into the
# compilation is asked for here.

require 'erb'
require 'json'

module Kukla
  # An error or a jump of the compilation that code here cannot rescue.
  class Jump < Exception; end

  # An object of the compilation that has no class here: whatever it is asked is asked there.
  class Remote < BasicObject
    def initialize(number, text)
      @__number = number
      @__text = text
    end

    def to_s
      @__text
    end

    def inspect
      @__text
    end

    def __number
      @__number
    end

    def ==(other)
      ::Kukla::Remote === other && other.__number == @__number
    end

    def respond_to?(name, all = false)
      ::Kukla.ask(self, 'respond_to?', [name, all])
    end

    def is_a?(klass)
      ::Kukla.ask(self, 'is_a?', [klass])
    end

    def method_missing(name, *args, &block)
      ::Kukla.ask(self, name.to_s, args, &block)
    end
  end

  class << self
    # Takes the pipes for itself, so that what code reads and writes does not get in the way, and serves until there is nobody left.
    def serve
      @input = $stdin.dup
      @output = $stdout.dup
      $stdin.reopen(File::NULL)
      $stdout.reopen($stderr)
      $stdout.sync = true
      @lines = Queue.new
      @blocks = []
      # Also while code is busy: without a compilation there is nothing to be busy for.
      Thread.new do
        @input.each_line { |line| @lines << line }
        exit!(0)
      end
      write('value' => nil)
      loop { handle(receive) }
    end

    # Asks an object of the compilation, and does meanwhile what the compilation asks for.
    def ask(receiver, name, args, &block)
      count = @blocks.size
      @blocks << block if block
      message = { 'ask' => name, 'to' => dump(receiver), 'args' => args.map { |arg| dump(arg) } }
      message['block'] = [count, block.arity] if block
      write(message)
      answer
    ensure
      @blocks.pop(@blocks.size - count)
    end

    # A value as it is written in JSON; what JSON has no word for has a type beside it.
    def dump(value)
      case value
      when Remote then { '__ptype' => 'Object', 'number' => value.__number }
      when nil, true, false then value
      when Integer then value.bit_length < 64 ? value : { '__ptype' => 'Integer', '__pvalue' => value.to_s }
      when Float then value.finite? ? value : { '__ptype' => 'Float', '__pvalue' => value.to_s }
      when String then dump_text(value)
      when Symbol then { '__ptype' => 'Symbol', '__pvalue' => value.to_s }
      when Array then value.map { |element| dump(element) }
      when Hash then dump_hash(value)
      when Regexp then { '__ptype' => 'Regexp', '__pvalue' => value.source, 'options' => value.options }
      when Module then { '__ptype' => 'Class', '__pvalue' => value.name.to_s }
      else dump_object(value)
      end
    end

    def load(value)
      case value
      when Array then value.map { |element| load(element) }
      when Hash then value.key?('__ptype') ? load_typed(value) : value.transform_values { |inner| load(inner) }
      else value
      end
    end

    private

    def receive
      JSON.parse(@lines.pop, max_nesting: false)
    end

    def write(message)
      @output.write(JSON.generate(message, max_nesting: 0), "\n")
      @output.flush
    end

    def answer
      loop do
        message = receive
        return load(message['value']) if message.key?('value')
        raise exception(message['raised']) if message.key?('raised')

        handle(message)
      end
    end

    def handle(message)
      reply = nil
      begin
        reply = { 'value' => dump(perform(message)) }
      rescue Exception => e
        reply = { 'raised' => describe(e) }
      ensure
        if reply
          write(reply)
        else
          # A `break` or `throw` out of a block: it goes on once the compilation has let go of the call.
          write('raised' => { 'left' => true })
          leave
        end
      end
    end

    def leave
      answer
    rescue Exception
      nil
    end

    def perform(message)
      case message['do']
      when 'start' then start(message)
      when 'declare' then declare(message)
      when 'call' then call(message)
      when 'call_old' then call_old(message)
      when 'render' then render(message)
      when 'yield' then @blocks.fetch(message['block']).call(*arguments(message))
      end
    end

    def arguments(message)
      message['args'].map { |arg| load(arg) }
    end

    def start(message)
      $LOAD_PATH.unshift(*message['load_path'])
      @own = message['load_path']
      @libraries = message['libraries']
      @known = message['known']
      define_scope(message['scope'], message['scope_class'])
      message['puppet'].each { |name, text| eval(text, TOPLEVEL_BINDING, name) }
      Puppet::Parser::Scope.singleton_class.define_method(:load_old_function) do |name|
        next false unless old_function?(name.to_s)

        Puppet::Parser::Functions.newfunction(name, type: :rvalue) { |args| call_function(name.to_s, args) }
        true
      end
      nil
    end

    # The classes that reach into the compilation.
    def define_scope(methods, class_methods)
      TOPLEVEL_BINDING.eval('module Puppet; module Parser; class Scope; end; end; module Pops; module Types; end; end; end')
      methods.each do |name|
        Puppet::Parser::Scope.define_method(name) { |*args, &block| Kukla.ask(self, name, args, &block) }
      end
      class_methods.each do |name|
        Puppet::Parser::Scope.define_singleton_method(name) { |*args, &block| Kukla.ask(self, name, args, &block) }
      end
      object = Puppet::Pops::Types.const_set(:PuppetObject, Class.new)
      object.define_method(:to_s) { @__text }
      object.define_method(:unwrap_value) { Kukla.ask(self, 'unwrap_value', []) }
    end

    public

    # Whether `require` is to find nothing of an installed Puppet: what there is of it here comes from the compilation.
    def provides?(feature)
      return false unless @known
      return true if @libraries.key?(feature)
      return false if @own.any? { |path| File.exist?(File.join(path, "#{feature.delete_suffix('.rb')}.rb")) }

      @known.include?(feature.split('/').first) || feature == 'puppet_x'
    end

    def provide(feature)
      text = @libraries[feature]
      return false if text.nil? || text.empty?

      @libraries[feature] = ''
      eval(text, TOPLEVEL_BINDING, feature)
      true
    end

    private

    def run_file(path)
      @files ||= {}
      @files[path] ||= begin
        eval(File.read(path, encoding: 'UTF-8'), TOPLEVEL_BINDING, path)
        true
      end
    end

    def created(message)
      run_file(message['path'])
      Puppet::Functions.created[message['name']]
    end

    def declare(message)
      made = created(message)
      return nil unless made

      aliases = made.respond_to?(:aliases) ? made.aliases : []
      { 'dispatches' => made.dispatches, 'aliases' => aliases, 'itself' => made.calls_itself? }
    end

    def call(message)
      made = created(message)
      args = arguments(message).map { |arg| arg == :__cache__ ? made.cache : arg }
      made.instance.send(message['method'], *args, &lambda_of(message['lambda']))
    end

    # The lambda that Puppet gave to the call, with as many parameters as it has.
    def lambda_of(shape)
      return nil unless shape

      count, rest = shape
      names = Array.new(rest ? [count - 1, 0].max : count) { |at| "a#{at}" }
      names << '*more' if rest
      list = names.join(', ')
      eval("lambda { |#{list}| Kukla.ask(:__lambda__, 'call', [#{list}]) }", binding, 'lambda')
    end

    def call_old(message)
      run_file(message['path'])
      scope = load(message['scope'])
      return :__missing__ unless Puppet::Parser::Functions.made.key?(message['name'].to_sym)

      scope.send("function_#{message['name']}", arguments(message))
    end

    def render(message)
      wrapper = Puppet::Parser::TemplateWrapper.new(load(message['scope']))
      wrapper.instance_variable_set(:@__file__, message['path']) if message['path']
      message['variables'].each { |name, value| wrapper.instance_variable_set("@#{name}", load(value)) }
      template = ERB.new(message['text'], trim_mode: '-')
      template.filename = message['path'] || '(erb)'
      template.result(wrapper.instance_eval { binding })
    end

    def dump_text(text)
      plain = text.encoding == Encoding::UTF_8 || text.ascii_only? ? String.new(text) : transcoded(text)
      plain.valid_encoding? ? plain.force_encoding('UTF-8') : { '__ptype' => 'Bytes', '__pvalue' => [text].pack('m0') }
    end

    def transcoded(text)
      text.encoding == Encoding::BINARY ? text.dup.force_encoding('UTF-8') : text.encode('UTF-8')
    rescue EncodingError
      text.dup.force_encoding('UTF-8')
    end

    def dump_hash(hash)
      if hash.all? { |key, _| key.is_a?(String) && key != '__ptype' && dump_text(key).is_a?(String) }
        return hash.to_h { |key, value| [dump_text(key), dump(value)] }
      end

      { '__ptype' => 'Hash', '__pvalue' => hash.map { |key, value| [dump(key), dump(value)] } }
    end

    def dump_object(value)
      number = value.instance_variable_get(:@__number)
      return { '__ptype' => 'Object', 'number' => number } if number
      return { '__ptype' => 'Scope' } if value.is_a?(Puppet::Parser::Scope)
      return dump_hash(value.to_hash) if value.is_a?(Puppet::Parser::Resource)

      raise Puppet::Error, "an object of the class #{value.class} cannot leave the Ruby that made it"
    end

    def load_typed(value)
      inside = value['__pvalue']
      case value['__ptype']
      when 'Hash' then inside.to_h { |pair| pair.map { |part| load(part) } }
      when 'Symbol' then inside.to_sym
      when 'Float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY }.fetch(inside) { -Float::INFINITY }
      when 'Integer' then inside.to_i
      when 'Bytes' then inside.unpack1('m')
      when 'Regexp' then Regexp.new(inside, value['options'])
      when 'Class' then Object.const_get(inside)
      else load_object(value)
      end
    end

    def load_object(value)
      klass = constant(value['class'])
      is_own = klass && (klass == Puppet::Parser::Scope || klass <= Puppet::Pops::Types::PuppetObject)
      return Remote.new(value['number'], value['text']) unless is_own

      object = klass.allocate
      object.instance_variable_set(:@__number, value['number'])
      object.instance_variable_set(:@__text, value['text'])
      object
    end

    def constant(name)
      found = name.split('::').reduce(Object) { |within, part| within.const_get(part, false) }
      found if found.is_a?(Class)
    rescue NameError
      nil
    end

    # An exception of the compilation; it goes back as the one that it is.
    def exception(raised)
      return Jump.new('left') if raised['jump'] && !raised['number']

      klass = raised['jump'] ? Jump : raised['classes'].lazy.map { |name| constant(name) }.find { |found| found && found <= Exception }
      made = (klass || StandardError).allocate
      made.send(:initialize, raised['message'])
      made.instance_variable_set(:@__number, raised['number'])
      made.instance_variable_set(:@__jump, raised['jump'])
      made
    rescue ArgumentError
      RuntimeError.new(raised['message']).tap { |other| other.instance_variable_set(:@__number, raised['number']) }
    end

    def describe(error)
      classes = error.class.ancestors.grep(Class).map(&:name).compact
      message = error.message.to_s
      message = message.encode('UTF-8', invalid: :replace, undef: :replace).scrub
      backtrace = Array(error.backtrace).reject { |line| line.start_with?('kukla/external.rb') }.first(20)
      { 'classes' => classes, 'message' => message, 'backtrace' => backtrace, 'number' => error.instance_variable_get(:@__number),
        'jump' => error.instance_variable_get(:@__jump) }
    end
  end
end

module Kernel
  alias __kukla_require require

  def require(feature)
    Kukla.provides?(feature.to_s) ? Kukla.provide(feature.to_s) : __kukla_require(feature)
  end
  private :require, :__kukla_require
end

Kukla.serve
