# Files and directories, several at once. What may not be changed says so when it would be.
module FileUtils
  module_function

  def pwd
    Dir.pwd
  end

  def cd(...)
    Dir.chdir(...)
  end

  def mkdir(list, mode: nil, noop: nil, verbose: nil)
    each_path(list, noop) { |path| make_directory(path, mode) }
  end

  def mkdir_p(list, mode: nil, noop: nil, verbose: nil)
    each_path(list, noop) { |path| make_path(path, mode) }
  end

  def rmdir(list, parents: nil, noop: nil, verbose: nil)
    each_path(list, noop) do |path|
      Dir.rmdir(path)
      while parents && (path = File.dirname(path)) != '.'
        Dir.rmdir(path)
      end
    rescue Errno::ENOTEMPTY, Errno::ENOENT
      raise unless parents
    end
  end

  def rm(list, force: nil, noop: nil, verbose: nil)
    each_path(list, noop) { |path| forgiving(force) { File.unlink(path) } }
  end

  def rm_f(list, **options)
    rm(list, force: true, **options)
  end

  def rm_r(list, force: nil, noop: nil, verbose: nil, secure: nil)
    each_path(list, noop) { |path| remove_entry(path, force) }
  end

  def rm_rf(list, **options)
    rm_r(list, force: true, **options)
  end

  def remove_entry(path, force = false)
    forgiving(force) do
      if File.directory?(path) && !File.symlink?(path)
        Dir.children(path).each { |name| remove_entry(File.join(path, name), force) }
        Dir.rmdir(path)
      else
        File.unlink(path)
      end
    end
  end

  def remove_file(path, force = false)
    forgiving(force) { File.unlink(path) }
  end

  def mv(from, to, force: nil, noop: nil, verbose: nil, secure: nil)
    each_way(from, to, noop) do |source, target|
      forgiving(force) { File.rename(source, target) }
    end
  end

  def cp(from, to, preserve: nil, noop: nil, verbose: nil)
    each_way(from, to, noop) { |source, target| copy_file(source, target) }
  end

  def cp_r(from, to, preserve: nil, noop: nil, verbose: nil, dereference_root: true, remove_destination: nil)
    each_way(from, to, noop) { |source, target| copy_entry(source, target) }
  end

  def copy_file(source, target, *)
    File.binwrite(target, File.binread(source))
  end

  def copy_entry(source, target, *)
    return copy_file(source, target) unless File.directory?(source)

    Dir.mkdir(target) unless File.directory?(target)
    Dir.children(source).each { |name| copy_entry(File.join(source, name), File.join(target, name)) }
  end

  def install(from, to, mode: nil, owner: nil, group: nil, preserve: nil, noop: nil, verbose: nil)
    each_way(from, to, noop) do |source, target|
      copy_file(source, target)
      chmod(mode, target) if mode
      chown(owner, group, target) if owner || group
    end
  end

  def touch(list, noop: nil, verbose: nil, mtime: nil, nocreate: nil)
    each_path(list, noop) do |path|
      next File.utime(mtime, mtime, path) if File.exist?(path)

      File.open(path, 'a') { nil } unless nocreate
    end
  end

  def chmod(mode, list, noop: nil, verbose: nil)
    each_path(list, noop) { |path| File.chmod(mode_for(mode, path), path) }
  end

  def chmod_R(mode, list, force: nil, noop: nil, verbose: nil)
    each_path(list, noop) { |path| below(path) { |entry| forgiving(force) { chmod(mode, entry) } } }
  end

  def chown(user, group, list, noop: nil, verbose: nil)
    each_path(list, noop) { |path| File.chown(number_of(user, :getpwnam, :uid), number_of(group, :getgrnam, :gid), path) }
  end

  def chown_R(user, group, list, force: nil, noop: nil, verbose: nil)
    each_path(list, noop) { |path| below(path) { |entry| forgiving(force) { chown(user, group, entry) } } }
  end

  def ln_s(source, target, **)
    File.symlink(source, target)
  end

  def ln(source, target, **)
    File.link(source, target)
  end

  def compare_file(one, other)
    File.binread(one) == File.binread(other)
  end

  def uptodate?(new, old_list)
    File.exist?(new) && old_list.all? { |old| !File.exist?(old) || File.mtime(old) < File.mtime(new) }
  end

  def each_path(list, noop)
    paths = [list].flatten.map { |path| path.respond_to?(:to_path) ? path.to_path : path.to_str }
    paths.each { |path| yield path } unless noop
    list
  end

  # Several go into a directory, one may get another name.
  def each_way(from, to, noop)
    raise ArgumentError, "same file: #{from} and #{to}" if from == to

    into = from.is_a?(Array) || File.directory?(to)
    each_path(from, noop) { |path| yield path, into ? File.join(to, File.basename(path)) : to.to_s }
    0
  end

  def make_path(path, mode)
    make_directory(path, mode) unless File.directory?(path)
  rescue Errno::ENOENT
    make_path(File.dirname(path), nil)
    make_directory(path, mode)
  rescue Errno::EEXIST
    raise unless File.directory?(path)
  end

  def make_directory(path, mode)
    path = path.chomp('/') unless path == '/'
    Dir.mkdir(path, mode || 0o777)
    File.chmod(mode, path) if mode
  end

  def forgiving(force)
    yield
  rescue SystemCallError, IOError
    raise unless force
  end

  def below(path, &block)
    yield path
    return unless File.directory?(path) && !File.symlink?(path)

    Dir.children(path).each { |name| below(File.join(path, name), &block) }
  end

  def number_of(name, lookup, field)
    return name if name.nil? || name.is_a?(Integer)

    name.match?(/\A\d+\z/) ? name.to_i : Etc.__send__(lookup, name).__send__(field)
  end

  # `u=rw,go+rX` as a number, for a file that has permissions already.
  def mode_for(mode, path)
    return mode if mode.is_a?(Integer)

    stat = File.stat(path)
    mode.split(',').inject(stat.mode & 0o7777) { |bits, clause| with_clause(bits, clause, stat.directory?) }
  end

  WHO = { 'u' => 0o4700, 'g' => 0o2070, 'o' => 0o1007, 'a' => 0o7777 }.freeze
  WHAT = { 'r' => 0o444, 'w' => 0o222, 'x' => 0o111, 's' => 0o6000, 't' => 0o1000 }.freeze

  def with_clause(bits, clause, is_directory)
    who, operator, what = clause.match(/\A([ugoa]*)([-+=])([rwxXst]*)\z/)&.captures
    raise ArgumentError, "invalid symbolic file mode: #{clause}" unless who

    reach = (who.empty? ? 'a' : who).chars.inject(0) { |all, one| all | WHO[one] }
    what = what.gsub('X') { is_directory || bits.anybits?(0o111) ? 'x' : '' }
    wanted = what.chars.inject(0) { |all, one| all | WHAT[one] } & reach
    case operator
    when '+' then bits | wanted
    when '-' then bits & ~wanted
    else bits & ~(reach & 0o777) | wanted
    end
  end

  OTHER_NAMES = {
    getwd: :pwd, chdir: :cd, mkpath: :mkdir_p, makedirs: :mkdir_p, remove: :rm, safe_unlink: :rm_f, rmtree: :rm_rf,
    remove_dir: :remove_entry, remove_entry_secure: :remove_entry, move: :mv, copy: :cp, symlink: :ln_s, ln_sf: :ln_s,
    link: :ln, identical?: :compare_file, cmp: :compare_file
  }.freeze

  OTHER_NAMES.each do |other, name|
    alias_method other, name
    module_function other
  end
end
