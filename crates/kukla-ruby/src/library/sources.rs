//! Libraries written in Ruby.

/// A library written in Ruby.
#[derive(Debug)]
pub struct Source {
    /// The name under which it is required.
    pub name: &'static str,
    /// Other names for it.
    pub also: &'static [&'static str],
    /// The constants it defines, which code finds without requiring it.
    pub constants: &'static [&'static str],
    /// Its text.
    pub text: &'static str,
}

const fn source(
    name: &'static str,
    also: &'static [&'static str],
    constants: &'static [&'static str],
    text: &'static str,
) -> Source {
    Source { name, also, constants, text }
}

/// All libraries written in Ruby.
pub static SOURCES: &[Source] = &[
    source("base64", &[], &["Base64"], include_str!("base64.rb")),
    source("cgi/util", &["cgi", "cgi/escape"], &["CGI"], include_str!("cgi/util.rb")),
    source("csv", &[], &[], include_str!("csv.rb")),
    source(
        "date",
        &["date_core"],
        &["Date", "DateTime"],
        concat!(
            include_str!("date/calendar.rb"),
            include_str!("date/date.rb"),
            include_str!("date/datetime.rb"),
            include_str!("date/standards.rb"),
            include_str!("date/parse.rb"),
            include_str!("date/strptime.rb"),
        ),
    ),
    source(
        "deep_merge",
        &["deep_merge/core", "deep_merge/deep_merge_hash"],
        &[],
        include_str!("deep_merge.rb"),
    ),
    source("delegate", &[], &["Delegator", "SimpleDelegator"], include_str!("delegate.rb")),
    source(
        "digest",
        &["digest/md5", "digest/sha1", "digest/sha2", "digest/bubblebabble"],
        &[],
        include_str!("digest.rb"),
    ),
    source("etc", &[], &["Etc"], include_str!("etc.rb")),
    source("fileutils", &[], &["FileUtils"], include_str!("fileutils.rb")),
    source("find", &[], &["Find"], include_str!("find.rb")),
    source("forwardable", &[], &["Forwardable", "SingleForwardable"], include_str!("forwardable.rb")),
    source("ipaddr", &[], &["IPAddr"], include_str!("ipaddr.rb")),
    source("logger", &[], &["Logger"], include_str!("logger.rb")),
    source("net/ftp", &[], &[], include_str!("net_ftp.rb")),
    source("marshal", &[], &[], include_str!("marshal.rb")),
    source(
        "net/http",
        &["net/https", "net/protocol", "open-uri"],
        &["Net", "OpenURI"],
        include_str!("net_http.rb"),
    ),
    source("optparse", &["optionparser", "optparse/time", "optparse/uri"], &[], include_str!("optparse.rb")),
    source("open3", &[], &["Open3"], include_str!("open3.rb")),
    source(
        "openssl",
        &["openssl/digest", "openssl/hmac", "openssl/x509"],
        &["OpenSSL"],
        concat!(include_str!("openssl.rb"), include_str!("openssl/asn1.rb"), include_str!("openssl/x509.rb"),),
    ),
    source("ostruct", &[], &["OpenStruct"], include_str!("ostruct.rb")),
    source("pathname", &[], &["Pathname"], include_str!("pathname.rb")),
    source("resolv", &["resolv-replace"], &["Resolv"], include_str!("resolv.rb")),
    source(
        "rexml/document",
        &["rexml/element", "rexml/xpath", "rexml/parseexception"],
        &[],
        concat!(
            include_str!("rexml/nodes.rb"),
            include_str!("rexml/reader.rb"),
            include_str!("rexml/xpath.rb"),
        ),
    ),
    source(
        "rubygems",
        &["rubygems/version", "rubygems/requirement", "rubygems/dependency"],
        &["Gem"],
        include_str!("rubygems.rb"),
    ),
    source("securerandom", &[], &["SecureRandom"], include_str!("securerandom.rb")),
    source("shellwords", &[], &["Shellwords"], include_str!("shellwords.rb")),
    source("singleton", &[], &["Singleton"], include_str!("singleton.rb")),
    source("socket", &[], &["Socket", "SocketError", "TCPSocket"], include_str!("socket.rb")),
    source("stringio", &[], &["StringIO"], include_str!("stringio.rb")),
    source("tempfile", &[], &["Tempfile"], include_str!("tempfile.rb")),
    source("time", &[], &[], include_str!("time.rb")),
    source("rbconfig", &[], &["RbConfig"], include_str!("rbconfig.rb")),
    source("timeout", &[], &["Timeout"], include_str!("timeout.rb")),
    source("tmpdir", &[], &[], include_str!("tmpdir.rb")),
    source("toml", &[], &["TOML"], include_str!("toml.rb")),
    source("uri", &["uri/generic", "uri/http"], &["URI"], include_str!("uri.rb")),
    source("zlib", &[], &["Zlib"], include_str!("zlib.rb")),
];

/// Libraries that are there from the start.
pub const THERE: &[&str] = &["json", "json/add/core", "yaml", "psych"];
