# Messages with a severity, written to a stream.
class Logger
  module Severity
    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3
    FATAL = 4
    UNKNOWN = 5
  end
  include Severity

  NAMES = %w[DEBUG INFO WARN ERROR FATAL ANY].freeze

  class Formatter
    attr_accessor :datetime_format

    def call(severity, time, progname, message)
      shown = message.is_a?(String) ? message : message.inspect
      stamp = time ? "[#{time.strftime(datetime_format || '%Y-%m-%dT%H:%M:%S.%6N')}] " : ''
      "#{severity[0, 1]}, #{stamp}#{severity.rjust(5)} -- #{progname}: #{shown}\n"
    end
  end

  attr_accessor :progname, :formatter, :datetime_format
  attr_reader :level

  def initialize(stream = nil, *_, level: DEBUG, progname: nil, formatter: nil, datetime_format: nil)
    @stream = stream.is_a?(String) ? File.open(stream, 'a') : stream
    self.level = level
    @progname = progname
    @formatter = formatter
    @datetime_format = datetime_format
  end

  def level=(level)
    @level = level.is_a?(Integer) ? level : NAMES.index(level.to_s.upcase) || UNKNOWN
  end

  def add(severity, message = nil, progname = nil)
    severity ||= UNKNOWN
    return true if @stream.nil? || severity < @level

    progname ||= @progname
    if message.nil?
      if block_given?
        message = yield
      else
        message = progname
        progname = @progname
      end
    end
    made = (@formatter || Formatter.new).call(NAMES[severity] || 'ANY', time, progname, message)
    @stream.write(made)
    true
  end
  alias log add

  def <<(message)
    @stream&.write(message)
    self
  end

  def close; end

  { debug: DEBUG, info: INFO, warn: WARN, error: ERROR, fatal: FATAL, unknown: UNKNOWN }.each do |name, severity|
    define_method(name) { |progname = nil, &block| add(severity, nil, progname, &block) }
    define_method(:"#{name}?") { @level <= severity } unless name == :unknown
    define_method(:"#{name}!") { self.level = severity } unless name == :unknown
  end

  private

  # Without a clock there is no time to tell.
  def time
    Time.now
  rescue SecurityError
    nil
  end
end
