//! The files of `deploy/` are what they claim to be: valid for Kubernetes, and in agreement with themselves.
//!
//! Every rule is seen failing once: a row changes a few words of a real manifest and names the complaint it must cause.
#![allow(clippy::unwrap_used)] // a test stops where it fails

#[path = "manifests/agreement.rs"]
mod agreement;
#[path = "manifests/dockerfile.rs"]
mod dockerfile;
#[path = "manifests/schema.rs"]
mod schema;

use serde_json::Value;

const SIDECAR: &str = include_str!("../../deploy/k8s-sidecar.yaml");
const STANDALONE: &str = include_str!("../../deploy/k8s-standalone.yaml");

fn complaints(yaml: &str) -> Vec<String> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).unwrap();
    let mut complaints: Vec<String> = documents.iter().flat_map(schema::complaints).collect();
    complaints.extend(agreement::complaints(&documents));
    complaints
}

#[test]
fn the_manifests_are_right() {
    for (yaml, kinds) in
        [(SIDECAR, &["Pod"][..]), (STANDALONE, &["Secret", "Deployment", "Service", "NetworkPolicy"][..])]
    {
        let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).unwrap();
        let found: Vec<_> = documents.iter().filter_map(|document| document["kind"].as_str()).collect();
        assert_eq!(found, kinds);
        assert_eq!(complaints(yaml), [""; 0]);
    }
}

#[test]
fn a_wrong_manifest_is_found_out() {
    #[rustfmt::skip]
    let rows = [
        // Against the schema.
        (SIDECAR, "readOnlyRootFilesystem: true", "readonlyRootFilesystem: true", "readonlyRootFilesystem"),
        (SIDECAR, "periodSeconds: 10", "periodSecond: 10", "periodSecond"),
        (SIDECAR, "containerPort: 8080", "containerPort: eighty", "is not of type"),
        (SIDECAR, "apiVersion: v1", "apiVersion: v2", "v2 Pod"),
        (STANDALONE, "replicas: 1", "replica: 1", "replica"),
        (STANDALONE, "stringData:", "stringdata:", "stringdata"),
        (STANDALONE, "targetPort: http", "targetport: http", "targetport"),
        (STANDALONE, "policyTypes:", "policyType:", "policyType"),
        (STANDALONE, "cidr: 0.0.0.0/0", "cidrs: 0.0.0.0/0", "cidr"),
        // Against the command line of coop.
        (SIDECAR, "--port=8080", "--port=8081", "--port is 8081, the port `http` is 8080"),
        (SIDECAR, "--grpc-port=9090", "--grpc-port=9", "--grpc-port is 9,"),
        (STANDALONE, "--health-port=9091", "--health-port=9", "--health-port is 9,"),
        (SIDECAR, "- --host=0.0.0.0\n", "- --cols=200\n", "--host"),
        (SIDECAR, "path: /livez", "path: /alive", "livenessProbe asks /alive"),
        (SIDECAR, "path: /ready\n          port: health", "path: /ready\n          port: http", "readinessProbe asks port http"),
        (SIDECAR, "name: COOP_AUTH_TOKEN", "name: COOP_TOKEN", "COOP_AUTH_TOKEN"),
        (SIDECAR, "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 10", "terminationGracePeriodSeconds"),
        (SIDECAR, "enableServiceLinks: false", "enableServiceLinks: true", "enableServiceLinks"),
        // Against what a container that runs an agent may do.
        (SIDECAR, "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"),
        (SIDECAR, "type: RuntimeDefault", "type: Unconfined", "seccomp"),
        (SIDECAR, "automountServiceAccountToken: false", "automountServiceAccountToken: true", "automount"),
        (SIDECAR, "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation"),
        (SIDECAR, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "readOnlyRootFilesystem"),
        (STANDALONE, "drop: [\"ALL\"]", "drop: [\"KILL\"]", "drop"),
        (STANDALONE, "memory: 2Gi", "cpu: 2", "limits"),
        (STANDALONE, "mountPath: /tmp", "mountPath: /var/tmp", "XDG_RUNTIME_DIR"),
        (SIDECAR, "mountPath: /home/agent", "mountPath: /home/other", "HOME"),
        (SIDECAR, "name: tmp\n      emptyDir", "name: temp\n      emptyDir", "volume `tmp`"),
        // Against the other documents of the file.
        (STANDALONE, "  token: \"\"", "  key: \"\"", "secret coop-agent has no key `token`"),
        (STANDALONE, "targetPort: grpc", "targetPort: rpc", "port `rpc`"),
        (STANDALONE, "- port: grpc", "- port: rpc", "port `rpc`"),
        (STANDALONE, "  selector:\n    app.kubernetes.io/name: coop-agent", "  selector:\n    app.kubernetes.io/name: coop", "Service selects no pod"),
        (STANDALONE, "  podSelector:\n    matchLabels:\n      app.kubernetes.io/name: coop-agent", "  podSelector:\n    matchLabels:\n      app.kubernetes.io/name: coop", "NetworkPolicy selects no pod"),
        (STANDALONE, "  selector:\n    matchLabels:\n      app.kubernetes.io/name: coop-agent", "  selector:\n    matchLabels:\n      app.kubernetes.io/name: coop", "Deployment selects no pod"),
    ];
    for (yaml, right, wrong, complaint) in rows {
        assert!(yaml.contains(right), "the manifest does not contain {right:?}");
        let found = complaints(&yaml.replacen(right, wrong, 1));
        assert!(found.iter().any(|c| c.contains(complaint)), "{right:?} -> {wrong:?}: {found:#?}");
    }
}
