//! Requests from their arrival to the decision about them.

use std::time::Duration;

use super::audit::Actor;
use super::certificate::{alt_names, shown};
use super::request::{Request, printable};
use super::signing::RuleAction;
use super::status::Fingerprints;
use super::tokens::Token;
use super::{Authority, Refusal};
use crate::files::{read_if_there, remove, write_once, write_whole};
use crate::log;

/// The mode of requests: they may hold the shared secret of a node.
const REQUEST_MODE: u32 = 0o640;

/// The decision about a request.
enum Judgement {
    /// It is signed, for so long if a rule has a validity, and uses up its token.
    Sign { lifetime: Option<Duration>, token: Option<Token> },
    /// It waits for a person; with the reason, if a rule that would sign it does not fit.
    Wait(Option<String>),
    /// It is refused.
    Refuse(String),
}

fn not_handed_out(reserved: &str) -> String {
    format!("'{}' is reserved; only `kukla ca sign` can grant it", printable(reserved))
}

impl Authority {
    /// Takes a request; whether it was signed at once.
    pub fn submit(&self, name: &str, text: &[u8], by: &Actor) -> Result<bool, Refusal> {
        let denied = |fingerprint: Option<String>| {
            move |refusal: Refusal| {
                if let Refusal::Rule(problem) | Refusal::Busy(problem) = &refusal {
                    self.audit.record_denial(name, fingerprint, problem.to_string(), by);
                }
                refusal
            }
        };
        let request = Request::from_pem(text).map_err(Refusal::Rule).map_err(denied(None))?;
        let fingerprint = Some(Fingerprints::of(request.der()).sha256);
        self.take(name, &request, by).map_err(denied(fingerprint.clone()))?;
        self.judge_and_sign(name, &request, by).map_err(denied(fingerprint))
    }

    /// Checks a request and keeps it until it is signed.
    fn take(&self, name: &str, request: &Request, by: &Actor) -> Result<(), Refusal> {
        let subject = request.common_name().unwrap_or_default();
        self.check_duplicate(&subject)?;
        request.check_subject(name)?;
        if !request.is_signed() {
            let problem = "CSR contains a public key that does not correspond to the signing key";
            return Err(Refusal::rule(problem));
        }
        let text = request.to_pem();
        let _lock = self.lock()?;
        self.check_duplicate(name)?;
        self.check_limits(name, by)?;
        self.note_pending(name, false, by)?;
        let path = self.layout.request_of(name);
        if self.practice.duplicates {
            write_whole(&path, text.as_bytes(), REQUEST_MODE)?;
        } else {
            write_once(&path, text.as_bytes(), REQUEST_MODE)?;
        }
        Ok(())
    }

    /// Judges a request that was taken, and signs it if the rules permit; whether it was signed.
    pub(super) fn judge_and_sign(&self, name: &str, request: &Request, by: &Actor) -> Result<bool, Refusal> {
        // A policy command may take its time, and others need not wait for it.
        let judgement = self.judge(name, request)?;
        let fingerprint = || Some(Fingerprints::of(request.der()).sha256);
        match judgement {
            Judgement::Sign { lifetime, token } => {
                self.sign_judged(name, request, lifetime, token.as_ref(), by)
            }
            Judgement::Wait(reason) => {
                if let Some(reason) = reason {
                    log::warning(&format!("the request of {name} is not signed automatically: {reason}"));
                    self.audit.record_denial(name, fingerprint(), reason, by);
                }
                let _lock = self.lock()?;
                if self.layout.request_of(name).exists() {
                    self.note_pending(name, true, by)?;
                }
                Ok(false)
            }
            Judgement::Refuse(reason) => {
                let _lock = self.lock()?;
                let path = self.layout.request_of(name);
                if read_if_there(&path)?.as_deref() == Some(request.to_pem().as_bytes()) {
                    remove(&path)?;
                    self.forget_pending(name)?;
                }
                Err(Refusal::rule(reason))
            }
        }
    }

