# How this Ruby is built, as far as programs ask.

module RbConfig
  CONFIG = {
    'MAJOR' => RUBY_VERSION.split('.')[0], 'MINOR' => RUBY_VERSION.split('.')[1], 'TEENY' => RUBY_VERSION.split('.')[2],
    'PATCHLEVEL' => '0', 'ruby_version' => "#{RUBY_VERSION[/\A\d+\.\d+/]}.0", 'RUBY_PROGRAM_VERSION' => RUBY_VERSION,
    'ruby_install_name' => 'ruby', 'RUBY_INSTALL_NAME' => 'ruby', 'RUBY_BASE_NAME' => 'ruby', 'RUBY_SO_NAME' => 'ruby', 'EXEEXT' => '',
    'host_os' => 'linux-gnu', 'target_os' => 'linux-gnu', 'build_os' => 'linux-gnu', 'host_cpu' => 'x86_64', 'target_cpu' => 'x86_64',
    'host' => 'x86_64-pc-linux-gnu', 'arch' => 'x86_64-linux-gnu', 'prefix' => '/usr', 'bindir' => '/usr/bin', 'sbindir' => '/usr/sbin',
    'sysconfdir' => '/etc', 'datadir' => '/usr/share', 'mandir' => '/usr/share/man', 'libdir' => '/usr/lib', 'localstatedir' => '/var',
    'rubylibdir' => "/usr/lib/ruby/#{RUBY_VERSION[/\A\d+\.\d+/]}.0", 'sitedir' => '/usr/local/lib/site_ruby',
    'sitelibdir' => "/usr/local/lib/site_ruby/#{RUBY_VERSION[/\A\d+\.\d+/]}.0",
    'vendordir' => '/usr/lib/ruby/vendor_ruby', 'vendorlibdir' => '/usr/lib/ruby/vendor_ruby', 'DLEXT' => 'so', 'SOEXT' => 'so',
    'PATH_SEPARATOR' => ':', 'SHELL' => '/bin/sh'
  }
  MAKEFILE_CONFIG = CONFIG.dup
  TOPDIR = '/usr'

  class << self
    def ruby
      File.join(CONFIG['bindir'], CONFIG['ruby_install_name'] + CONFIG['EXEEXT'])
    end

    def expand(value, config = CONFIG)
      value.gsub(/\$\((\w+)\)|\$\{(\w+)\}/) { config[Regexp.last_match(1) || Regexp.last_match(2)] || Regexp.last_match(0) }
    end

    def config
      MAKEFILE_CONFIG
    end

    def fire_update!(*) = nil
  end
end
