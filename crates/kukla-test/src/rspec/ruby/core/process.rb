# What suites ask about the process that runs them: the same on each machine.
# frozen_string_literal: true

require 'etc'

class << Process
  def pid = 1

  %i[uid euid gid egid].each { |name| define_method(name) { 0 } }
end

class << Etc
  private

  def entries(file)
    [yield((file == '/etc/passwd' ? 'root:x:0:0:root:/root:/bin/sh' : 'root:x:0:').split(':'))]
  end
end
