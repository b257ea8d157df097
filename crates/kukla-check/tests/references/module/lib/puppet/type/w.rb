# frozen_string_literal: true
# Top comment
Puppet::Type.newtype(:w) do
  @doc = "A type #{x} with
    more lines
      deeper
    "
  # comment for feature
  feature :foo, "The foo
     feature", methods: [:a]
  ensurable do
    newvalue(:present) { }
    newvalues(:absent, /a b/, 'x y', *FOO)
    aliasvalue(:false, :absent)
    defaultto { :present }
  end
  newparam(:name, :namevar => true) do
    desc <<-DESC.gsub(/x/, 'y')
      Name
    DESC
  end
  newparam(:b, boolean: true, parent: Puppet::Parameter::Boolean) do
    desc "Long #{'-' * 10} text"
    defaultto true
  end
  newproperty(:c, :required_features => %w[a b]) do
    desc 'it''s'
    defaultto nil
    newvalues('a', "b")
  end
  newproperty(:d, required_features: :foo) { desc "x
  y	tab
  z"; newvalue :q; defaultto :q }
  newparam :e do
    isnamevar
    desc %q{Curly
      text
    }
  end
  newparam(:f) { desc %q(Paren) }
  newcheck(:g) do desc "A check: #{a} b" end
  newparam(:h)
  %w[a b].each { |x| newparam(x) }
  newparam("i#{x}") { desc '' }
end
# extra doc

Puppet::Type.type(:w).newparam(:later) do
  desc 'later' ; defaultto 'a' + 'b'
end
Puppet::Type.type(:w).provide(:p1, parent: Foo) do
  desc 'Provider
   text'
  confine osfamily: :redhat, 'a' => %w[b]
  confine :true => begin true end
  defaultfor :osfamily => [:a, :b], kernel: 'x'
  commands :a => '/bin/a', b: "b"
  has_feature :foo, :bar
  has_features 'x'
end
