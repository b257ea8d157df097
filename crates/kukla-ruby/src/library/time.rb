# Times read from text, and written as protocols want them.
require 'date'

class Time
  class << self
    def parse(text, now = nil)
      parts = Date._parse(text, true)
      year = parts[:year]
      year = yield(year) if year && block_given?
      known = %i[year yday mon mday hour min sec sec_fraction]
      raise ArgumentError, "no time information in #{text.inspect}" if (parts.keys & known).empty?

      if parts[:yday] && !parts[:mon] && year
        day = Date.ordinal(year, parts[:yday])
        parts = parts.merge(mon: day.mon, mday: day.mday)
      end

      from_parts(parts, year, now, text)
    end

    def strptime(text, format, now = nil)
      parts = Date._strptime(text, format)
      raise ArgumentError, "invalid date or strptime format - `#{text}' `#{format}'" unless parts

      if parts[:seconds]
        time = Time.at(parts[:seconds])
        time += parts[:sec_fraction] if parts[:sec_fraction]
        return parts[:offset] ? time.localtime(parts[:offset]) : time
      end
      year = parts[:year]
      year = yield(year) if year && block_given?
      if parts[:yday] && !parts[:mon]
        day = Date.ordinal(year || (now || Time.now).year, parts[:yday])
        parts = parts.merge(mon: day.mon, mday: day.mday)
        year ||= day.year
      elsif parts[:cweek] || parts[:wnum0] || parts[:wnum1]
        day = Date.strptime(text, format)
        parts = parts.merge(mon: day.mon, mday: day.mday)
        year = day.year
      end
      from_parts(parts, year, now, text)
    end

    def iso8601(text)
      found = /\A\s*([-+]?\d{4,})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[-+]\d{2}(?::?\d{2})?)?\s*\z/i.match(text)
      raise ArgumentError, "invalid xmlschema format: #{text.inspect}" unless found

      seconds = found[6].to_i
      seconds += Rational(found[7][1..].to_i, 10**(found[7].size - 1)) if found[7]
      zone = found[8]
      numbers = found.values_at(1, 2, 3, 4, 5).map(&:to_i)
      if zone.nil?
        local(*numbers, seconds)
      elsif zone.upcase == 'Z' || zone == '-00:00'
        utc(*numbers, seconds)
      else
        zone = "#{zone[0, 3]}:#{zone[-2, 2]}" if zone.size == 5
        zone = "#{zone}:00" if zone.size == 3
        new(*numbers, seconds, zone)
      end
    end
    alias xmlschema iso8601

    def rfc2822(text)
      unless text =~ /\A\s*(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s*,\s*)?\d{1,2}\s+[A-Za-z]{3}\s+\d{2,}\s+\d{2}\s*:\s*\d{2}(?:\s*:\s*\d\d)?\s*(?:[-+]\d{4}|UT|GMT|EST|EDT|CST|CDT|MST|MDT|PST|PDT|[A-IK-Z])/ix
        raise ArgumentError, "not RFC 2822 compliant date: #{text.inspect}"
      end

      parse(text)
    end
    alias rfc822 rfc2822

    def httpdate(text)
      months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
      clock = '(\d{2}):(\d{2}):(\d{2})'
      case text
      when /\A\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),\x20(\d{2})\x20(#{months})\x20(\d{4})\x20#{clock}\x20GMT\s*\z/i
        day, month, year, *rest = Regexp.last_match.captures
      when /\A\s*(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday),\x20(\d\d)-(#{months})-(\d\d)\x20#{clock}\x20GMT\s*\z/i
        day, month, year, *rest = Regexp.last_match.captures
        year = year.to_i + (year.to_i < 50 ? 2000 : 1900)
      when /\A\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\x20(#{months})\x20(\d\d|\x20\d)\x20#{clock}\x20(\d{4})\s*\z/i
        month, day, *rest, year = Regexp.last_match.captures
      else
        raise ArgumentError, "not RFC 2616 compliant date: #{text.inspect}"
      end
      utc(year.to_i, month, day.to_i, *rest.map(&:to_i))
    end

    def zone_offset(zone, _ = nil)
      Date.__send__(:zone_seconds, zone)
    end

    private

    def from_parts(parts, year, now, text)
      offset = parts[:offset]
      fields = [year, parts[:mon], parts[:mday], parts[:hour], parts[:min], parts[:sec]]
      if fields[0].nil? || (fields[1].nil? && !fields[0])
        now ||= Time.now
        now = now.getlocal(offset) if offset && now.respond_to?(:getlocal)
        known = [now.year, now.month, now.day]
        fields[0] = known[0]
        fields[1] ||= parts[:mday] ? known[1] : (parts[:mon] || known[1])
        fields[2] ||= known[2] unless parts[:mon]
      end
      seconds = (fields[5] || 0) + (parts[:sec_fraction] || 0)
      date = [fields[0], fields[1] || 1, fields[2] || 1, fields[3] || 0, fields[4] || 0]
      if offset.nil?
        local(*date, seconds)
      elsif offset.zero? && parts[:zone] =~ /\A(?:z|utc|-00:?00)\z/i
        utc(*date, seconds)
      else
        new(*date, seconds, offset)
      end
    end
  end

  def iso8601(digits = 0)
    fraction = digits.zero? ? '' : ".%#{digits}N"
    strftime("%Y-%m-%dT%H:%M:%S#{fraction}#{utc? ? 'Z' : '%:z'}")
  end
  alias xmlschema iso8601

  def rfc2822
    strftime("%a, %d %b %Y %T #{utc? ? '-0000' : '%z'}")
  end
  alias rfc822 rfc2822

  def httpdate
    getutc.strftime('%a, %d %b %Y %T GMT')
  end
end
