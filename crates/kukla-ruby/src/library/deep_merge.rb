# The gem deep_merge: hashes and lists merged into others at any depth.
module DeepMerge
  class InvalidParameter < StandardError; end

  DEFAULT_FIELD_KNOCKOUT_PREFIX = '--'

  class << self
    # Merges the source into the destination, which is changed where it can be, and gives what it comes to.
    def deep_merge!(source, dest, options = {})
      check(options)
      return dest if source.nil? && !options[:merge_nil_values]
      return source if !dest && !options[:preserve_unmergeables]

      case source
      when Hash then merge_hash(source, dest, options)
      when Array then merge_array(source, dest, options)
      else
        return dest.push(source) if dest.is_a?(Array) && options[:extend_existing_arrays]

        replaced(source, dest, options)
      end
    end

    private

    def check(options)
      prefix = options[:knockout_prefix]
      raise InvalidParameter, 'knockout_prefix cannot be an empty string in deep_merge!' if prefix == ''
      return unless prefix && options[:preserve_unmergeables]

      raise InvalidParameter, 'overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!'
    end

    def merge_hash(source, dest, options)
      source.each do |key, value|
        if dest.is_a?(Hash)
          dest[key] = deep_merge!(value, dest[key] || ground_for(value, options), options)
        elsif dest.is_a?(Array) && options[:extend_existing_arrays]
          # Once for each key, as the gem has it.
          dest.push(source)
        else
          dest = replaced(source, dest, options)
        end
      end
      dest
    end

    # What a value is merged into where there is nothing yet: itself, unless that would double it.
    def ground_for(value, options)
      value.is_a?(Array) && options[:keep_array_duplicates] ? [] : value.dup
    end

    def merge_array(source, dest, options)
      return source if options[:overwrite_arrays]

      if (separator = options[:unpack_arrays])
        source = source.join(separator).split(separator)
        dest = dest.join(separator).split(separator) if dest.is_a?(Array)
      end
      prefix = options[:knockout_prefix]
      if prefix && source.include?(prefix)
        dest = dest.respond_to?(:clear) ? dest.clear : nil
        source.delete(prefix)
      end
      return replaced(source, dest, options) unless dest.is_a?(Array)

      knock_out(source, dest, prefix) if prefix
      dest = union(source, dest, options)
      options[:sort_merged_arrays] ? dest.sort : dest
    end

    # Takes what the source strikes out from both.
    def knock_out(source, dest, prefix)
      source.delete_if do |struck|
        item = struck.respond_to?(:gsub) ? struck.gsub(/^#{prefix}/, '') : struck
        next if item == struck

        dest.delete(item)
        dest.delete(struck)
        true
      end
    end

    def union(source, dest, options)
      if options[:merge_hash_arrays] && (source + dest).all?(Hash)
        merged = dest.each_index.map { |at| deep_merge!(source[at] || {}, dest[at], options) }
        return merged + (source[dest.size..] || [])
      end
      options[:keep_array_duplicates] ? dest.concat(source) : dest | source
    end

    # What becomes of a destination that the source cannot be merged into.
    def replaced(source, dest, options)
      return dest if options[:preserve_unmergeables]

      prefix = options[:knockout_prefix]
      return source unless prefix

      case source
      when String then source.match?(/^#{prefix}/) ? '' : source
      when Array then source.reject! { |item| item.is_a?(String) && item.match?(/^#{prefix}/) } || source
      else source
      end
    end
  end

  # What every hash can do.
  module DeepMergeHash
    def ko_deep_merge!(source, options = {})
      DeepMerge.deep_merge!(source, self, { knockout_prefix: DEFAULT_FIELD_KNOCKOUT_PREFIX, preserve_unmergeables: false }.merge(options))
    end

    def deep_merge!(source, options = {})
      DeepMerge.deep_merge!(source, self, { preserve_unmergeables: false }.merge(options))
    end

    def deep_merge(source, options = {})
      DeepMerge.deep_merge!(source, self, { preserve_unmergeables: true }.merge(options))
    end
  end
end

class Hash
  include DeepMerge::DeepMergeHash
end
