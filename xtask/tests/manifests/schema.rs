//! One Kubernetes object against the published schema of its kind, with unknown fields refused.

use serde_json::{Value, json};

const DEFINITIONS: &str = include_str!("../../../deploy/testdata/kubernetes-1.37-strict.json");

const KINDS: &[(&str, &str, &str)] = &[
    ("v1", "Pod", "io.k8s.api.core.v1.Pod"),
    ("v1", "Secret", "io.k8s.api.core.v1.Secret"),
    ("v1", "Service", "io.k8s.api.core.v1.Service"),
    ("apps/v1", "Deployment", "io.k8s.api.apps.v1.Deployment"),
    ("networking.k8s.io/v1", "NetworkPolicy", "io.k8s.api.networking.v1.NetworkPolicy"),
];

pub(crate) fn complaints(document: &Value) -> Vec<String> {
    let version = document["apiVersion"].as_str().unwrap_or_default();
    let kind = document["kind"].as_str().unwrap_or_default();
    let Some((_, _, definition)) = KINDS.iter().find(|(v, k, _)| (*v, *k) == (version, kind)) else {
        return vec![format!("there is no schema for {version} {kind}")];
    };
    let mut schema: Value = serde_json::from_str(DEFINITIONS).unwrap();
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(document).map(|error| format!("{kind}{}: {error}", error.instance_path())).collect()
}
