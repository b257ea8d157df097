# Commands whose output is wanted; what they write to standard error stays with them.
require 'shellwords'

module Open3
  class << self
    def capture2(*command, **_options)
      command = command.drop(1) if command.first.is_a?(Hash)
      text = command.size == 1 ? command.first.to_s : Shellwords.join(command.map(&:to_s))
      output = `#{text}`
      [output, $?]
    end
    alias capture2e capture2

    def capture3(*command, **options)
      output, status = capture2(*command, **options)
      [output, '', status]
    end
  end
end
