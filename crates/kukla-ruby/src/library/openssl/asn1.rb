# The encoding of certificates.
module OpenSSL
  # Data in the encoding of certificates (DER).
  module ASN1
    class ASN1Error < OpenSSLError; end

    # Names of objects, by their numbers: the short and the long one.
    OBJECTS = {
      '2.5.4.3' => %w[CN commonName], '2.5.4.4' => %w[SN surname], '2.5.4.5' => %w[serialNumber serialNumber],
      '2.5.4.6' => %w[C countryName], '2.5.4.7' => %w[L localityName], '2.5.4.8' => %w[ST stateOrProvinceName],
      '2.5.4.9' => %w[street streetAddress], '2.5.4.10' => %w[O organizationName], '2.5.4.11' => %w[OU organizationalUnitName],
      '2.5.4.12' => %w[title title], '2.5.4.42' => %w[GN givenName], '1.2.840.113549.1.9.1' => %w[emailAddress emailAddress],
      '0.9.2342.19200300.100.1.1' => %w[UID userId], '0.9.2342.19200300.100.1.25' => %w[DC domainComponent],
      '2.5.29.14' => ['subjectKeyIdentifier', 'X509v3 Subject Key Identifier'], '2.5.29.15' => ['keyUsage', 'X509v3 Key Usage'],
      '2.5.29.17' => ['subjectAltName', 'X509v3 Subject Alternative Name'], '2.5.29.19' => ['basicConstraints', 'X509v3 Basic Constraints'],
      '2.5.29.20' => ['crlNumber', 'X509v3 CRL Number'], '2.5.29.31' => ['crlDistributionPoints', 'X509v3 CRL Distribution Points'],
      '2.5.29.32' => ['certificatePolicies', 'X509v3 Certificate Policies'], '2.5.29.35' => ['authorityKeyIdentifier', 'X509v3 Authority Key Identifier'],
      '2.5.29.37' => ['extendedKeyUsage', 'X509v3 Extended Key Usage'], '1.3.6.1.5.5.7.1.1' => ['authorityInfoAccess', 'Authority Information Access'],
      '1.3.6.1.5.5.7.48.1' => %w[OCSP OCSP], '1.3.6.1.5.5.7.48.2' => ['caIssuers', 'CA Issuers'],
      '1.3.6.1.5.5.7.3.1' => ['serverAuth', 'TLS Web Server Authentication'], '1.3.6.1.5.5.7.3.2' => ['clientAuth', 'TLS Web Client Authentication'],
      '1.3.6.1.5.5.7.3.3' => ['codeSigning', 'Code Signing'], '1.3.6.1.5.5.7.3.4' => ['emailProtection', 'E-mail Protection'],
      '1.2.840.113549.1.1.1' => %w[rsaEncryption rsaEncryption], '1.2.840.113549.1.1.5' => %w[RSA-SHA1 sha1WithRSAEncryption],
      '1.2.840.113549.1.1.11' => %w[RSA-SHA256 sha256WithRSAEncryption], '1.2.840.113549.1.1.12' => %w[RSA-SHA384 sha384WithRSAEncryption],
      '1.2.840.113549.1.1.13' => %w[RSA-SHA512 sha512WithRSAEncryption], '1.2.840.10045.2.1' => %w[id-ecPublicKey id-ecPublicKey],
      '1.2.840.10045.4.3.2' => %w[ecdsa-with-SHA256 ecdsa-with-SHA256]
    }.freeze

    class ASN1Data
      include Enumerable

      attr_reader :value, :tag, :tag_class

      def initialize(value, tag, tag_class)
        @value = value
        @tag = tag
        @tag_class = tag_class
      end

      def each(&block)
        value.is_a?(Array) ? value.each(&block) : raise(NoMethodError, "undefined method `each' for an instance of #{self.class}")
      end
    end

    class Primitive < ASN1Data; end
    class Constructive < ASN1Data; end

    CLASSES = {
      1 => :Boolean, 2 => :Integer, 3 => :BitString, 4 => :OctetString, 5 => :Null, 6 => :ObjectId, 10 => :Enumerated,
      12 => :UTF8String, 16 => :Sequence, 17 => :Set, 18 => :NumericString, 19 => :PrintableString, 20 => :T61String,
      22 => :IA5String, 23 => :UTCTime, 24 => :GeneralizedTime, 26 => :ISO64String, 28 => :UniversalString, 30 => :BMPString
    }.freeze
    CLASSES.each_value { |name| const_set(name, Class.new(%i[Sequence Set].include?(name) ? Constructive : Primitive)) }

    class ObjectId
      attr_reader :oid

      def initialize(oid, tag = 6, tag_class = :UNIVERSAL)
        @oid = oid
        super(OBJECTS.key?(oid) ? OBJECTS[oid].first : oid, tag, tag_class)
      end

      def short_name
        OBJECTS.key?(oid) ? OBJECTS[oid].first : nil
      end
      alias sn short_name

      def long_name
        OBJECTS.key?(oid) ? OBJECTS[oid].last : nil
      end
      alias ln long_name
    end

    class << self
      def decode(der)
        decode_all(der).first
      end

      def decode_all(der)
        bytes = (der.respond_to?(:to_der) ? der.to_der : der).b
        all = []
        at = 0
        while at < bytes.bytesize
          made, at = element(bytes, at)
          all << made
        end
        all
      end

      # The whole of each element that stands in the bytes, as it is written.
      def raw(bytes)
        all = []
        at = 0
        while at < bytes.bytesize
          _, length, content = head(bytes, at)
          all << bytes.byteslice(at, content + length - at)
          at = content + length
        end
        all
      end

      # What an element holds, as it is written.
      def content(bytes)
        _, length, at = head(bytes, 0)
        bytes.byteslice(at, length)
      end

      private

      def head(bytes, at)
        first = bytes.getbyte(at)
        length = bytes.getbyte(at + 1)
        raise ASN1Error, 'too long' if first.nil? || length.nil?

        at += 2
        if length >= 0x80
          count = length - 0x80
          digits = bytes.byteslice(at, count).to_s
          raise ASN1Error, 'header too long' if count > 4 || count.zero? || digits.bytesize < count

          length = digits.unpack('C*').reduce(0) { |sum, byte| (sum << 8) + byte }
          at += count
        end
        raise ASN1Error, 'too long' if at + length > bytes.bytesize

        [first, length, at]
      end

      def element(bytes, at)
        first, length, at = head(bytes, at)
        content = bytes.byteslice(at, length)
        tag = first & 0x1f
        kind = %i[UNIVERSAL APPLICATION CONTEXT_SPECIFIC PRIVATE][first >> 6]
        value = (first & 0x20).zero? ? content : decode_all(content)
        name = kind == :UNIVERSAL && CLASSES[tag]
        made = name ? const_get(name).new(primitive(name, value), tag, kind) : ASN1Data.new(value, tag, kind)
        [made, at + length]
      end

      def primitive(name, value)
        return value if value.is_a?(Array)

        case name
        when :Boolean then value != "\0"
        when :Integer, :Enumerated then integer(value)
        when :Null then nil
        when :BitString then value.byteslice(1..-1)
        when :ObjectId then object(value)
        when :UTCTime, :GeneralizedTime then time(value)
        when :UTF8String then value.dup.force_encoding('UTF-8')
        else value
        end
      end

      def integer(bytes)
        number = bytes.unpack('C*').reduce(0) { |sum, byte| (sum << 8) + byte }
        bytes.getbyte(0).to_i >= 0x80 ? number - (1 << (8 * bytes.bytesize)) : number
      end

      def object(bytes)
        numbers = []
        number = 0
        bytes.each_byte do |byte|
          number = (number << 7) + (byte & 0x7f)
          next unless byte < 0x80

          numbers << number
          number = 0
        end
        first = [numbers.first.to_i / 40, 2].min
        [first, numbers.first.to_i - (40 * first), *numbers.drop(1)].join('.')
      end

      def time(text)
        digits = text.delete('Z').scan(/\d\d/).map(&:to_i)
        if text.bytesize == 13
          year = digits.shift
          year += year < 50 ? 2000 : 1900
        else
          year = (100 * digits.shift) + digits.shift.to_i
        end
        Time.utc(year, *digits)
      rescue ArgumentError, TypeError
        raise ASN1Error, 'bad time'
      end
    end
  end
end
