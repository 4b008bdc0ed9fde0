//! Broken messages, wrong orders, senseless arguments: each is refused, and the next request is answered.

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::editor::Editor;

/// A program that never ends, without debug information.
fn endless() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.elf");
    let code: &[u16] = &[0xf240, 0x0100, 0xf2c2, 0x0100, 0x6008, 0xe7fd, programs::NOP];
    std::fs::write(&path, programs::Firmware::new(&[code]).elf()).unwrap();
    (folder, path)
}

/// A program that stands at its beginning.
fn standing() -> (TempDir, Editor) {
    let (folder, path) = endless();
    let mut editor = Editor::new();
    editor.ask("initialize", json!({ "adapterID": "cyclescope" }));
    editor.ask("launch", json!({ "program": path, "stopOnEntry": true }));
    editor.event("initialized");
    editor.ask("configurationDone", Value::Null);
    assert_eq!(editor.stopped()["reason"], "entry");
    (folder, editor)
}

#[test]
fn messages_that_cannot_be_read_are_refused_and_the_next_one_is_answered() {
    let (_folder, mut editor) = standing();
    for broken in [
        &b"Content-Length: 5\r\n\r\n{oh n"[..],
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: none\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Content-Length: 4000000000\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Type: nothing\r\n\r\n",
        b"noise\r\nnoise\r\n\r\n",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 2\r\n\r\n{}",
        b"Content-Length: 17\r\n\r\n{\"seq\":\"a string\"",
        b"Content-Length: 19\r\n\r\n{\"type\":\"response\"}",
        b"Content-Length: 18\r\n\r\n{\"type\":\"request\"}",
        // Too short: the rest is noise before the next header.
        b"Content-Length: 10\r\n\r\n{\"seq\": 1, \"type\": \"request\"}",
    ] {
        editor.raw(broken);
        let response = editor.response();
        assert_eq!(
            response["success"],
            false,
            "{}: {response}",
            broken.escape_ascii()
        );
        editor.ask("threads", Value::Null);
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    editor.raw(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    assert_eq!(editor.response()["success"], false);
    // A header may have other fields.
    let text = json!({ "seq": 7, "type": "request", "command": "threads" }).to_string();
    let header = format!(
        "Content-Type: application/vscode-jsonrpc\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    editor.raw(header.as_bytes());
    assert_eq!(editor.response()["success"], true);
    editor.raw(b"Content-Length: 400\r\n\r\n{\"seq\":");
    editor.ended();
}

#[test]
fn requests_in_a_wrong_order_are_refused() {
    let (_folder, path) = endless();
    let mut editor = Editor::new();
    editor.refused("launch", json!({ "program": path }), "`initialize` comes first");
    editor.refused("threads", Value::Null, "`initialize` comes first");
    editor.ask("initialize", json!({ "adapterID": "cyclescope" }));
    for command in [
        "configurationDone",
        "threads",
        "continue",
        "setBreakpoints",
        "evaluate",
        "stepBack",
        "restart",
        "pause",
    ] {
        editor.refused(command, json!({}), "`launch` starts it");
    }
    editor.refused("attach", json!({}), "must be `launch`");
    editor.refused("launch", json!({ "program": "/nowhere/app.elf" }), "app.elf");
    editor.refused("launch", json!([]), "cannot be read");
    editor.ask("launch", json!({ "program": path, "stopOnEntry": false }));
    editor.refused("launch", json!({ "program": path }), "launched already");
    editor.ask("configurationDone", Value::Null);
    // It runs: what needs a program that stands is refused, the rest is answered.
    for command in [
        "stackTrace",
        "scopes",
        "variables",
        "next",
        "continue",
        "reverseContinue",
        "disassemble",
        "writeMemory",
    ] {
        editor.refused(command, json!({ "threadId": 1 }), "the program runs");
    }
    editor.ask("threads", Value::Null);
    editor.ask("evaluate", json!({ "expression": "pc" }));
    editor.ask("pause", json!({ "threadId": 1 }));
    assert_eq!(editor.stopped()["reason"], "pause");
    editor.ask("pause", json!({ "threadId": 1 }));
    editor.refused("nonsense", json!({}), "no request `nonsense`");
    editor.refused("exceptionInfo", json!({ "threadId": 1 }), "did not crash");
    // A step into a line that never ends can be stopped, too.
    editor.ask(
        "setFunctionBreakpoints",
        json!({ "breakpoints": [{ "name": "main" }] }),
    );
    editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    editor.ask("continue", json!({ "threadId": 1 }));
    editor.ended();
}

#[test]
fn senseless_arguments_are_refused() {
    let (_folder, mut editor) = standing();
    let long = "1+".repeat(10_000);
    for (command, arguments) in [
        ("stackTrace", json!({})),
        ("stackTrace", json!({ "threadId": 99 })),
        ("stackTrace", json!({ "threadId": "one" })),
        ("scopes", json!({ "frameId": 0 })),
        ("scopes", json!({ "frameId": i64::MIN })),
        ("variables", json!({ "variablesReference": i64::MIN })),
        ("variables", json!({ "variablesReference": 77 })),
        (
            "setVariable",
            json!({ "variablesReference": 1, "name": "r0", "value": "1" }),
        ),
        ("readMemory", json!({ "memoryReference": "here", "count": 4 })),
        ("readMemory", json!({ "memoryReference": "0x0", "count": -1 })),
        (
            "readMemory",
            json!({ "memoryReference": "0x0", "count": i64::MAX }),
        ),
        (
            "readMemory",
            json!({ "memoryReference": "0xffffffff", "offset": 1, "count": 4 }),
        ),
        (
            "readMemory",
            json!({ "memoryReference": "0x0", "offset": i64::MAX, "count": 4 }),
        ),
        (
            "writeMemory",
            json!({ "memoryReference": "0x20000000", "data": "not Base64!" }),
        ),
        (
            "writeMemory",
            json!({ "memoryReference": "0xfffffffe", "data": "AAAAAAAA" }),
        ),
        (
            "disassemble",
            json!({ "memoryReference": "0x0", "instructionCount": i64::MAX }),
        ),
        (
            "disassemble",
            json!({ "memoryReference": "0x0", "instructionOffset": i64::MIN, "instructionCount": 1 }),
        ),
        ("evaluate", json!({ "expression": "" })),
        ("evaluate", json!({ "expression": "no_such_symbol" })),
        ("evaluate", json!({ "expression": "*0x60000000" })),
        ("evaluate", json!({ "expression": "&1" })),
        ("evaluate", json!({ "expression": "é+ü" })),
        ("evaluate", json!({ "expression": long })),
        ("setBreakpoints", json!({ "source": {}, "breakpoints": [] })),
        ("next", json!({})),
    ] {
        editor.send(command, arguments.clone());
        let response = editor.response();
        assert_eq!(response["success"], false, "{command} {arguments}: {response}");
    }
    let edges = [
        json!({ "memoryReference": "0xfffffff0", "instructionCount": 50, "instructionOffset": -5 }),
        json!({ "memoryReference": "0x2", "instructionCount": 50, "instructionOffset": -20 }),
        json!({ "memoryReference": "0x60000000", "instructionCount": 50, "instructionOffset": 10 }),
    ];
    for edge in edges {
        let shown = editor.ask("disassemble", edge);
        assert_eq!(shown["instructions"].as_array().unwrap().len(), 50, "{shown}");
    }
    let set = editor.ask(
        "setBreakpoints",
        json!({ "source": { "path": "/a/b/c.rs" }, "breakpoints": [{ "line": i64::MAX }, { "line": i64::MIN }] }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], false);
    let set = editor.ask(
        "setDataBreakpoints",
        json!({ "breakpoints": [{ "dataId": "0x20000000" }, { "dataId": "0x20000000,0" }] }),
    );
    assert_eq!(set["breakpoints"][1]["verified"], false);
    // Going back from the beginning, and steps without debug information.
    editor.ask("stepBack", json!({ "threadId": 1 }));
    editor.stopped();
    editor.ask("next", json!({ "threadId": 1 }));
    editor.stopped();
    editor.ask("stepBack", json!({ "threadId": 1, "granularity": "instruction" }));
    editor.stopped();
    editor.ask("disconnect", Value::Null);
    editor.ended();
}
