# Classes with one instance.
module Singleton
  def self.included(base)
    super
    base.private_class_method :new, :allocate
    base.extend(ClassMethods)
  end

  module ClassMethods
    def instance
      @singleton__instance__ ||= new
    end

    def _load(_text)
      instance
    end

    # A copy of the class has an instance of its own.
    def clone
      copy = super
      copy.instance_variable_set(:@singleton__instance__, nil)
      copy
    end

    def inherited(subclass)
      super
      subclass.instance_variable_set(:@singleton__instance__, nil)
    end
  end

  def _dump(_depth = -1)
    ''
  end

  def clone
    raise TypeError, "can't clone instance of singleton #{self.class}"
  end

  def dup
    raise TypeError, "can't dup instance of singleton #{self.class}"
  end
end
