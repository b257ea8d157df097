//! The classes Ruby keeps values in, where Puppet's messages show them.

use std::borrow::Cow;

use kukla_syntax::{Diagnostic, diagnostic};

use crate::codes::NO_IMPLICIT_CONVERSION;
use crate::{Type, Value};

/// The name of a value's class.
pub fn class_name(value: &Value) -> Cow<'static, str> {
    Cow::Borrowed(match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Regexp(_) => "Regexp",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Type(ty) => return type_class(ty),
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::SemVer(_) => "SemanticPuppet::Version",
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Uri(uri) => match uri.scheme.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("http") => "URI::HTTP",
            Some("https") => "URI::HTTPS",
            Some("ftp") => "URI::FTP",
            Some("ldap") => "URI::LDAP",
            Some("ldaps") => "URI::LDAPS",
            Some("mailto") => "URI::MailTo",
            Some("file") => "URI::File",
            Some("ws") => "URI::WS",
            Some("wss") => "URI::WSS",
            _ => "URI::Generic",
        },
        Value::Iterator(_) => "Puppet::Pops::Types::Iterator",
        Value::Host(host) => return host.class_name(),
        Value::Object(_) => "Object",
    })
}

fn type_class(ty: &Type) -> Cow<'static, str> {
    Cow::Owned(match ty {
        Type::Data | Type::RichData | Type::RichDataKey => "Puppet::Pops::Types::PTypeAliasType".into(),
        Type::ObjectExtension(_) => "Puppet::Pops::Types::PObjectTypeExtension".into(),
        ty => format!("Puppet::Pops::Types::P{}Type", ty.kind()),
    })
}

/// Ruby's name for a value that it refuses to convert.
pub(super) fn operand_name(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Undef => "nil".into(),
        Value::Boolean(true) => "true".into(),
        Value::Boolean(false) => "false".into(),
        other => class_name(other),
    }
}

/// Ruby's message for a value of the wrong class.
pub fn no_implicit_conversion(value: &Value, target: &str) -> Diagnostic {
    diagnostic!(NO_IMPLICIT_CONVERSION { operand: operand_name(value), target })
}
