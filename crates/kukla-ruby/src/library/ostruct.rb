# An object whose attributes are what it is given.
class OpenStruct
  def initialize(hash = nil)
    @table = {}
    hash&.each_pair { |name, value| self[name] = value }
  end

  attr_reader :table
  protected :table

  def initialize_clone(other)
    super
    @table = @table.clone
  end

  def initialize_dup(other)
    super
    @table = @table.dup
  end

  def marshal_dump
    @table
  end

  def marshal_load(members)
    @table = members
  end

  # Reads what YAML has written of it.
  def init_with(members)
    @table = {}
    members = members['table'] if members.keys == ['table'] && members['table'].is_a?(Hash)
    members.each { |name, value| self[name] = value }
  end

  def [](name)
    @table[name.to_sym]
  end

  def []=(name, value)
    raise FrozenError.new("can't modify frozen object: #{inspect}", receiver: self) if frozen? && !@table.key?(name.to_sym)

    @table[name.to_sym] = value
  end

  def to_h(&block)
    block ? @table.to_h(&block) : @table.dup
  end

  def each_pair(&block)
    return to_enum(:each_pair) { @table.size } unless block

    @table.each_pair(&block)
    self
  end

  def dig(name, *names)
    begin
      name = name.to_sym
    rescue NoMethodError
      raise TypeError, "#{name} is not a symbol nor a string"
    end
    @table.dig(name, *names)
  end

  def delete_field(name)
    key = name.to_sym
    raise FrozenError.new("can't modify frozen object: #{inspect}", receiver: self) if frozen?
    return @table.delete(key) if @table.key?(key)
    return yield if block_given?

    raise NameError.new("no field `#{key}' in #{inspect}", key)
  end

  def respond_to_missing?(name, all = false)
    plain = name.to_s.chomp('=').to_sym
    @table&.key?(plain) || super
  end

  def method_missing(name, *args)
    text = name.to_s
    if text.end_with?('=')
      raise ArgumentError, "wrong number of arguments (given #{args.size}, expected 1)" unless args.size == 1

      self[text.chomp('=')] = args[0]
    elsif args.empty?
      @table[name]
    elsif @table.key?(name)
      raise ArgumentError, "wrong number of arguments (given #{args.size}, expected 0)"
    else
      super
    end
  end

  def freeze
    @table.freeze
    super
  end

  def ==(other)
    other.is_a?(OpenStruct) && table == other.table
  end

  def eql?(other)
    other.is_a?(OpenStruct) && table.eql?(other.table)
  end

  def hash
    @table.hash
  end

  def inspect
    shown = @table.map { |name, value| "#{name}=#{value.equal?(self) ? "#<#{self.class} ...>" : value.inspect}" }
    shown.empty? ? "#<#{self.class}>" : "#<#{self.class} #{shown.join(', ')}>"
  end
  alias to_s inspect

  # Private functions of every object are attributes here all the same.
  %i[display format test select open system exec].each do |name|
    define_method(name) { |*args| args.empty? ? @table[name] : super(*args) }
  end
end
