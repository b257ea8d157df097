# The types that come with Puppet: which values their attributes take, and which attributes go together. What a provider would do is not here.
# Attributes that only the providers of few systems manage take any value: elsewhere the agent passes over them.

module Puppet
  # What is common to several of the types below.
  module CoreTypes
    PROVIDERS = {
      exec: %i[posix shell windows],
      file: %i[posix windows],
      group: %i[aix directoryservice groupadd ldap pw windows_adsi],
      package: %i[aix appdmg apple apt aptitude aptrpm blastwave dnf dnfmodule dpkg fink freebsd gem hpux macports nim openbsd opkg
                  pacman pip pip2 pip3 pkg pkgdmg pkgin pkgng pkgutil portage ports portupgrade puppet_gem puppetserver_gem rpm rug
                  sun sunfreeware tdnf up2date urpmi windows xbps yum zypper],
      service: %i[base bsd daemontools debian freebsd gentoo init launchd openbsd openrc openwrt rcng redhat runit service smf src
                  systemd upstart windows],
      user: %i[aix directoryservice hpux ldap openbsd pw user_role_add useradd windows_adsi],
      cron: %i[crontab], host: %i[parsed], mount: %i[parsed], ssh_authorized_key: %i[parsed], sshkey: %i[parsed]
    }.freeze

    MEMBERSHIP = proc do
      newvalues(:inclusive, :minimum)
      defaultto :minimum
    end

    NUMBER = proc { munge { |value| value.is_a?(String) && value =~ /^[-0-9]+$/ ? Integer(value) : value } }

    # A property of a user that is a number of days.
    def self.days(words)
      proc do
        munge { |value| value.is_a?(String) ? Integer(value) : value }
        validate { |value| raise ArgumentError, "#{words} must be provided as a number." if value.to_s !~ /^-?\d+$/ }
      end
    end

    # A path that is written out from the root, in its simplest form.
    FULL_PATH = proc do
      validate do |value|
        fail(Puppet::Error, "File paths must be fully qualified, not '#{value}'") unless Puppet::Util.absolute_path?(value)
      end
      munge { |value| ::File.join(::File.split(::File.expand_path(value))) }
    end

    # A property that is only ever read.
    READ_ONLY = proc { validate { |_value| fail "#{name} is read-only" } }

    HEX_LENGTHS = { sha256: 64, sha256lite: 64, md5: 32, md5lite: 32, sha1: 40, sha1lite: 40, sha512: 128, sha384: 96, sha224: 56 }.freeze

    DEFINITIONS = {}

    def self.type(name, &block)
      DEFINITIONS[name] = block
    end

    # Makes one of the types, if it is one of these.
    def self.make(name)
      block = DEFINITIONS[name] or return nil
      Puppet::Type.newtype(name, &block)
    end

    type(:component) { newparam(:name) { isnamevar } }
    type(:stage) { newparam(:name) }
    type(:whit) { newparam(:name) }

    type(:notify) do
      newproperty(:message, idempotent: false) { defaultto { @resource[:name] } }
      newparam(:withpath) do
        defaultto :false
        newvalues(:true, :false)
      end
      newparam(:name) { isnamevar }
    end

    type(:exec) do
      @isomorphic = false

      newproperty(:returns, array_matching: :all) do
        munge(&:to_s)
        defaultto '0'
      end
      newparam(:command) do
        isnamevar
        validate do |command|
          unless command.is_a?(String) || command.is_a?(Array)
            raise ArgumentError, "Command must be a String or Array<String>, got value of class #{command.class}"
          end
        end
      end
      newparam(:path) do
        def value=(*values)
          @value = values.flatten.map { |value| value.split(':') }.flatten
        end
      end
      newparam(:user)
      newparam(:group)
      newparam(:cwd, parent: Puppet::Parameter::Path)
      newparam(:logoutput) do
        defaultto :on_failure
        newvalues(:true, :false, :on_failure)
      end
      newparam(:refresh) { validate { |command| resource.check_qualified(command) } }
      newparam(:environment) do
        validate do |values|
          (values.is_a?(Array) ? values : [values]).each do |value|
            raise ArgumentError, "Invalid environment setting '#{value}'" unless value =~ /\w+=/
          end
        end
      end
      newparam(:umask) do
        munge do |value|
          raise Puppet::Error, "The umask specification is invalid: #{value.inspect}" unless value =~ /^0?[0-7]{1,4}$/

          value.to_i(8)
        end
      end
      newparam(:timeout) do
        munge do |value|
          value = value.shift if value.is_a?(Array)
          begin
            value = Float(value)
          rescue ArgumentError
            raise ArgumentError, 'The timeout must be a number.'
          end
          [value, 0.0].max
        end
        defaultto 300
      end
      newparam(:tries) do
        munge do |value|
          if value.is_a?(String)
            raise ArgumentError, 'Tries must be an integer' unless value =~ /^\d+$/

            value = Integer(value)
          end
          raise ArgumentError, 'Tries must be an integer >= 1' if value < 1

          value
        end
        defaultto 1
      end
      newparam(:try_sleep) do
        munge do |value|
          if value.is_a?(String)
            raise ArgumentError, 'try_sleep must be a number' unless value =~ /^[-\d.]+$/

            value = Float(value)
          end
          raise ArgumentError, 'try_sleep cannot be a negative number' if value < 0

          value
        end
        defaultto 0
      end
      newparam(:refreshonly) { newvalues(:true, :false) }
      newparam(:creates, parent: Puppet::Parameter::Path) { accept_arrays }
      %i[unless onlyif].each do |name|
        newparam(name) do
          validate { |commands| (commands.is_a?(Array) ? commands : [commands]).each { |command| resource.check_qualified(command) } }
        end
      end

      validate { check_qualified(self[:command]) }

      # Without a path to search, a command says where it is.
      define_method(:check_qualified) do |command|
        next if self[:provider] == :shell

        quoted = /^"([^"]+)"|^'([^']+)'/.match(command) unless command.is_a?(Array)
        program = if command.is_a?(Array) then command.first
                  else quoted ? quoted.captures.compact.first : command.split(/ /)[0]
                  end
        next if absolute_path?(program) || !self[:path].nil?

        fail("'#{program}' is not qualified and no path was specified. Please qualify the command or specify a path.")
      end
    end

    type(:filebucket) do
      newparam(:name) { isnamevar }
      newparam(:server)
      newparam(:port)
      newparam(:path) do
        validate do |value|
          raise ArgumentError, 'You can only have one filebucket path' if value.is_a?(Array)
          raise ArgumentError, 'Filebucket paths must be absolute' if value.is_a?(String) && !Puppet::Util.absolute_path?(value)
        end
      end
    end

    type(:group) do
      ensurable do
        newvalue(:present) {}
        newvalue(:absent) {}
        defaultto :present
      end
      newproperty(:gid) do
        munge do |gid|
          next gid unless gid.is_a?(String)

          gid =~ /^[-0-9]+$/ ? Integer(gid) : fail("Invalid GID #{gid}")
        end
      end
      newproperty(:members, array_matching: :all)
      newparam(:auth_membership, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
      newparam(:name) { isnamevar }
      newparam(:allowdupe, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
      newparam(:ia_load_module)
      newproperty(:attributes)
      newparam(:attribute_membership, &MEMBERSHIP)
      newparam(:system, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
      newparam(:forcelocal)
    end

    type(:service) do
      newproperty(:enable) { %i[true false manual mask delayed].each { |name| newvalue(name) {} } }
      newproperty(:ensure) do
        newvalue(:stopped) {}
        newvalue(:running) {}
        aliasvalue(:false, :stopped)
        aliasvalue(:true, :running)
      end
      newproperty(:logonaccount)
      newparam(:logonpassword)
      newproperty(:flags)
      newparam(:binary)
      newparam(:hasstatus) do
        newvalues(:true, :false)
        defaultto :true
      end
      newparam(:name) { isnamevar }
      newparam(:path) { munge { |value| [value].flatten.map { |path| path.split(':') }.flatten } }
      %i[pattern restart start status stop control].each { |name| newparam(name) }
      newparam(:hasrestart) { newvalues(:true, :false) }
      newparam(:manifest)
      newparam(:timeout)
    end

    type(:package) do
      ensurable do
        %i[present absent purged disabled].each { |name| newvalue(name) {} }
        aliasvalue(:installed, :present)
        newvalue(:latest) {}
        newvalue(/./) {}
        defaultto :installed
      end
      newparam(:name) do
        isnamevar
        validate { |value| raise ArgumentError, "Name must be a String not #{value.class}" unless value.is_a?(String) }
      end
      providify
      paramclass(:provider).isnamevar
      newparam(:command) do
        isnamevar
        defaultto :default
      end

      def self.title_patterns
        [[/(.*)/m, [[:name]]]]
      end

      newproperty(:package_settings)
      newproperty(:flavor) do
        validate do |value|
          if [:disabled, 'disabled'].include?(@resource[:ensure]) && value
            raise ArgumentError, 'Cannot have both `ensure => disabled` and `flavor`'
          end
        end
      end
      %i[source instance status adminfile responsefile].each { |name| newparam(name) }
      newparam(:configfiles) do
        defaultto :keep
        newvalues(:keep, :replace)
      end
      %i[category platform root vendor description].each { |name| newparam(name) }
      newparam(:allowcdrom) { newvalues(:true, :false) }
      newparam(:enable_only, boolean: false, parent: Puppet::Parameter::Boolean) do
        defaultto false
        validate do |value|
          if [true, :true, 'true'].include?(value) && @resource[:flavor]
            raise ArgumentError, 'Cannot have both `enable_only => true` and `flavor`'
          end
          if [:disabled, 'disabled'].include?(@resource[:ensure])
            raise ArgumentError, 'Cannot have both `ensure => disabled` and `enable_only => true`'
          end
        end
      end
      newparam(:install_only)
      newparam(:install_options, parent: Puppet::Parameter::PackageOptions)
      newparam(:uninstall_options)
      newparam(:allow_virtual, boolean: true, parent: Puppet::Parameter::Boolean)
      newparam(:reinstall_on_refresh) do
        newvalues(:true, :false)
        defaultto :false
      end
      newproperty(:mark) { newvalues(:hold, :none) }

      validate do
        if @parameters[:mark] && %i[absent purged].include?(@parameters[:ensure].should)
          raise ArgumentError, 'You cannot use "mark" property while "ensure" is one of ["absent", "purged"]'
        end
      end
    end

    type(:resources) do
      newparam(:name) do
        validate { |name| raise ArgumentError, "Could not find resource type '#{name}'" unless Puppet::Type.type(name) }
        munge(&:to_s)
      end
      newparam(:purge, boolean: true, parent: Puppet::Parameter::Boolean) do
        defaultto :false
        validate do |value|
          if munge(value) && !Puppet::Type.type(@resource[:name]).validproperty?(:ensure)
            raise ArgumentError, "Purging is only supported on types that accept 'ensure'"
          end
        end
      end
      newparam(:unless_system_user) do
        newvalues(:true, :false, /^\d+$/)
        munge do |value|
          case value
          when /^\d+/ then Integer(value)
          when :true, true then 999
          when :false, false then false
          when Integer then value
          else raise ArgumentError, "Invalid value #{value.inspect}"
          end
        end
      end
      newparam(:unless_uid) do
        munge do |value|
          [value].flatten.map do |one|
            case one
            when Integer then one
            when String then Integer(one)
            else raise ArgumentError, "Invalid value #{one.inspect}."
            end
          end
        end
      end
    end

    type(:schedule) do
      newparam(:name) { isnamevar }
      newparam(:range) do
        validate do |values|
          (values.is_a?(Array) ? values : [values]).each do |value|
            fail("Invalid range value '#{value}'") unless value.is_a?(String) && value =~ /\d+(:\d+){0,2}\s*-\s*\d+(:\d+){0,2}/
          end
        end
        munge do |values|
          (values.is_a?(Array) ? values : [values]).map do |value|
            range = value.split(/\s*-\s*/).map { |time| time.split(':').map(&:to_i) }
            fail("Invalid range #{value}") if range.length != 2

            range.each { |time| time << 0 while time.length < 3 }
            range.each { |time| raise ArgumentError, "Invalid hour '#{time[0]}'" unless (0..23).cover?(time[0]) }
            range.each { |time| raise ArgumentError, "Invalid minute '#{time[1]}'" unless (0..59).cover?(time[1]) }
            range
          end
        end
      end
      newparam(:periodmatch) do
        newvalues(:number, :distance)
        defaultto :distance
      end
      newparam(:period) { newvalues(:hourly, :daily, :weekly, :monthly, :never) }
      newparam(:repeat) do
        defaultto 1
        validate do |value|
          raise Puppet::Error, 'Repeat must be a number' unless value.is_a?(Integer) || value =~ /^\d+$/

          matching = @resource[:periodmatch]
          if matching && value != 1 && matching != :distance
            raise Puppet::Error, "Repeat must be 1 unless periodmatch is 'distance', not '#{matching}'"
          end
        end
        munge { |value| Integer(value) }
      end
      newparam(:weekday) do
        validate do |values|
          (values.is_a?(Array) ? values : [values]).each do |value|
            number = value.is_a?(Integer) && (0..6).cover?(value)
            word = value.is_a?(String) && value =~ /^(?:[0-6]|(Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(day)?)$/i
            raise ArgumentError, "#{value} is not a valid day of the week" unless number || word
          end
        end
      end
    end

    type(:tidy) do
      @isomorphic = false

      newparam(:path) do
        isnamevar
        munge { |value| ::File.expand_path(value) }
      end
      newparam(:recurse) do
        newvalues(:true, :false, :inf, /^[0-9]+$/)
        validate { |_value| }
        munge do |value|
          chosen = super(value)
          case chosen
          when :true, :inf then true
          when :false then false
          when Integer then value
          when /^\d+$/ then Integer(value)
          else raise ArgumentError, "Invalid recurse value #{value.inspect}"
          end
        end
      end
      newparam(:max_files) do
        defaultto 0
        newvalues(/^[0-9]+$/)
      end
      newparam(:matches) do
        munge do |value|
          fail "Tidy can't use matches with recurse 0, false, or undef" if @resource[:recurse].to_s =~ /^(0|false|)$/

          [value].flatten
        end
      end
      newparam(:backup)
      newparam(:age) do
        munge do |age|
          # The last digit of a number that has several is taken for the unit.
          found = age.is_a?(String) && (age.match(/^([0-9]+)(\w)\w*$/) || age.match(/^([0-9]+)()$/))
          fail("Invalid tidy age #{age}") unless found

          unit = found[2].empty? ? 'd' : found[2].downcase
          fail("Invalid age unit '#{unit}'") unless %w[s m h d w].include?(unit)
          found[1].to_i
        end
      end
      newparam(:size) do
        munge do |size|
          found = size.is_a?(String) && (size.match(/^([0-9]+)(\w)\w*$/) || size.match(/^([0-9]+)()$/))
          fail("Invalid tidy size #{size}") unless found

          unit = found[2].empty? ? 'k' : found[2].downcase
          fail("Invalid size unit '#{unit}'") unless %w[b k m g t].include?(unit)
          found[1].to_i
        end
      end
      newparam(:type) do
        newvalues(:atime, :mtime, :ctime)
        defaultto :atime
      end
      newparam(:rmdirs, boolean: true, parent: Puppet::Parameter::Boolean)
    end

    type(:user) do
      newproperty(:ensure, parent: Puppet::Property::Ensure) do
        %i[present absent role].each { |name| newvalue(name) {} }
        defaultto { :present if @resource.managed? }
      end
      newproperty(:home)
      newproperty(:uid, &NUMBER)
      newproperty(:gid, &NUMBER)
      newproperty(:comment)
      newproperty(:shell)
      newproperty(:password) do
        validate { |value| raise ArgumentError, "Passwords cannot include ':'" if value.is_a?(String) && value.include?(':') }
      end
      newproperty(:password_min_age, &CoreTypes.days('Password minimum age'))
      newproperty(:password_max_age, &CoreTypes.days('Password maximum age'))
      newproperty(:password_warn_days, &CoreTypes.days('Password warning days'))
      newproperty(:groups, parent: Puppet::Property::List) do
        validate do |value|
          raise ArgumentError, 'Group names must be provided, not GID numbers.' if value =~ /^\d+$/
          raise ArgumentError, 'Group names must be provided as an array, not a comma-separated list.' if value.include?(',')

          if value.empty?
            raise ArgumentError, 'Group names must not be empty. If you want to specify "no groups" pass an empty array'
          end
        end
      end
      newparam(:name) { isnamevar }
      newparam(:membership, &MEMBERSHIP)
      newparam(:system, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
      newparam(:allowdupe, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
      newparam(:managehome, boolean: true, parent: Puppet::Parameter::Boolean) do
        defaultto false
        validate { |value| munge(value) }
      end
      newproperty(:expiry) do
        newvalues(:absent, /^\d{4}-\d{2}-\d{2}$/)
        validate do |value|
          if value.intern != :absent && value !~ /^\d{4}-\d{2}-\d{2}$/
            raise ArgumentError, 'Expiry dates must be YYYY-MM-DD or the string "absent"'
          end
        end
      end
      %i[roles auths profiles keys project attributes salt iterations loginclass].each { |name| newproperty(name) }
      %i[role_membership auth_membership profile_membership key_membership attribute_membership].each do |name|
        newparam(name, &MEMBERSHIP)
      end
      %i[ia_load_module forcelocal].each { |name| newparam(name) }
      newparam(:purge_ssh_keys) do
        defaultto :false
        newvalues(:true, :false)
        validate do |value|
          next if %i[true false].include?(value.to_s.to_sym)

          entries = value.is_a?(String) ? [value] : value
          unless entries.is_a?(Array)
            raise ArgumentError, "purge_ssh_keys must be true, false, or an array of file names, not #{value.inspect}"
          end

          entries.each do |entry|
            raise ArgumentError, "Each entry for purge_ssh_keys must be a string, not a #{entry.class}" unless entry.is_a?(String)

            full = Puppet::Util.absolute_path?(entry) || entry =~ %r{^~/|^%h/}
            raise ArgumentError, "Paths to keyfiles must be absolute, not #{entry}" unless full
          end
        end
      end
    end

    type(:file) do
      def self.title_patterns
        [[%r{^(/|.+:/|.*[^/])/*\Z}m, [[:path]]]]
      end

      newparam(:path) do
        isnamevar
        class_eval(&FULL_PATH)
      end
      newparam(:backup) do
        defaultto false
        munge do |value|
          value = value.shift if value.is_a?(Array)
          case value
          when false, 'false', :false then false
          when true, 'true', '.puppet-bak', :true then '.puppet-bak'
          when String then value
          else fail("Invalid backup type #{value.inspect}")
          end
        end
      end
      newparam(:recurse) do
        newvalues(:true, :false, :remote)
        validate { |_value| }
        munge do |value|
          chosen = super(value)
          case chosen
          when :true then true
          when :false then false
          when :remote then :remote
          else fail("Invalid recurse value #{value.inspect}")
          end
        end
      end
      newparam(:recurselimit) do
        newvalues(/^[0-9]+$/)
        munge { |value| value.is_a?(String) ? Integer(value) : value }
      end
      newparam(:max_files) do
        defaultto 0
        newvalues(/^[0-9]+$/, /^-1$/)
      end
      newparam(:replace, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto :true }
      newparam(:force, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
      newparam(:ignore) do
        validate do |value|
          devfail('Ignore must be a string or an Array') unless value.is_a?(Array) || value.is_a?(String) || value == false
        end
      end
      newparam(:links) do
        newvalues(:follow, :manage)
        defaultto :manage
      end
      newparam(:purge, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto :false }
      newparam(:sourceselect) do
        defaultto :first
        newvalues(:first, :all)
      end
      newparam(:show_diff, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto :true }
      newparam(:staging_location, &FULL_PATH)
      newparam(:validate_cmd)
      newparam(:validate_replacement) { defaultto '%' }
      newparam(:checksum) do
        newvalues(*HEX_LENGTHS.keys, :mtime, :ctime, :none)
        validate { |_value| }
        defaultto :sha256
      end
      newproperty(:content) do
        munge do |value|
          next value if value == :absent

          # A digest is made of it, which takes text.
          value.is_a?(Puppet::Pops::Types::PBinaryType::Binary) ? value : '' + value
        end
      end
      newparam(:source) do
        validate do |sources|
          require 'uri'
          (sources.is_a?(Array) ? sources : [sources]).each do |source|
            next if Puppet::Util.absolute_path?(source)

            begin
              uri = URI.parse(Puppet::Util.uri_encode(source))
            rescue StandardError => e
              fail(Puppet::Error, "Could not understand source #{source}: #{e.message}")
            end
            fail("Cannot use relative URLs '#{source}'") unless uri.absolute?
            fail("Cannot use opaque URLs '#{source}'") unless uri.hierarchical?
            unless %w[file puppet http https].include?(uri.scheme)
              fail("Cannot use URLs of type '#{uri.scheme}' as source for fileserving")
            end
          end
        end
        munge { |sources| (sources.is_a?(Array) ? sources : [sources]).map { |source| source.sub(%r{[/]+$}, '') } }
      end
      newparam(:source_permissions) do
        defaultto :ignore
        newvalues(:use, :use_when_creating, :ignore)
      end
      newproperty(:checksum_value)
      newproperty(:target) do
        newvalue(:notlink) {}
        newvalue(/./) {}
      end
      ensurable do
        nodefault
        newvalue(:absent) {}
        aliasvalue(:false, :absent)
        %i[file present directory link].each { |name| newvalue(name) {} }
        newvalue(/./) {}
        munge do |value|
          chosen = super(value)
          next chosen if chosen.is_a?(Symbol)

          resource[:target] = chosen
          :link
        end
      end
      newproperty(:owner)
      newproperty(:group) { validate { |group| raise Puppet::Error, "Invalid group name '#{group.inspect}'" unless group && group != '' } }
      newproperty(:mode) do
        include Puppet::Util::SymbolicFileMode

        validate do |value|
          unless value.is_a?(String)
            raise Puppet::Error, "The file mode specification must be a string, not '#{value.class.name}'"
          end
          raise Puppet::Error, "The file mode specification is invalid: #{value.inspect}" unless valid_symbolic_mode?(value)
        end
      end
      newproperty(:type, &READ_ONLY)
      newparam(:selinux_ignore_defaults) do
        newvalues(:true, :false)
        defaultto :false
      end
      %i[seluser selrole seltype selrange].each { |name| newproperty(name) }
      newproperty(:ctime, &READ_ONLY)
      newproperty(:mtime, &READ_ONLY)

      validate do
        creators = %i[content source target]
        given = creators.count { |name| should(name) }
        given += 1 if @parameters.include?(:source)
        fail("You cannot specify more than one of #{creators.join(', ')}") if given > 1
        fail('You cannot specify a remote recursion without a source') if !self[:source] && self[:recurse] == :remote
        fail("You cannot specify source when using checksum 'none'") if self[:checksum] == :none && !self[:source].nil?
        %i[none ctime mtime].each do |kind|
          fail("You cannot specify content when using checksum '#{kind}'") if self[:checksum] == kind && !self[:content].nil?
        end
        kind, value = self[:checksum], self[:checksum_value]
        length = HEX_LENGTHS[kind]
        if value && length && value !~ /^\h{#{length}}$/
          fail("Checksum value '#{value}' is not a valid checksum type #{kind}")
        end
      end
    end

    # A time in a crontab: a number in bounds, a name, a range or a step.
    class CronTime < Puppet::Property
      class << self
        attr_accessor :bounds, :names
      end

      def should
        @should && @should[0] == :absent ? :absent : @should
      end

      munge do |value|
        next :absent if ['absent', :absent, '*'].include?(value)
        next value if value.to_s =~ %r{^(?:\*/[0-9]+|[0-9]+-[0-9]+|[0-9]+-[0-9]+/[0-9]+)$}

        lower, upper = self.class.bounds
        if value.is_a?(Integer) || value =~ /^\d+$/
          good = value.to_i.between?(lower, upper)
        elsif self.class.names
          word = value.downcase
          good = self.class.names.any? { |name| name == word || (word.length == 3 && name.start_with?(word)) }
        end
        raise "#{value} is not a valid #{self.class.name}" unless good

        value.to_s
      end
    end

    type(:cron) do
      ensurable
      newproperty(:command) { munge(&:strip) }
      newproperty(:special) do
        validate do |value|
          known = %w[reboot yearly annually monthly weekly daily midnight hourly absent]
          raise ArgumentError, "Invalid special schedule #{value.inspect}" unless value == :absent || known.include?(value)
        end
        munge { |value| value == 'absent' ? :absent : value }
      end
      { minute: [0, 59], hour: [0, 23], weekday: [0, 7], month: [1, 12], monthday: [1, 31] }.each do |name, bounds|
        newproperty(name, parent: CronTime) { self.bounds = bounds }
      end
      propertybyname(:weekday).names = %w[sunday monday tuesday wednesday thursday friday saturday]
      propertybyname(:month).names =
        %w[january february march april may june july august september october november december]
      newproperty(:environment) do
        validate do |value|
          unless value =~ /^\s*(\w+)\s*=\s*(.*)\s*$/ || [:absent, 'absent'].include?(value)
            raise ArgumentError, "Invalid environment setting #{value.inspect}"
          end
        end
      end
      newparam(:name) { isnamevar }
      newproperty(:user)
      newproperty(:target)

      validate do
        next if [nil, :absent].include?(self[:special])

        %i[minute hour weekday monthday month].each do |field|
          next if [nil, :absent].include?(self[field])

          raise ArgumentError, "#{ref} cannot specify both a special schedule and a value for #{field}"
        end
      end
    end

    type(:host) do
      ensurable
      newproperty(:ip) do
        validate do |value|
          require 'ipaddr'
          good = value !~ /[\n\r]/ && begin
            IPAddr.new(value.strip.sub(/%.+\z/, '')).ipv6? || value =~ /\A(\d{1,3}\.){3}\d{1,3}\z/
          rescue IPAddr::Error
            false
          end
          raise Puppet::Error, "Invalid IP address #{value.inspect}" unless good
        end
      end
      newproperty(:host_aliases, parent: Puppet::Property::OrderedList) do
        validate do |value|
          raise Puppet::Error, 'Host aliases cannot include whitespace' if /\s/.match?(value)

          if value.empty?
            raise Puppet::Error, 'Host aliases cannot be an empty string. Use an empty array to delete all host_aliases '
          end
        end
      end
      newproperty(:comment) do
        validate { |value| raise Puppet::Error, 'Comment cannot include newline' if value.include?("\n") || value.include?("\r") }
      end
      newproperty(:target)
      newparam(:name) do
        isnamevar
        validate do |value|
          value.split('.').each { |part| raise Puppet::Error, 'Invalid host name' unless /^(\w+|\w[\w\-]+\w)$/.match?(part) }
          raise Puppet::Error, 'Hostname cannot include newline' if value.include?("\n") || value.include?("\r")
        end
      end
    end

    type(:mount) do
      newproperty(:ensure) do
        newvalue(:defined) {}
        aliasvalue :present, :defined
        %i[unmounted absent mounted].each { |name| newvalue(name) {} }
      end
      newproperty(:device)
      newproperty(:blockdevice) do
        validate { |value| raise Puppet::Error, "blockdevice must not contain whitespace: #{value}" if value =~ /\s/ }
      end
      %i[fstype options].each do |attribute|
        newproperty(attribute) do
          validate do |value|
            raise Puppet::Error, "#{attribute} must not contain whitespace: #{value}" if value =~ /\s/
            raise Puppet::Error, "#{attribute} must not be an empty string" if value.empty?
          end
        end
      end
      newproperty(:pass)
      newproperty(:atboot, parent: Puppet::Property::Boolean)
      newproperty(:dump) { newvalue(/(0|1)/) {} }
      newproperty(:target)
      newparam(:name) do
        isnamevar
        munge { |value| value.gsub(%r{^(.+?)/*$}, '\1') }
      end
      newparam(:remounts) { newvalues(:true, :false) }
    end

    type(:ssh_authorized_key) do
      ensurable
      newparam(:name) { isnamevar }
      newparam(:drop_privileges, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto true }
      newproperty(:type) do
        newvalues(:'ssh-dss', :'ssh-rsa', :'ecdsa-sha2-nistp256', :'ecdsa-sha2-nistp384', :'ecdsa-sha2-nistp521', :'ssh-ed25519',
                  :'sk-ecdsa-sha2-nistp256@openssh.com', :'sk-ssh-ed25519@openssh.com', :'ssh-rsa-cert-v01@openssh.com',
                  :'ssh-ed25519-cert-v01@openssh.com', :'ssh-dss-cert-v01@openssh.com', :'ecdsa-sha2-nistp256-cert-v01@openssh.com',
                  :'ecdsa-sha2-nistp384-cert-v01@openssh.com', :'ecdsa-sha2-nistp521-cert-v01@openssh.com')
        aliasvalue(:dsa, :'ssh-dss')
        aliasvalue(:ed25519, :'ssh-ed25519')
        aliasvalue(:rsa, :'ssh-rsa')
        aliasvalue(:'ecdsa-sk', :'sk-ecdsa-sha2-nistp256@openssh.com')
        aliasvalue(:'ed25519-sk', :'sk-ssh-ed25519@openssh.com')
      end
      newproperty(:key) { validate { |value| raise Puppet::Error, "Key must not contain whitespace: #{value}" if /\s/.match?(value) } }
      newproperty(:user)
      newproperty(:target)
      newproperty(:options, array_matching: :all) do
        validate do |value|
          unless value == :absent || value =~ /^[-a-z0-9A-Z_]+(?:=".*?")?$/
            raise Puppet::Error, "Option #{value} is not valid. A single option must either be of the form 'option' or " \
                                 "'option=\"value\"'. Multiple options must be provided as an array"
          end
        end
      end

      validate do
        next if @parameters.include?(:target) || @parameters.include?(:user)

        raise Puppet::Error, "Attribute 'user' or 'target' is mandatory"
      end
    end
  end
end
