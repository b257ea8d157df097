# The run of one file, and its results as plain data.

module Kukla
  module Suite
    class << self
      def run(path, shown, texts, line, only_list)
        # As `rspec` does.
        $LOAD_PATH.unshift(File.join(Dir.pwd, 'lib'), File.join(Dir.pwd, 'spec'))
        RSpec.world.load_file(path, shown)
        chosen = ->(example) { chosen?(example, texts, line) }
        examples = only_list ? RSpec.world.list(&chosen) : RSpec.world.run(&chosen)
        examples.map { |example| result(example) }
      end

      private

      def chosen?(example, texts, line)
        name = example.full_description.downcase
        return false unless texts.empty? || texts.any? { |text| name.include?(text.downcase) }

        line.nil? || lines(example).include?(line)
      end

      def lines(example)
        [example.metadata[:line_number], *example.group.parent_groups.map { |group| group.metadata[:line_number] }]
      end

      def result(example)
        {
          groups: example.group.parent_groups.reverse.map(&:description), name: example.description, id: example.id,
          line: example.metadata[:line_number], status: example.status, reason: example.reason, time: example.time.to_f
        }.merge(failure(example.status == :failed ? example.exception : nil))
      end

      def failure(exception)
        return {} unless exception

        message = exception.message.to_s
        message = "#{exception.class}: #{message}" unless exception.is_a?(RSpec::Expectations::ExpectationNotMetError)
        trace = (exception.backtrace || []).reject { |line| line.start_with?('rspec/') }
        place = trace.find { |line| line.include?('_spec.rb') }&.split(':')
        {
          message: message, trace: trace.first(8), failed_file: place && place[0], failed_line: place && place[1].to_i,
          expected: shown(exception, :expected), got: shown(exception, :actual)
        }
      end

      def shown(exception, part)
        value = exception.respond_to?(part) ? exception.public_send(part) : nil
        value.nil? ? nil : RSpec::Matchers.shown(value)
      rescue StandardError
        nil
      end
    end
  end
end
