//! Devices come by a code, and go when somebody takes their token back.

use std::sync::Arc;
use std::time::Instant;

use coop_core::access::Offer;
use coop_machine::clock::{ms_of, now_ms};

use super::Owner;
use crate::devices::{self, Device, Offered, Paired};
use crate::handle::HubError;

/// More are not a person's.
const MAX_DEVICES: usize = 256;

impl Owner {
    pub(super) fn offer_code(&mut self, offer: Offer) -> Result<Offered, HubError> {
        let (code, digest) = devices::new_code().map_err(no_random)?;
        let expires = self.pairing.offer(Instant::now(), digest, offer);
        Ok(Offered { code, expires_ms: ms_of(expires) })
    }

    /// It is in the ledger before its token is told.
    pub(super) fn pair(&mut self, code: &str, name: Option<&str>, from: &str) -> Result<Paired, HubError> {
        let known = self.devices.borrow().clone();
        if known.len() >= MAX_DEVICES {
            let why = format!("There are {MAX_DEVICES} devices already: coop devices revoke ID takes one back.");
            return Err(HubError::Unfit(why));
        }
        let offer = self.pairing.redeem(Instant::now(), from, &devices::code_digest(code)).map_err(HubError::Pair)?;
        let token = devices::new_token().map_err(no_random)?;
        let (digest, added_ms) = (devices::digest(&token), now_ms());
        let name = offer.name.as_deref().or(name);
        let added = self.ledger.add_device(name, offer.reach, &digest, added_ms);
        let device = added.map_err(|error| HubError::Ledger(error.to_string()))?;
        let all = known.iter().cloned().chain([Arc::new(device.clone())]).collect();
        self.devices.send_replace(Arc::new(all));
        Ok(Paired { device, token })
    }

    /// From now on its token opens nothing, and whatever it follows ends.
    pub(super) fn revoke(&mut self, id: u64) -> Result<Device, HubError> {
        let known = self.devices.borrow().clone();
        let device = known.iter().find(|device| device.id == id).ok_or(HubError::NoDevice(id))?;
        self.ledger.remove_device(id).map_err(|error| HubError::Ledger(error.to_string()))?;
        self.devices.send_replace(Arc::new(known.iter().filter(|device| device.id != id).cloned().collect()));
        Ok(Device::clone(device))
    }
}

fn no_random(error: getrandom::Error) -> HubError {
    HubError::NoRandom(error.to_string())
}
