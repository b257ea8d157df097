use super::*;

fn shown(text: &str, format: &str) -> String {
    Timestamp::parse_with(text, format, None).unwrap().format("%F %T.%L", None).unwrap().to_string()
}

#[test]
fn spans_read_back_what_they_print() {
    for nanos in [0, 5_000_000, 6, -90 * NANOS, 13_500_000_000, 93_784_005_006_007] {
        let span = Timespan::from_nanos(nanos);
        assert_eq!(Timespan::parse(&span.to_string()).unwrap(), span);
    }
    assert_eq!(Timespan::from_seconds(13).to_string(), "0-00:00:13.0");
    assert_eq!(Timespan::parse("13:20").unwrap().whole_seconds().unwrap(), 48_000);
}

#[test]
fn spans_in_formats() {
    let span = Timespan::from_fields(false, [2, 3, 4, 5, 6, 0, 0]);
    let format = |text: &str| span.format(text).unwrap();
    assert_eq!(format("%D %H"), "2 03");
    assert_eq!(format("%D %S.%L|%3H|%-M"), "2 05.006|003|4");
    assert_eq!(format("%S.%N %S.%6N %S.%-N"), "183845.006000000 05.006000 05.006");
    assert_eq!(format("%N"), "183845006000000");
    assert_eq!(format("%3D%%"), "002%");
    assert_eq!(
        span.format("%H:%Q").unwrap_err().message(),
        "Bad format specifier '%' in '%H:%Q', at position 4"
    );
    assert!(Timespan::parse_with("1500", "%L").is_err());
    assert_eq!(Timespan::parse_with("  5", "%_3S").unwrap().whole_seconds().unwrap(), 5);
}

#[test]
fn stamps_read_by_every_kind_of_directive() {
    assert_eq!(shown("Wed Aug 24 12:13:14 2016 PDT", "%c %Z"), "2016-08-24 19:13:14.000");
    assert_eq!(shown("2009 064", "%Y %j"), "2009-03-05 00:00:00.000");
    assert_eq!(shown("1236236889", "%s"), "2009-03-05 07:08:09.000");
    assert_eq!(shown("2009-W10-4", "%G-W%V-%u"), "2009-03-05 00:00:00.000");
    assert_eq!(shown("2009-03-05 7 pm", "%F %l %P"), "2009-03-05 19:00:00.000");
    assert_eq!(shown("20090305070809.25", "%Y%m%d%H%M%S.%N"), "2009-03-05 07:08:09.250");
    assert_eq!(
        shown("2009-03-05 12:00 Europe/Stockholm", "%F %R Europe/Stockholm"),
        "2009-03-05 12:00:00.000"
    );
    assert!(Timestamp::parse("2009-13-05", None).is_err());
    assert!(Timestamp::parse_with("x", "%Y", None).is_err());
}

#[test]
fn stamps_in_zones() {
    let stamp = Timestamp::parse("2009-07-05T12:00:00", None).unwrap();
    assert_eq!(stamp.format("%T %z", Some("CET")).unwrap(), "13:00:00 +0100");
    assert_eq!(stamp.format("%T %:z", Some("cest")).unwrap(), "14:00:00 +02:00");
    assert!(stamp.format("%T", Some("Europe/Stockholm")).is_err());
    assert_eq!(stamp.to_string(), "2009-07-05T12:00:00.000000000 UTC");
    assert_eq!(stamp.format("%v", None).unwrap(), " 5-JUL-2009");
    assert_eq!(stamp.format("%F", Some("nowhere")).unwrap_err().message(), "Illegal timezone 'nowhere'");
}

#[test]
fn fractions_of_large_numbers_are_exact() {
    assert_eq!(Timestamp::from_f64(1_473_150_899.25).unwrap().nanos(), 1_473_150_899_250_000_000);
    assert_eq!(Timespan::from_f64(13.1).unwrap().nanos(), 13_100_000_000);
}
