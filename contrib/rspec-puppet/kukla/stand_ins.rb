# frozen_string_literal: true

require 'json'
require 'tmpdir'

module Kukla
  # Functions that a suite defines in Ruby inside its tests. Kukla replaces them by tables of their results, which begin empty: a call that a
  # table misses is made here, and then the question is asked anew.
  module StandIns
    MISSED = /'([^']+)'; add a row such as:\n(.+)\z/m

    @names = []

    class << self
      attr_reader :names

      # Gives the block the parameters to ask with, until no call is missed.
      def answered(params)
        return yield(params) if names.empty?

        tables = names.to_h { |name| [name, []] }
        params = params.merge('settings' => params.fetch('settings', {}).merge('overrides' => directory))
        loop do
          write(tables)
          answer = yield(params)
          return answer unless filled?(tables, answer['error'])
        end
      end

      private

      def directory
        @directory ||= Dir.mktmpdir('kukla').tap { |made| at_exit { FileUtils.remove_entry(made) } }
      end

      def write(tables)
        functions = File.join(directory, 'functions')
        FileUtils.rm_rf(functions)
        tables.each do |name, rows|
          path = File.join(functions, "#{name.gsub('::', '/')}.json")
          FileUtils.mkdir_p(File.dirname(path))
          File.write(path, JSON.generate(rows))
        end
      end

      # Whether a call was missed, and the table has it now.
      def filled?(tables, error)
        return false unless error && error['code'] == 'NO_OVERRIDDEN_CALL' && (missed = MISSED.match(error['reason']))

        name, arguments = missed[1], JSON.parse(missed[2], max_nesting: false)['arguments']
        # A row that is not found although it is there will not be found next time.
        return false if tables.fetch(name).any? { |row| row['arguments'] == arguments }

        tables[name] << { 'arguments' => arguments, 'result' => result(name, arguments) }
        true
      end

      def result(name, arguments)
        given = arguments.map { |argument| Puppet::Pops::Serialization::FromDataConverter.convert(argument) }
        node = Puppet::Node.new('stand-in', environment: Puppet.lookup(:current_environment))
        scope = Puppet::Parser::Scope.new(Puppet::Parser::Compiler.new(node))
        given = Puppet::Pops::Evaluator::Runtime3FunctionArgumentConverter.map_args(given, scope, '')
        value = scope.public_send("function_#{name}", given)
        Puppet::Pops::Serialization::ToDataConverter.convert(value, rich_data: true, symbol_as_string: true)
      end
    end

    # Goes before the methods of Puppet that define functions of the old API.
    module Definitions
      OF_MODULES = %r{/lib/puppet/parser/functions/}

      def newfunction(name, options = {}, &block)
        StandIns.names << name.to_s unless StandIns.names.include?(name.to_s) || block.source_location.first =~ OF_MODULES
        super
      end

      def reset
        StandIns.names.clear
        super
      end
    end
  end
end
