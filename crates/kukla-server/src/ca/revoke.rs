//! Revoking certificates, and the lists of those that are.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use kukla::syntax::Problem;
use num_bigint::BigUint;

use super::audit::{Action, Actor, AuditEvent};
use super::authority::in_file;
use super::certificate::Certificate;
use super::crl::{self, Crl};
use super::keys::Key;
use super::{Authority, Refusal, inventory, setup, time};
use crate::files::{read_if_there, write_whole};
use crate::log;

/// A list that expires within this time is renewed.
const RENEW_CRL_BEFORE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Authority {
    /// Revokes every certificate that these nodes were ever given; how many that were not revoked before.
    pub fn revoke(&self, names: &[String], by: &Actor) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        let mut known: HashMap<&str, Vec<BigUint>> =
            names.iter().map(|name| (name.as_str(), Vec::new())).collect();
        for entry in inventory::read(&self.layout.inventory)? {
            if let Some(serials) = known.get_mut(entry.name.as_str()) {
                serials.push(entry.serial);
            }
        }
        for name in names {
            let serials = known.entry(name).or_default();
            serials.extend(self.signed(name)?.map(|certificate| certificate.serial()));
            serials.sort();
            serials.dedup();
            if serials.is_empty() {
                return Err(Refusal::missing(format!("Could not find a certificate for {name}")));
            }
        }
        let revoked = self.revoked_serials()?;
        for name in names {
            for serial in known.get(name.as_str()).into_iter().flatten() {
                if !revoked.contains(serial) {
                    self.audit.record(
                        &AuditEvent {
                            action: Action::Revoke,
                            node: name,
                            serial: Some(serial),
                            fingerprint: None,
                            reason: None,
                        },
                        by,
                    )?;
                }
            }
        }
        let serials: Vec<BigUint> =
            known.into_values().flatten().collect::<BTreeSet<_>>().into_iter().collect();
        let new = self.revoke_serials(&self.layout.crl, &serials)?;
        if let Err(problem) = self.revoke_infra(&serials) {
            log::warning(&format!("cannot update the CRL of infrastructure nodes: {problem}"));
        }
        if let Some(host) = &self.practice.server
            && let Err(problem) = setup::publish(self, host)
        {
            log::error(&format!("cannot update {}: {problem}", host.crl().display()));
        }
        Ok(new)
    }

    fn revoke_infra(&self, serials: &[BigUint]) -> Result<(), Refusal> {
        let Some(known) = read_if_there(&self.layout.infra_serials())? else { return Ok(()) };
        let known = String::from_utf8_lossy(&known).into_owned();
        let known: HashSet<&str> = known.lines().map(str::trim).collect();
        let is_infra = |serial: &&BigUint| known.contains(serial.to_string().as_str());
        let of_infra: Vec<BigUint> = serials.iter().filter(is_infra).cloned().collect();
        if !of_infra.is_empty() && self.layout.infra_crl().exists() {
            self.revoke_serials(&self.layout.infra_crl(), &of_infra)?;
        }
        Ok(())
    }

    /// Adds numbers to the lists of a file; how many were new. All issuers of an authority share one row of numbers, so each of them revokes a
    /// number, whichever of them has signed it.
    fn revoke_serials(&self, file: &Path, serials: &[BigUint]) -> Result<usize, Refusal> {
        let (mut own, others) = self.lists(file)?;
        let revoked: HashSet<BigUint> = own.iter().flat_map(Crl::serials).collect();
        let new = serials.iter().filter(|serial| !revoked.contains(serial)).count();
        if new > 0 {
            for (list, (issuer, key)) in own.iter_mut().zip(self.issuers()) {
                *list = list.with(issuer, key, serials, time::now())?;
            }
            own.extend(others);
            write_whole(file, crl::bundle(&own).as_bytes(), 0o644)?;
        }
        Ok(new)
    }

    /// The lists of a file: those of this authority, one for each of its issuers and in their order, and all others. A new authority gets an empty
    /// one; for one that has signed certificates, the loss of its list is an error: an empty list in its place would let in every node that
    /// was revoked.
    fn lists(&self, file: &Path) -> Result<(Vec<Crl>, Vec<Crl>), Refusal> {
        let bytes = read_if_there(file)?.unwrap_or_default();
        let mut others = Crl::all_from_pem(&bytes).map_err(in_file(file))?;
        let mut own = Vec::new();
        for (issuer, key) in self.issuers() {
            own.push(self.take_list(issuer, key, &mut others, file, bytes.trim_ascii().is_empty())?);
        }
        Ok((own, others))
    }

    fn take_list(
        &self,
        issuer: &Certificate,
        key: &Key,
        lists: &mut Vec<Crl>,
        file: &Path,
        is_empty: bool,
    ) -> Result<Crl, Refusal> {
        match lists.iter().position(|list| list.is_of(issuer)) {
            Some(at) => Ok(lists.remove(at)),
            None if !is_empty || self.has_signed_any()? => {
                let name = issuer.common_name().unwrap_or_default();
                Err(Refusal::Failure(
                    Problem::not_found(format!("the CRL of '{name}' is missing"))
                        .because(format_args!("{} does not hold it", file.display()))
                        .help("restore the file from a backup, or from crl.pem of a node that has fetched it")
                        .help("if no copy is left, `kukla ca recreate-crl` revokes all certificates that are not in the directory `signed`"),
                ))
            }
            None => Ok(Crl::empty(issuer, key, time::now())?),
        }
    }

    /// Whether certificates were signed: the inventory has entries, or certificates are there.
    fn has_signed_any(&self) -> Result<bool, Refusal> {
        let highest = self.highest.read(&self.layout.inventory)?;
        Ok(highest > BigUint::ZERO || !self.issued()?.is_empty())
    }

    /// Makes a new list in place of one that is lost. It revokes every certificate of the inventory whose file is gone, since `clean` removes
    /// the files of certificates that it revokes; those that are still there count as good, and are returned for review.
    pub fn recreate_crl(&self, by: &Actor) -> Result<Vec<String>, Refusal> {
        let _lock = self.lock()?;
        let bytes = read_if_there(&self.layout.crl)?.unwrap_or_default();
        let mut lists = Crl::all_from_pem(&bytes).unwrap_or_default();
        let has_list = |lists: &[Crl], issuer: &Certificate| lists.iter().any(|list| list.is_of(issuer));
        if self.issuers().all(|(issuer, _)| has_list(&lists, issuer)) {
            return Err(Refusal::rule("the CRL of the authority is there; nothing was changed"));
        }
        let present = self.issued()?;
        let mut serials = HashSet::new();
        for name in &present {
            serials.extend(self.signed(name)?.map(|certificate| certificate.serial()));
        }
        let known = inventory::read(&self.layout.inventory)?;
        let gone: Vec<BigUint> =
            known.into_iter().map(|entry| entry.serial).filter(|serial| !serials.contains(serial)).collect();
        self.record_management(&format!("recreated the CRL with {} revoked certificates", gone.len()), by)?;
        // Nodes may have the lost list, so the new one needs a higher number than that had.
        let number = self.highest.read(&self.layout.inventory)? + BigUint::from(1_000_000_u32);
        for (issuer, key) in self.issuers() {
            if !has_list(&lists, issuer) {
                lists.push(Crl::numbered(issuer, key, &gone, &number, time::now())?);
            }
        }
        lists.retain(|list| self.chain.iter().any(|issuer| list.is_of(issuer)));
        write_whole(&self.layout.crl, crl::bundle(&lists).as_bytes(), 0o644)?;
        Ok(present)
    }

    /// The lists of revoked certificates, this authority's first.
    pub fn crls(&self) -> Result<Vec<Crl>, Refusal> {
        let (mut own, others) = self.lists(&self.layout.crl)?;
        own.extend(others);
        Ok(own)
    }

    /// The list of the present issuer.
    pub fn own_crl(&self) -> Result<Crl, Refusal> {
        Ok(self.lists(&self.layout.crl)?.0.swap_remove(0))
    }

    /// Renews the lists that expire soon, that of a root whose key is here included, and writes the first list of a new authority; whether there
    /// was one.
    pub fn refresh_crl(&self) -> Result<bool, Refusal> {
        let root = self.root()?;
        let mut refreshed = false;
        for file in [self.layout.crl.clone(), self.layout.infra_crl()] {
            if file != self.layout.crl && !file.exists() {
                continue;
            }
            let _lock = self.lock()?;
            let is_missing = !file.exists();
            let (mut lists, others) = self.lists(&file)?;
            lists.extend(others);
            let issuers = self.issuers().chain(root.iter().map(|root| (&root.certificate, &root.key)));
            let mut is_renewed = false;
            for (issuer, key) in issuers {
                let list = lists.iter_mut().find(|list| list.is_of(issuer));
                if let Some(list) = list.filter(|list| is_missing || expires_soon(list)) {
                    *list = list.with(issuer, key, &[], time::now())?;
                    is_renewed = true;
                }
            }
            if is_renewed {
                write_whole(&file, crl::bundle(&lists).as_bytes(), 0o644)?;
                refreshed = true;
            }
        }
        Ok(refreshed)
    }

    /// Takes newer lists of the authorities above this one; its own it makes itself.
    pub fn update_crls(&self, new: &[Crl]) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        let mut lists = self.crls()?;
        let mut updated = 0;
        for list in new {
            let issuer = self.chain.iter().find(|issuer| list.is_of(issuer));
            let Some(issuer) = issuer.filter(|issuer| !self.is_own(issuer)) else {
                continue;
            };
            match lists.iter_mut().find(|known| known.is_of(issuer)) {
                Some(known) if known.number() < list.number() => *known = list.clone(),
                Some(_) => continue,
                None => lists.push(list.clone()),
            }
            updated += 1;
        }
        if updated > 0 {
            write_whole(&self.layout.crl, crl::bundle(&lists).as_bytes(), 0o644)?;
        }
        Ok(updated)
    }

    /// Whether a number is revoked.
    pub fn is_revoked(&self, serial: &BigUint) -> Result<bool, Refusal> {
        Ok(self.lists(&self.layout.crl)?.0.iter().any(|list| list.revokes(serial)))
    }

    /// All numbers that are revoked, for callers that ask about many.
    pub fn revoked_serials(&self) -> Result<HashSet<BigUint>, Refusal> {
        Ok(self.lists(&self.layout.crl)?.0.iter().flat_map(Crl::serials).collect())
    }
}

fn expires_soon(list: &Crl) -> bool {
    list.next_update().is_none_or(|end| end < time::now() + RENEW_CRL_BEFORE)
}
