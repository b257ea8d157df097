# Reading dates and times by a format.
class Date
  class << self
    def _strptime(text, format = '%F')
      parts = {}
      at = match_format(text.to_str, 0, format, parts) or return nil
      rest = text[at..]
      parts[:leftover] = rest unless rest.empty?
      if (century = parts.delete(:century))
        parts[:year] = century * 100 + parts[:year] % 100 if parts[:year]
        parts[:year] ||= century * 100
      end
      if (late = parts.delete(:merid)) && parts[:hour]
        parts[:hour] = parts[:hour] % 12 + late
      end
      parts
    end

    private

    # Reads text by a format from a place; the place behind it, or nil.
    def match_format(text, at, format, parts)
      spot = 0
      while spot < format.size
        c = format[spot]
        if c == '%' && spot + 1 < format.size
          spot += 1
          spot += 1 while format[spot] =~ /[EO:\-0^#_]/ && spot + 1 < format.size
          at = match_directive(text, at, format[spot], format[spot + 1..], parts) or return nil
        elsif c =~ /\s/
          at += 1 while text[at] =~ /\s/
        else
          return nil unless text[at] == c

          at += 1
        end
        spot += 1
      end
      at
    end

    def number(text, at, width, least = nil, most = nil, signed: false)
      found = text[at..].match(/\A#{'[-+]?' if signed}\d{1,#{width}}/) or return nil
      value = found[0].to_i
      return nil if least && !value.between?(least, most)

      [value, at + found[0].size]
    end

    def name_in(text, at, names)
      names.each_with_index do |name, index|
        next unless name

        return [index, at + name.size] if text[at, name.size]&.casecmp?(name)
      end
      nil
    end

    NUMBERS = {
      'd' => [:mday, 2, 1, 31], 'e' => [:mday, 2, 1, 31], 'H' => [:hour, 2, 0, 24], 'k' => [:hour, 2, 0, 24],
      'I' => [:hour, 2, 1, 12], 'l' => [:hour, 2, 1, 12], 'j' => [:yday, 3, 1, 366], 'm' => [:mon, 2, 1, 12],
      'M' => [:min, 2, 0, 59], 'S' => [:sec, 2, 0, 60], 'u' => [:cwday, 1, 1, 7], 'w' => [:wday, 1, 0, 6],
      'U' => [:wnum0, 2, 0, 53], 'W' => [:wnum1, 2, 0, 53], 'V' => [:cweek, 2, 1, 53]
    }.freeze
    COMBINED = {
      'F' => '%Y-%m-%d', 'T' => '%H:%M:%S', 'X' => '%H:%M:%S', 'R' => '%H:%M', 'r' => '%I:%M:%S %p', 'D' => '%m/%d/%y',
      'x' => '%m/%d/%y', 'c' => '%a %b %e %H:%M:%S %Y', 'v' => '%e-%b-%Y', '+' => '%a %b %e %H:%M:%S %Z %Y'
    }.freeze

    def match_directive(text, at, directive, following, parts)
      if COMBINED.key?(directive)
        return match_format(text, at, COMBINED[directive], parts)
      elsif NUMBERS.key?(directive)
        key, width, least, most = NUMBERS[directive]
        at += 1 if text[at] == ' ' && 'ekl'.include?(directive)
        value, after = number(text, at, width, least, most)
        return nil unless value

        parts[key] = value
        return after
      end
      case directive
      when 'Y', 'G'
        wide = following =~ /\A(?:\d|%[EO]?[CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy\d])/ ? 4 : 20
        value, after = number(text, at, wide, signed: true)
        return nil unless value

        parts[directive == 'Y' ? :year : :cwyear] = value
        after
      when 'C'
        value, after = number(text, at, 2, signed: true)
        parts[:century] = value if value
        after
      when 'y', 'g'
        value, after = number(text, at, 2, 0, 99)
        return nil unless value

        parts[directive == 'y' ? :year : :cwyear] = value + (value >= 69 ? 1900 : 2000)
        after
      when 'B', 'b', 'h'
        found = name_in(text, at, MONTHNAMES) || name_in(text, at, ABBR_MONTHNAMES) or return nil
        parts[:mon] = found[0]
        found[1]
      when 'A', 'a'
        found = name_in(text, at, DAYNAMES) || name_in(text, at, ABBR_DAYNAMES) or return nil
        parts[:wday] = found[0]
        found[1]
      when 'p', 'P'
        found = text[at..].match(/\A([ap])(?:m|\.m\.)/i) or return nil
        parts[:merid] = found[1].downcase == 'p' ? 12 : 0
        at + found[0].size
      when 'L', 'N'
        found = text[at..].match(/\A([-+]?)(\d+)/) or return nil
        parts[:sec_fraction] = Rational((found[1] + found[2]).to_i, 10**found[2].size)
        at + found[0].size
      when 's', 'Q'
        found = text[at..].match(/\A-?\d+/) or return nil
        parts[:seconds] = directive == 's' ? found[0].to_i : Rational(found[0].to_i, 1000)
        at + found[0].size
      when 'z', 'Z'
        found = text[at..].match(/\A(?:(?:gmt|utc?)?[-+]\d+(?:[,.:]\d+(?::\d+)?)?|(?-i:[[:alpha:].\s]+)(?:standard|daylight)\s+time\b|(?-i:[[:alpha:]]+)(?:\s+dst)?\b)/i) or return nil
        parts[:zone] = found[0]
        parts[:offset] = zone_seconds(found[0])
        at + found[0].size
      when 'n', 't'
        at += 1 while text[at] =~ /\s/
        at
      when '%' then text[at] == '%' ? at + 1 : nil
      end
    end
  end
end
