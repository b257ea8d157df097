//! Time zones by name and offset.

use std::collections::HashMap;
use std::sync::LazyLock;

use kukla_syntax::bail;

use crate::Result;
use crate::codes::ILLEGAL_TIMEZONE;

/// The abbreviations and names Ruby knows, with their offset from UTC in minutes.
const NAMES: &str = "\
    a 60, acdt 630, acst 570, act -300, acwst 525, adt -180, aedt 660, aest 600, afghanistan 270, aft 270, ahst \
    -600, akdt -480, akst -540, alaskan -540, almt 360, anast 720, anat 720, aoe -720, aqtt 300, arab 180, arabian \
    240, arabic 180, art -180, ast -240, at -120, atlantic -240, aus central 570, aus eastern 600, awdt 540, awst \
    480, azores -60, azost 0, azot -60, azst 300, azt 240, b 120, bnt 480, bot -240, brst -120, brt -180, bst 60, bt \
    180, btt 360, c 180, canada central -360, cape verde -60, cast 480, cat 120, caucasus 240, cct 390, cdt -300, \
    cen. australia 570, central -360, central america -360, central asia 360, central europe 60, central european \
    60, central pacific 660, cest 120, cet 60, chadt 825, chast 765, china 480, chost 540, chot 480, chst 600, chut \
    600, cidst -240, cist -300, ckt -600, clst -180, clt -240, cot -300, cst -360, cvt -60, cxt 420, d 240, dateline \
    -720, davt 420, ddut 600, e 300, e. africa 180, e. australia 600, e. europe 120, e. south america -180, eadt \
    660, easst -300, east -360, eastern -300, eat 180, ect -300, edt -240, eest 180, eet 120, egst 0, egt -60, egypt \
    120, ekaterinburg 300, est -300, f 360, fet 180, fiji 720, fjst 780, fjt 720, fkst -180, fkt -240, fle 120, fnt \
    -120, fst 120, fwt 60, g 420, galt -360, gamt -540, get 240, gft -180, gilt 720, gmt 0, greenland -180, \
    greenwich 0, gst 600, gtb 120, gyt -240, h 480, hadt -540, hast -600, hawaiian -600, hdt -540, hkt 480, hovst \
    480, hovt 420, hst -600, i 540, ict 420, idle 720, idlw -720, idt 180, india 330, iot 360, iran 210, irdt 270, \
    irkst 540, irkt 480, irst 210, ist 330, jerusalem 120, jst 540, k 600, kgt 360, korea 540, kost 660, krast 480, \
    krat 420, kst 540, kuyt 240, l 660, lhdt 660, lhst 630, lint 840, m 720, magst 720, magt 660, malay peninsula \
    480, mart -510, mawt 300, mdt -360, mest 120, mesz 120, met 60, mewt 60, mexico -360, mez 60, mht 720, mmt 390, \
    mountain -420, msd 240, msk 180, mst -420, mut 240, mvt 300, myanmar 390, myt 480, n -60, n. central asia 360, \
    nct 660, ndt -90, nepal 345, new zealand 720, newfoundland -210, nfdt 720, nft 660, north asia 420, north asia \
    east 480, novst 420, novt 420, npt 345, nrt 720, nst -150, nt -660, nut -660, nzdt 780, nzst 720, nzt 720, o \
    -120, omsst 420, omst 360, orat 300, p -180, pacific -480, pacific sa -240, pdt -420, pet -300, petst 720, pett \
    720, pgt 600, phot 780, pht 480, pkt 300, pmdt -120, pmst -180, pont 660, pst -480, pwt 540, pyst -180, q -240, \
    qyzt 360, r -300, ret 240, romance 60, rott -180, russian 180, s -360, sa eastern -180, sa pacific -300, sa \
    western -240, sakt 660, samoa -660, samt 240, sast 120, sbt 660, sct 240, se asia 420, sgt 480, south africa \
    120, sret 660, sri lanka 360, srt -180, sst -660, swt 60, syot 180, t -420, taht -600, taipei 480, tasmania 600, \
    tft 300, tjt 300, tkt 780, tlt 540, tmt 300, tokyo 540, tonga 780, tost 840, tot 780, trt 180, tvt 720, u -480, \
    ulast 540, ulat 480, us eastern -300, us mountain -420, ut 0, utc 0, uyst -120, uyt -180, uzt 300, v -540, vet \
    -240, vladivostok 600, vlast 660, vlat 600, vost 360, vut 660, w -600, w. australia 480, w. central africa 60, \
    w. europe 60, wadt 480, wakt 720, warst -180, wast 120, wat 60, west 60, west asia 300, west pacific 600, wet 0, \
    wft 720, wgst -120, wgt -180, wib 420, wit 540, wita 480, wt 0, x -660, y -720, yakst 600, yakt 540, yakutsk \
    540, yapt 600, ydt -480, yekst 360, yekt 300, yst -540, z 0";

