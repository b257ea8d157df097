# REXML, as far as facts and functions read XML: documents, elements, their attributes and texts, and paths to them.

module REXML
  class ParseException < RuntimeError; end
  class UndefinedNamespaceException < ParseException; end

  ENTITIES = { 'amp' => '&', 'lt' => '<', 'gt' => '>', 'quot' => '"', 'apos' => "'" }.freeze

  # Replaces references by their characters; unknown ones stay as they are.
  def self.decode(text)
    text.gsub(/&(?:#(\d+)|#x(\h+)|(\w+));/) do |written|
      if $1 || $2
        [$1 ? $1.to_i : $2.to_i(16)].pack('U')
      else
        ENTITIES.fetch($3, written)
      end
    end
  end

  # A node below an element, or below the document itself.
  module Child
    attr_accessor :parent

    def document
      parent && parent.document
    end

    def next_sibling
      beside(1)
    end

    def previous_sibling
      beside(-1)
    end

    private

    def beside(step)
      at = parent ? parent.children.index { |child| child.equal?(self) } + step : -1
      at.negative? ? nil : parent.children[at]
    end
  end

  # Text that a document writes with references: the character data of an element, the value of an attribute.
  module Written
    def value
      REXML.decode(@written)
    end

    def to_s
      @written
    end
  end

  class Text
    include Child
    include Written

    # The text as it is written, with references.
    def initialize(written, _respect_whitespace = false, parent = nil)
      @written = written
      @parent = parent
    end

    def empty?
      @written.empty?
    end

    def inspect
      @written.inspect
    end

    def node_type
      :text
    end
  end

  class CData < Text
    def value
      @written
    end

    def written
      "<![CDATA[#{@written}]]>"
    end
  end

  class Comment
    include Child

    attr_reader :string

    def initialize(string)
      @string = string
    end

    def to_s
      "<!--#{string}-->"
    end

    def node_type
      :comment
    end
  end

  # A processing instruction or declaration before the root.
  class Instruction
    include Child

    def initialize(written)
      @written = written
    end

    def to_s
      @written
    end

    def node_type
      :processing_instruction
    end
  end

  class Attribute
    include Written

    attr_reader :name, :element

    def initialize(name, written, element)
      @name = name
      @written = written
      @element = element
    end

    def to_string
      "#{name}='#{@written}'"
    end
    alias inspect to_string

    def node_type
      :attribute
    end
  end

  class Attributes
    include Enumerable

    def initialize
      @all = {}
    end

    def [](name)
      found = @all[name.to_s]
      found && found.value
    end

    def get_attribute(name)
      @all[name.to_s]
    end

    def add(attribute)
      @all[attribute.name] = attribute
    end

    def key?(name)
      @all.key?(name.to_s)
    end

    def each
      @all.each { |name, attribute| yield name, attribute.value }
    end

    def each_attribute(&block)
      @all.each_value(&block)
    end

    def to_a
      @all.values
    end

    def length
      @all.length
    end
    alias size length

    def empty?
      @all.empty?
    end
  end

  # The elements below another, by number from one or by path.
  class Elements
    include Enumerable

    def initialize(parent)
      @parent = parent
    end

    def [](index, name = nil)
      return XPath.first(@parent, index.to_s) unless index.is_a?(Integer)
      raise ArgumentError, "index (#{index}) must be >= 1" if index < 1

      own = @parent.children.select { |child| child.is_a?(Element) && (name.nil? || child.name == name) }
      own[index - 1]
    end

    def each(path = nil, &block)
      to_a(path).each(&block)
    end

    def to_a(path = nil)
      XPath.match(@parent, path || '*').select { |found| found.is_a?(Element) }
    end

    def size
      to_a.size
    end

    def empty?
      to_a.empty?
    end
  end

  class Element
    include Child

    attr_reader :expanded_name, :attributes, :children, :elements

    def initialize(name)
      @expanded_name = name
      @attributes = Attributes.new
      @children = []
      @elements = Elements.new(self)
    end

    def name
      expanded_name.to_s.split(':', 2).last
    end

    def prefix
      expanded_name.include?(':') ? expanded_name.split(':', 2).first : ''
    end

    def add(child)
      child.parent = self
      @children << child
      child
    end

    def root
      document && document.root
    end

    def text(path = nil)
      found = get_text(path)
      found && found.value
    end

    def get_text(path = nil)
      within = path ? elements[path] : self
      within && within.texts.first
    end

    def texts
      children.select { |child| child.is_a?(Text) }
    end

    def has_text?
      !texts.empty?
    end

    def has_elements?
      children.any? { |child| child.is_a?(Element) }
    end

    def has_attributes?
      !attributes.empty?
    end

    def attribute(name)
      attributes.get_attribute(name)
    end

    def [](index)
      index.is_a?(Integer) ? children[index] : attributes[index]
    end

    def get_elements(path)
      elements.to_a(path)
    end

    def each_element(path = nil, &block)
      elements.each(path, &block)
    end

    def each(&block)
      children.each(&block)
    end

    def next_element
      following = next_sibling
      following = following.next_sibling until following.nil? || following.is_a?(Element)
      following
    end

    def previous_element
      before = previous_sibling
      before = before.previous_sibling until before.nil? || before.is_a?(Element)
      before
    end

    def xpath
      same = parent.children.select { |child| child.is_a?(Element) && child.name == name }
      number = same.size > 1 ? "[#{same.index { |child| child.equal?(self) } + 1}]" : ''
      "#{parent.xpath}/#{expanded_name}#{number}"
    end

    def to_s
      return "<#{tag}/>" if children.empty?

      "<#{tag}>#{inner}</#{expanded_name}>"
    end

    def inspect
      children.empty? ? "<#{tag}/>" : "<#{tag}> ... </>"
    end

    def node_type
      :element
    end

    private

    def tag
      [expanded_name, *attributes.to_a.map(&:to_string)].join(' ')
    end

    def inner
      children.map { |child| child.is_a?(CData) ? child.written : child.to_s }.join
    end
  end

  class Document < Element
    def initialize(source = nil)
      super('UNDEFINED')
      source = source.read if source.respond_to?(:read)
      Reader.new(source, self).read if source
    end

    def document
      self
    end

    def root
      children.find { |child| child.is_a?(Element) }
    end

    def xpath
      ''
    end

    def to_s
      inner
    end

    def node_type
      :document
    end
  end
end
