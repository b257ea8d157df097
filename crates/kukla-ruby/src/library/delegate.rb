# Objects that hand on to others what they are asked.
class Delegator
  (instance_methods + private_instance_methods).each do |name|
    keep = %i[
      __send__ __id__ object_id class is_a? kind_of? instance_of? respond_to? respond_to_missing? method_missing
      initialize instance_variable_get instance_variable_set instance_variable_defined? instance_variables
      extend singleton_class define_singleton_method equal? instance_eval instance_exec send public_send
      raise loop lambda proc format sprintf puts print p require block_given? catch throw binding caller
      dup clone freeze frozen? methods public_methods protected_methods tap then itself initialize_copy initialize_clone initialize_dup method
      Integer Float String Array Hash Rational Complex rand srand warn
    ]
    undef_method(name) unless keep.include?(name)
  end

  def initialize(target)
    __setobj__(target)
  end

  def method_missing(name, *args, **options, &block)
    target = __getobj__
    if target.respond_to?(name)
      target.__send__(name, *args, **options, &block)
    else
      super
    end
  end

  def respond_to_missing?(name, all)
    __getobj__.respond_to?(name, all)
  end

  def ==(other)
    return true if other.equal?(self)

    __getobj__ == other
  end

  def !=(other)
    return false if other.equal?(self)

    __getobj__ != other
  end

  def eql?(other)
    return true if other.equal?(self)

    __getobj__.eql?(other)
  end

  def !
    __getobj__.!
  end

  def methods(all = true)
    __getobj__.methods(all) | super
  end

  def public_methods(all = true)
    __getobj__.public_methods(all) | super
  end

  def protected_methods(all = true)
    __getobj__.protected_methods(all) | super
  end

  # Freezes what it stands for as well.
  def freeze
    __getobj__.freeze
    super
  end

  private

  def initialize_copy(other)
    __setobj__(other.__getobj__.dup)
  end
end

class SimpleDelegator < Delegator
  def __getobj__
    @delegate_sd_obj
  end

  def __setobj__(target)
    @delegate_sd_obj = target
  end
end

def DelegateClass(superclass, &block)
  made = Class.new(Delegator)
  made.class_eval do
    def __getobj__
      @delegate_dc_obj
    end

    def __setobj__(target)
      @delegate_dc_obj = target
    end
  end
  shielded = superclass.protected_instance_methods
  (superclass.public_instance_methods + shielded).each do |name|
    next if made.method_defined?(name) || %i[to_s inspect].include?(name)

    made.define_method(name) { |*args, **options, &block| __getobj__.__send__(name, *args, **options, &block) }
    made.send(:protected, name) if shielded.include?(name)
  end
  made.class_eval(&block) if block
  made
end