static OFFSETS: LazyLock<HashMap<&str, i32>> = LazyLock::new(|| {
    NAMES
        .split(", ")
        .filter_map(|entry| {
            let (name, minutes) = entry.trim().rsplit_once(' ')?;
            Some((name, minutes.parse::<i32>().ok()? * 60))
        })
        .collect()
});

/// The offset in seconds of a zone given as `+02:00`, `UTC`, `PDT` or `Eastern Standard Time`; what follows does not count.
pub(super) fn offset(zone: &str) -> Result<i32> {
    match designator(zone) {
        Some((Some(offset), _)) => Ok(offset),
        _ => bail!(ILLEGAL_TIMEZONE { zone }),
    }
}

/// Reads a zone at the start of a text: its offset, if the zone is known, and what follows it.
pub(super) fn designator(text: &str) -> Option<(Option<i32>, &str)> {
    let lower = text.to_ascii_lowercase();
    let prefix = ["gmt", "utc", "ut"]
        .iter()
        .find(|prefix| lower.strip_prefix(*prefix).is_some_and(|rest| rest.starts_with(['+', '-'])))
        .map_or(0, |prefix| prefix.len());
    if text[prefix..].starts_with(['+', '-'])
        && let Some(found) = numeric(&text[prefix..])
    {
        return Some(found);
    }
    let letters = |c: char| c.is_alphabetic();
    for suffix in [" standard time", " daylight time"] {
        if let Some(at) = lower.find(suffix)
            && lower[..at].chars().all(|c| letters(c) || c == '.' || c.is_whitespace())
        {
            let dst = if suffix.contains("daylight") { 3600 } else { 0 };
            let offset = OFFSETS.get(lower[..at].trim()).map(|offset| offset + dst);
            return Some((offset, &text[at + suffix.len()..]));
        }
    }
    let end = text.find(|c| !letters(c)).unwrap_or(text.len());
    // A name is a whole word.
    if end == 0 || text[end..].starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        return None;
    }
    let offset = OFFSETS.get(&lower[..end]).copied();
    match lower[end..].strip_prefix(" dst") {
        Some(rest) if !rest.starts_with(letters) => {
            Some((offset.map(|offset| offset + 3600), &text[end + 4..]))
        }
        _ => Some((offset, &text[end..])),
    }
}

/// `+5`, `+0530`, `+05:30:15`, `+5.5`.
fn numeric(text: &str) -> Option<(Option<i32>, &str)> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let body = &text[1..];
    let digits =
        |from: usize| body[from..].find(|c: char| !c.is_ascii_digit()).map_or(body.len(), |end| from + end);
    let first = digits(0);
    if first == 0 {
        return None;
    }
    let number = |text: &str| text.parse::<i32>().unwrap_or(0);
    let after = |at: usize, separators: &[char]| {
        body[at..].starts_with(separators) && body[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    };
    if after(first, &[':']) {
        let second = digits(first + 1);
        let minutes = number(&body[first + 1..second]);
        let (end, seconds) = if after(second, &[':']) {
            (digits(second + 1), number(&body[second + 1..digits(second + 1)]))
        } else {
            (second, 0)
        };
        let total = number(&body[..first]).saturating_mul(3600).saturating_add(minutes * 60 + seconds);
        return Some((Some(sign * total), &body[end..]));
    }
    if after(first, &['.', ',']) {
        let end = digits(first + 1);
        let fraction: f64 = format!("0.{}", &body[first + 1..end]).parse().unwrap_or(0.0);
        let total =
            number(&body[..first]).saturating_mul(3600).saturating_add((fraction * 3600.0).round() as i32);
        return Some((Some(sign * total), &body[end..]));
    }
    // Without colons the last digits are pairs: `+123` is one hour and twenty-three minutes.
    let hours = 2 - first % 2;
    let pair = |at: usize| body.get(at..(at + 2).min(first)).map_or(0, number);
    let total = number(&body[..hours.min(first)]) * 3600 + pair(hours) * 60 + pair(hours + 2);
    Some((Some(sign * total), &body[first..]))
}
