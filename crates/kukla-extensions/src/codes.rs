//! Codes of the errors in the Ruby code of modules.

kukla_syntax::codes! {
    pub CODES;

    /// Ruby code raised an exception that nothing rescued. The message is the exception's; a hint says where in the Ruby code.
    ///
    /// `modules/site/lib/puppet/functions/site/port.rb`:
    ///
    /// ```ruby
    /// Puppet::Functions.create_function(:'site::port') do
    ///   def port
    ///     raise 'no port'
    ///   end
    /// end
    /// ```
    ///
    /// ```puppet
    /// site::port()    # error
    /// ```
    RUBY_RAISED as RUNTIME_ERROR: Error, "{message}";

    /// A template in Ruby (ERB) failed. The message goes on with where in the template and what happened.
    ///
    /// `modules/site/templates/port.erb`:
    ///
    /// ```erb
    /// <%= nil + 1 %>
    /// ```
    ///
    /// ```puppet
    /// template('site/port.erb')    # error
    /// ```
    RUBY_TEMPLATE_FAILED as RUNTIME_ERROR: Error, "Failed to parse template {name}:\n  Filepath: {path}\n  Line: {line}\n  Detail: {detail}\n";

    /// A template given as text failed. The message goes on with what happened.
    ///
    /// ```puppet
    /// inline_template('<%= nil + 1 %>')    # error
    /// ```
    RUBY_INLINE_TEMPLATE_FAILED as RUNTIME_ERROR: Error, "Failed to parse inline template: {detail}";

    /// The file of a function does not define it.
    ///
    /// `modules/site/lib/puppet/functions/site/port.rb`:
    ///
    /// ```ruby
    /// port = 80
    /// ```
    ///
    /// ```puppet
    /// site::port()    # error
    /// ```
    RUBY_FUNCTION_MISSING as RUNTIME_ERROR: Error, "The code loaded from {file} does not seem to define the function '{name}'";

    /// The Ruby that `--ruby` names could not be started, ended before its time, or gave no answer in time.
    EXTERNAL_RUBY_FAILED: Error, "{ruby} cannot run this: {problem}";

    /// A type in the signature of a function in Ruby cannot be read.
    ///
    /// `modules/site/lib/puppet/functions/site/port.rb`:
    ///
    /// ```ruby
    /// Puppet::Functions.create_function(:'site::port') do
    ///   dispatch :port do
    ///     param 'Integer[', :port
    ///   end
    ///
    ///   def port(port)
    ///     port
    ///   end
    /// end
    /// ```
    ///
    /// ```puppet
    /// site::port(1)    # error
    /// ```
    RUBY_SIGNATURE as RUNTIME_ERROR: Error, "Function Load Error for function '{name}': Parsing of type string '\"{text}\"' failed with message: <{cause}>.\n";
}
