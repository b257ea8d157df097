//! Files, templates and commands.

kukla_syntax::codes! {
    pub FILES;

    /// A file cannot be read; the message says why.
    ///
    /// ```puppet
    /// file('/')    # error
    /// ```
    UNREADABLE_FILE as RUNTIME_ERROR: Error, "{reason} - {path}";

    /// None of the files exists. `module/name` is in the directory `files` of a module; other paths are absolute.
    ///
    /// ```puppet
    /// file('ntp/ntp.conf', '/no/such/file')    # error
    /// ```
    NO_SUCH_FILES as RUNTIME_ERROR: Error, "Could not find any files from {paths}";

    /// The file does not exist. `module/name` is in the directory `files` of a module; other paths are absolute.
    ///
    /// ```puppet
    /// binary_file('/no/such/file')    # error
    /// ```
    NO_SUCH_BINARY_FILE as RUNTIME_ERROR: Error, "binary_file(): The given file '{path}' does not exist";

    /// A pattern for `glob` leads into more directories than are looked into. Begin it with a longer path, or use fewer `**`.
    TOO_MANY_DIRECTORIES as RUNTIME_ERROR: Error, "glob(): more than {limit} directories to look into";

    /// There is no such template. `module/name` is in the directory `templates` of a module; other paths are absolute.
    ///
    /// ```puppet
    /// epp('ntp/ntp.conf.epp')    # error
    /// ```
    NO_SUCH_TEMPLATE as RUNTIME_ERROR: Error, "Could not find template '{name}'";

    /// A template in Ruby cannot be read.
    ///
    /// ```puppet
    /// template('/no/such/template.erb')    # error
    /// ```
    UNREADABLE_TEMPLATE as RUNTIME_ERROR: Error, "Failed to parse template {path}:\n  Detail: {cause}";

    /// A template is a string.
    ///
    /// ```puppet
    /// inline_template(1)    # error
    /// ```
    TEMPLATE_NO_STRING as RUNTIME_ERROR: Error, "Failed to parse inline template: {cause}";

    /// Templates in Ruby (ERB) are rendered by an environment that runs the Ruby of modules; this one does not.
    RUBY_TEMPLATE as RUNTIME_ERROR: Error, "Could not render template '{name}': no Ruby is run here";

    /// The text of a template in Puppet (EPP) cannot be read; the message goes on with what is wrong and where in the template.
    ///
    /// ```puppet
    /// inline_epp('<%= 1 + %>')    # error
    /// ```
    INVALID_TEMPLATE as RUNTIME_ERROR: Error, "{function}(): Invalid EPP: {cause}";

    /// The program that `generate` runs is named by its absolute path.
    ///
    /// ```puppet
    /// generate('date')    # error
    /// ```
    GENERATOR_NOT_ABSOLUTE as RUNTIME_ERROR: Error, "Generators must be fully qualified";

    /// The path of the program that `generate` runs is made of letters, digits, `-`, `/`, `_`, `.` and `+`; arguments are given apart.
    ///
    /// ```puppet
    /// generate('/bin/date -u')    # error
    /// ```
    GENERATOR_ILLEGAL_CHARACTER as RUNTIME_ERROR: Error, "Generators can only contain alphanumerics, file separators, and dashes";

    /// The path of the program that `generate` runs is written without `..`.
    ///
    /// ```puppet
    /// generate('/usr/../bin/date')    # error
    /// ```
    GENERATOR_ABOVE_DIRECTORY as RUNTIME_ERROR: Error, "Can not use generators with '..' in them.";

    /// The program that `generate` runs did not run, or did not succeed.
    ///
    /// ```puppet
    /// generate('/no/such/program')    # error
    /// ```
    GENERATOR_FAILED as RUNTIME_ERROR: Error, "Failed to execute generator {program}: {cause}";

    /// A command failed; the message has its exit code and continues with the command's output. It is always reported
    /// as the cause of another error.
    COMMAND_FAILED as RUNTIME_ERROR: Error, "Execution of '{command}' returned {code}: {output}";

    /// A command could not be run, or was stopped because it ran too long or wrote too much. It is always reported as the cause of another error.
    COMMAND_NOT_RUN as RUNTIME_ERROR: Error, "{reason}";
}
