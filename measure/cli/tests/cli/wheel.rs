//! The Python wheel that carries the programs.

use std::path::Path;
use std::process::Command;

use crate::Desk;

fn succeeds(command: &mut Command) -> bool {
    let output = command.output();
    output.is_ok_and(|output| {
        if !output.status.success() {
            println!("{}", String::from_utf8_lossy(&output.stderr));
        }
        output.status.success()
    })
}

#[test]
fn a_wheel_is_installed_into_a_fresh_environment() {
    let desk = Desk::new();
    let environment = desk.path("environment");
    if !succeeds(Command::new("python3").args(["-m", "venv"]).arg(&environment)) {
        return skipped::skip("the Python wheel: there is no python3 with venv");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/wheel.py");
    let programs = [
        snapbox::cmd::cargo_bin!("cyclescope"),
        snapbox::cmd::cargo_bin!("cargo-cyclescope"),
    ];
    let mut make = Command::new("python3");
    make.arg(script)
        .args(programs)
        .arg("--out")
        .arg(desk.path("wheels"));
    assert!(succeeds(make.arg("--fast")));
    let mut wheels = std::fs::read_dir(desk.path("wheels"))
        .expect("it is made")
        .flatten();
    let wheel = wheels.next().expect("a wheel").path();
    let mut install = Command::new(environment.join("bin/python3"));
    install.args(["-m", "pip", "install", "--no-index", "--no-deps", "--quiet"]);
    assert!(succeeds(install.arg(wheel)));
    let installed = environment.join("bin/cyclescope");
    let output = Command::new(installed)
        .arg("--version")
        .output()
        .expect("it runs");
    let version = format!("cyclescope {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), version);
}
