//! One-time tokens: secrets that a request carries as its challenge password, each good for one certificate.
//!
//! Only digests are stored, one file for each token, named after its digest. Removing the file consumes the token, so that of several requests
//! with the same token one succeeds.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kukla::syntax::Problem;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::audit::{Action, Actor, AuditEvent};
use super::keys::random;
use super::signing::NamePattern;
use super::{Authority, Refusal, time};
use crate::files::{make_directory, read_if_there, remove, write_whole};

/// A token that was not used yet, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its identifier, for lists: the beginning of its digest.
    pub id: String,
    /// The names that it is for.
    pub names: NamePattern,
    /// When it expires.
    pub expires: SystemTime,
    file: PathBuf,
}

/// The number of digits of an identifier.
const ID_DIGITS: usize = 12;

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Token {
    fn read(file: &Path) -> Result<Option<Token>, Problem> {
        let Some(bytes) = read_if_there(file)? else { return Ok(None) };
        let read = || {
            let content: Value = serde_json::from_slice(&bytes).ok()?;
            let expires = time::from_inventory(content["expires"].as_str()?)?;
            let names = NamePattern::parse(content["names"].as_str()?).ok()?;
            let digest = file.file_stem()?.to_str()?;
            Some(Token { id: digest.get(..ID_DIGITS)?.to_owned(), names, expires, file: file.to_owned() })
        };
        read().map(Some).ok_or_else(|| Problem::invalid("invalid token in").on(file.display()))
    }
}

impl Authority {
    fn tokens_directory(&self) -> PathBuf {
        self.layout.directory.join("tokens")
    }

    /// Creates a token; its identifier and its secret, which is not stored.
    pub fn create_token(
        &self,
        names: &NamePattern,
        lifetime: Duration,
        by: &Actor,
    ) -> Result<(Token, String), Refusal> {
        let expires = time::now().checked_add(lifetime).filter(|end| time::to_x509(*end).is_ok());
        let expires = expires
            .ok_or_else(|| Refusal::rule("the token would never expire; choose a shorter validity"))?;
        let secret = hexadecimal(&random::<24>());
        let digest = hexadecimal(&Sha256::digest(&secret));
        let _lock = self.lock()?;
        self.record_management(
            &format!("created token {} for {}", &digest[..ID_DIGITS], names.as_str()),
            by,
        )?;
        make_directory(&self.tokens_directory(), 0o750)?;
        let file = self.tokens_directory().join(format!("{digest}.json"));
        let content = json!({"names": names.as_str(), "expires": time::in_inventory(expires), "by": by.name});
        write_whole(&file, content.to_string().as_bytes(), 0o640)?;
        let token = Token { id: digest[..ID_DIGITS].to_owned(), names: names.clone(), expires, file };
        Ok((token, secret))
    }

    /// The tokens that can still be used, by expiry date. Those that have expired are removed.
    pub fn tokens(&self) -> Result<Vec<Token>, Refusal> {
        let Ok(entries) = std::fs::read_dir(self.tokens_directory()) else { return Ok(Vec::new()) };
        let files = entries.flatten().map(|entry| entry.path());
        let mut all = Vec::new();
        for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
            match Token::read(&file)? {
                Some(token) if token.expires <= time::now() => {
                    remove(&file)?;
                }
                token => all.extend(token),
            }
        }
        all.sort_by(|a, b| (a.expires, &a.id).cmp(&(b.expires, &b.id)));
        Ok(all)
    }

    /// Removes a token.
    pub fn revoke_token(&self, id: &str, by: &Actor) -> Result<(), Refusal> {
        let _lock = self.lock()?;
        let token = self.tokens()?.into_iter().find(|token| token.id == id);
        let token = token.ok_or_else(|| Refusal::missing(format!("no token '{}'", id.escape_debug())))?;
        self.record_management(&format!("revoked token {id}"), by)?;
        remove(&token.file)?;
        Ok(())
    }

    /// The token whose secret a request carries, if it is good for this name. It is found by its digest, so the time that takes does not
    /// tell anything about the secrets of others.
    pub(super) fn token_for(&self, name: &str, secret: &str) -> Result<Option<Token>, Refusal> {
        let digest = hexadecimal(&Sha256::digest(secret));
        let token = Token::read(&self.tokens_directory().join(format!("{digest}.json")))?;
        Ok(token.filter(|token| token.names.matches(name) && token.expires > time::now()))
    }

    /// Uses a token up, while the lock is held; whether it was still there.
    pub(super) fn consume_token(&self, token: &Token) -> Result<bool, Refusal> {
        Ok(remove(&token.file)?)
    }

    /// Records an operation on the authority itself.
    pub(super) fn record_management(&self, what: &str, by: &Actor) -> Result<(), Problem> {
        let name = self.certificate.common_name().unwrap_or_default();
        let event = AuditEvent {
            action: Action::Manage,
            node: &name,
            serial: None,
            fingerprint: None,
            reason: Some(what.to_owned()),
        };
        self.audit.record(&event, by)
    }
}
