//! Whom the hub pushes to. A device says where its push service is, and one that may only look must not make the hub talk to
//! whatever address it likes: so it is one of the services of browsers, or one that the settings name.

use axum::http::Uri;
use axum::http::uri::Scheme;

/// The services of Chrome and those built on it, Firefox, Safari and Edge. A dot at the beginning stands for any name below.
const KNOWN: [&str; 7] = [
    "fcm.googleapis.com",
    "android.googleapis.com",
    "updates.push.services.mozilla.com",
    ".push.services.mozilla.com",
    "web.push.apple.com",
    ".push.apple.com",
    ".notify.windows.com",
];
/// Those of the services have a few hundred characters.
const LONGEST: usize = 2048;

/// Whether something may be sent there. `own` are hosts that the settings name; only those may be on this machine, and only
/// there is it done without TLS.
pub(super) fn takes(endpoint: &str, own: &[String]) -> bool {
    let Some(uri) = endpoint.parse::<Uri>().ok().filter(|_| endpoint.len() <= LONGEST) else { return false };
    let Some(authority) = uri.authority().filter(|authority| !authority.as_str().contains('@')) else { return false };
    let host = authority.host().trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let named = own.iter().any(|name| name.eq_ignore_ascii_case(&host));
    let here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match uri.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => {
            let usual = authority.port_u16().is_none_or(|port| port == 443);
            named || (usual && KNOWN.iter().any(|known| fits(known, &host)))
        }
        Some(scheme) if *scheme == Scheme::HTTP => named && here,
        _ => false,
    }
}

fn fits(known: &str, host: &str) -> bool {
    if known.starts_with('.') { host.len() > known.len() && host.ends_with(known) } else { host == known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_things_are_sent() {
        let own = ["push.example.org".to_owned(), "127.0.0.1".into()];
        for (endpoint, usual, named) in [
            ("https://fcm.googleapis.com/fcm/send/abc:def", true, true),
            ("https://FCM.googleapis.com./fcm/send/abc", true, true),
            ("https://updates.push.services.mozilla.com/wpush/v2/x", true, true),
            ("https://autopush.push.services.mozilla.com:443/x", true, true),
            ("https://web.push.apple.com/QX", true, true),
            ("https://db5p.notify.windows.com/w/?token=x", true, true),
            ("http://fcm.googleapis.com/x", false, false),
            ("https://fcm.googleapis.com:22/x", false, false),
            ("https://fcm.googleapis.com@10.0.0.1/x", false, false),
            ("https://fcm.googleapis.com.evil.example/x", false, false),
            ("https://evilnotify.windows.com/x", false, false),
            ("https://.notify.windows.com/x", false, false),
            ("https://10.0.0.1/x", false, false),
            ("https://169.254.169.254/latest", false, false),
            ("https://[::1]/x", false, false),
            ("http://127.0.0.1:9/x", false, true),
            ("https://127.0.0.1:9/x", false, true),
            ("https://push.example.org:8443/x", false, true),
            ("http://push.example.org/x", false, false),
            ("https://sub.push.example.org/x", false, false),
            ("ftp://127.0.0.1/x", false, false),
            ("/x", false, false),
            ("", false, false),
        ] {
            assert_eq!((takes(endpoint, &[]), takes(endpoint, &own)), (usual, named), "{endpoint}");
        }
        assert!(!takes(&format!("https://fcm.googleapis.com/{}", "x".repeat(3000)), &own));
    }
}
