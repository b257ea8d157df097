//! Revoking certificates, and the lists of those that are.

use std::path::Path;
use std::time::Duration;

use num_bigint::BigUint;

use super::authority::in_file;
use super::crl::{self, Crl};
use super::{Authority, Refusal, inventory, time};
use crate::files::{read_if_there, write_whole};
use crate::log;

/// A list that expires within this time is renewed.
const RENEW_CRL_BEFORE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Authority {
    /// Revokes every certificate that these nodes were ever given; how many that were not revoked before.
    pub fn revoke(&self, names: &[String]) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        let known = inventory::read(&self.layout.inventory)?;
        let mut serials = Vec::new();
        for name in names {
            let before = serials.len();
            serials
                .extend(known.iter().filter(|entry| entry.name == *name).map(|entry| entry.serial.clone()));
            serials.extend(self.signed(name)?.map(|certificate| certificate.serial()));
            if serials.len() == before {
                return Err(Refusal::missing(format!("Could not find a certificate for {name}")));
            }
        }
        serials.sort();
        serials.dedup();
        self.revoke_serials(&self.layout.crl, &serials).inspect(|_| {
            if let Err(problem) = self.revoke_infra(&serials) {
                log::warning(&format!("cannot update the CRL of infrastructure nodes: {problem}"));
            }
        })
    }

    fn revoke_infra(&self, serials: &[BigUint]) -> Result<(), Refusal> {
        let Some(known) = read_if_there(&self.layout.infra_serials())? else { return Ok(()) };
        let known = String::from_utf8_lossy(&known).into_owned();
        let is_infra = |serial: &&BigUint| known.lines().any(|line| line.trim() == serial.to_string());
        let of_infra: Vec<BigUint> = serials.iter().filter(is_infra).cloned().collect();
        if !of_infra.is_empty() && self.layout.infra_crl().exists() {
            self.revoke_serials(&self.layout.infra_crl(), &of_infra)?;
        }
        Ok(())
    }

    fn revoke_serials(&self, file: &Path, serials: &[BigUint]) -> Result<usize, Refusal> {
        let mut lists = self.lists(file)?;
        let new = serials.iter().filter(|serial| !lists[0].revokes(serial)).count();
        if new > 0 {
            lists[0] = lists[0].with(&self.certificate, &self.key, serials, time::now())?;
            write_whole(file, crl::bundle(&lists).as_bytes(), 0o644)?;
        }
        Ok(new)
    }

    /// The lists of a file, this authority's first; it gets an empty one if it has none.
    fn lists(&self, file: &Path) -> Result<Vec<Crl>, Refusal> {
        let bytes = read_if_there(file)?.unwrap_or_default();
        let mut lists = Crl::all_from_pem(&bytes).map_err(in_file(file))?;
        match lists.iter().position(|list| list.is_of(&self.certificate)) {
            Some(at) => lists[..=at].rotate_right(1),
            None => lists.insert(0, Crl::empty(&self.certificate, &self.key, time::now())?),
        }
        Ok(lists)
    }

    /// The lists of revoked certificates, this authority's first.
    pub fn crls(&self) -> Result<Vec<Crl>, Refusal> {
        self.lists(&self.layout.crl)
    }

    /// Renews the lists that expire soon; whether there was one.
    pub fn refresh_crl(&self) -> Result<bool, Refusal> {
        let soon = |list: &Crl| list.next_update().is_none_or(|end| end < time::now() + RENEW_CRL_BEFORE);
        let mut refreshed = false;
        for file in [self.layout.crl.clone(), self.layout.infra_crl()] {
            if file != self.layout.crl && !file.exists() {
                continue;
            }
            let is_missing = !file.exists();
            if is_missing || soon(&self.lists(&file)?[0]) {
                let _lock = self.lock()?;
                let mut lists = self.lists(&file)?;
                lists[0] = lists[0].with(&self.certificate, &self.key, &[], time::now())?;
                write_whole(&file, crl::bundle(&lists).as_bytes(), 0o644)?;
                refreshed = true;
            }
        }
        Ok(refreshed)
    }

    /// Takes newer lists of the authorities above this one; its own it makes itself.
    pub fn update_crls(&self, new: &[Crl]) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        let mut lists = self.lists(&self.layout.crl)?;
        let mut updated = 0;
        for list in new {
            let issuer = self.chain.iter().find(|issuer| list.is_of(issuer));
            let Some(issuer) = issuer.filter(|issuer| issuer.der() != self.certificate.der()) else {
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
        Ok(self.crls()?[0].revokes(serial))
    }
}
