# What is known of users and groups. Only code that may change files has to know it; else a catalog must not depend on the machine it is
# compiled on.
module Etc
  Passwd = Struct.new(:name, :passwd, :uid, :gid, :gecos, :dir, :shell)
  Group = Struct.new(:name, :passwd, :gid, :mem)

  class << self
    def getpwuid(uid = Process.uid)
      find_user { |entry| entry.uid == uid } || raise(ArgumentError, "can't find user for #{uid}")
    end

    def getpwnam(name)
      find_user { |entry| entry.name == name } || raise(ArgumentError, "can't find user for #{name}")
    end

    def getgrgid(gid = Process.gid)
      find_group { |entry| entry.gid == gid } || raise(ArgumentError, "can't find group for #{gid}")
    end

    def getgrnam(name)
      find_group { |entry| entry.name == name } || raise(ArgumentError, "can't find group for #{name}")
    end

    def getlogin
      getpwuid.name
    end

    %i[passwd group nprocessors uname].each do |name|
      define_method(name) { |*| raise SecurityError, "Etc.#{name} is not allowed: it would tell about this machine" }
    end

    def systmpdir
      '/tmp'
    end

    def sysconfdir
      '/etc'
    end

    private

    def find_user(&block)
      entries('/etc/passwd') { |name, word, uid, gid, *rest| Passwd.new(name, word, uid.to_i, gid.to_i, *rest) }.find(&block)
    end

    def find_group(&block)
      entries('/etc/group') { |name, word, gid, members| Group.new(name, word, gid.to_i, members.to_s.split(',')) }.find(&block)
    end

    def entries(file)
      # Whoever may not know who this is may not know the others either.
      Process.uid
      File.readlines(file, chomp: true).map { |line| yield line.split(':') }
    end
  end
end
