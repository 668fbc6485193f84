//! Rows and properties: what is not ours stays as it is.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn hook(event: &str) -> InstalledHook {
    InstalledHook {
        event: event.into(),
        command: format!("'/bin/coop' hook {event}"),
        matcher: String::new(),
        timeout: 30,
    }
}

fn ours(command: &str) -> bool {
    command.starts_with("'/bin/coop' hook ")
}

fn all() -> Vec<InstalledHook> {
    ["SessionStart", "Stop"].map(hook).to_vec()
}

#[test]
fn into_an_empty_file() {
    let added = add("", &[hook("Stop")]).unwrap();
    let expected = r#"{
  "hooks": {
    "Stop": [
      {
        "matcher": "",
        "hooks": [
          {
            "type": "command",
            "command": "'/bin/coop' hook Stop",
            "timeout": 30
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(added, expected);
    assert_eq!(add(&added, &[hook("Stop")]).unwrap(), added, "once");
    assert_eq!(remove(&added, ours, |_| true).unwrap(), "{}\n");
    for text in ["", "{}"] {
        let some = InstalledHook { matcher: "^(A|\"B)$".into(), ..hook("PreToolUse") };
        let value: Value = serde_json::from_str(&add(text, &[some]).unwrap()).unwrap();
        assert_eq!(value["hooks"]["PreToolUse"][0]["matcher"], "^(A|\"B)$");
    }
}

/// Files as people and programs write them. What was there stays to the byte, and goes back to what it was.
#[test]
fn rows() {
    let foreign = r#"{"hooks": [{"type": "command", "command": "say done"}]}"#;
    for text in [
        "{}".to_owned(),
        "{\n  \"model\": \"x\",\n  \"b\": {\"z\": 1, \"a\": [1, 2]}\n}\n".to_owned(),
        "{\n\t\"z\": 1,\n\t\"a\": 2\n}".to_owned(),
        "{\"z\": 1, \"a\": \"quo\\\"te } ]\"}".to_owned(),
        format!(
            "{{\n    \"hooks\": {{\n        \"Stop\": [\n            {foreign}\n        ]\n    }},\n    \"z\": 1\n}}\n"
        ),
        format!("{{\"hooks\": {{\"Stop\": [{foreign}], \"Other\": [{foreign}]}}, \"z\": 1}}"),
        format!("{{ \"z\" : 1 ,\r\n \"hooks\" : {{ \"Stop\" : [ {foreign} ] }} }}"),
    ] {
        let added = add(&text, &all()).unwrap();
        let value: Value = serde_json::from_str(&added).unwrap_or_else(|error| panic!("{error}\n{added}"));
        let before: Value = serde_json::from_str(&text).unwrap();
        for event in ["SessionStart", "Stop"] {
            let entries = value["hooks"][event].as_array().unwrap();
            let expected = json!({"matcher": "", "hooks": [
                {"type": "command", "command": format!("'/bin/coop' hook {event}"), "timeout": 30}]});
            assert_eq!(entries.last(), Some(&expected), "{added}");
            let foreign = before["hooks"][event].as_array().map_or(0, Vec::len);
            assert_eq!(entries.len(), foreign + 1);
        }
        let had: Vec<String> = before["hooks"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
        let removed = remove(&added, ours, |event| !had.contains(&event.to_owned())).unwrap();
        assert_eq!(removed, text, "byte for byte");
    }
}

#[test]
fn what_others_did_since_stays() {
    let added = add("{\n  \"a\": 1\n}\n", &all()).unwrap();
    // Somebody puts a hook beside ours, one in front of it, and a setting behind it all.
    let changed = added
        .replacen(
            "\"hooks\": [\n          {",
            "\"hooks\": [\n          {\"type\": \"command\", \"command\": \"mine\"},\n          {",
            1,
        )
        .replacen("\"Stop\": [", "\"Stop\": [\n      {\"hooks\": []},", 1)
        .replacen("\"a\": 1", "\"a\": 2", 1);
    assert_ne!(changed, added);
    let removed = remove(&changed, ours, |_| true).unwrap();
    let value: Value = serde_json::from_str(&removed).unwrap_or_else(|error| panic!("{error}\n{removed}"));
    let expected = json!({"a": 2, "hooks": {
        "SessionStart": [{"matcher": "", "hooks": [{"type": "command", "command": "mine"}]}],
        "Stop": [{"hooks": []}],
    }});
    assert_eq!(value, expected);
}

#[test]
fn files_that_are_left_alone() {
    for text in ["[]", "{", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "// comment\n{}"] {
        assert!(add(text, &all()).is_err(), "{text}");
    }
}

fn json_text() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~\\n\"\\\\{}\\[\\],:]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z\"\\\\{]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_settings_survive(
        fields in prop::collection::btree_map("[a-z]{1,6}", json_text(), 0..5),
        pretty in any::<bool>(),
        foreign in prop::collection::vec("[A-Z][a-z]{1,4}|Stop", 0..3),
    ) {
        let mut value = Value::Object(fields.into_iter().filter(|(key, _)| key != "hooks").collect());
        if !foreign.is_empty() {
            let entry = json!([{"hooks": [{"type": "command", "command": "theirs"}]}]);
            value["hooks"] = foreign.iter().map(|event| (event.clone(), entry.clone())).collect::<serde_json::Map<_, _>>().into();
        }
        let text = if pretty { format!("{value:#}\n") } else { value.to_string() };
        let added = add(&text, &all()).unwrap();
        let mut after: Value = serde_json::from_str(&added).unwrap();
        let removed = remove(&added, ours, |event| !foreign.contains(&event.to_owned())).unwrap();
        prop_assert_eq!(&removed, &text);
        // All that was there is still there.
        if foreign.is_empty() { after.as_object_mut().unwrap().remove("hooks"); } else { after["hooks"] = value["hooks"].clone(); }
        prop_assert_eq!(after, value);
    }
}
