# Receivers, modules that are instances of classes, methods of classes.
class Src; def initialize(v) = @v = v; def y(a = 1) = [self.class, @v, a]; end
class Dst; end
o = Src.new(5)
Dst.define_method(:x, &o.method(:y))
p Dst.new.x(2)
Dst.define_method(:m, Dst.new.method(:hash)) rescue p $!.class
class Dst2 < Src; define_method(:z, Src.instance_method(:y)); end
p Dst2.new(7).z(3)
class Namer < Module
  def initialize(name)
    @n = name
    define_method(name) { "I am #{name}" }
    super()
  end
  def inspect = "Namer(#{@n})"
end
class Uses; include Namer.new(:foo); end
p Uses.new.foo, Uses.ancestors[1]
M2 = Class.new(Module) { def initialize(x); @x = x; end; attr_reader :x }
p M2.new(3).x
class CM; def self.a = 1; class << self; def b = 2; private def c = 3; attr_accessor :d; end; end
p CM.singleton_class.instance_methods(false).sort, CM.singleton_class.method_defined?(:a), CM.singleton_class.instance_method(:b).class
p CM.singleton_class.private_instance_methods(false), CM.singleton_methods.sort
class CM2 < CM; def self.e = 5; end
p CM2.singleton_class.instance_methods(false), CM2.singleton_methods.sort, CM2.singleton_class.superclass == CM.singleton_class
p RbConfig::CONFIG['host_os'].class, RbConfig::CONFIG['MAJOR'].class, RbConfig.ruby.class
