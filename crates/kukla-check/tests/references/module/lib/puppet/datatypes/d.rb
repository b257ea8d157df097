# Data type doc
# @summary sum
# @param a The a
# @param zz gone
Puppet::DataTypes.create_type('DD') do
  interface <<-PUPPET
    attributes => {
      a => String[1],
      b => { type => Optional[Integer], value => 5 },
      'c' => { type => Boolean, value => true },
      d => 'String'
    },
    functions => {
      foo => Callable[[String, Integer], Boolean],
      bar => Callable[[], String]
    }
  PUPPET
  load_file('x')
end
