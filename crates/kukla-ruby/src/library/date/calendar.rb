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

    def ordinal_jd(year, day, start)
      found = day < 0 ? jd(year + 1, 1, 1, start) + day : jd(year, 1, 1, start) + day - 1
      day != 0 && civil(found, start)[0] == year ? found : nil
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
end
