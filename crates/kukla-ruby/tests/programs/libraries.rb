# Small libraries: objects that are alone, open, or stand for others.

def attempt
  p yield
rescue ArgumentError => error
  puts "#{error.class}: #{error.message}"
end

require "singleton"
require "ostruct"
require "delegate"

class One
  include Singleton
end
copy = One.clone
p One.instance._dump, One._load("x").equal?(One.instance), copy.instance.equal?(One.instance), copy.instance.is_a?(copy)

open = OpenStruct.new(age: 70).freeze
p open.clone.frozen?, open.dup.frozen?, open.dup.tap { |other| other.age = 1 }.age, open.age, open.marshal_dump
attempt { open.age(1) }
begin
  open.clone.age = 3
rescue FrozenError => error
  puts error.class
end

class Target
  def pub = :pub
  protected def prot = :prot
end

Stand = DelegateClass(Target) { def more = :more }
stand = Stand.new(Target.new)
p stand.pub, stand.more, Stand.protected_instance_methods.include?(:prot), stand.public_methods.include?(:pub)
list = SimpleDelegator.new([1])
list.freeze
begin
  list << 2
rescue FrozenError => error
  puts error.message
end
