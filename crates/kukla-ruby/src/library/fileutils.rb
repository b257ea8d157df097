# Nothing changes files here; what would, says so.
module FileUtils
  NAMES = %i[
    cd chdir mkdir mkdir_p makedirs mkpath rmdir ln ln_s ln_sf link cp copy cp_r mv move rm remove rm_r rm_f rm_rf rmtree
    install chmod chmod_R chown chown_R touch copy_file copy_entry remove_entry remove_file remove_dir remove_entry_secure
  ].freeze

  NAMES.each do |name|
    define_method(name) do |*paths, **|
      raise SecurityError, "FileUtils.#{name} #{paths.flatten.join(', ')} is not allowed: Ruby code reads files and changes none"
    end
    module_function name
  end

  def self.pwd
    Dir.pwd
  end

  def self.compare_file(one, other)
    File.binread(one) == File.binread(other)
  end

  def self.identical?(one, other)
    compare_file(one, other)
  end
end
