//! The format of a cache on disk: numbers in as few bytes as they need, texts with their length before them.

use kukla_world::Stamp;
use kukla_world::record::{Answer, Digest, Input, InputId, InputSet, Question};

use super::seal::Seal;

/// Writes values one after the other.
#[derive(Debug, Default)]
pub struct Writer {
    /// The key for digests.
    pub seal: Seal,
    /// The bytes so far.
    pub bytes: Vec<u8>,
}

impl Writer {
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub fn block(&mut self, block: &[u8]) {
        self.number(block.len() as u64);
        self.bytes.extend_from_slice(block);
    }

    pub fn text(&mut self, text: &str) {
        self.block(text.as_bytes());
    }

    pub fn digest(&mut self, digest: &Digest) {
        self.bytes.extend_from_slice(&self.seal.close(digest).0);
    }

    pub fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Writer, T),
    ) {
        self.number(items.len() as u64);
        items.for_each(|item| write(self, item));
    }

    pub fn stamp(&mut self, stamp: Stamp) {
        self.number(stamp.version);
        self.number(stamp.length);
    }

    /// Each number as the distance to the one before.
    pub fn set(&mut self, set: &InputSet) {
        let ids: Vec<InputId> = set.iter().collect();
        let mut before = 0;
        self.list(ids.into_iter(), |out, InputId(id)| {
            out.number(u64::from(id - before));
            before = id;
        });
    }

    /// An input; nothing if it could not be checked later.
    pub fn input(&mut self, input: &Input) {
        let (kind, words): (u64, Vec<&[u8]>) = match &input.question {
            Question::Read(path) => (0, vec![path.as_os_str().as_encoded_bytes()]),
            Question::Data(path) => (1, vec![path.as_os_str().as_encoded_bytes()]),
            Question::Key(key) => (2, vec![key.as_bytes()]),
            Question::Exists(path) => (3, vec![path.as_os_str().as_encoded_bytes()]),
            Question::List(path) => (4, vec![path.as_os_str().as_encoded_bytes()]),
            Question::Env(name) => (5, vec![name.as_bytes()]),
            Question::Run(command) => (6, command.iter().map(String::as_bytes).collect()),
            Question::Now => (7, Vec::new()),
        };
        self.number(kind);
        self.list(words.into_iter(), |out, word| out.block(word));
        match &input.answer {
            Answer::Absent => self.number(0),
            Answer::Present => self.number(1),
            Answer::Refused => self.number(2),
            Answer::Passing => self.number(3),
            Answer::Is(digest) => {
                self.number(4);
                self.digest(digest);
            }
        }
    }
}

/// Reads the output of a [`Writer`]; `None` where it is malformed.
#[derive(Debug)]
pub struct Reader<'b> {
    seal: Seal,
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Reads values without digests.
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader::with_seal(bytes, Seal::default())
    }

    /// Reads values whose digests were written with a key.
    pub fn with_seal(bytes: &'b [u8], seal: Seal) -> Reader<'b> {
        Reader { seal, rest: bytes }
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.take(1)? else { return None };
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub fn block(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    pub fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.block()?).ok()
    }

    pub fn digest(&mut self) -> Option<Digest> {
        let closed = Digest(self.take(32)?.try_into().ok()?);
        Some(self.seal.open(&closed))
    }

    pub fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            _ => read(self).map(Some),
        }
    }

    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| read(self)).collect()
    }

    pub fn stamp(&mut self) -> Option<Stamp> {
        Some(Stamp { version: self.number()?, length: self.number()? })
    }

    pub fn set(&mut self) -> Option<InputSet> {
        let mut before = 0u32;
        let mut set = InputSet::default();
        for _ in 0..self.number()? {
            before = before.checked_add(u32::try_from(self.number()?).ok()?)?;
            // A set is as large as its largest number: a false one must not make it fill the memory.
            if before > LARGEST_ID {
                return None;
            }
            set.insert(InputId(before));
        }
        Some(set)
    }

    pub fn input(&mut self) -> Option<Input> {
        let kind = self.number()?;
        let words = self.list(|reader| Some(reader.text()?.to_owned()))?;
        let first = || words.first().cloned();
        let question = match kind {
            0 => Question::Read(first()?.into()),
            1 => Question::Data(first()?.into()),
            2 => Question::Key(first()?),
            3 => Question::Exists(first()?.into()),
            4 => Question::List(first()?.into()),
            5 => Question::Env(first()?),
            6 => Question::Run(words),
            7 => Question::Now,
            _ => return None,
        };
        let answer = match self.number()? {
            0 => Answer::Absent,
            1 => Answer::Present,
            2 => Answer::Refused,
            3 => Answer::Passing,
            4 => Answer::Is(self.digest()?),
            _ => return None,
        };
        Some(Input { question, answer })
    }
}

/// More inputs than any site has.
const LARGEST_ID: u32 = 1 << 27;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        let inputs = [
            Input { question: Question::Read("/a/ö".into()), answer: Answer::Is(Digest::of(["x"])) },
            Input { question: Question::Data("/a".into()), answer: Answer::Absent },
            Input { question: Question::Key("a::b".into()), answer: Answer::Present },
            Input { question: Question::Run(vec!["ls".into(), String::new()]), answer: Answer::Refused },
            Input { question: Question::Now, answer: Answer::Passing },
        ];
        let mut set = InputSet::default();
        [0, 1, 70, 4000].into_iter().for_each(|id| set.insert(InputId(id)));
        writer.list(inputs.iter(), Writer::input);
        writer.set(&set);
        writer.optional(Some(Stamp { version: u64::MAX, length: 0 }), Writer::stamp);
        let bytes = writer.bytes;
        let read = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            let read = (reader.list(Reader::input)?, reader.set()?, reader.optional(Reader::stamp)?);
            reader.is_at_end().then_some(read)
        };
        let stamp = Some(Stamp { version: u64::MAX, length: 0 });
        assert_eq!(read(&bytes), Some((inputs.to_vec(), set, stamp)));
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length} of {} bytes", bytes.len());
        }
    }
}