    /// Decides about a request: the first rule of the signing policy that fits its name, else the setting `autosign`.
    fn judge(&self, name: &str, request: &Request) -> Result<Judgement, Refusal> {
        let policy = &self.practice.signing;
        let reserved = self.reserved_name(name, request)?;
        let Some((number, rule)) = policy.rule_for(name) else {
            if !self.practice.autosign.permits(name, &request.to_pem()) {
                return Ok(Judgement::Wait(None));
            }
            return Ok(match reserved {
                Some(reserved) => Judgement::Wait(Some(not_handed_out(&reserved))),
                None => Judgement::Sign { lifetime: None, token: None },
            });
        };
        match rule.action {
            RuleAction::Refuse => {
                return Ok(Judgement::Refuse(format!("signing rule {number} refuses '{name}'")));
            }
            RuleAction::Wait => return Ok(Judgement::Wait(None)),
            RuleAction::Sign => {}
        }
        let secret = request.challenge_password();
        let token = match &secret {
            Some(secret) if rule.token => self.token_for(name, secret)?,
            _ => None,
        };
        let reason = if let Some(reserved) = reserved {
            Some(not_handed_out(&reserved))
        } else if let Some(extension) = rule.unmet_extension(request)? {
            Some(format!("signing rule {number} requires another value of the extension {extension}"))
        } else if rule.token && token.is_none() {
            Some(format!("signing rule {number} requires a valid one-time token as challenge password"))
        } else {
            None
        };
        Ok(match reason {
            None => Judgement::Sign { lifetime: rule.lifetime, token },
            // A secret that is still good must not stay in a file.
            Some(reason) if secret.is_some() && rule.token => Judgement::Refuse(reason),
            Some(reason) => Judgement::Wait(Some(reason)),
        })
    }

    /// Signs exactly the request that was judged. While it was judged, the waiting request may have been withdrawn, which ends it, or
    /// replaced, which leaves the other one to its own judgement; whether it was signed.
    fn sign_judged(
        &self,
        name: &str,
        request: &Request,
        lifetime: Option<Duration>,
        token: Option<&Token>,
        by: &Actor,
    ) -> Result<bool, Refusal> {
        request.check(name, self.practice.allowed)?;
        let _lock = self.lock()?;
        let path = self.layout.request_of(name);
        let waiting = read_if_there(&path)?;
        let is_waiting = waiting.as_deref() == Some(request.to_pem().as_bytes());
        if !is_waiting && (waiting.is_none() || !self.practice.duplicates) {
            return Ok(false);
        }
        if let Some(token) = token
            && !self.consume_token(token)?
        {
            return Err(Refusal::rule("the one-time token was used by another request"));
        }
        self.sign_request(name, request, lifetime, by)?;
        if is_waiting {
            remove(&path)?;
            self.forget_pending(name)?;
        }
        Ok(true)
    }

    /// The first name that a request asks for and that belongs to the server itself: a node with such a certificate could pose as the server.
    fn reserved_name(&self, name: &str, request: &Request) -> Result<Option<String>, Refusal> {
        let mut reserved = self.practice.reserved.clone();
        if let Some(host) = &self.practice.server {
            reserved.push(host.certname.clone());
            if let Some(own) = self.signed(&host.certname)? {
                reserved.extend(alt_names(own.extensions())?.iter().map(shown));
            }
        }
        let plain = |name: &str| {
            let name = name.strip_prefix("DNS:").unwrap_or(name);
            name.trim_end_matches('.').to_lowercase()
        };
        let reserved: Vec<String> = reserved.iter().map(|name| plain(name)).collect();
        let extensions = request.extensions().map_err(Refusal::Rule)?;
        let names = alt_names(&extensions).map_err(Refusal::Rule)?;
        let mut asked = std::iter::once(name.to_owned()).chain(names.iter().map(shown));
        let is_reserved = |name: &String| {
            let name = plain(name);
            reserved.contains(&name)
                || self.practice.signing.reserved.iter().any(|pattern| pattern.matches(&name))
        };
        Ok(asked.find(is_reserved))
    }
}
