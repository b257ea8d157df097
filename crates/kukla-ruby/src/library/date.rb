# Dates, and dates with a time of day.
class Date
  include Comparable

  class Error < ArgumentError; end

  ITALY = 2_299_161
  ENGLAND = 2_361_222
  JULIAN = Float::INFINITY
  GREGORIAN = -Float::INFINITY

  MONTHNAMES = [nil, 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
                'November', 'December'].freeze
  ABBR_MONTHNAMES = [nil, 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].freeze
  DAYNAMES = %w[Sunday Monday Tuesday Wednesday Thursday Friday Saturday].freeze
  ABBR_DAYNAMES = %w[Sun Mon Tue Wed Thu Fri Sat].freeze
  EPOCH = 2_440_588

  # The day numbers of both calendars; the Gregorian one counts from `start` on.
  module Calendar
    module_function

    def gregorian_jd(year, month, day)
      shift = (14 - month) / 12
      y = year + 4800 - shift
      m = month + 12 * shift - 3
      day + (153 * m + 2) / 5 + 365 * y + y / 4 - y / 100 + y / 400 - 32_045
    end

    def julian_jd(year, month, day)
      shift = (14 - month) / 12
      y = year + 4800 - shift
      m = month + 12 * shift - 3
      day + (153 * m + 2) / 5 + 365 * y + y / 4 - 32_083
    end

    def jd(year, month, day, start)
      found = gregorian_jd(year, month, day)
      found < start ? julian_jd(year, month, day) : found
    end

    def civil(jd, start)
      if jd >= start
        a = jd + 32_044
        b = (4 * a + 3) / 146_097
        c = a - 146_097 * b / 4
      else
        b = 0
        c = jd + 32_082
      end
      d = (4 * c + 3) / 1461
      e = c - 1461 * d / 4
      m = (5 * e + 2) / 153
      [100 * b + d - 4800 + m / 10, m + 3 - 12 * (m / 10), e - (153 * m + 2) / 5 + 1]
    end

    # The day number of a date that exists, days from the end of the month counted too; nil if it does not exist.
    def valid_jd(year, month, day, start)
      month += 13 if month < 0
      return nil unless month.between?(1, 12)

      if day < 0
        after = month == 12 ? jd(year + 1, 1, 1, start) : jd(year, month + 1, 1, start)
        found = after + day
        made = civil(found, start)
        return made[0, 2] == [year, month] ? found : nil
      end
      found = jd(year, month, day, start)
      civil(found, start) == [year, month, day] ? found : nil
    end

    def commercial_jd(year, week, day, start)
      day += 8 if day < 0
      first = jd(year, 1, 4, start)
      monday = first - (first % 7)
      if week < 0
        following = jd(year + 1, 1, 4, start)
        week = (following - (following % 7) - monday) / 7 + week + 1
      end
      found = monday + 7 * (week - 1) + day - 1
      return nil unless day.between?(1, 7)

      commercial(found, start) == [year, week, day] ? found : nil
    end

    def commercial(jd, start)
      year = civil(jd - 3, start)[0]
      following = jd(year + 1, 1, 4, start)
      year += 1 if jd >= following - (following % 7)
      first = jd(year, 1, 4, start)
      [year, 1 + (jd - (first - (first % 7))) / 7, jd % 7 + 1]
    end
  end

  class << self
    def new(year = -4712, month = 1, day = 1, start = ITALY)
      { 'year' => year, 'month' => month, 'day' => day }.each do |name, part|
        raise TypeError, "invalid #{name} (not numeric)" unless part.is_a?(Numeric)
      end
      fraction = day.to_r - day.floor
      jd = Calendar.valid_jd(year.to_i, month.to_i, day.floor, start) or raise Error, 'invalid date'
      made(jd, fraction, 0, start)
    end
    alias civil new

    # An object from the local day number, the fraction of that day, and the seconds east of UTC.
    def made(jd, fraction = 0r, offset = 0, start = ITALY)
      date = allocate
      date.__send__(:set, jd, fraction, offset, start)
      date
    end

    def jd(jd = 0, start = ITALY)
      made(jd.floor, jd.to_r - jd.floor, 0, start)
    end

    def ordinal(year = -4712, day = 1, start = ITALY)
      jd = if day < 0
             Calendar.jd(year + 1, 1, 1, start) + day
           else
             Calendar.jd(year, 1, 1, start) + day - 1
           end
      raise Error, 'invalid date' unless day != 0 && Calendar.civil(jd, start)[0] == year

      made(jd, 0r, 0, start)
    end

    def commercial(year = -4712, week = 1, day = 1, start = ITALY)
      jd = Calendar.commercial_jd(year, week, day, start) or raise Error, 'invalid date'
      made(jd, 0r, 0, start)
    end

    def valid_civil?(year, month, day, start = ITALY)
      return false unless [year, month, day].all?(Numeric)

      !Calendar.valid_jd(year, month, day, start).nil?
    end
    alias valid_date? valid_civil?

    def valid_ordinal?(year, day, start = ITALY)
      ordinal(year, day, start)
      true
    rescue Error
      false
    end

    def valid_commercial?(year, week, day, start = ITALY)
      !Calendar.commercial_jd(year, week, day, start).nil?
    end

    def valid_jd?(jd, _ = ITALY)
      jd.is_a?(Numeric)
    end

    def gregorian_leap?(year)
      raise TypeError, 'invalid year (not numeric)' unless year.is_a?(Numeric)

      (year % 4).zero? && (year % 100 != 0 || (year % 400).zero?)
    end
    alias leap? gregorian_leap?

    def julian_leap?(year)
      (year % 4).zero?
    end

    def today(start = ITALY)
      Time.now.to_date
    end

    def parse(text = '-4712-01-01', complete = true, start = ITALY, limit: 128)
      check_length(text, limit)
      from_parts(_parse(text, complete), start)
    end

    def strptime(text = '-4712-01-01', format = '%F', start = ITALY)
      from_parts(_strptime(text, format), start)
    end

    %i[iso8601 xmlschema rfc3339 rfc2822 rfc822 httpdate jisx0301].each do |name|
      define_method(name) { |text = '-4712-01-01', start = ITALY, limit: 128| parse(text, true, start, limit: limit) }
      define_method(:"_#{name}") { |text, limit: 128| _parse(text) }
    end

    private

    def check_length(text, limit)
      raise TypeError, "no implicit conversion of #{text.nil? ? 'nil' : text.class} into String" unless text.respond_to?(:to_str)

      size = text.to_str.size
      raise ArgumentError, "string length (#{size}) exceeds the limit #{limit}" if limit && size > limit
    end

    def from_parts(parts, start)
      jd = jd_of(parts, start) or raise Error, 'invalid date'
      made(jd, 0r, 0, start)
    end

    # The day that parts of a date mean; what is missing is that of today, or the first.
    def jd_of(parts, start)
      return nil if parts.nil? || parts.empty?
      return parts[:jd] if parts[:jd]
      return EPOCH + (parts[:seconds].to_r + (parts[:offset] || 0)).div(86_400) if parts[:seconds]

      if parts[:yday] && !parts[:mon]
        return ordinal(parts[:year] || today.year, parts[:yday], start).jd
      end
      if parts[:cweek]
        return Calendar.commercial_jd(parts[:cwyear] || today.cwyear, parts[:cweek], parts[:cwday] || (parts[:wday] ? (parts[:wday] + 6) % 7 + 1 : 1), start)
      end
      if parts[:wnum0] || parts[:wnum1]
        year = parts[:year] || today.year
        first = Calendar.jd(year, 1, 1, start)
        return first - (first + 1) % 7 + 7 * parts[:wnum0] + (parts[:wday] || 0) if parts[:wnum0]

        return first - 1 - (first + 6) % 7 + 7 * parts[:wnum1] + ((parts[:wday] || parts[:cwday] || 1) + 6) % 7
      end
      if parts[:year] || parts[:mon] || parts[:mday]
        year = parts[:year] || today.year
        month = parts[:mon] || (parts[:year] ? 1 : today.mon)
        return Calendar.valid_jd(year, month, parts[:mday] || 1, start)
      end
      if parts[:wday]
        now = today
        return now.jd - now.wday + parts[:wday]
      end
      return today.jd if parts[:hour]

      nil
    end
  end

  def start
    @start.to_f
  end

  def initialize(*); end

  def jd
    @jd
  end

  def ajd
    Rational(@jd * 2 - 1, 2) + @fraction - Rational(@offset, 86_400)
  end

  def amjd
    ajd - Rational(4_800_001, 2)
  end

  def mjd
    @jd - 2_400_001
  end

  def ld
    @jd - 2_299_160
  end

  def day_fraction
    @fraction.zero? ? 0 : @fraction
  end

  def year
    civil_parts[0]
  end

  def month
    civil_parts[1]
  end
  alias mon month

  def day
    civil_parts[2]
  end
  alias mday day

  def wday
    (@jd + 1) % 7
  end

  def yday
    @jd - Calendar.jd(year, 1, 1, @start) + 1
  end

  def cwyear
    Calendar.commercial(@jd, @start)[0]
  end

  def cweek
    Calendar.commercial(@jd, @start)[1]
  end

  def cwday
    @jd % 7 + 1
  end

  DAYNAMES.each_with_index { |name, at| define_method(:"#{name.downcase}?") { wday == at } }

  def julian?
    @jd < @start
  end

  def gregorian?
    !julian?
  end

  def leap?
    julian? ? Date.julian_leap?(year) : Date.gregorian_leap?(year)
  end

  def new_start(start = ITALY)
    self.class.made(@jd, @fraction, @offset, start)
  end

  def gregorian
    new_start(GREGORIAN)
  end

  def julian
    new_start(JULIAN)
  end

  def italy
    new_start(ITALY)
  end

  def england
    new_start(ENGLAND)
  end

  def +(other)
    raise TypeError, 'expected numeric' unless other.is_a?(Numeric)

    whole = @jd + @fraction + (other.is_a?(Float) ? Rational((other * 86_400_000_000_000).round, 86_400_000_000_000) : other.to_r)
    self.class.made(whole.floor, whole - whole.floor, @offset, @start)
  end

  def -(other)
    case other
    when Numeric then self + -other
    when Date then ajd - other.ajd
    else raise TypeError, 'expected numeric'
    end
  end

  def >>(count)
    raise TypeError, 'expected numeric' unless count.is_a?(Numeric)

    months = year * 12 + (month - 1) + count.to_i
    y = months.div(12)
    m = months % 12 + 1
    d = day
    found = nil
    d -= 1 until (found = Calendar.valid_jd(y, m, d, @start)) || d < 1
    self.class.made(found, @fraction, @offset, @start)
  end

  def <<(count)
    raise TypeError, 'expected numeric' unless count.is_a?(Numeric)

    self >> -count
  end

  def next_day(count = 1)
    self + count
  end

  def prev_day(count = 1)
    self - count
  end

  def next_month(count = 1)
    self >> count
  end

  def prev_month(count = 1)
    self << count
  end

  def next_year(count = 1)
    self >> count * 12
  end

  def prev_year(count = 1)
    self << count * 12
  end

  def next
    next_day
  end
  alias succ next

  def <=>(other)
    case other
    when Date then ajd <=> other.ajd
    when Numeric then ajd <=> other
    end
  end

  def ==(other)
    (self <=> other) == 0
  end

  def ===(other)
    case other
    when Date then @jd == other.jd
    when Numeric then @jd == other.to_i
    else false
    end
  end

  def eql?(other)
    other.is_a?(Date) && self == other
  end

  def hash
    ajd.hash
  end

  def step(limit, by = 1)
    return to_enum(:step, limit, by) unless block_given?
    raise ArgumentError, "step can't be 0" if by == 0

    at = self
    while by > 0 ? at <= limit : at >= limit
      yield at
      at += by
    end
    self
  end

  def upto(limit, &block)
    return to_enum(:upto, limit) unless block

    step(limit, 1, &block)
  end

  def downto(limit, &block)
    return to_enum(:downto, limit) unless block

    step(limit, -1, &block)
  end

  def strftime(format = '%F')
    shown = format.gsub(/%[-0^#_:]*\d*[A-Za-z%+]/) do |directive|
      case directive
      when '%Z' then zone
      when '%Q' then ((ajd - Rational(4_881_175, 2)) * 86_400_000).to_i.to_s
      when '%+' then "%a %b %e %H:%M:%S #{zone} %Y"
      else directive
      end
    end
    as_time.strftime(shown)
  end

  def to_s
    strftime('%Y-%m-%d')
  end
  alias iso8601 to_s
  alias xmlschema to_s

  def rfc3339
    strftime('%Y-%m-%dT%H:%M:%S%:z')
  end

  def rfc2822
    strftime('%a, %-d %b %Y %T %z')
  end
  alias rfc822 rfc2822

  def httpdate
    new_offset_utc.strftime('%a, %d %b %Y %T GMT')
  end

  def asctime
    strftime('%a %b %e %H:%M:%S %Y')
  end
  alias ctime asctime

  def inspect
    utc = ajd + Rational(1, 2)
    seconds = (utc - utc.floor) * 86_400
    nanos = (seconds - seconds.floor) * 1_000_000_000
    shown = nanos.denominator == 1 ? nanos.numerator : "(#{nanos})"
    start = @start.is_a?(Float) ? (@start > 0 ? 'Inf' : '-Inf') : @start
    format('#<%s: %s ((%dj,%ds,%sn),%+ds,%sj)>', self.class, self, utc.floor, seconds.floor, shown, @offset, start)
  end

  def to_date
    Date.made(@jd, 0r, 0, @start)
  end

  def to_datetime
    DateTime.made(@jd, @fraction, @offset, @start)
  end

  def to_time
    Time.local(year, month, day)
  end

  def deconstruct_keys(keys)
    all = { year: year, month: month, day: day, yday: yday, wday: wday }
    keys ? all.slice(*keys) : all
  end

  def zone
    format('%s%02d:%02d', @offset < 0 ? '-' : '+', @offset.abs / 3600, @offset.abs / 60 % 60)
  end
  private :zone

  private

  def set(jd, fraction, offset, start)
    @jd = jd
    @fraction = fraction.to_r
    @offset = offset
    @start = start
  end

  def civil_parts
    @civil_parts ||= Calendar.civil(@jd, @start)
  end

  def seconds_of_day
    @fraction * 86_400
  end

  def as_time
    seconds = seconds_of_day
    # Whatever calendar the date is told in, the time shows its year, month and day.
    Time.new(year, month, day, seconds.to_i / 3600, seconds.to_i / 60 % 60, seconds % 60, @offset)
  end

  def new_offset_utc
    moved = @jd + @fraction - Rational(@offset, 86_400)
    self.class.made(moved.floor, moved - moved.floor, 0, @start)
  end
end

class DateTime < Date
  class << self
    def new(year = -4712, month = 1, day = 1, hour = 0, minute = 0, second = 0, offset = 0, start = Date::ITALY)
      jd = Date::Calendar.valid_jd(year, month, day, start)
      hour += 24 if hour < 0
      minute += 60 if minute < 0
      second += 60 if second < 0
      valid = jd && hour.between?(0, 24) && minute.between?(0, 59) && second >= 0 && second < 60
      raise Date::Error, 'invalid date' unless valid && !(hour == 24 && (minute > 0 || second > 0))

      fraction = Rational(hour * 3600 + minute * 60, 86_400) + second.to_r / 86_400
      made(jd + fraction.floor, fraction - fraction.floor, offset_seconds(offset), start)
    end
    alias civil new

    def jd(jd = 0, hour = 0, minute = 0, second = 0, offset = 0, start = Date::ITALY)
      made(jd, Rational(hour * 3600 + minute * 60 + second, 86_400), offset_seconds(offset), start)
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

    def offset_seconds(offset)
      case offset
      when String then Date.__send__(:zone_seconds, offset) || 0
      else (offset * 86_400).round
      end
    end

    def from_parts(parts, start)
      raise Date::Error, 'invalid date' if parts.nil? || parts.empty?

      offset = parts[:offset] || 0
      if parts[:seconds]
        whole = parts[:seconds].to_r + offset
        return made(Date::EPOCH + whole.div(86_400), (whole % 86_400) / 86_400, offset, start)
      end
      jd = jd_of(parts, start) or raise Date::Error, 'invalid date'
      second = [parts[:sec] || 0, 59].min
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
    digits > 0 ? strftime("%Y-%m-%dT%H:%M:%S.%#{digits}N%:z") : to_s
  end
  alias xmlschema iso8601
  alias rfc3339 iso8601

  def to_datetime
    self
  end

  def to_time
    as_time
  end

  def deconstruct_keys(keys)
    all = { year: year, month: month, day: day, yday: yday, wday: wday, hour: hour, minute: minute, second: second,
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

    def zone_seconds(text)
      word = text.downcase.sub(/\s*(standard|daylight)\s*time\z/, '').sub(/\A(gmt|utc)(?=[-+])/, '')
      return (ZONES[word] * 3600).to_i if ZONES.key?(word)

      if word =~ /\A([-+])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?\z/
        sign = Regexp.last_match(1) == '-' ? -1 : 1
        return sign * (Regexp.last_match(2).to_i * 3600 + Regexp.last_match(3).to_i * 60 + Regexp.last_match(4).to_i)
      end
      nil
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
