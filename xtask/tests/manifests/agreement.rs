//! What a schema cannot see: ports, flags, probes, volumes, secrets and selectors of one file fit together, and the
//! containers are locked down.

use serde_json::Value;

/// How long coop waits for the agent to end before it kills it.
const SHUTDOWN_SECS: u64 = 10;

/// A flag of coop and the name of the container port that must have its value.
const PORTS: &[(&str, &str)] = &[("--port", "http"), ("--grpc-port", "grpc"), ("--health-port", "health")];
const PROBES: &[(&str, &str)] = &[("livenessProbe", "/livez"), ("readinessProbe", "/ready")];

pub(crate) fn complaints(documents: &[Value]) -> Vec<String> {
    let mut complaints = Vec::new();
    let pods: Vec<&Value> = documents.iter().filter_map(pod).collect();
    for pod in &pods {
        check_pod(&pod["spec"], &mut complaints);
        for container in list(&pod["spec"]["containers"]) {
            check_locked_down(container, &mut complaints);
            check_mounts(&pod["spec"], container, &mut complaints);
            if container["command"][0] == "coop" {
                check_coop(container, &mut complaints);
                check_secrets(documents, container, &mut complaints);
            }
        }
    }
    for document in documents {
        check_selection(document, &pods, &mut complaints);
    }
    complaints
}

