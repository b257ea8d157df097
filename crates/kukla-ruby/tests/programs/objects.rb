# Classes, modules, visibility, method_missing, constants.
module Greeting
  def self.included(base) = (base.extend(ClassMethods))
  module ClassMethods
    def build(*args) = new(*args)
  end
  def greet = "#{greeting}, #{name}"
end
class Person
  include Greeting
  include Comparable
  attr_accessor :name
  attr_reader :age
  @@count = 0
  LIMIT = 10
  class << self
    def count = @@count
    private def hidden = 1
  end
  def initialize(name, age = 0)
    @name, @age = name, age
    @@count += 1
  end
  def <=>(other) = age <=> other.age
  def to_s = "#{name} (#{age})"
  def call_secret(other) = other.secret
  protected def secret = "secret of #{name}"
  private
  def greeting = "Hello"
end
a, b = Person.build("Ann", 30), Person.build("Bob", 20)
puts a.greet, a > b, [a, b].min, Person.count
p a.call_secret(b)
def error
  yield
rescue NameError, FrozenError => e
  puts "#{e.class}: #{e.message.gsub(/0x\h+/, "0x")}"
end
error { a.secret }
error { Person.hidden }
error { nil.foo }
error { UnknownThing }
error { Person::Nope }
error { unknown_thing }
error { 5.bar }
error { "x".freeze << "y" }
error { [1].freeze << 2 }
class Ghost
  def method_missing(name, *args, &block)
    return super unless name.start_with?("get_")
    [name, args, block&.call]
  end
  def respond_to_missing?(name, all = false) = name.start_with?("get_") || super
end
g = Ghost.new
p g.get_x(1) { 2 }, g.respond_to?(:get_y), g.respond_to?(:other)
p g.method(:get_z).call(3)
p Person.instance_method(:to_s).bind(a).call
p Person.ancestors.first(3), Person.instance_methods(false).sort
klass = Class.new(Person) do
  define_method(:twice) { |x = 2| [name, x * 2] }
end
p klass.new("Cid").twice, klass.new("Cid").twice(4)
Named = klass
p Named.name, Named.superclass
o = Object.new
def o.single = :single
o.instance_variable_set(:@v, 1)
p o.single, o.singleton_methods, o.instance_variables
p o.clone.single
begin
  o.dup.single
rescue NoMethodError
  puts "dup has none"
end
module Loud
  def greet = super.upcase
end
class Person; prepend Loud; end
puts a.greet
p a.frozen?, :a.frozen?, "lit".frozen?, a.dup.name
p Person.const_get(:LIMIT), defined?(Person::LIMIT), defined?(Nope), defined?(@x), defined?(puts), defined?(yield)
S = Struct.new(:x, :y) do
  def sum = x + y
end
p S.new(1, 2).sum, S.new(1, 2) == S.new(1, 2), S.new(3)
p 5.instance_of?(Integer), Integer === 5, Comparable === 5, 5.is_a?(Numeric)
p a.send(:greeting), a.public_send(:name)
p [1, "a", :b, nil, 2.5].map(&:class)
class Integer
  def double = self * 2
end
p 21.double

# Classes of classes of classes, and long lines of them.
class Plain; end
class Other < Plain; end
p Plain.singleton_class.singleton_class, Other.singleton_class.singleton_class.singleton_class
class << Plain.singleton_class
  def of_class_of_class = :found
end
p Plain.singleton_class.of_class_of_class, Other.singleton_class.of_class_of_class
deep = Object
1_000.times { deep = Class.new(deep) }
p deep.ancestors.size - Object.ancestors.size, deep.singleton_class.singleton_class.ancestors.size > 1_000
