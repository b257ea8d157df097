# Dates.
class Date
  class << self
    def new(year = -4712, month = 1, day = 1, start = ITALY)
      check_numbers(day: day, month: month, year: year)
      fraction = rest_of_day(day)
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
      check_numbers(jd: jd)
      made(jd.floor, rest_of_day(jd), 0, start)
    end

    def ordinal(year = -4712, day = 1, start = ITALY)
      check_numbers(yday: day, year: year)
      jd = Calendar.ordinal_jd(year.to_i, day.floor, start) or raise Error, 'invalid date'
      made(jd, day.to_r - day.floor, 0, start)
    end

    def commercial(year = -4712, week = 1, day = 1, start = ITALY)
      check_numbers(cwday: day, cweek: week, year: year)
      jd = Calendar.commercial_jd(year.to_i, week.to_i, day.floor, start) or raise Error, 'invalid date'
      made(jd, day.to_r - day.floor, 0, start)
    end

    def valid_civil?(year, month, day, start = ITALY)
      return false unless [year, month, day].all?(Numeric)

      !Calendar.valid_jd(year.to_i, month.to_i, day.to_i, start).nil?
    end
    alias valid_date? valid_civil?

    def valid_ordinal?(year, day, start = ITALY)
      return false unless [year, day].all?(Numeric)

      !Calendar.ordinal_jd(year.to_i, day.to_i, start).nil?
    end

    def valid_commercial?(year, week, day, start = ITALY)
      return false unless [year, week, day].all?(Numeric)

      !Calendar.commercial_jd(year.to_i, week.to_i, day.to_i, start).nil?
    end

    def valid_jd?(jd, _ = ITALY)
      jd.is_a?(Numeric)
    end

    def gregorian_leap?(year)
      raise TypeError, 'invalid year (not numeric)' unless year.is_a?(Numeric)

      year = year.to_i
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

    private

    def check_numbers(parts)
      parts.each { |name, part| raise TypeError, "invalid #{name} (not numeric)" unless part.is_a?(Numeric) }
    end

    # The part of a day that a number has behind its point; floats count to the nanosecond.
    def rest_of_day(number)
      rest = number - number.floor
      rest.is_a?(Float) ? Rational((rest * 86_400_000_000_000).round, 86_400_000_000_000) : rest.to_r
    end

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
        return Calendar.ordinal_jd(parts[:year] || today.year, parts[:yday], start)
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
    instance_of?(Date) && @fraction.zero? ? 0 : @fraction
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
    months = year * 12 + (month - 1) + count
    y = months.div(12)
    m = (months % 12).to_i + 1
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
    shown = format.gsub(/%[-0^#_:]*\d*(?:E[cCxXyY]|O[deHkIlmMSuUVwWy]|[A-Za-z%+])?/) { |directive| directive_for_time(directive) }
    as_time.strftime(shown)
  end

  # How a time says what the directive asks for; it knows the Gregorian calendar only.
  def directive_for_time(directive)
    return '%%' if directive == '%'

    case directive[-1]
    when 'Z' then padded(directive, zone)
    when 'Q' then ((ajd - Rational(4_881_175, 2)) * 86_400_000).to_i.to_s
    when '+' then directive_expanded("%a %b %e %H:%M:%S #{zone} %Y")
    when 'c' then directive_expanded('%a %b %e %H:%M:%S %Y')
    # A time has four places for the year, its sign included.
    when 'v' then directive == '%v' ? '%e-%^b-%Y' : directive
    when 'a', 'A', 'u', 'w', 'j', 'U', 'W', 'V', 'G', 'g', 's'
      return directive if gregorian? && (start.infinite? || @jd >= ITALY + 400)

      julian_directive(directive)
    when /[A-Za-z%]/ then 'BbCDdeFHhIklLMmNnPpRrSTtvXxYyz%'.include?(directive[-1]) ? directive : directive.gsub('%', '%%')
    else directive.gsub('%', '%%')
    end
  end
  private :directive_for_time

  def directive_expanded(format)
    format.gsub(/%[a-zA-Z]/) { |directive| directive_for_time(directive) }
  end
  private :directive_expanded

  def padded(directive, text)
    text = text.rjust(directive.include?('-') ? 0 : directive[/[1-9]\d*/].to_i, directive =~ /%[-^#_:]*0/ ? '0' : ' ')
    directive.include?('^') ? text.upcase : text
  end
  private :padded

  # What depends on the day of the week or year, told in the date's own calendar.
  def julian_directive(directive)
    first = Calendar.jd(year, 1, 1, @start)
    value, width = case directive[-1]
                   when 'a' then return padded(directive, ABBR_DAYNAMES[wday])
                   when 'A' then return padded(directive, DAYNAMES[wday])
                   when 'u' then [cwday, 1]
                   when 'w' then [wday, 1]
                   when 'j' then [yday, 3]
                   when 'U' then [(@jd - first + 7 - wday) / 7, 2]
                   when 'W' then [(@jd - first + 7 - (wday - 1) % 7) / 7, 2]
                   when 'V' then [cweek, 2]
                   when 'G' then [cwyear, 4]
                   when 'g' then [cwyear % 100, 2]
                   when 's' then [((ajd - Rational(4_881_175, 2)) * 86_400).to_i, 1]
                   end
    return value.to_s if directive.include?('-')

    width = directive[/[1-9]\d*/].to_i if directive =~ /[1-9]/
    directive.include?('_') ? value.to_s.rjust(width) : format("%0#{width + (value < 0 ? 1 : 0)}d", value)
  end
  private :julian_directive

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

  # The date in the years of the Japanese emperors, where there are some.
  def jisx0301
    strftime(jisx0301_format)
  end

  def jisx0301_format
    letter, base = case @jd
                   when ...2_405_160 then return '%Y-%m-%d'
                   when ...2_419_614 then ['M', 1867]
                   when ...2_424_875 then ['T', 1911]
                   when ...2_447_535 then ['S', 1925]
                   when ...2_458_605 then ['H', 1988]
                   else ['R', 2018]
                   end
    format('%s%02d.%%m.%%d', letter, year - base)
  end
  private :jisx0301_format

  def infinite?
    false
  end

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
    raise TypeError, "wrong argument type #{keys.class} (expected Array or nil)" unless keys.nil? || keys.is_a?(Array)

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

