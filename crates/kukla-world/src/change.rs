//! Changes that code makes to files, where a policy allows them.

use std::path::Path;

/// Something that is done to what is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'c> {
    /// A file is opened to be written.
    Open(Opening),
    /// Bytes are put into a file that is there, from a place on.
    Put {
        /// Where the first of them goes.
        at: u64,
        /// The bytes.
        bytes: &'c [u8],
    },
    /// A file is cut, or filled up with zeros, to a length.
    Resize(u64),
    /// A directory is made with these permissions.
    MakeDirectory(u32),
    /// A file, or a link, goes.
    Remove,
    /// An empty directory goes.
    RemoveDirectory,
    /// A file or directory gets another path.
    Rename(&'c Path),
    /// It gets other permissions.
    Mode(u32),
    /// It goes to another user, another group or both.
    Owner(Option<u32>, Option<u32>),
    /// It counts as accessed and modified at these times, in nanoseconds since 1970.
    Times(i64, i64),
}

/// How a file is opened to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Whether it is made if it is not there.
    pub create: bool,
    /// Whether it must not be there before.
    pub new: bool,
    /// Whether what is in it goes.
    pub truncate: bool,
    /// The permissions of a file that is made.
    pub mode: u32,
}

impl Change<'_> {
    /// Whether it is done to what a link leads to, and not to the link.
    pub fn follows_links(self) -> bool {
        !matches!(
            self,
            Change::Remove | Change::RemoveDirectory | Change::Rename(_) | Change::MakeDirectory(_)
        )
    }
}

/// The owner and permissions of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ownership {
    /// The user's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
    /// The kind of file and its permissions, as `stat` has them.
    pub mode: u32,
    /// When its contents were last changed, in nanoseconds since 1970.
    pub modified: i64,
}
