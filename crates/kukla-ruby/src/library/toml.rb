# Writes TOML as the gem `toml` does: keys sorted, tables after plain values.
module TOML
  class Generator
    attr_reader :doc, :body

    def initialize(doc)
      @doc = doc
      @body = table(doc, '')
    end

    private

    def table(hash, path)
      entries = hash.reject { |_, value| value.nil? }.sort_by { |key, _| key.to_s }
      tables, plain = entries.partition { |_, value| table?(value) || tables?(value) }
      lines = plain.map { |key, value| "#{key} = #{value(value)}\n" }
      inner = tables.map do |key, value|
        name = path.empty? ? key.to_s : "#{path}.#{key}"
        tables?(value) ? value.map { |one| "\n[[#{name}]]\n#{table(one, name)}" }.join : named(value, name)
      end
      (lines + inner).join
    end

    # A table without values of its own has no heading.
    def named(hash, name)
      text = table(hash, name)
      plain = hash.values.any? { |value| !table?(value) && !tables?(value) }
      plain && !text.empty? ? "\n[#{name}]\n#{text}" : text
    end

    def table?(value) = value.is_a?(Hash)
    def tables?(value) = value.is_a?(Array) && value.first.is_a?(Hash)

    def value(value)
      case value
      when Array
        raise 'All array values must be the same type' if value.map(&:class).uniq.size > 1

        "[#{value.map { |one| value(one) }.join(',')}]"
      when Time then value.strftime('%Y-%m-%dT%H:%M:%SZ')
      when String, Symbol then value.to_s.inspect
      else value.to_s
      end
    end
  end
end
