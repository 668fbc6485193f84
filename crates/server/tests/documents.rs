//! The web app has its types from documents that are kept beside it: they say what is served.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests may")]

use std::fs;
use std::path::Path;

#[test]
fn the_documents_of_the_web_app_say_what_is_served() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/api");
    let documents = [("hub", coop_server::hub_openapi()), ("session", coop_server::openapi())];
    for (name, document) in documents {
        let file = folder.join(format!("{name}.json"));
        let served = serde_json::to_string_pretty(&document).expect("a document") + "\n";
        // `make api` writes them.
        if std::env::var_os("COOP_BLESS").is_some() {
            fs::write(&file, &served).expect("a file that can be written");
        }
        let kept = fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == served, "web/api/{name}.json is not what is served: run `make api`");
    }
}
