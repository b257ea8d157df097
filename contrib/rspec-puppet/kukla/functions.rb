# frozen_string_literal: true

require_relative 'server'
require_relative 'source'
require_relative 'context'
require_relative 'catalog'
require_relative 'failure'

module Kukla
  # A function as `run.with_params(…)` calls it.
  class Function
    attr_reader :func_name

    # `puppets` gives the function that rspec-puppet would have found.
    def initialize(name, group, &puppets)
      @func_name = name
      @group = group
      @puppets = puppets
    end

    def execute(*args, &block)
      return puppets.execute(*args, &block) if block || @group.kukla_inside_puppet?

      code = args.map { |arg| written(arg) }.join(', ')
      @group.kukla_call("#{func_name}(#{code})")
    rescue Source::Unwritable, LoadError
      puppets.execute(*args)
    end

    # Older suites call the subject with a scope or with an array of arguments.
    def call(*args)
      args.first.is_a?(Array) ? execute(*args.first) : execute(*args.drop(1))
    end

    # The object inside Puppet, for suites that replace parts of it.
    def func
      puppets.func
    end

    private

    # To functions of the old API, which have no `::` in their names, a symbol stands for what is missing.
    def written(arg)
      arg == :undef && !func_name.include?('::') ? 'undef' : Source.of(arg)
    end

    def puppets
      @group.kukla_stay_inside_puppet
      @own ||= @puppets.call
    end
  end

  # Goes before the helpers of function suites. An example that reaches for objects inside Puppet (the scope, the function, a block of Ruby
  # for it, a method that it replaces, numbers that it seeds) tests these objects, and is left to them, as is one that needs a gem.
  module Functions
    @left_to_puppet = 0

    class << self
      attr_accessor :left_to_puppet
    end

    def find_function(name = self.class.top_level_description)
      Function.new(name, self) { super(name) }
    end

    def scope
      kukla_stay_inside_puppet
      super
    end

    # Evaluates a call where `pre_condition` has been compiled.
    def kukla_call(code)
      answer = Server.ask('eval', kukla_context.merge('prelude' => kukla_prelude, 'code' => code, 'sensitive' => true))
      raise Failure.of_function(answer['error']) if answer.key?('error')

      (@kukla_calls ||= []) << code
      Puppet::Pops::Serialization::FromDataConverter.convert(answer['result']['value'])
    end

    # The catalog with what the calls so far have added to it.
    def catalogue
      return super if kukla_inside_puppet?

      code = [kukla_prelude, *@kukla_calls].join("\n")
      answer = Server.ask('compile', kukla_context.merge('code' => code))
      raise Failure.of(answer['error'], nodename(:function)) if answer.key?('error')

      Catalog.from(answer['result']['catalog'], adapter.current_environment)
    end

    def rspec_puppet_cleanup
      super
      @kukla_calls = nil
      @kukla_inside_puppet = false
    end

    def kukla_inside_puppet?
      @kukla_inside_puppet || kukla_stubs? || kukla_seeded?
    end

    def kukla_stay_inside_puppet
      Functions.left_to_puppet += 1 unless @kukla_inside_puppet
      @kukla_inside_puppet = true
    end

    private

    # Numbers that follow from a seed are those of Ruby's own generator.
    def kukla_seeded?
      Random.seed != @kukla_seed
    end

    # Spec helpers always replace a method of Puppet.features, which no function asks.
    def kukla_stubs?
      return false unless defined?(RSpec::Mocks)

      space = RSpec::Mocks.space
      space.any_instance_recorders.any? || space.proxies.each_value.any? { |proxy| !proxy.object.equal?(Puppet.features) }
    end

    def kukla_prelude
      [site_pp_str, pre_cond].compact.join("\n")
    end

    def kukla_context
      name = nodename(:function)
      values = facts_hash(name)
      node = Puppet::Node.new(name, parameters: values, facts: Puppet::Node::Facts.new(name, values.dup),
                                    environment: adapter.current_environment)
      trusted = Puppet::Context::TrustedInformation.new('remote', name, trusted_facts_hash(name))
      Puppet.override(trusted_information: trusted) { Context.of(node) }
    end
  end
end
