# Walks through directories and all that is in them.
module Find
  module_function

  def find(*paths, ignore_error: true)
    return enum_for(:find, *paths, ignore_error: ignore_error) unless block_given?

    open = paths.map { |path| File.exist?(path) ? path.to_s : raise(Errno::ENOENT, path.to_s) }
    until open.empty?
      path = open.shift
      catch(:prune) do
        yield path.dup
        open.unshift(*entries_of(path, ignore_error)) if File.directory?(path) && !File.symlink?(path)
      end
    end
    nil
  end

  def prune
    throw :prune
  end

  def entries_of(path, ignore_error)
    Dir.children(path).sort.map { |name| File.join(path, name) }
  rescue SystemCallError
    ignore_error ? [] : raise
  end
end
