# Paths as objects.
class Pathname
  include Comparable

  SEPARATOR_LIST = '/'
  SEPARATOR_PAT = %r{/}.freeze

  def initialize(path)
    path = path.to_path if path.respond_to?(:to_path)
    raise TypeError, "no implicit conversion of #{[nil, true, false].include?(path) ? path.inspect : path.class} into String" unless path.is_a?(String)
    raise ArgumentError, 'pathname contains null byte' if path.include?("\0")

    @path = path.dup
  end

  def to_s
    @path.dup
  end
  alias to_path to_s

  def inspect
    "#<#{self.class}:#{@path}>"
  end

  def ==(other)
    other.is_a?(Pathname) && @path == other.to_s
  end
  alias === ==
  alias eql? ==

  def <=>(other)
    return nil unless other.is_a?(Pathname)

    @path.tr('/', "\0") <=> other.to_s.tr('/', "\0")
  end

  def hash
    @path.hash
  end

  def absolute?
    @path.start_with?('/')
  end

  def relative?
    !absolute?
  end

  def root?
    !@path.empty? && @path.delete('/').empty?
  end

  def +(other)
    other = Pathname.new(other) unless other.is_a?(Pathname)
    Pathname.new(plus(@path, other.to_s))
  end
  alias / +

  def join(*others)
    return self if others.empty?

    result = others.pop
    result = Pathname.new(result) unless result.is_a?(Pathname)
    return result if result.absolute?

    others.reverse_each do |other|
      other = Pathname.new(other) unless other.is_a?(Pathname)
      result = other + result
      return result if result.absolute?
    end
    self + result
  end

  def parent
    self + '..'
  end

  def basename(*args)
    self.class.new(File.basename(@path, *args))
  end

  def dirname
    self.class.new(File.dirname(@path))
  end

  def extname
    File.extname(@path)
  end

  def split
    File.split(@path).map { |part| self.class.new(part) }
  end

  def expand_path(*args)
    self.class.new(File.expand_path(@path, *args))
  end

  def realpath(*args)
    self.class.new(File.realpath(@path, *args))
  end

  def realdirpath(*args)
    self.class.new(File.realdirpath(@path, *args))
  end

  def readlink
    self.class.new(File.readlink(@path))
  end

  # The path without `.`, `..` and doubled slashes, by its text alone.
  def cleanpath(keep_links = false)
    return conservative if keep_links

    names = []
    @path.split('/').each do |name|
      case name
      when '', '.' then next
      when '..'
        if names.empty? || names.last == '..'
          names << '..' unless absolute?
        else
          names.pop
        end
      else names << name
      end
    end
    text = names.join('/')
    text = "/#{text}" if absolute?
    self.class.new(text.empty? ? '.' : text)
  end

  # The path without what says nothing; `..` stays, since what is before it may be a link.
  def conservative
    names = @path.split('/').reject { |name| name.empty? || name == '.' }
    names.shift while absolute? && names.first == '..'
    return self.class.new(absolute? ? '/' : '.') if names.empty?

    trailing = @path.end_with?('/', '/.') && !['.', '..'].include?(names.last)
    self.class.new("#{'/' if absolute?}#{names.join('/')}#{'/' if trailing && @path.end_with?('/')}#{'/.' if trailing && @path.end_with?('/.')}")
  end
  private :conservative

  def relative_path_from(base)
    base = Pathname.new(base) unless base.is_a?(Pathname)
    here = cleanpath.to_s
    there = base.cleanpath.to_s
    if here.start_with?('/') != there.start_with?('/')
      raise ArgumentError, "different prefix: #{(here.start_with?('/') ? '/' : '').inspect} and #{there.inspect}"
    end

    from = there.split('/').reject { |name| ['', '.'].include?(name) }
    to = here.split('/').reject { |name| ['', '.'].include?(name) }
    while !from.empty? && !to.empty? && from.first == to.first
      from.shift
      to.shift
    end
    raise ArgumentError, "base_directory has ..: #{base.to_s.inspect}" if from.include?('..')

    names = ['..'] * from.size + to
    Pathname.new(names.empty? ? '.' : names.join('/'))
  end

  def each_filename(&block)
    return to_enum(:each_filename) unless block

    @path.split('/').reject(&:empty?).each(&block)
  end

  def descend
    return to_enum(:descend) unless block_given?

    ascend.to_a.reverse_each { |path| yield path }
    nil
  end

  def ascend
    return to_enum(:ascend) unless block_given?

    path = @path
    yield self
    while (at = path.sub(%r{/+\z}, '').rindex('/'))
      path = path[0...at].sub(%r{/+\z}, '')
      path = '/' if path.empty?
      yield self.class.new(path)
      break if path == '/'
    end
    nil
  end

  def sub(*args, &block)
    self.class.new(block ? @path.sub(*args, &block) : @path.sub(*args))
  end

  def sub_ext(extension)
    old = @path.end_with?('.') ? '' : File.extname(@path)
    self.class.new(@path.chomp(old) + extension)
  end

  def children(with_directory = true)
    with_directory = false if @path == '.'
    Dir.children(@path).map { |name| with_directory ? self.class.new(File.join(@path, name)) : self.class.new(name) }
  end

  def each_child(with_directory = true, &block)
    children(with_directory).each(&block)
  end

  def entries
    Dir.entries(@path).map { |name| self.class.new(name) }
  end

  def each_entry(&block)
    entries.each(&block)
  end

  def glob(pattern, flags = 0)
    found = Dir.glob(pattern, base: @path).map { |name| self + name }
    block_given? ? found.each { |path| yield path } : found
  end

  def self.glob(*args, **options)
    found = Dir.glob(*args, **options).map { |path| new(path) }
    block_given? ? found.each { |path| yield path } : found
  end

  def self.pwd
    new(Dir.pwd)
  end

  def self.getwd
    pwd
  end

  %i[exist? file? directory? symlink? readable? writable? executable? size size? zero? stat lstat ftype].each do |name|
    define_method(name) { File.__send__(name, @path) }
  end

  def empty?
    directory? ? Dir.empty?(@path) : zero?
  end

  def read(*args, **options)
    File.read(@path, *args, **options)
  end

  def binread(*args)
    File.binread(@path, *args)
  end

  def readlines(*args, **options)
    File.readlines(@path, *args, **options)
  end

  def each_line(*args, &block)
    File.foreach(@path, *args, &block)
  end

  def open(*args, **options, &block)
    File.open(@path, *args, **options, &block)
  end

  def fnmatch(pattern, *args)
    File.fnmatch(pattern, @path, *args)
  end
  alias fnmatch? fnmatch

  def write(*args, **options)
    File.write(@path, *args, **options)
  end

  def delete
    File.delete(@path)
  end
  alias unlink delete

  def mkdir(*args)
    Dir.mkdir(@path, *args)
  end

  def freeze
    super
    @path.freeze
    self
  end

  private

  def plus(left, right)
    return right if right.start_with?('/')

    names = right.split('/').reject { |name| name == '.' }
    left = left.sub(%r{/\.\z}, '') while left.end_with?('/.') && left != '/.'
    while names.first == '..' && left != '.' && !left.empty? && File.basename(left) != '..'
      names.shift
      if left.delete('/').empty?
        left = '/'
      else
        left = File.dirname(left)
        left = File.dirname(left) while File.basename(left) == '.' && left != '.'
      end
    end
    names.shift while left == '/' && names.first == '..'
    rest = names.join('/')
    rest << '/' if right.end_with?('/') && !names.empty? && names.last != '..'
    if rest.empty?
      left = left.sub(%r{(?<=[^/])/+\z}, '')
      return left.empty? ? '.' : left
    end
    return rest if left == '.' || left.empty?

    left.end_with?('/') ? left + rest : "#{left}/#{rest}"
  end
end

module Kernel
  def Pathname(path)
    path.is_a?(Pathname) ? path : Pathname.new(path)
  end
  private :Pathname
end
