//! Asking Ruby.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use kukla_values::regexp::{Direction, Encoding};

use super::generate::Question;

/// Answers one question a line: options, encoding, pattern and subject in hexadecimal, position in bytes, direction.
const ANSWERS: &str = r##"
require 'timeout'
$stdout.sync = false
STDIN.each_line(chomp: true) do |line|
  options, encoding, pattern, subject, position, direction = line.split("\t", -1)
  pattern, subject = [pattern, subject].map { |hex| [hex].pack('H*').force_encoding(encoding) }
  flags = { 'i' => 1, 'x' => 2, 'm' => 4 }.sum { |letter, flag| options.include?(letter) ? flag : 0 }
  answer =
    begin
      regexp = Regexp.new(pattern, flags)
      at = subject.byteslice(0, position.to_i).length
      found = Timeout.timeout(2) do
        if direction == 'backward' then subject.rindex(regexp, at) && $~ else regexp.match(subject, at) end
      end
      bytes = ->(at) { subject[0, at].bytesize }
      if found
        (0...found.size).map { |n| found.begin(n) ? "#{bytes[found.begin(n)]}..#{bytes[found.end(n)]}" : '-' }.join(' ')
      else
        'none'
      end
    rescue Timeout::Error
      'too long'
    rescue RegexpError => error
      'refused: ' + error.message.b.split(': /'.b).first.tr("\n", ' ')
    end
  puts answer
end
"##;

/// Ruby's answers, or nothing if there is no Ruby.
pub fn answers(questions: &[Question]) -> Option<Vec<String>> {
    let mut ruby = Command::new("ruby")
        .args(["-W0", "-e", ANSWERS])
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = ruby.stdin.take()?;
    let lines: Vec<String> = questions.iter().map(line).collect();
    let writer = std::thread::spawn(move || {
        // A Ruby that ends early shows in the number of its answers.
        let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    });
    let mut output = Vec::new();
    ruby.stdout.take()?.read_to_end(&mut output).ok()?;
    writer.join().ok()?;
    ruby.wait().ok()?;
    Some(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
}

fn line(question: &Question) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let encoding = match question.encoding {
        Encoding::Utf8 => "UTF-8",
        Encoding::Binary => "ASCII-8BIT",
    };
    let direction = if question.direction == Direction::Backward { "backward" } else { "forward" };
    let (pattern, subject) = (hex(&question.pattern), hex(&question.subject));
    let options = question.options.letters();
    format!("{options}\t{encoding}\t{pattern}\t{subject}\t{}\t{direction}", question.position)
}
