# Dates with a time of day.
class DateTime < Date
  class << self
    def new(year = -4712, month = 1, day = 1, hour = (last = 0), minute = (last ||= 1; 0), second = (last ||= 2; 0), offset = 0, start = Date::ITALY)
      check_numbers(second: second, minute: minute, hour: hour, day: day, month: month, year: year)
      jd = Date::Calendar.valid_jd(year.to_i, month.to_i, day.floor, start)
      timed(jd, last, day, hour, minute, second, offset, start)
    end
    alias civil new

    def jd(jd = 0, hour = (last = 0), minute = (last ||= 1; 0), second = (last ||= 2; 0), offset = 0, start = Date::ITALY)
      check_numbers(second: second, minute: minute, hour: hour, jd: jd)
      timed(jd.floor, last, jd, hour, minute, second, offset, start)
    end

    def ordinal(year = -4712, day = 1, hour = (last = 0), minute = (last ||= 1; 0), second = (last ||= 2; 0), offset = 0, start = Date::ITALY)
      check_numbers(second: second, minute: minute, hour: hour, yday: day, year: year)
      timed(Date::Calendar.ordinal_jd(year.to_i, day.floor, start), last, day, hour, minute, second, offset, start)
    end

    def commercial(year = -4712, week = 1, day = 1, hour = (last = 0), minute = (last ||= 1; 0), second = (last ||= 2; 0), offset = 0, start = Date::ITALY)
      check_numbers(second: second, minute: minute, hour: hour, cwday: day, cweek: week, year: year)
      jd = Date::Calendar.commercial_jd(year.to_i, week.to_i, day.floor, start)
      timed(jd, last, day, hour, minute, second, offset, start)
    end

    def now(_ = Date::ITALY)
      Time.now.to_datetime
    end

    def parse(text = '-4712-01-01T00:00:00+00:00', complete = true, start = Date::ITALY, limit: 128)
      check_length(text, limit)
      from_parts(_parse(text, complete), start)
    end

    def strptime(text = '-4712-01-01T00:00:00+00:00', format = '%FT%T%z', start = Date::ITALY)
      from_parts(_strptime(text, format), start)
    end

    private

    # The moment on a day; only the last part that is given (day, hour, minute or second) may have a fraction, which is one of its own unit.
    def timed(jd, last, day, hour, minute, second, offset, start)
      units = [[day, 86_400], [hour, 3600], [minute, 60], [second, 1]]
      raise Date::Error, 'invalid fraction' if units.first(last || 3).any? { |part, _| part != part.floor }

      rest = units.sum do |part, unit|
        more = (part - part.floor) * unit
        more.is_a?(Float) ? Rational((more * 1_000_000_000).round, 1_000_000_000) : more
      end
      hour, minute, second = hour.floor, minute.floor, second.floor
      hour += 24 if hour < 0
      minute += 60 if minute < 0
      second += 60 if second < 0
      valid = jd && hour.between?(0, 24) && minute.between?(0, 59) && second.between?(0, 59)
      raise Date::Error, 'invalid date' unless valid && !(hour == 24 && (minute > 0 || second > 0))

      fraction = (hour * 3600 + minute * 60 + second + rest) / 86_400r
      made(jd + fraction.floor, fraction - fraction.floor, offset_seconds(offset), start)
    end

    # Seconds east of UTC; an offset that makes no sense is none.
    def offset_seconds(offset)
      seconds = case offset
                when String then Date.__send__(:zone_seconds, offset)
                when Numeric then (offset * 86_400).round
                else raise TypeError, 'expected numeric'
                end
      seconds && seconds.abs <= 86_400 ? seconds : 0
    end

    def from_parts(parts, start)
      raise Date::Error, 'invalid date' if parts.nil? || parts.empty?

      offset = parts[:offset] || 0
      if parts[:seconds]
        whole = parts[:seconds].to_r + offset
        return made(Date::EPOCH + whole.div(86_400), (whole % 86_400) / 86_400, offset, start)
      end
      jd = jd_of(parts, start) || (today.jd if parts[:hour] || parts[:min] || parts[:sec])
      raise Date::Error, 'invalid date' unless jd

      second = [parts[:sec] || 0, 59].min
      valid = (parts[:hour] || 0).between?(0, 24) && (parts[:min] || 0).between?(0, 59)
      raise Date::Error, 'invalid date' unless valid

      fraction = Rational((parts[:hour] || 0) * 3600 + (parts[:min] || 0) * 60 + second, 86_400) + (parts[:sec_fraction] || 0) / 86_400
      made(jd + fraction.floor, fraction - fraction.floor, offset, start)
    end
  end

  def hour
    seconds_of_day.to_i / 3600
  end

  def minute
    seconds_of_day.to_i / 60 % 60
  end
  alias min minute

  def second
    seconds_of_day.to_i % 60
  end
  alias sec second

  def second_fraction
    seconds_of_day - seconds_of_day.floor
  end
  alias sec_fraction second_fraction

  def offset
    Rational(@offset, 86_400)
  end

  public :zone

  def new_offset(offset = 0)
    seconds = self.class.__send__(:offset_seconds, offset)
    moved = @jd + @fraction + Rational(seconds - @offset, 86_400)
    self.class.made(moved.floor, moved - moved.floor, seconds, @start)
  end

  def strftime(format = '%FT%T%:z')
    super(format)
  end

  def to_s
    strftime('%Y-%m-%dT%H:%M:%S%:z')
  end

  def iso8601(digits = 0)
    strftime("%Y-%m-%d#{clock_format(digits)}")
  end
  alias xmlschema iso8601
  alias rfc3339 iso8601

  def jisx0301(digits = 0)
    strftime("#{jisx0301_format}#{clock_format(digits)}")
  end

  def clock_format(digits)
    raise TypeError, 'no implicit conversion from nil to integer' if digits.nil?
    raise TypeError, "no implicit conversion of #{digits.class} into Integer" unless digits.respond_to?(:to_int)

    digits = digits.to_int
    "T%H:%M:%S#{".%#{digits}N" if digits > 0}%:z"
  end
  private :clock_format

  def to_datetime
    self
  end

  def to_time
    as_time
  end

  def deconstruct_keys(keys)
    raise TypeError, "wrong argument type #{keys.class} (expected Array or nil)" unless keys.nil? || keys.is_a?(Array)

    all = { year: year, month: month, day: day, yday: yday, wday: wday, hour: hour, min: minute, sec: second,
            sec_fraction: sec_fraction, zone: zone }
    keys ? all.slice(*keys) : all
  end
end

class Time
  def to_date
    Date.made(Date::Calendar.gregorian_jd(year, month, day))
  end

  def to_datetime
    seconds = hour * 3600 + min * 60 + sec + subsec
    DateTime.made(Date::Calendar.gregorian_jd(year, month, day), Rational(seconds, 86_400), utc_offset)
  end

  def to_time
    self
  end
end
