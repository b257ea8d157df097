require 'tmpdir'

# A file that nobody else has, for the time being. It goes when it is told to; what is forgotten stays.
class Tempfile < File
  def self.create(basename = '', tmpdir = nil, **options)
    file = new(basename, tmpdir, **options)
    return file unless block_given?

    begin
      yield file
    ensure
      file.close!
    end
  end

  def self.open(*args, **options)
    file = new(*args, **options)
    return file unless block_given?

    begin
      yield file
    ensure
      file.close
    end
  end

  def initialize(basename = '', tmpdir = nil, mode: 0, **options)
    Dir::Tmpname.create(basename, tmpdir) do |free|
      super(free, File::RDWR | File::CREAT | File::EXCL | mode, 0o600, **options)
    end
  end

  def close(unlink_now = false)
    super()
    unlink if unlink_now
    nil
  end

  def close!
    close(true)
  end

  def open
    close
    File.open(path, 'r+')
  end

  def length
    size
  end

  def unlink
    File.unlink(path)
  rescue Errno::ENOENT
    nil
  end
  alias delete unlink
end
