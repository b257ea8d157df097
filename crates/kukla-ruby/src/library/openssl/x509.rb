# Certificates and lists of revoked ones, to read: no signature is made or checked.
module OpenSSL
  module X509
    class CertificateError < OpenSSLError; end
    class CRLError < OpenSSLError; end
    class ExtensionError < OpenSSLError; end

    # A distinguished name.
    class Name
      COMPAT = 0
      RFC2253 = 17_892_119
      ONELINE = 8_520_479

      def initialize(parsed)
        @parts = parsed.flat_map(&:value).map do |pair|
          id, text = pair.value
          [id.value, text.value.b, text.tag]
        end
      end

      def to_a
        @parts
      end

      def to_s(format = nil)
        case format
        when RFC2253 then told('\\', '=') { |text| text.gsub(/\A[ #]|[,+"\\<>;]| \z/) { |char| "\\#{char}" } }.reverse.join(',')
        when ONELINE then told('\\', ' = ').join(', ')
        when COMPAT then told('\\x', '=').join(', ')
        else told('\\x', '=').map { |pair| "/#{pair}" }.join
        end
      end

      def ==(other)
        other.is_a?(Name) && to_a == other.to_a
      end
      alias eql? ==

      def hash
        to_a.hash
      end

      private

      # Each part as text: what is not ASCII is shown by its bytes.
      def told(mark, between)
        @parts.map do |name, value, _|
          value = yield value if block_given?
          shown = value.unpack('C*').map { |byte| byte.between?(0x20, 0x7e) ? byte.chr : format('%s%02X', mark, byte) }
          "#{name}#{between}#{shown.join}"
        end
      end
    end

    class Extension
      USAGES = ['Digital Signature', 'Non Repudiation', 'Key Encipherment', 'Data Encipherment', 'Key Agreement',
                'Certificate Sign', 'CRL Sign', 'Encipher Only', 'Decipher Only'].freeze

      attr_reader :to_der

      def initialize(der)
        @to_der = der
        @parts = ASN1.decode(der).value
      end

      def oid
        @parts.first.value
      end

      def critical?
        @parts.size > 2 && @parts[1].value
      end

      def value_der
        @parts.last.value
      end

      # As OpenSSL shows it.
      def value
        data = ASN1.decode(value_der)
        case oid
        when 'subjectAltName' then data.map { |name| general(name) }.join(', ')
        when 'basicConstraints' then constraints(data)
        when 'keyUsage' then usages(data.value)
        when 'extendedKeyUsage' then data.map { |use| use.ln || use.value }.join(', ')
        when 'subjectKeyIdentifier' then hex(data.value)
        when 'authorityKeyIdentifier' then data.first.tag.zero? ? hex(data.first.value) : shown
        when 'authorityInfoAccess' then data.map { |access| "#{access.value[0].ln || access.value[0].value} - #{general(access.value[1])}" }.join("\n")
        else shown
        end
      end

      def to_a
        [oid, value, critical?]
      end

      def to_s
        "#{oid} = #{'critical, ' if critical?}#{value.gsub("\n", ', ')}"
      end

      private

      def general(name)
        case name.tag
        when 1 then "email:#{name.value}"
        when 2 then "DNS:#{name.value}"
        when 4 then "DirName:#{Name.new(name.value.first.value).to_s(Name::ONELINE)}"
        when 6 then "URI:#{name.value}"
        when 7 then "IP Address:#{address(name.value)}"
        when 8 then "Registered ID:#{name.value}"
        else 'othername: <unsupported>'
        end
      end

      def address(bytes)
        return bytes.unpack('C*').join('.') if bytes.bytesize == 4

        bytes.unpack('n*').map { |part| part.to_s(16).upcase }.join(':')
      end

      def constraints(data)
        authority, length = data.value.partition { |part| part.is_a?(ASN1::Boolean) }.map(&:first)
        text = "CA:#{(authority && authority.value).to_s.upcase.sub(/\A\z/, 'FALSE')}"
        length ? "#{text}, pathlen:#{length.value}" : text
      end

      def usages(bytes)
        bits = bytes.unpack1('B*')
        USAGES.each_with_index.select { |_, index| bits[index] == '1' }.map(&:first).join(', ')
      end

      def hex(bytes)
        bytes.unpack('C*').map { |byte| format('%02X', byte) }.join(':')
      end

      def shown
        value_der.unpack('C*').map { |byte| byte.between?(0x20, 0x7e) ? byte.chr : '.' }.join
      end
    end

    # What a certificate and a list of revoked ones have in common: they are signed.
    class Signed
      attr_reader :to_der, :issuer, :version

      def initialize(source)
        text = source.respond_to?(:read) ? source.read : source.to_str
        @to_der = (pem(text) || text).b
        signed = ASN1.raw(ASN1.content(@to_der))
        @parts = ASN1.raw(ASN1.content(signed.first))
        @signature_algorithm = ASN1.decode(signed[1]).value.first.ln
        read(@parts.map { |part| ASN1.decode(part) })
      rescue ASN1::ASN1Error, NoMethodError, TypeError
        raise failure
      end

      attr_reader :signature_algorithm, :extensions

      def to_pem
        label = self.class::LABEL
        "-----BEGIN #{label}-----\n#{[to_der].pack('m48')}-----END #{label}-----\n"
      end
      alias to_s to_pem

      def ==(other)
        other.class == self.class && to_der == other.to_der
      end

      private

      def pem(text)
        found = text.b[/-----BEGIN (?:TRUSTED |X509 )?#{self.class::LABEL.sub('X509 ', '')}-----(.*?)-----END/m, 1]
        found && found.unpack1('m')
      end

      def extensions_in(raw)
        ASN1.raw(ASN1.content(ASN1.content(raw))).map { |der| Extension.new(der) }
      end
    end

    class Certificate < Signed
      LABEL = 'CERTIFICATE'.freeze

      attr_accessor :serial, :subject, :not_before, :not_after
      attr_writer :issuer, :version

      # Without a source it is a new one, whose parts are set one by one.
      def initialize(source = nil)
        return super if source

        @serial = 0
        @version = 0
        @subject = @issuer = Name.new([])
        @extensions = []
      end

      def add_extension(extension)
        @extensions << extension
      end

      def inspect
        "#<OpenSSL::X509::Certificate subject=#{subject}, issuer=#{issuer}, serial=#{serial}, not_before=#{not_before}, not_after=#{not_after}>"
      end

      private

      def read(parts)
        versioned = parts.first.tag_class == :CONTEXT_SPECIFIC
        @version = versioned ? parts.shift.value.first.value : 0
        @serial = parts[0].value
        @issuer = Name.new(parts[2].value)
        @not_before, @not_after = parts[3].value.map(&:value)
        @subject = Name.new(parts[4].value)
        at = parts.index { |part| part.tag_class == :CONTEXT_SPECIFIC && part.tag == 3 }
        @extensions = at ? extensions_in(@parts[at + (versioned ? 1 : 0)]) : []
      end

      def failure
        CertificateError.new('PEM_read_bio_X509: no start line')
      end
    end

    class CRL < Signed
      LABEL = 'X509 CRL'.freeze

      attr_reader :last_update, :next_update, :revoked

      Revoked = Struct.new(:serial, :time)

      private

      def read(parts)
        versioned = parts.first.is_a?(ASN1::Integer)
        @version = versioned ? parts.shift.value : 0
        @issuer = Name.new(parts[1].value)
        @last_update = parts[2].value
        @next_update = parts[3].value if parts[3].is_a?(ASN1::UTCTime) || parts[3].is_a?(ASN1::GeneralizedTime)
        list = parts.drop(3).find { |part| part.is_a?(ASN1::Sequence) }
        @revoked = list ? list.map { |entry| Revoked.new(entry.value[0].value, entry.value[1].value) } : []
        at = parts.index { |part| part.tag_class == :CONTEXT_SPECIFIC }
        @extensions = at ? extensions_in(@parts[at + (versioned ? 1 : 0)]) : []
      end

      def failure
        CRLError.new('PEM_read_bio_X509_CRL: no start line')
      end
    end
  end
end
