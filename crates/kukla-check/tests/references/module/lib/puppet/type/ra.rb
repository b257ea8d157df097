require 'puppet/resource_api'
Puppet::ResourceApi.register_type(
  name: 'ra',
  docs: <<-EOS,
@summary a RA type
@example
  ra { 'foo': }

This type
EOS
  features: ['canonicalize', 'simple_get_filter'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether', default: 'present' },
    name: { type: 'String', desc: 'The name', behaviour: :namevar, },
    pat: { type: 'Pattern[/a/, /b/]', desc: <<~D, behaviour: :parameter, default: ['a', 'b'] },
      Heredoc
        desc
    D
    num: { type: 'Integer', default: 3, behaviour: :read_only },
    flag: { type: 'Boolean', default: false, desc: 'f' },
    h: { type: 'Hash', default: { 'a' => 1, b: nil } },
    'str': { type: "Optional[String]" },
  },
)
