# Methods that ask another object.
module Forwardable
  VERSION = '1.3.2'

  def instance_delegate(hash)
    hash.each do |methods, accessor|
      Array(methods).each { |method| def_instance_delegator(accessor, method) }
    end
  end

  def def_instance_delegators(accessor, *methods)
    methods.each do |method|
      next if %w[__send__ __id__].include?(method.to_s)

      def_instance_delegator(accessor, method)
    end
  end

  def def_instance_delegator(accessor, method, name = method)
    accessor = accessor.to_s
    method = method.to_sym
    body = proc do |*args, **options, &block|
      target =
        if accessor.start_with?('@@')
          self.class.class_variable_get(accessor)
        elsif accessor.start_with?('@')
          instance_variable_get(accessor)
        else
          accessor.delete_prefix('self.').split('.').inject(self) { |object, part| object.__send__(part) }
        end
      target.__send__(method, *args, **options, &block)
    end
    is_a?(Module) ? define_method(name, &body) : define_singleton_method(name, &body)
    name.to_sym
  end

  alias delegate instance_delegate
  alias def_delegators def_instance_delegators
  alias def_delegator def_instance_delegator
end

module SingleForwardable
  def def_single_delegator(accessor, method, name = method)
    accessor = accessor.to_s
    define_singleton_method(name) do |*args, **options, &block|
      target = accessor.start_with?('@') ? instance_variable_get(accessor) : instance_eval { __send__(accessor) }
      target.__send__(method, *args, **options, &block)
    end
    name.to_sym
  end

  def def_single_delegators(accessor, *methods)
    methods.each { |method| def_single_delegator(accessor, method) }
  end

  def single_delegate(hash)
    hash.each { |methods, accessor| Array(methods).each { |method| def_single_delegator(accessor, method) } }
  end

  alias delegate single_delegate
  alias def_delegators def_single_delegators
  alias def_delegator def_single_delegator
end
