//! The field of one `sprintf` directive: its flags, width and precision, and the layout of text and digits in it.
//!
//! Puppet's `sprintf` and the `format` of Ruby code share this layout. Each reads the directives itself, because there they differ: in
//! the limits of width and precision, in the order in which mistakes are found, in the conversion of arguments (that of Ruby calls
//! methods) and in the errors.

use num_bigint::{BigInt, Sign};

use super::float;

/// The flags, width and precision of one directive of `sprintf`.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormatField {
    /// ` `: a blank instead of the sign of numbers that are not negative.
    pub space: bool,
    /// `#`: with the prefix of a base, or with a point in any case.
    pub alternate: bool,
    /// `+`: with a sign in any case.
    pub plus: bool,
    /// `-`: to the left of the field.
    pub minus: bool,
    /// `0`: filled up with zeros.
    pub zero: bool,
    /// The smallest number of characters.
    pub width: Option<usize>,
    /// The number of digits, or the largest number of characters of a text.
    pub precision: Option<usize>,
}

impl FormatField {
    /// Sets the flag that is written with this character, if it is one.
    pub fn set_flag(&mut self, flag: char) {
        match flag {
            ' ' => self.space = true,
            '#' => self.alternate = true,
            '+' => self.plus = true,
            '-' => self.minus = true,
            '0' => self.zero = true,
            _ => {}
        }
    }

    /// The number of characters that fill the field up after a text of this length.
    pub fn fill(&self, length: usize) -> usize {
        self.width.unwrap_or(0).saturating_sub(length)
    }

    /// Appends a text of this many characters, filled up with blanks.
    pub fn push_text(&self, text: &str, length: usize, out: &mut String) {
        let fill = self.fill(length);
        if !self.minus {
            push_repeated(' ', fill, out);
        }
        out.push_str(text);
        if self.minus {
            push_repeated(' ', fill, out);
        }
    }

    /// The sign in front of a number.
    fn sign(&self, negative: bool) -> &'static str {
        match negative {
            true => "-",
            false if self.plus => "+",
            false if self.space => " ",
            false => "",
        }
    }

    /// Appends the decimal digits of a number with its sign, filled up with zeros if the field has that flag.
    pub fn push_decimal(&self, negative: bool, digits: &str, out: &mut String) {
        self.push_number(negative, "", digits, self.zero, out);
    }

    fn push_number(&self, negative: bool, prefix: &str, digits: &str, zeros: bool, out: &mut String) {
        let sign = self.sign(negative);
        let fill = self.fill(sign.len() + prefix.len() + digits.len());
        let zeros = zeros && !self.minus;
        if !zeros && !self.minus {
            push_repeated(' ', fill, out);
        }
        out.push_str(sign);
        out.push_str(prefix);
        if zeros {
            push_repeated('0', fill, out);
        }
        out.push_str(digits);
        if self.minus {
            push_repeated(' ', fill, out);
        }
    }

    /// Appends an integer as one of `d i u b B o x X` shows it.
    pub fn push_integer(&self, directive: char, number: &BigInt, out: &mut String) {
        let (base, prefix, last) = match directive {
            'o' => (8, "0", '7'),
            'x' => (16, "0x", 'f'),
            'X' => (16, "0X", 'F'),
            'b' => (2, "0b", '1'),
            'B' => (2, "0B", '1'),
            _ => (10, "", '9'),
        };
        let negative = number.sign() == Sign::Minus;
        // Without a sign flag a negative number in another base is its two's complement, sign digits going on for ever.
        let endless = negative && base != 10 && !self.plus && !self.space;
        let mut digits =
            if endless { complement(number, base) } else { number.magnitude().to_str_radix(base) };
        if directive == 'X' {
            digits.make_ascii_uppercase();
        }
        let sign = if endless { "" } else { self.sign(negative) };
        let mut prefix = if self.alternate { prefix } else { "" };
        let mut precision = self.precision;
        let is_zero = digits == "0";
        if prefix == "0" {
            if endless {
                prefix = "";
            } else if is_zero {
                digits.clear();
                precision = precision.map(|precision| precision.saturating_sub(1));
            } else if precision.is_some_and(|precision| precision > digits.len()) {
                prefix = "";
            }
        } else if is_zero {
            prefix = "";
        }
        let dots = if endless { ".." } else { "" };
        let lead = sign.len() + prefix.len() + dots.len();
        let count = match precision {
            // The dots count as digits here.
            Some(precision) => precision.saturating_sub(dots.len()),
            None if self.zero && !self.minus => self.fill(lead),
            None => 0,
        };
        if precision == Some(0) && is_zero && prefix.is_empty() {
            digits.clear();
        }
        let fill = count.saturating_sub(digits.len());
        let blanks = self.fill(lead + fill + digits.len());
        if !self.minus {
            push_repeated(' ', blanks, out);
        }
        out.push_str(sign);
        out.push_str(prefix);
        out.push_str(dots);
        push_repeated(if endless { last } else { '0' }, fill, out);
        out.push_str(&digits);
        if self.minus {
            push_repeated(' ', blanks, out);
        }
    }

    /// Appends a float as one of `f e E g G a A` shows it.
    pub fn push_float(&self, directive: char, number: f64, out: &mut String) {
        let negative = number.is_sign_negative() && !number.is_nan();
        if !number.is_finite() {
            let text = if number.is_nan() { "NaN" } else { "Inf" };
            return self.push_number(negative, "", text, false, out);
        }
        let magnitude = number.abs();
        let precision = self.precision.unwrap_or(6);
        let (prefix, mut digits) = match directive {
            'f' => ("", float::fixed(magnitude, precision, self.alternate)),
            'e' | 'E' => ("", float::scientific(magnitude, precision, self.alternate)),
            'g' | 'G' => ("", float::general(magnitude, precision, self.alternate)),
            'a' => ("0x", float::hexadecimal(magnitude, self.precision, self.alternate)),
            _ => ("0X", float::hexadecimal(magnitude, self.precision, self.alternate)),
        };
        if directive.is_ascii_uppercase() {
            digits.make_ascii_uppercase();
        }
        self.push_number(negative, prefix, &digits, self.zero, out);
    }
}