fn check_pod(spec: &Value, complaints: &mut Vec<String>) {
    let rules = [
        (
            spec["terminationGracePeriodSeconds"].as_u64() > Some(SHUTDOWN_SECS),
            "terminationGracePeriodSeconds is too short",
        ),
        (spec["enableServiceLinks"] == false, "enableServiceLinks would set COOP_PORT and the like"),
        (spec["automountServiceAccountToken"] == false, "automountServiceAccountToken gives the agent the cluster"),
        (spec["securityContext"]["runAsNonRoot"] == true, "runAsNonRoot is off"),
        (
            spec["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault",
            "the seccomp profile is not RuntimeDefault",
        ),
    ];
    note(&rules, "pod", complaints);
}

fn check_locked_down(container: &Value, complaints: &mut Vec<String>) {
    let security = &container["securityContext"];
    let resources = &container["resources"];
    let rules = [
        (security["allowPrivilegeEscalation"] == false, "allowPrivilegeEscalation is on"),
        (security["readOnlyRootFilesystem"] == true, "readOnlyRootFilesystem is off"),
        (list(&security["capabilities"]["drop"]).any(|name| name == "ALL"), "capabilities: does not drop ALL"),
        (resources["requests"]["memory"].is_string(), "resources: requests no memory"),
        (resources["limits"]["memory"].is_string(), "resources: no memory in limits"),
    ];
    note(&rules, text(&container["name"]), complaints);
}

fn check_mounts(spec: &Value, container: &Value, complaints: &mut Vec<String>) {
    for mount in list(&container["volumeMounts"]) {
        if !list(&spec["volumes"]).any(|volume| volume["name"] == mount["name"]) {
            complaints.push(format!("the pod has no volume `{}`", text(&mount["name"])));
        }
    }
}

fn check_coop(container: &Value, complaints: &mut Vec<String>) {
    for (name, port) in PORTS {
        let (flag, port_number) = (flag(container, name), port_number(container, port));
        if flag.is_none() || flag != port_number {
            let [flag, port_number] = [flag, port_number].map(Option::unwrap_or_default);
            complaints.push(format!("{name} is {flag}, the port `{port}` is {port_number}"));
        }
    }
    for (probe, path) in PROBES {
        let get = &container[*probe]["httpGet"];
        if get["path"] != *path {
            complaints.push(format!("{probe} asks {}, not {path}", text(&get["path"])));
        }
        if get["port"] != "health" {
            complaints.push(format!("{probe} asks port {}, not health", text(&get["port"])));
        }
    }
    let token = env(container, "COOP_AUTH_TOKEN");
    let is_writable = |folder: &Value| {
        list(&container["volumeMounts"]).any(|mount| mount["mountPath"] == *folder && mount["readOnly"] != true)
    };
    let env_is_writable = |name| env(container, name).is_some_and(|variable| is_writable(&variable["value"]));
    let rules = [
        (flag(container, "--host").as_deref() == Some("0.0.0.0"), "--host is not 0.0.0.0, so nobody can connect"),
        (
            token.is_some_and(|t| t["valueFrom"]["secretKeyRef"]["key"] == "token"),
            "COOP_AUTH_TOKEN is not from a secret",
        ),
        (is_writable(&container["workingDir"]), "the workingDir cannot be written"),
        (env_is_writable("HOME"), "HOME cannot be written"),
        (env_is_writable("XDG_RUNTIME_DIR"), "XDG_RUNTIME_DIR cannot be written"),
    ];
    note(&rules, text(&container["name"]), complaints);
}

/// A file that brings its own secret brings every key that is not optional.
fn check_secrets(documents: &[Value], container: &Value, complaints: &mut Vec<String>) {
    let secrets: Vec<&Value> = documents.iter().filter(|document| document["kind"] == "Secret").collect();
    for reference in list(&container["env"]).map(|variable| &variable["valueFrom"]["secretKeyRef"]) {
        if secrets.is_empty() || reference.is_null() || reference["optional"] == true {
            continue;
        }
        let (name, key) = (text(&reference["name"]), text(&reference["key"]));
        let has_key = |secret: &&Value| secret["metadata"]["name"] == name && secret["stringData"].get(key).is_some();
        if !secrets.iter().any(has_key) {
            complaints.push(format!("secret {name} has no key `{key}`"));
        }
    }
}

/// Selectors select the pod of the file, and the ports named next to them are ports of that pod.
fn check_selection(document: &Value, pods: &[&Value], complaints: &mut Vec<String>) {
    let spec = &document["spec"];
    let (labels, ports): (&Value, Vec<&Value>) = match text(&document["kind"]) {
        "Deployment" => (&spec["selector"]["matchLabels"], Vec::new()),
        "Service" => (&spec["selector"], list(&spec["ports"]).map(|port| &port["targetPort"]).collect()),
        "NetworkPolicy" => {
            let ports = list(&spec["ingress"]).flat_map(|rule| list(&rule["ports"])).map(|port| &port["port"]);
            (&spec["podSelector"]["matchLabels"], ports.collect())
        }
        _ => return,
    };
    let labels = labels.as_object().into_iter().flatten();
    let selects = |pod: &&&Value| labels.clone().all(|(key, value)| pod["metadata"]["labels"].get(key) == Some(value));
    let Some(pod) = pods.iter().find(selects) else {
        complaints.push(format!("{} selects no pod", text(&document["kind"])));
        return;
    };
    for port in ports {
        let has_port = |container: &Value| port_number(container, text(port)).is_some();
        if !list(&pod["spec"]["containers"]).any(has_port) {
            complaints.push(format!("{}: the pod has no port `{}`", text(&document["kind"]), text(port)));
        }
    }
}

/// The metadata and spec of the pod that a document describes.
fn pod(document: &Value) -> Option<&Value> {
    match text(&document["kind"]) {
        "Pod" => Some(document),
        "Deployment" => Some(&document["spec"]["template"]),
        _ => None,
    }
}

/// The value of `--name=value` before the agent's own command.
fn flag(container: &Value, name: &str) -> Option<String> {
    let args = list(&container["args"]).map(text).take_while(|arg| *arg != "--");
    args.filter_map(|arg| arg.split_once('=')).find(|(flag, _)| *flag == name).map(|(_, value)| value.to_owned())
}

fn port_number(container: &Value, name: &str) -> Option<String> {
    let port = list(&container["ports"]).find(|port| port["name"] == name)?;
    Some(port["containerPort"].to_string())
}

fn env<'a>(container: &'a Value, name: &str) -> Option<&'a Value> {
    list(&container["env"]).find(|variable| variable["name"] == name)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn note(rules: &[(bool, &str)], subject: &str, complaints: &mut Vec<String>) {
    complaints.extend(rules.iter().filter(|(holds, _)| !holds).map(|(_, complaint)| format!("{subject}: {complaint}")));
}
