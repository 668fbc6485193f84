//! The right to type.

use coop_api::v1::{LeaseRequest, LeaseResponse};
use coop_api::{ApiError, Code};
use coop_core::lease::LeaseId;

use crate::app::{App, Caller, session_error};

/// Longer names are cut: they are shown to others.
const MAX_HOLDER: usize = 80;

pub(super) async fn lease(app: &App, caller: &Caller, request: LeaseRequest) -> Result<LeaseResponse, ApiError> {
    let known = request.lease.map(LeaseId).or_else(|| caller.lease.clone());
    match request.action.as_str() {
        "acquire" => {
            let id = match known {
                Some(id) => id,
                None => random_id()?,
            };
            let holder: String = match request.holder {
                Some(name) => name.chars().filter(|c| !c.is_control()).take(MAX_HOLDER).collect(),
                None => format!("a client at {}", caller.peer.key),
            };
            let ttl = app.session.acquire(id.clone(), holder, request.take_over).await.map_err(session_error)?;
            let expires_in_secs = u32::try_from(ttl.as_secs()).unwrap_or(u32::MAX);
            Ok(LeaseResponse { held: true, lease: Some(id.0), expires_in_secs })
        }
        "release" => {
            let id = known.ok_or_else(|| ApiError::bad_request("Say which `lease` to give back."))?;
            if !app.session.release(id).await.map_err(session_error)? {
                return Err(ApiError::bad_request(
                    "This lease is not held: it was released, taken over or has expired.",
                ));
            }
            Ok(LeaseResponse::default())
        }
        other => Err(ApiError::bad_request(format!("There is no action `{other}`: it is acquire or release."))),
    }
}

/// Returns an id that cannot be guessed.
pub(crate) fn random_id() -> Result<LeaseId, ApiError> {
    random_hex::<8>().map(LeaseId)
}

/// Returns `N` random bytes as hexadecimal digits.
pub(crate) fn random_hex<const N: usize>() -> Result<String, ApiError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| ApiError::new(Code::Internal, format!("No random numbers: {error}.")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
