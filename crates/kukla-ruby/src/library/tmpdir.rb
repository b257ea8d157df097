# Directories and names that nobody else has, for the time being.
class Dir
  module Tmpname
    # Yields paths until one is not taken.
    def self.create(basename, tmpdir = nil, **)
      prefix, suffix = basename
      number = 0
      begin
        path = File.join(tmpdir || Dir.tmpdir, "#{prefix}#{number}#{suffix}")
        yield path
      rescue Errno::EEXIST
        number += 1
        retry
      end
      path
    end
  end

  def self.mktmpdir(prefix_suffix = nil, tmpdir = nil, **options)
    path = Tmpname.create(prefix_suffix || 'd', tmpdir, **options) { |free| mkdir(free, 0o700) }
    return path unless block_given?

    begin
      yield path
    ensure
      FileUtils.remove_entry(path)
    end
  end
end
