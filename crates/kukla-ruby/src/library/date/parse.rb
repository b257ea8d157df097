# Reading dates and times in the many ways people write them.
class Date
  ZONES = {
    'utc' => 0, 'gmt' => 0, 'z' => 0, 'ut' => 0, 'est' => -5, 'edt' => -4, 'cst' => -6, 'cdt' => -5, 'mst' => -7, 'mdt' => -6,
    'pst' => -8, 'pdt' => -7, 'cet' => 1, 'cest' => 2, 'eet' => 2, 'eest' => 3, 'wet' => 0, 'west' => 1, 'bst' => 1, 'ist' => 5.5,
    'jst' => 9, 'msk' => 3, 'msd' => 4, 'hst' => -10, 'akst' => -9, 'akdt' => -8, 'nzst' => 12, 'nzdt' => 13, 'aest' => 10
  }.freeze
  MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
  DAYS = 'sun|mon|tue|wed|thu|fri|sat'

  class << self
    def _parse(text, complete = true, limit: 128)
      check_length(text, limit)
      rest = text.to_str.gsub(%r{[^-+',./:@[:alnum:]\[\]]+}, ' ')
      parts = {}
      if rest.sub!(/\b(#{DAYS})[^-\/\d\s]*/i, ' ')
        parts[:wday] = DAYS.split('|').index(Regexp.last_match(1).downcase)
      end
      parse_clock(rest, parts)
      parse_day(rest, parts, complete)
      parts[:offset] = zone_seconds(parts[:zone]) if parts[:zone]
      parts
    end

    private

    def zone_seconds(text)
      word = text.downcase.sub(/\s*(standard|daylight)\s*time\z/, '').sub(/\A(gmt|utc)(?=[-+])/, '')
      return (ZONES[word] * 3600).to_i if ZONES.key?(word)
      return military(word) if word =~ /\A[a-ik-z]\z/

      if word =~ /\A([-+])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?\z/
        sign = Regexp.last_match(1) == '-' ? -1 : 1
        return sign * (Regexp.last_match(2).to_i * 3600 + Regexp.last_match(3).to_i * 60 + Regexp.last_match(4).to_i)
      end
      nil
    end

    # The zones of one letter: A to M east of UTC, N to Y west of it.
    def military(letter)
      place = 'abcdefghiklm'.index(letter)
      place ? (place + 1) * 3600 : -('nopqrstuvwxy'.index(letter) + 1) * 3600
    end

    def parse_clock(rest, parts)
      zone = '(?:gmt|utc?)?[-+]\d+(?:[,.:]\d+(?::\d+)?)?|(?-i:[[:alpha:].\s]+)(?:standard|daylight)\stime\b|(?-i:[[:alpha:]]+)(?:\sdst)?\b'
      pattern = /(\d+)\s*:\s*(\d+)(?:\s*:\s*(\d+)(?:[,.](\d+))?)?(?:\s*([ap])(?:m\b|\.m\.))?\s*(#{zone})?/i
      if rest.sub!(pattern, ' ')
        found = Regexp.last_match
        hour, minute, second, fraction, meridian, name = found.captures
        parts[:zone] = name if name
        parts[:hour] = hour.to_i
        parts[:min] = minute.to_i
        parts[:sec] = second.to_i if second
        parts[:sec_fraction] = Rational(fraction.to_i, 10**fraction.size) if fraction
      elsif rest.sub!(/\b(\d+)\s*(?:h(?:ours?)?)?\s*([ap])(?:m\b|\.m\.)/i, ' ')
        parts[:hour] = Regexp.last_match(1).to_i
        meridian = Regexp.last_match(2)
      end
      if meridian
        parts[:hour] = parts[:hour] % 12 + (meridian.downcase == 'p' ? 12 : 0)
      end
    end

    def parse_day(rest, parts, complete)
      case rest
      when %r{('?-?\d+)-(#{MONTHS})[^-/.]*-('?-?\d+)}i
        found = Regexp.last_match
        three(parts, found[3], MONTHS.split('|').index(found[2].downcase) + 1, found[1], complete)
      when /(\d+)[^-\d\s']*\s*(#{MONTHS})[^-\d\s']*(?:\s*(c(?:e|\.e\.)|b(?:ce|\.c\.e\.)|a(?:d|\.d\.)|b(?:c|\.c\.))?\s*('?-?\d+(?:(?:st|nd|rd|th)\b)?))?/i
        found = Regexp.last_match
        three(parts, found[4], MONTHS.split('|').index(found[2].downcase) + 1, found[1], complete)
      when /\b(#{MONTHS})[^-\d\s']*\s*('?\d+)[^-\d\s']*(?:\s*,?\s*(c(?:e|\.e\.)|b(?:ce|\.c\.e\.)|a(?:d|\.d\.)|b(?:c|\.c\.))?\s*('?-?\d+))?/i
        found = Regexp.last_match
        three(parts, found[4], MONTHS.split('|').index(found[1].downcase) + 1, found[2], complete)
      when /('?[-+]?\d+)-(\d+)-('?-?\d+)/
        found = Regexp.last_match
        three(parts, found[1], found[2], found[3], complete)
      when /\b([mtshr])(\d+)\.(\d+)\.(\d+)/i
        found = Regexp.last_match
        parts[:year] = found[2].to_i + ERAS.fetch(found[1].downcase)
        parts[:mon] = found[3].to_i
        parts[:mday] = found[4].to_i
      when /\b(\d{2}|\d{4})?-?w(\d{2})(?:-?(\d))?\b/i
        found = Regexp.last_match
        parts[:cwyear] = found[1].to_i if found[1]
        parts[:cweek] = found[2].to_i
        parts[:cwday] = found[3].to_i if found[3]
      when /([-+]?\d{4})-(\d{3})\b/
        found = Regexp.last_match
        parts[:year] = found[1].to_i
        parts[:yday] = found[2].to_i
      when %r{('?-?\d+)/\s*('?\d+)(?:[^-\d]\s*('?-?\d+))?}
        found = Regexp.last_match
        three(parts, found[1], found[2], found[3], complete)
      when /('?-?\d+)\.\s*('?\d+)\.\s*('?-?\d+)/
        found = Regexp.last_match
        three(parts, found[1], found[2], found[3], complete)
      when /([-+]?)(\d{2,14})(?:\s*t?\s*(\d{2,6})?(?:[,.](\d*))?)?(z\b|[-+]\d{1,4}\b|\[[-+]?\d[^\]]*\])?/i
        run_of_digits(parts, Regexp.last_match, complete)
      when /\b(#{MONTHS})\S*/i
        parts[:mon] = MONTHS.split('|').index(Regexp.last_match(1).downcase) + 1
      when /(?:\A|\D)(\d{1,2})(?:st|nd|rd|th)?\b/i
        parts[:mday] = Regexp.last_match(1).to_i
      end
    end

    # Year, month and day in whichever order they were written.
    def three(parts, year, month, day, complete)
      year, month, day = year&.to_s, month&.to_s, day&.to_s
      if year && month && day.nil?
        year, month, day = nil, year, month
      end
      if year.nil?
        if day && day.delete("'").sub(/\D+\z/, '').size > 2
          year, day = day, nil
        elsif day&.start_with?("'")
          year, day = day, nil
        end
      end
      if year && year !~ /\A'|\d{3,}|\A-/ && day && (day =~ /\A'/ || day[/\d+/].to_s.size > 2)
        year, day = day, year
      end
      if year
        number = year[/-?\d+/]
        short = year =~ /\A'/ || (number.delete('-').size <= 2 && number !~ /\A-/)
        value = number.to_i
        value += value >= 69 ? 1900 : 2000 if short && complete && value < 100
        parts[:year] = value
      end
      parts[:mon] = month[/\d+/].to_i if month
      parts[:mday] = day[/\d+/].to_i if day
    end

    def run_of_digits(parts, found, complete)
      sign = found[1] == '-' ? -1 : 1
      digits = found[2]
      short = lambda do |text|
        value = text.to_i
        complete ? value + (value >= 69 ? 1900 : 2000) : value
      end
      case digits.size
      when 2 then parts[:mday] = digits.to_i
      when 4
        parts[:mon] = digits[0, 2].to_i
        parts[:mday] = digits[2, 2].to_i
      when 6
        parts[:year] = short.call(digits[0, 2])
        parts[:mon] = digits[2, 2].to_i
        parts[:mday] = digits[4, 2].to_i
      when 8, 10, 12, 14
        parts[:year] = sign * digits[0, 4].to_i
        parts[:mon] = digits[4, 2].to_i
        parts[:mday] = digits[6, 2].to_i
        parts[:hour] = digits[8, 2].to_i if digits.size >= 10
        parts[:min] = digits[10, 2].to_i if digits.size >= 12
        parts[:sec] = digits[12, 2].to_i if digits.size == 14
      when 3 then parts[:yday] = digits.to_i
      when 5
        parts[:year] = short.call(digits[0, 2])
        parts[:yday] = digits[2, 3].to_i
      when 7
        parts[:year] = sign * digits[0, 4].to_i
        parts[:yday] = digits[4, 3].to_i
      end
      if found[3]
        parts[:hour] = found[3][0, 2].to_i
        parts[:min] = found[3][2, 2].to_i if found[3].size >= 4
        parts[:sec] = found[3][4, 2].to_i if found[3].size >= 6
      end
      parts[:sec_fraction] = Rational(found[4].to_i, 10**found[4].size) if found[4] && !found[4].empty?
      return unless found[5]

      parts[:zone] = found[5].delete('[]')
    end
  end
end
