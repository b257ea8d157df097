//! Effects, each checked against the world's policy; a refusal is a `SecurityError` that says how to allow it.

use kukla_values::richdata;
use kukla_world::answers::{self, Kind};
use kukla_world::policy::Effect;

use crate::class::{ANY, Class, ClassId, ClassKind, Constant, Native, method};
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::value::Value;

/// Checks that libraries written in Ruby make before an effect.
pub const DOORS: &[Native] = &[
    method("__network", 1, 1, |ruby, _, args| {
        let host = text(ruby, &args[0])?;
        Err(closed(ruby, &host))
    }),
    method("__answer", 3, ANY, |ruby, _, args| {
        let (kind, host) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
        let kind = Kind::named(&kind).unwrap_or(Kind::Http);
        let spellings: Result<Vec<String>> =
            args.list[2..].iter().map(|spelling| text(ruby, spelling)).collect();
        match answers::ask(ruby.host.world(), kind, &spellings?) {
            Some(Ok(answer)) => {
                let json = richdata::to_json(&answer)
                    .map_err(|wrong| ruby.error(ClassId::SECURITY_ERROR, wrong.message()))?;
                Ok(Value::str(json.to_string()))
            }
            Some(Err(wrong)) => Err(ruby.error(ClassId::SECURITY_ERROR, wrong.message())),
            None => Err(closed(ruby, &host)),
        }
    }),
];

fn text(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    Ok(ruby.display(value)?.to_str_lossy().into_owned())
}

/// There is no way to another host, whatever policy says.
fn closed(ruby: &mut Ruby<'_>, host: &str) -> Box<Unwind> {
    if let Err(refused) = ruby.allow(Effect::Network(host)) {
        return refused;
    }
    let message = format!(
        "talking to '{host}' is allowed, but this Ruby has no network; `--answers DIR` gives recorded answers"
    );
    ruby.error(ClassId::NOT_IMPLEMENTED_ERROR, message)
}

impl Ruby<'_> {
    /// An error unless policy allows this.
    pub fn allow(&mut self, effect: Effect<'_>) -> Result<()> {
        match self.host.world().policy().check(effect) {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.error(ClassId::SECURITY_ERROR, refusal.to_string())),
        }
    }

    /// An error unless code may have random numbers that no seed decides.
    pub fn allow_randomness(&mut self) -> Result<()> {
        self.allow(Effect::Randomness)
    }

    /// The present in nanoseconds since 1970, if code may know the time.
    pub fn now(&mut self) -> Result<i128> {
        self.allow(Effect::Clock)?;
        Ok(self.host.world().now().nanos())
    }

    /// An exception below `Errno`, such as `Errno::ENOENT`.
    #[cold]
    pub fn errno(&mut self, name: &str, message: &str) -> Box<Unwind> {
        let class = self.errno_class(name);
        self.error(class, message)
    }

    /// The class of a system error, made when it is first needed.
    pub fn errno_class(&mut self, name: &str) -> ClassId {
        let symbol = self.symbols.intern(name);
        if let Some(Constant { value: Value::Class(class), .. }) =
            self.class(ClassId::ERRNO).constants.get(&symbol)
        {
            return *class;
        }
        let mut class = Class::new(ClassKind::Class, Some(ClassId::SYSTEM_CALL_ERROR));
        class.name = Some(format!("Errno::{name}").into());
        let class = self.add_class(class);
        self.make_singleton_of_class(class);
        self.set_constant(ClassId::ERRNO, name, Value::Class(class));
        if let Some((_, number, _)) = ERRORS.iter().find(|(known, ..)| *known == name) {
            self.set_constant(class, "Errno", Value::Int(*number));
        }
        class
    }
}

/// The system errors that programs name, with their numbers and words.
pub const ERRORS: &[(&str, i64, &str)] = &[
    ("EPERM", 1, "Operation not permitted"),
    ("ENOENT", 2, "No such file or directory"),
    ("ESRCH", 3, "No such process"),
    ("EINTR", 4, "Interrupted system call"),
    ("EIO", 5, "Input/output error"),
    ("EBADF", 9, "Bad file descriptor"),
    ("ENXIO", 6, "No such device or address"),
    ("ECHILD", 10, "No child processes"),
    ("EAGAIN", 11, "Resource temporarily unavailable"),
    ("ENOMEM", 12, "Cannot allocate memory"),
    ("EACCES", 13, "Permission denied"),
    ("EBUSY", 16, "Device or resource busy"),
    ("EEXIST", 17, "File exists"),
    ("EXDEV", 18, "Invalid cross-device link"),
    ("ENODEV", 19, "No such device"),
    ("ENOTDIR", 20, "Not a directory"),
    ("EISDIR", 21, "Is a directory"),
    ("EINVAL", 22, "Invalid argument"),
    ("EMFILE", 24, "Too many open files"),
    ("ENOTTY", 25, "Inappropriate ioctl for device"),
    ("EFBIG", 27, "File too large"),
    ("ENOSPC", 28, "No space left on device"),
    ("ESPIPE", 29, "Illegal seek"),
    ("EROFS", 30, "Read-only file system"),
    ("EPIPE", 32, "Broken pipe"),
    ("EDOM", 33, "Numerical argument out of domain"),
    ("ERANGE", 34, "Numerical result out of range"),
    ("ENAMETOOLONG", 36, "File name too long"),
    ("ENOSYS", 38, "Function not implemented"),
    ("ENOTEMPTY", 39, "Directory not empty"),
    ("ELOOP", 40, "Too many levels of symbolic links"),
    ("EOPNOTSUPP", 95, "Operation not supported"),
    ("EADDRINUSE", 98, "Address already in use"),
    ("EADDRNOTAVAIL", 99, "Cannot assign requested address"),
    ("ENETUNREACH", 101, "Network is unreachable"),
    ("ENOTCONN", 107, "Transport endpoint is not connected"),
    ("ECONNREFUSED", 111, "Connection refused"),
    ("ECONNRESET", 104, "Connection reset by peer"),
    ("EHOSTUNREACH", 113, "No route to host"),
    ("ETIMEDOUT", 110, "Connection timed out"),
];
