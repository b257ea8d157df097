# Helpers of suites that look at the attributes of one resource.

def param_value(subject, type, title, param) = subject.resource(type, title).send(:parameters)[param.to_sym]

def verify_contents(subject, title, expected_lines)
  content = subject.resource('file', title).send(:parameters)[:content]
  expect(content.split("\n") & expected_lines).to match_array expected_lines.uniq
end
