# Reading dates and times as standards write them.
class Date
  ERAS = { 'm' => 1867, 't' => 1911, 's' => 1925, 'h' => 1988, 'r' => 2018 }.freeze
  CLOCK = '(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(z|[-+]\d{2}(?::?\d{2})?)?'
  SHORT_CLOCK = '(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d+))?)?(z|[-+]\d{2}(?:\d{2})?)?'
  private_constant :ERAS, :CLOCK, :SHORT_CLOCK

  class << self
    def _iso8601(text, limit: 128)
      text = standard_text(text, limit) or return {}
      case text
      when /\A\s*(?:([-+]?\d{2,}|-)-(\d{2})?(?:-(\d{2}))?|([-+]?\d{2,})?-(\d{3})|(\d{4}|\d{2})?-w(\d{2})-(\d)|-w-(\d))(?:t#{CLOCK})?\s*\z/i
        extended(Regexp.last_match)
      when /\A\s*(?:([-+]?(?:\d{4}|\d{2})|--)(\d{2}|-)(\d{2})|([-+]?(?:\d{4}|\d{2}))(\d{3})|-(\d{3})|(\d{4}|\d{2})w(\d{2})(\d)|-w(\d{2})(\d)|-w-(\d))(?:t?#{SHORT_CLOCK})?\s*\z/i
        basic(Regexp.last_match)
      when /\A\s*#{CLOCK}\s*\z/i, /\A\s*#{SHORT_CLOCK}\s*\z/i
        clock({}, *Regexp.last_match.captures)
      else {}
      end
    end

    def _rfc3339(text, limit: 128)
      text = standard_text(text, limit) or return {}
      found = text.match(/\A\s*(-?\d{4})-(\d{2})-(\d{2})(?:t|\s)(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(z|[-+]\d{2}:\d{2})\s*\z/i) or return {}
      year, month, day, hour, minute, second, fraction, zone = found.captures
      parts = { year: year.to_i, mon: month.to_i, mday: day.to_i, hour: hour.to_i, min: minute.to_i, sec: second.to_i }
      parts[:zone] = zone
      parts[:offset] = zone_seconds(zone)
      parts[:sec_fraction] = fraction_of(fraction) if fraction
      parts
    end

    def _xmlschema(text, limit: 128)
      text = standard_text(text, limit) or return {}
      zone = '(z|[-+]\d{2}(?::\d{2})?)?'
      parts = {}
      case text
      when /\A\s*(-?\d{4,})(?:-(\d{2})(?:-(\d{2}))?)?(?:t(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?)?#{zone}\s*\z/i
        year, month, day, *rest = Regexp.last_match.captures
        parts[:year] = year.to_i
        parts[:mon] = month.to_i if month
        parts[:mday] = day.to_i if day
        clock(parts, *rest)
      when /\A\s*(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?#{zone}\s*\z/i
        clock(parts, *Regexp.last_match.captures)
      when /\A\s*(?:--(\d{2})(?:-(\d{2}))?|---(\d{2}))#{zone}\s*\z/i
        month, day, lone_day, name = Regexp.last_match.captures
        parts[:mon] = month.to_i if month
        parts[:mday] = (day || lone_day).to_i if day || lone_day
        clock(parts, nil, nil, nil, nil, name)
      end
      parts
    end

    def _rfc2822(text, limit: 128)
      text = standard_text(text, limit) or return {}
      found = text.match(/\A\s*(?:(#{DAYS})\s*,\s+)?(\d{1,2})\s+(#{MONTHS})\s+(-?\d{2,})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s*([-+]\d{2}:?\d{2}|[[:alpha:]]+)\s*\z/i) or return {}
      weekday, day, month, year, hour, minute, second, zone = found.captures
      parts = {}
      parts[:wday] = day_number(weekday) if weekday
      parts[:mday] = day.to_i
      parts[:mon] = month_number(month)
      parts[:year] = year.size < 4 ? full_year(year.to_i) : year.to_i
      clock(parts, hour, minute, second, nil, zone)
    end
    alias _rfc822 _rfc2822

    def _httpdate(text, limit: 128)
      text = standard_text(text, limit) or return {}
      time = '(\d{2}):(\d{2}):(\d{2})'
      case text
      when /\A\s*(#{DAYS})\s*,\s+(\d{2})\s+(#{MONTHS})\s+(-?\d{4})\s+#{time}\s+(gmt)\s*\z/i
        weekday, day, month, year, *rest, zone = Regexp.last_match.captures
        parts = { wday: day_number(weekday), mday: day.to_i, mon: month_number(month), year: year.to_i }
        clock(parts, *rest, nil, zone)
      when /\A\s*(#{DAYNAMES.join('|')})\s*,\s+(\d{2})\s*-\s*(#{MONTHS})\s*-\s*(\d{2})\s+#{time}\s+(gmt)\s*\z/i
        weekday, day, month, year, *rest, zone = Regexp.last_match.captures
        parts = { wday: day_number(weekday), mday: day.to_i, mon: month_number(month), year: full_year(year.to_i) }
        clock(parts, *rest, nil, zone)
      when /\A\s*(#{DAYS})\s+(#{MONTHS})\s+(\d{1,2})\s+#{time}\s+(\d{4})\s*\z/i
        weekday, month, day, *rest, year = Regexp.last_match.captures
        parts = clock({ wday: day_number(weekday), mon: month_number(month), mday: day.to_i }, *rest)
        parts.merge(year: year.to_i)
      else {}
      end
    end

    def _jisx0301(text, limit: 128)
      text = standard_text(text, limit) or return {}
      found = text.match(/\A\s*([mtshr])?(\d{2})\.(\d{2})\.(\d{2})(?:t(?:(\d{2}):(\d{2})(?::(\d{2})(?:[,.](\d*))?)?(z|[-+]\d{2}(?::?\d{2})?)?)?)?\s*\z/i)
      return _iso8601(text, limit: limit) unless found

      era, year, month, day, *rest = found.captures
      clock({ year: year.to_i + ERAS.fetch((era || 'h').downcase), mon: month.to_i, mday: day.to_i }, *rest)
    end

    %i[iso8601 xmlschema rfc3339 rfc2822 rfc822 httpdate jisx0301].each do |name|
      define_method(name) do |text = '-4712-01-01', start = ITALY, limit: 128|
        from_parts(__send__(:"_#{name}", text, limit: limit), start)
      end
    end

    private

    def standard_text(text, limit)
      return nil if text.nil?

      check_length(text, limit)
      text.to_str
    end

    def extended(found)
      year, month, day, yday_year, yday, week_year, week, week_day, lone_day, *rest = found.captures
      parts = {}
      if year
        parts[:mday] = day.to_i if day
        return {} if month.nil? && (day.nil? || year != '-')

        parts[:year] = written_year(year) unless year == '-'
        parts[:mon] = month.to_i if month
      elsif yday
        parts[:yday] = yday.to_i
        parts[:year] = written_year(yday_year) if yday_year
      elsif week_day
        parts[:cweek] = week.to_i
        parts[:cwday] = week_day.to_i
        parts[:cwyear] = written_year(week_year) if week_year
      elsif lone_day
        parts[:cwday] = lone_day.to_i
      end
      clock(parts, *rest)
    end

    def basic(found)
      year, month, day, yday_year, yday, lone_yday, week_year, week, week_day, lone_week, its_day, lone_day, *rest = found.captures
      parts = {}
      if day
        parts[:mday] = day.to_i
        parts[:year] = written_year(year) unless year == '--'
        parts[:mon] = month.to_i unless month == '-'
      elsif yday
        parts[:yday] = yday.to_i
        parts[:year] = written_year(yday_year)
      elsif lone_yday
        parts[:yday] = lone_yday.to_i
      elsif week_day
        parts[:cweek] = week.to_i
        parts[:cwday] = week_day.to_i
        parts[:cwyear] = written_year(week_year)
      elsif lone_week
        parts[:cweek] = lone_week.to_i
        parts[:cwday] = its_day.to_i
      elsif lone_day
        parts[:cwday] = lone_day.to_i
      end
      clock(parts, *rest)
    end

    def clock(parts, hour = nil, minute = nil, second = nil, fraction = nil, zone = nil)
      parts[:hour] = hour.to_i if hour
      parts[:min] = minute.to_i if minute
      parts[:sec] = second.to_i if second
      parts[:sec_fraction] = fraction_of(fraction) if fraction && !fraction.empty?
      if zone
        parts[:zone] = zone
        parts[:offset] = zone_seconds(zone)
      end
      parts
    end

    def fraction_of(digits) = Rational(digits.to_i, 10**digits.size)

    def full_year(year) = year + (year >= 69 ? 1900 : 2000)

    def written_year(text) = text.size < 4 ? full_year(text.to_i) : text.to_i

    def day_number(name) = DAYS.split('|').index(name[0, 3].downcase)

    def month_number(name) = MONTHS.split('|').index(name[0, 3].downcase) + 1
  end
end
