//! Points and lengths of time as text.

kukla_syntax::codes! {
    pub TIMES;

    /// The text is not a time in any of the formats. Without formats these are the usual ones.
    ///
    /// ```puppet
    /// notice(Timestamp('tomorrow'))      # error
    /// notice(Timestamp('2026-01-02'))    # fine
    /// ```
    TIME_IN_NO_FORMAT as RUNTIME_ERROR: Error, "Unable to parse '{text}' using any of the formats {formats}";

    /// The text is not a time in this format.
    ///
    /// ```puppet
    /// notice(Timestamp('2026-01-02', '%H:%M'))    # error
    /// ```
    TIME_NOT_IN_FORMAT as RUNTIME_ERROR: Error, "Unable to parse '{text}' using format '{format}'";

    /// A time zone is given either in the text or beside it.
    ///
    /// ```puppet
    /// notice(Timestamp('2026-01-02 UTC', '%F %Z', 'CET'))    # error
    /// ```
    TIMEZONE_GIVEN_TWICE as RUNTIME_ERROR: Error, "Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument";

    /// The format that a point in time is to be written in cannot be used.
    ///
    /// ```puppet
    /// notice(strftime(Timestamp(0), '%'))      # error
    /// notice(strftime(Timestamp(0), '%F'))     # fine
    /// ```
    ILLEGAL_TIME_FORMAT as RUNTIME_ERROR: Error, "Illegal format '{format}': {reason}";

    /// In a format of time spans a percent sign is followed by flags, a width and one of the letters D, H, M, S, L, N.
    ///
    /// ```puppet
    /// notice(Timespan('1', '%Q'))    # error
    /// ```
    BAD_SPAN_FORMAT as RUNTIME_ERROR: Error, "Bad format specifier '{specifier}' in '{format}', at position {position}";

    /// `%L` and `%N` are parts of a second, so that a time span is not read with them alone.
    ///
    /// ```puppet
    /// notice(Timespan('5', '%L'))         # error
    /// notice(Timespan('1.5', '%S.%L'))    # fine
    /// ```
    FRACTION_WITHOUT_SECONDS as RUNTIME_ERROR: Error, "Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude";

    /// A time zone is an offset (`+02:00`), an abbreviation (`CET`) or the name of a standard time (`Eastern Standard Time`).
    ///
    /// ```puppet
    /// notice(Timestamp('2026-01-02', '%F', 'Atlantis'))    # error
    /// ```
    ILLEGAL_TIMEZONE as RUNTIME_ERROR: Error, "Illegal timezone '{zone}'";

    /// A time is written in a zone that is less than 24 hours from UTC.
    ///
    /// ```puppet
    /// notice(strftime(Timestamp(0), '%T', '+24:00'))    # error
    /// ```
    ZONE_OUT_OF_RANGE as RUNTIME_ERROR: Error, "utc_offset out of range";

    /// The text is written like a time but there is none such, as at one minute past 24 hours.
    ///
    /// ```puppet
    /// notice(Timestamp('2026-01-02 24:01', '%F %H:%M'))    # error
    /// ```
    TIME_OUT_OF_RANGE as RUNTIME_ERROR: Error, "argument out of range";

    /// The time is beyond what fits: 64 bits of seconds for a Timestamp, 128 bits of nanoseconds for a Timespan.
    ///
    /// ```puppet
    /// notice(Timespan(1e30))    # error
    /// ```
    TIME_OUTSIDE_RANGE as NUMERIC_OVERFLOW: Error, "the result is outside the range of a {kind}";

    /// A point in time has a year.
    ///
    /// ```puppet
    /// notice(Timestamp('12:30', '%H:%M'))    # error
    /// ```
    TIME_WITHOUT_YEAR as RUNTIME_ERROR: Error, "can't convert nil into an exact number";
}
