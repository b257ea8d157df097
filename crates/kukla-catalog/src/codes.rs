//! The rules of resources.

kukla_syntax::codes! {
    pub CODES;

    /// A resource type that more than one attribute identifies must say how a title is taken apart into them; the module that
    /// provides the type is to be corrected.
    ///
    /// `modules/pairs/lib/puppet/type/pair.rb`:
    ///
    /// ```ruby
    /// Puppet::Type.newtype(:pair) do
    ///   newparam(:left, namevar: true)
    ///   newparam(:right, namevar: true)
    /// end
    /// ```
    ///
    /// ```puppet
    /// pair { 'a-b': }    # error
    /// ```
    NO_TITLE_PATTERNS as RUNTIME_ERROR: Error, "you must specify title patterns when there are two or more key attributes";

    /// The title of a resource is not written as its type wants it.
    ///
    /// `modules/pairs/lib/puppet/type/pair.rb`:
    ///
    /// ```ruby
    /// Puppet::Type.newtype(:pair) do
    ///   newparam(:left, namevar: true)
    ///   newparam(:right, namevar: true)
    ///   def self.title_patterns
    ///     [[/\A(\w+)-(\w+)\z/, [[:left], [:right]]]]
    ///   end
    /// end
    /// ```
    ///
    /// ```puppet
    /// pair { 'a-b': }    # fine
    /// pair { 'ab': }     # error
    /// ```
    TITLE_NOT_MATCHED as RUNTIME_ERROR: Error, "No set of title patterns matched the title \"{title}\".";
}
