# Paths in XML.
require 'strscan'

module REXML
  # Paths to what stands in a document: steps by name, `*`, `.`, `..`, `//`, `@name` and `text()`, with conditions in brackets.
  class XPath
    def self.first(node, path = nil, _namespaces = nil, _variables = {}, _options = {})
      match(node, path).first
    end

    def self.match(node, path = nil, _namespaces = nil, _variables = {}, _options = {})
      found = new(path || '*').of(node)
      found.is_a?(Array) ? found : [found]
    end

    def self.each(node, path = nil, _namespaces = nil, _variables = {}, _options = {}, &block)
      match(node, path).each(&block)
    end

    def initialize(path)
      @scanner = StringScanner.new(path.to_s)
      @tree = union
      wrong unless @scanner.skip(/\s*/) && @scanner.eos?
    end

    def of(node)
      value(@tree, node, 1, 1)
    end

    private

    def wrong
      raise ParseException, "cannot read the path #{@scanner.string.inspect} at #{@scanner.rest.inspect}"
    end

    def take(pattern)
      @scanner.skip(/\s*/)
      @scanner.scan(pattern)
    end

    def union
      left = either
      left = [:union, left, either] while take(/\|/)
      left
    end

    def either
      left = both
      left = [:or, left, both] while take(/or\b/)
      left
    end

    def both
      left = comparison
      left = [:and, left, comparison] while take(/and\b/)
      left
    end

    def comparison
      left = operand
      operator = take(/!=|<=|>=|=|<|>/)
      operator ? [:compare, operator, left, operand] : left
    end

    def operand
      if take(/'([^']*)'|"([^"]*)"/) then [:literal, @scanner[1] || @scanner[2]]
      elsif (number = take(/\d+(?:\.\d+)?/)) then [:literal, number.include?('.') ? number.to_f : number.to_i]
      elsif take(/\(/) then union.tap { take(/\)/) || wrong }
      elsif take(/(?!text\(|node\()([a-z][a-z-]*)\(/) then [:call, @scanner[1], arguments]
      else [:path, steps]
      end
    end

    def arguments
      all = []
      until take(/\)/)
        take(/,/) || wrong unless all.empty?
        all << union
      end
      all
    end

    def steps
      all = []
      all << [:root] if @scanner.check(%r{\s*/})
      all << [:descendants] if take(%r{//})
      take(%r{/})
      while (one = step)
        all << one
        break unless take(%r{/})

        all << [:descendants] if take(%r{/})
      end
      wrong if all.empty?
      all
    end

    def step
      kind =
        if take(/\.\./) then [:parent]
        elsif take(/\./) then [:self]
        elsif take(/@\*/) then [:attribute, nil]
        elsif take(/@([\w:.-]+)/) then [:attribute, @scanner[1]]
        elsif take(/(?:attribute::)([\w:.-]+)/) then [:attribute, @scanner[1]]
        elsif take(/(?:child::)?text\(\)/) then [:text]
        elsif take(/(?:child::)?node\(\)/) then [:node]
        elsif take(/(?:child::)?\*/) then [:child, nil]
        elsif take(/(?:child::)?([[:alpha:]_][\w:.-]*)/) then [:child, @scanner[1]]
        end
      return unless kind

      conditions = []
      while take(/\[/)
        conditions << union
        take(/\]/) || wrong
      end
      [:step, kind, conditions]
    end

    def value(tree, node, position, size)
      case tree.first
      when :literal then tree[1]
      when :path then walk(tree[1], node)
      when :union then nodes(tree[1], node) | nodes(tree[2], node)
      when :or then true?(value(tree[1], node, position, size)) || true?(value(tree[2], node, position, size))
      when :and then true?(value(tree[1], node, position, size)) && true?(value(tree[2], node, position, size))
      when :compare then holds?(tree[1], value(tree[2], node, position, size), value(tree[3], node, position, size))
      when :call then call(tree[1], tree[2].map { |arg| value(arg, node, position, size) }, node, position, size)
      end
    end

    def nodes(tree, node)
      found = value(tree, node, 1, 1)
      found.is_a?(Array) ? found : wrong
    end

    def walk(steps, node)
      steps.reduce([node]) do |from, step|
        case step.first
        when :root then from.map(&:document).compact
        when :descendants then from.flat_map { |each| below(each) }
        else from.flat_map { |each| chosen(step[2], along(step[1], each)) }
        end.uniq(&:object_id)
      end
    end

    def below(node)
      return [node] unless node.is_a?(Element)

      [node] + node.children.grep(Element).flat_map { |child| below(child) }
    end

    def along(kind, node)
      name = kind[1]
      case kind.first
      when :self then [node]
      when :parent then [node.is_a?(Attribute) ? node.element : node.parent].compact
      when :attribute then attributes_of(node, name)
      when :text then children_of(node).grep(Text)
      when :node then children_of(node)
      when :child then children_of(node).grep(Element).select { |child| name.nil? || [child.expanded_name, child.name].include?(name) }
      end
    end

    def children_of(node)
      node.is_a?(Element) ? node.children : []
    end

    def attributes_of(node, name)
      return [] unless node.is_a?(Element)

      name ? [node.attributes.get_attribute(name)].compact : node.attributes.to_a
    end

    def chosen(conditions, found)
      conditions.reduce(found) do |left, condition|
        left.each_with_index.select do |node, index|
          answer = value(condition, node, index + 1, left.size)
          answer.is_a?(Numeric) ? answer == index + 1 : true?(answer)
        end.map(&:first)
      end
    end

    def call(name, args, node, position, size)
      first = args.empty? ? [node] : args.first
      case name
      when 'position' then position
      when 'last' then size
      when 'count' then first.size
      when 'not' then !true?(first)
      when 'true' then true
      when 'false' then false
      when 'name', 'local-name' then first.empty? ? '' : first.first.name
      when 'string' then string(first)
      when 'number' then number(first)
      when 'string-length' then string(first).length
      when 'normalize-space' then string(first).split.join(' ')
      when 'concat' then args.map { |arg| string(arg) }.join
      when 'starts-with' then string(first).start_with?(string(args[1]))
      when 'contains' then string(first).include?(string(args[1]))
      else wrong
      end
    end

    def true?(answer)
      case answer
      when Array, String then !answer.empty?
      when Numeric then !answer.zero?
      else answer
      end
    end

    # A list is compared by any of its members.
    def holds?(operator, left, right)
      return left.any? { |one| holds?(operator, string([one]), right) } if left.is_a?(Array)
      return right.any? { |one| holds?(operator, left, string([one])) } if right.is_a?(Array)

      left, right = number(left), number(right) if !%w[= !=].include?(operator) || [left, right].any?(Numeric)
      case operator
      when '=' then left == right
      when '!=' then left != right
      else left.public_send(operator, right)
      end
    end

    def string(answer)
      case answer
      when Array then answer.empty? ? '' : text_of(answer.first)
      when Element, Text, Attribute then text_of(answer)
      else answer.to_s
      end
    end

    def text_of(node)
      node.is_a?(Element) ? node.children.map { |child| child.is_a?(Comment) ? '' : text_of(child) }.join : node.value
    end

    def number(answer)
      answer.is_a?(Numeric) ? answer : Float(string(answer), exception: false) || Float::NAN
    end
  end
end