fn push_repeated(c: char, count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(c, count));
}

/// The two's complement of a negative number with one leading sign digit.
fn complement(number: &BigInt, base: u32) -> String {
    let bits = u64::from(base.trailing_zeros());
    let places = number.bits() / bits + 1;
    let digits = ((BigInt::from(1) << (places * bits)) + number).to_str_radix(base);
    let top = char::from_digit(base - 1, base).unwrap_or('f');
    format!("{top}{}", digits.trim_start_matches(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(flags: &str, width: Option<usize>, precision: Option<usize>) -> FormatField {
        let mut field = FormatField { width, precision, ..FormatField::default() };
        flags.chars().for_each(|flag| field.set_flag(flag));
        field
    }

    /// Expected results are those of `sprintf` in Ruby 3.1.
    #[test]
    fn integers_are_laid_out_as_in_ruby() {
        let cases = [
            (field("", Some(6), None), 'x', -255, " ..f01"),
            (field("0", Some(8), None), 'x', -255, "..ffff01"),
            (field("#", None, None), 'o', 0, "0"),
            (field("#", None, Some(4)), 'o', 8, "0010"),
            (field("#", Some(8), None), 'X', 255, "    0XFF"),
            (field("+#", None, None), 'b', -5, "-0b101"),
            (field("", None, Some(5)), 'o', -8, "..770"),
            (field("", Some(3), Some(0)), 'd', 0, "   "),
            (field("-0+", Some(6), None), 'd', 7, "+7    "),
            (field("0 ", Some(5), None), 'd', 7, " 0007"),
        ];
        for (field, directive, number, expected) in cases {
            let mut out = String::new();
            field.push_integer(directive, &BigInt::from(number), &mut out);
            assert_eq!(out, expected, "{field:?} {directive} {number}");
        }
    }

    /// Expected results are those of `sprintf` in Ruby 3.1.
    #[test]
    fn floats_are_laid_out_as_in_ruby() {
        let cases = [
            (field("0+", Some(9), Some(2)), 'f', 2.675, "+00002.68"),
            (field("-", Some(9), Some(1)), 'e', -12.5, "-1.2e+01 "),
            (field("0", Some(6), None), 'f', f64::INFINITY, "   Inf"),
            (field(" ", None, None), 'G', 1e-10, " 1E-10"),
            (field("0", Some(10), None), 'A', -1.5, "-0X01.8P+0"),
        ];
        for (field, directive, number, expected) in cases {
            let mut out = String::new();
            field.push_float(directive, number, &mut out);
            assert_eq!(out, expected, "{field:?} {directive} {number}");
        }
    }
}
