# `contain_file('/etc/motd').with_mode('0644').that_requires('Package[base]')`

module RSpec
  module Puppet
    # One expected attribute.
    class ParameterCheck
      def initialize(name, expected, positive)
        @name = name
        @expected = expected
        @positive = positive
      end

      # The message of the mismatch, if there is one.
      def mismatch(parameters)
        actual = parameters[@name]
        actual = [actual] if @expected.is_a?(Array) && !actual.is_a?(Array)
        return if matches?(@expected, actual)

        negation = @positive ? '' : 'not '
        return "#{@name} #{negation}set to supplied string" if @name == :content && @expected.is_a?(String)

        "#{@name} #{negation}set to #{@expected.inspect} but it is set to #{actual.inspect}"
      end

      private

      def matches?(expected, actual)
        return false if !expected.is_a?(Proc) && actual.nil? && !expected.nil?

        case expected
        when Proc then expected.call(actual) == @positive
        when Regexp then !!actual.to_s.match(expected) == @positive
        when Hash then hash?(expected, actual)
        when Array then array?(expected, actual)
        when Sensitive then expected == actual
        else (expected.to_s == actual.to_s) == @positive
        end
      end

      def hash?(expected, actual)
        same?(actual.class, expected.class) && same?(expected.size, actual.size) &&
          expected.keys.all? { |key| matches?(expected[key], actual[key]) }
      end

      def array?(expected, actual)
        same?(actual.class, expected.class) && same?(expected.size, actual.size) &&
          expected.each_index.all? { |at| matches?(expected[at], actual[at]) }
      end

      def same?(one, other) = (one == other) == @positive
    end

    module ManifestMatchers
      class CreateGeneric < RSpec::Matchers::Base
        RELATIONS = {
          that_notifies: [:notifies, 'that notifies'], that_subscribes_to: [:subscribes, 'that is subscribed to'],
          that_requires: [:requires, 'that requires'], that_comes_before: [:befores, 'that comes before']
        }.freeze

        def initialize(name, title = nil, *)
          super()
          @type = name.to_s.sub(/\A(?:create|contain)_/, '').split('__').map(&:capitalize).join('::')
          @title = title
          @parameters = []
          @absent = []
          @relations = Hash.new { |all, kind| all[kind] = [] }
          @errors = []
        end

        def with(parameters = {}, *)
          @parameters |= parameters.to_a
          self
        end

        def only_with(parameters = {}, *)
          @count = (@count || 0) + parameters.compact.size
          with(parameters)
        end

        def without(parameters)
          @absent |= Array(parameters)
          self
        end

        RELATIONS.each do |name, (kind, _)|
          define_method(name) do |resources|
            @relations[kind].concat(Array(resources))
            self
          end
        end

        def method_missing(name, *args, &block)
          case name.to_s
          when /\Awith_(.+)/ then @parameters << [Regexp.last_match(1), args[0]]
          when /\Aonly_with_(.+)/
            @count = (@count || 0) + 1
            @parameters << [Regexp.last_match(1), args[0]]
          when /\Awithout_(.+)/ then @absent << [Regexp.last_match(1), args[0]]
          else return super
          end
          self
        end

        def respond_to_missing?(name, _all = false) = name.to_s.match?(/\A(?:only_)?with(?:out)?_/)

        def matches?(catalogue)
          @catalogue = catalogue.is_a?(::Puppet::Resource::Catalog) ? catalogue : catalogue.call
          @actual = resource = @catalogue.resource(@type, @title)
          @errors = []
          return false if resource.nil?

          parameters = resource.to_hash
          resource.sensitive_parameters.each { |name| parameters[name] = Sensitive.new(parameters[name]) }
          namevar = resource.namevar
          parameters.delete(namevar) if @parameters.none? { |name, _| name.to_s == namevar.to_s }
          @errors << "exactly #{@count} parameters but the catalogue contains #{parameters.size}" if @count && parameters.size != @count
          check(parameters, @parameters, true)
          check(parameters, @absent, false)
          @relations.each { |kind, references| references.each { |reference| check_relation(kind, resource, reference) } }
          @errors.empty?
        end

        def failure_message = "expected that the catalogue would contain #{@type}[#{@title}]#{errors}"
        def failure_message_when_negated = "expected that the catalogue would not contain #{@type}[#{@title}]#{errors}"
        def supports_block_expectations? = true

        def words
          values = []
          prefix = 'with'
          values << "exactly #{@count} parameters" if @count
          values.concat(listed(@parameters, true)).concat(listed(@absent, false))
          { notifies: 'that notifies', subscribes: 'that subscribes to', requires: 'that requires', befores: 'that comes before' }
            .each do |kind, phrase|
              next if @relations[kind].empty?

              prefix = phrase
              values = @relations[kind]
            end
          text = values.size == 1 ? values.first.to_s : "#{values[0..-2].join(', ')} and #{values[-1]}" unless values.empty?
          "contain #{@type}[#{@title}]#{" #{prefix} #{text}" unless values.empty?}"
        end

        private

        def errors = @errors.empty? ? '' : " with #{@errors.join(', and parameter ')}"

        def listed(list, positive)
          list.map do |name, value|
            next "#{name} #{'un' unless positive}defined" if value.nil?
            next "#{name} #{'not ' unless positive} supplied string" if name.to_s == 'content' && value.is_a?(String)

            "#{name} #{positive ? '=' : '!'}#{value.is_a?(Regexp) ? '~' : '>'} #{value.inspect}"
          end
        end

        def check(parameters, list, positive)
          list.each do |name, value|
            name = name.to_sym
            if value.nil?
              @errors << "#{name} undefined but it is set to #{parameters[name].inspect}" unless parameters[name].nil?
            else
              error = ParameterCheck.new(name, value, positive).mismatch(parameters)
              @errors << error if error
            end
          end
        end

        def check_relation(kind, resource, reference)
          other = found(reference)
          first, second = %i[befores notifies].include?(kind) ? [resource, other] : [other, resource]
          @catalogue.note_requirements
          question = %i[befores requires].include?(kind) ? :precedes? : :notifies?
          return if other && @catalogue.__native.public_send(question, first.position, second.position)

          @errors << "#{RELATIONS.values.to_h.fetch(kind)} #{reference}"
        end

        def found(reference)
          return reference if reference.is_a?(::Puppet::Resource::Compiled)

          @catalogue.related(reference.respond_to?(:to_ref) ? reference.to_ref : reference.to_s)
        end
      end
    end
  end
end
