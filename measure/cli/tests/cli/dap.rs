//! `cyclescope dap`, as an editor starts it with the configuration of the docs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

/// What the adapter answers to these requests, one after the other.
fn answers(desk: &Desk, requests: &[(&str, Value)]) -> Vec<Value> {
    let mut adapter = Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .current_dir(desk.dir.path())
        .arg("dap")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = adapter.stdin.take().expect("piped");
    for (seq, (command, arguments)) in requests.iter().enumerate() {
        let request =
            json!({ "seq": seq + 1, "type": "request", "command": command, "arguments": arguments });
        let text = request.to_string();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
    }
    drop(input);
    let output = adapter.wait_with_output().expect("it ends with its input");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let messages = text.split("Content-Length: ").skip(1).map(|message| {
        let (length, body) = message.split_once("\r\n\r\n").expect("a header");
        assert_eq!(length.parse::<usize>().expect("a length"), body.len());
        serde_json::from_str(body).expect("JSON")
    });
    messages.collect()
}

fn desk() -> Desk {
    Desk::new().with("app.elf", Firmware::new(&[&[NOP; 9], EXIT]).elf())
}

fn launched(desk: &Desk, configuration: Value) -> Vec<Value> {
    answers(
        desk,
        &[
            ("initialize", json!({ "adapterID": "cyclescope" })),
            ("launch", configuration),
            ("configurationDone", json!({})),
        ],
    )
}

/// The configurations of the docs for this debugger.
fn documented() -> Vec<Value> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/debugging.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let blocks = page
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let files = blocks.map(|block| serde_json::from_str::<Value>(block).expect("JSON"));
    let configurations =
        files.flat_map(|file| file["configurations"].as_array().cloned().unwrap_or_default());
    configurations.filter(|one| one["type"] == "cyclescope").collect()
}

#[test]
fn the_configuration_of_the_docs_starts_a_program() {
    let configurations = documented();
    assert!(!configurations.is_empty());
    let desk = desk();
    for mut configuration in configurations {
        assert!(
            configuration["program"]
                .as_str()
                .expect("a path")
                .starts_with("${workspaceFolder}/")
        );
        configuration["program"] = desk.path("app.elf").display().to_string().into();
        configuration["cwd"] = desk.dir.path().display().to_string().into();
        let messages = launched(&desk, configuration.clone());
        let launch = messages
            .iter()
            .find(|message| message["command"] == "launch")
            .expect("an answer");
        assert_eq!(launch["success"], true, "{configuration}: {launch}");
        let stopped = messages
            .iter()
            .find(|message| message["event"] == "stopped")
            .expect("it stops");
        assert_eq!(stopped["body"]["reason"], "entry");
    }
}

#[test]
fn a_configuration_says_what_is_wrong_with_it() {
    let desk = desk();
    for (configuration, words) in [
        (json!({}), "names no `program`"),
        (json!({ "program": "nowhere.elf" }), "nowhere.elf"),
        (json!({ "program": "app.elf", "board": "stm32f100" }), "stm32f100"),
        (json!({ "program": "app.elf", "bord": "stm32f100rb" }), "--board"),
        (json!({ "program": "app.elf", "raise": ["soon"] }), "IRQ6@1000"),
        (json!({ "program": "app.elf", "board": {} }), "`board` is a text"),
        (json!({ "program": "app.elf", "cwd": "/nowhere" }), "cwd"),
    ] {
        let messages = launched(&desk, configuration.clone());
        let launch = messages
            .iter()
            .find(|message| message["command"] == "launch")
            .expect("an answer");
        assert_eq!(launch["success"], false, "{configuration}");
        let message = launch["message"].as_str().expect("a message");
        assert!(message.contains(words), "{configuration}: {message}");
    }
}
