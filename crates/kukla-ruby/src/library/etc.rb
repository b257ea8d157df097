# What is known of users and groups: nothing, as a catalog must not depend on the machine it is compiled on.
module Etc
  %i[getpwnam getpwuid getgrnam getgrgid getlogin passwd group nprocessors uname].each do |name|
    define_singleton_method(name) { |*| raise SecurityError, "Etc.#{name} is not allowed: it would tell about this machine" }
  end

  def self.systmpdir
    '/tmp'
  end

  def self.sysconfdir
    '/etc'
  end
end
