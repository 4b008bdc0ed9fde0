//! The composite action: its own steps run as GitHub's runner runs them, in a fresh clone of somebody's repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::top;
use crate::subcommand::executable;
use crate::{Desk, subcommand};

/// Writes the page that it is told to, and ends as a gate does that is not kept.
const CARGO: &str = "#!/bin/sh\necho \"cargo $*\" >> asked.txt\nprintf '<!-- cyclescope-gate -->\\n%s\\n' \"$RUN\" > \"$5\"\nexit 1\n";

/// Keeps one comment, and answers a search for it.
const GH: &str = "#!/bin/sh\necho \"gh $*\" >> asked.txt\nfor word; do last=$word; done\ncase \"$*\" in\n\
    *--paginate*) if [ -f comment.md ]; then echo 7; echo 8; fi;;\n\
    *) cp \"${last#body=@}\" comment.md;;\nesac\n";

fn run(desk: &Desk, name: &str, comment: &str) -> Option<i32> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.arg(top().join("action/measure.sh"))
        .current_dir(desk.path("."));
    bash.env("PATH", format!("{}:{path}", desk.path(".").display()))
        .env("RUN", name)
        .env("COMMAND", "gate")
        .env("ARGUMENTS", "--bin app")
        .env("SUMMARY", "true")
        .env("COMMENT", comment)
        .env("HISTORY", "")
        .env("PULL_REQUEST", "12")
        .env("GITHUB_REPOSITORY", "some/one")
        .env("GITHUB_STEP_SUMMARY", "summary.md")
        .env("RUNNER_TEMP", ".");
    bash.status().unwrap().code()
}

#[test]
fn one_comment_is_made_and_then_renewed() {
    if !skipped::installed("bash") {
        return;
    }
    let desk = Desk::new().with("cargo", CARGO).with("gh", GH);
    executable(&desk.path("cargo"));
    executable(&desk.path("gh"));
    assert_eq!(run(&desk, "none", "false"), Some(1), "the gate's exit code");
    assert!(!desk.path("comment.md").exists());
    assert_eq!(run(&desk, "first", "true"), Some(1));
    assert_eq!(run(&desk, "second", "true"), Some(1));
    assert_eq!(desk.read("comment.md"), "<!-- cyclescope-gate -->\nsecond\n");
    for name in ["none", "first", "second"] {
        assert!(desk.read("summary.md").contains(name), "{name}");
    }
    let asked = desk.read("asked.txt");
    assert!(
        asked.contains("cargo cyclescope gate --annotate --markdown ./cyclescope.md --bin app\n"),
        "{asked}"
    );
    let written: Vec<&str> = asked.lines().filter(|line| line.contains("--method")).collect();
    assert_eq!(
        written,
        [
            "gh api --silent --method POST repos/some/one/issues/12/comments --field body=@./cyclescope.md",
            "gh api --silent --method PATCH repos/some/one/issues/comments/7 --field body=@./cyclescope.md",
        ]
    );
}

/// A step of `action.yml`.
struct Step {
    name: String,
    /// Whether it is only for when no prebuilt program was found.
    needs_none: bool,
    /// Names and values of its environment.
    env: Vec<(String, String)>,
    /// Its script; none if it uses another action.
    run: Option<String>,
}

/// The default of each input, and the steps.
fn action() -> (BTreeMap<String, String>, Vec<Step>) {
    let text = fs::read_to_string(top().join("action.yml")).unwrap();
    let (inputs, steps) = text.split_once("  steps:\n").unwrap();
    let mut defaults = BTreeMap::new();
    let mut input = "";
    for line in inputs.lines() {
        if let Some(name) = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':'))
            && !name.starts_with(' ')
        {
            input = name;
        } else if let Some(value) = line.strip_prefix("    default: ") {
            defaults.insert(input.to_owned(), value.trim_matches('"').to_owned());
        }
    }
    let step = |text: &str| {
        let key = |key: &str| {
            text.lines()
                .find_map(|line| line.trim().strip_prefix(key))
                .map(str::to_owned)
        };
        let env = text
            .lines()
            .filter_map(|line| line.strip_prefix("        ")?.split_once(": "));
        Step {
            name: text.lines().next().unwrap().to_owned(),
            needs_none: key("if: ").is_some_and(|when| {
                assert_eq!(when, "steps.prebuilt.outputs.found != 'true'");
                true
            }),
            env: env
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            run: key("run: "),
        }
    };
    (defaults, steps.split("    - name: ").skip(1).map(step).collect())
}

/// A runner of GitHub's: its folders, and what steps have said.
struct Runner {
    desk: Desk,
    inputs: BTreeMap<String, String>,
    pull_request: &'static str,
}

impl Runner {
    /// A runner that has checked the repository out, with an action that was pinned at this version.
    fn new(at: &str) -> Runner {
        let desk = Desk::new();
        let action = desk.path("_actions/some/cyclescope").join(at);
        for name in [
            "action.yml",
            "Cargo.toml",
            "action/install.sh",
            "action/measure.sh",
        ] {
            let to = action.join(name);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(top().join(name), to).unwrap();
        }
        let desk = desk
            .with("temp/here", "")
            .with("home/here", "")
            .with("bin/cargo", SHIM);
        executable(&desk.path("bin/cargo"));
        let runner = Runner {
            desk,
            inputs: action_inputs(),
            pull_request: "",
        };
        runner.check_out();
        runner
    }

    /// Somebody's repository, and a fresh clone of it.
    fn check_out(&self) {
        let theirs = subcommand::desk(subcommand::BOARD, &["app"]);
        fs::remove_file(theirs.path("cargo")).unwrap();
        let folder = theirs.path(".").canonicalize().unwrap();
        let clone = self.desk.path("work").display().to_string();
        for name in ["metadata.json", "built.json"] {
            let text = theirs.read(name).replace(folder.to_str().unwrap(), &clone);
            fs::write(theirs.path(name), text).unwrap();
        }
        let git = |folder: &Path, words: &[&str]| {
            let identity = [
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "init.defaultBranch=main",
            ];
            let output = Command::new("git")
                .current_dir(folder)
                .args(identity)
                .args(words)
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{words:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        };
        git(&folder, &["init", "--quiet"]);
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "--quiet", "-m", "first"]);
        let [bare, clone] = ["theirs.git", "work"].map(|name| self.desk.path(name).display().to_string());
        git(&folder, &["clone", "--quiet", "--bare", ".", &bare]);
        git(&folder, &["clone", "--quiet", &format!("file://{bare}"), &clone]);
    }

    fn action(&self) -> PathBuf {
        let folder = self.desk.path("_actions/some/cyclescope");
        fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
    }

    /// The value of an expression of a workflow.
    fn value(&self, text: &str, outputs: &BTreeMap<String, String>) -> String {
        let Some(name) = text
            .strip_prefix("${{ ")
            .and_then(|rest| rest.strip_suffix(" }}"))
        else {
            return text.to_owned();
        };
        match name.split_once('.') {
            Some(("inputs", input)) => self.inputs[input].clone(),
            Some(("steps", output)) => outputs
                .get(output.rsplit('.').next().unwrap())
                .cloned()
                .unwrap_or_default(),
            _ if name == "github.event.pull_request.number" => self.pull_request.to_owned(),
            _ if name == "github.token" => String::new(),
            _ => panic!("{name}"),
        }
    }

    /// Runs the steps; `cache` stands for the action that restores what was compiled. Returns the names of those that ran, and the exit
    /// code of the last.
    fn run(&self, cache: impl Fn(&BTreeMap<String, String>)) -> (Vec<String>, Option<i32>) {
        let (mut ran, mut code) = (Vec::new(), None);
        let mut outputs = BTreeMap::new();
        let file = |name: &str| self.desk.path("temp").join(name);
        for name in ["output", "path"] {
            fs::write(file(name), "").unwrap();
        }
        for step in action().1 {
            if step.needs_none && outputs.get("found").is_some_and(|found| found == "true") {
                continue;
            }
            ran.push(step.name);
            let Some(script) = step.run else {
                cache(&outputs);
                continue;
            };
            let paths = fs::read_to_string(file("path")).unwrap();
            let paths = paths
                .lines()
                .map(str::to_owned)
                .chain([self.desk.path("bin").display().to_string()]);
            let path = paths.chain(std::env::var("PATH")).collect::<Vec<_>>().join(":");
            let mut bash = Command::new("bash");
            bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script])
                .current_dir(self.desk.path("work"))
                .env("PATH", path)
                .env("HOME", self.desk.path("home"))
                .env("GITHUB_ACTION_PATH", self.action())
                .env(
                    "GITHUB_SERVER_URL",
                    format!("file://{}", self.desk.path("github").display()),
                )
                .env("GITHUB_OUTPUT", file("output"))
                .env("GITHUB_PATH", file("path"))
                .env("GITHUB_STEP_SUMMARY", file("summary"))
                .env("RUNNER_TEMP", self.desk.path("temp"));
            bash.envs(
                step.env
                    .iter()
                    .map(|(name, value)| (name, self.value(value, &outputs))),
            );
            let output = bash.output().unwrap();
            println!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            code = output.status.code();
            if code != Some(0) {
                break;
            }
            let said = fs::read_to_string(file("output")).unwrap();
            outputs.extend(
                said.lines()
                    .filter_map(|line| line.split_once('='))
                    .map(|(a, b)| (a.to_owned(), b.to_owned())),
            );
        }
        (ran, code)
    }
}

/// A cargo that starts its subcommand, has built everything, and notes what it is asked to install.
const SHIM: &str = "#!/bin/sh\ncase $1 in\n  cyclescope) CARGO=$0 exec cargo-cyclescope \"$@\";;\n  metadata) cat metadata.json;;\n\
    \x20 install) echo \"$*\" >> \"$RUNNER_TEMP/asked\";;\n  *) cat built.json;;\nesac\n";

fn action_inputs() -> BTreeMap<String, String> {
    action().0
}

/// The programs that were built here, in the archive of a release.
fn archive(folder: &Path, name: &str) {
    let inside = folder.join("pack").join(name);
    fs::create_dir_all(&inside).unwrap();
    for program in [
        snapbox::cmd::cargo_bin!("cyclescope"),
        snapbox::cmd::cargo_bin!("cargo-cyclescope"),
    ] {
        fs::copy(program, inside.join(program.file_name().unwrap())).unwrap();
    }
    let mut tar = Command::new("tar");
    tar.arg("-C")
        .arg(folder.join("pack"))
        .arg("-czf")
        .arg(folder.join(format!("{name}.tar.gz")))
        .arg(name);
    assert!(tar.status().unwrap().success());
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn has_tools() -> bool {
    ["bash", "git", "curl", "tar"].into_iter().all(skipped::installed)
}

/// The whole of what a user's workflow does: the program of the release is taken, nothing is compiled, and results are kept on a branch.
#[test]
fn its_steps_take_the_release_and_judge_a_fresh_clone() {
    if !has_tools() {
        return;
    }
    let mut runner = Runner::new(&format!("v{VERSION}"));
    let release = runner
        .desk
        .path("github/some/cyclescope/releases/download")
        .join(format!("v{VERSION}"));
    fs::create_dir_all(&release).unwrap();
    let machine = std::env::consts::ARCH;
    archive(
        &release,
        &format!("cyclescope-{VERSION}-{machine}-unknown-linux-musl"),
    );
    runner.inputs.insert("arguments".to_owned(), "--save".to_owned());
    runner.inputs.insert("history".to_owned(), "cycles".to_owned());
    let begun = std::time::Instant::now();
    let (ran, code) = runner.run(|_| panic!("nothing is to be cached"));
    println!("the steps took {:?}", begun.elapsed());
    assert_eq!(
        (ran, code),
        (vec!["Install".to_owned(), "Measure".to_owned()], Some(0))
    );
    assert!(
        runner
            .desk
            .read("temp/summary")
            .contains("<!-- cyclescope-gate -->")
    );
    assert!(!runner.desk.path("temp/asked").exists(), "cargo installs nothing");
    // A second commit adds its results to the branch, and a pull request does not.
    let git = |words: &[&str]| {
        let output = Command::new("git")
            .current_dir(runner.desk.path("work"))
            .args(words)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    git(&[
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "--quiet",
        "--allow-empty",
        "-m",
        "second",
    ]);
    assert_eq!(runner.run(|_| ()).1, Some(0));
    runner.pull_request = "12";
    assert_eq!(runner.run(|_| ()).1, Some(0));
    let git = |words: &[&str]| {
        let output = Command::new("git")
            .current_dir(runner.desk.path("theirs.git"))
            .args(words)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let kept = git(&["ls-tree", "-r", "--name-only", "cycles"]);
    assert_eq!(
        kept.lines().filter(|name| name.starts_with("results/")).count(),
        2,
        "{kept}"
    );
    assert!(
        kept.contains("index.html") && git(&["log", "--format=%s", "cycles"]).lines().count() == 2,
        "{kept}"
    );
    let page = git(&["show", "cycles:index.html"]);
    assert!(
        page.contains("app/work on stm32f100rb") && page.contains("the results of 2 commits"),
        "{page}"
    );
}

/// Without a release for this runner the sources are compiled, once for each state of them.
#[test]
fn its_steps_compile_only_what_no_cache_has() {
    if !has_tools() {
        return;
    }
    for at in [format!("v{VERSION}"), "main".to_owned()] {
        let runner = Runner::new(&at);
        let programs = |outputs: &BTreeMap<String, String>| {
            let bin = Path::new(&outputs["folder"]).join("bin");
            assert!(
                outputs["key"].starts_with(&format!("cyclescope-{VERSION}-Linux-")),
                "{outputs:?}"
            );
            fs::create_dir_all(&bin).unwrap();
            for program in [
                snapbox::cmd::cargo_bin!("cyclescope"),
                snapbox::cmd::cargo_bin!("cargo-cyclescope"),
            ] {
                fs::copy(program, bin.join(program.file_name().unwrap())).unwrap();
            }
        };
        // A first run, whose cargo compiles nothing: it is asked to.
        let (ran, _) = runner.run(|_| ());
        assert_eq!(
            ran,
            ["Install", "Find what was compiled before", "Compile", "Measure"]
        );
        let asked = runner.desk.read("temp/asked");
        assert!(
            asked.starts_with("install --locked --force --path ") && asked.contains("/measure/cli --root "),
            "{asked}"
        );
        // Limits are kept in the next run, which finds what this one has compiled.
        assert_eq!(runner.run(programs).1, Some(0));
        assert_eq!(runner.desk.read("temp/asked"), asked);
    }
}

/// A wheel, or an archive from elsewhere, in place of a release; one that does not run here is no reason to compile in silence.
#[test]
fn its_steps_take_the_wheel_that_the_user_names() {
    if !has_tools() || !skipped::installed("python3") {
        return;
    }
    let mut runner = Runner::new("main");
    let mut make = Command::new("python3");
    make.arg(top().join("xtask/wheel.py"))
        .arg(snapbox::cmd::cargo_bin!("cyclescope"));
    make.arg(snapbox::cmd::cargo_bin!("cargo-cyclescope"))
        .arg("--fast")
        .arg("--out")
        .arg(runner.desk.path("wheels"));
    assert!(make.status().unwrap().success());
    let wheel = fs::read_dir(runner.desk.path("wheels"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    runner
        .inputs
        .insert("archive".to_owned(), wheel.display().to_string());
    assert_eq!(
        runner.run(|_| ()),
        (vec!["Install".to_owned(), "Measure".to_owned()], Some(0))
    );
    let mut runner = Runner::new("main");
    runner
        .inputs
        .insert("archive".to_owned(), "/nowhere.tar.gz".to_owned());
    assert_eq!(runner.run(|_| ()), (vec!["Install".to_owned()], Some(1)));
}

/// What is downloaded is what the release workflow builds.
#[test]
fn a_release_has_what_is_downloaded() {
    let read = |name: &str| fs::read_to_string(top().join(name)).unwrap();
    let (release, install, manifest) = (
        read(".github/workflows/release.yml"),
        read("action/install.sh"),
        read("measure/cli/Cargo.toml"),
    );
    let built: Vec<&str> = release
        .lines()
        .filter_map(|line| line.split_once("target: ")?.1.strip_suffix(" }"))
        .collect();
    let asked: Vec<&str> = install
        .lines()
        .filter_map(|line| line.split_once(") echo ")?.1.strip_suffix(" ;;"))
        .collect();
    assert_eq!(built.len(), 4);
    for target in &built {
        assert!(asked.contains(target), "{target}");
    }
    assert_eq!(asked.len(), built.len());
    for target in built.iter().filter(|target| target.ends_with("-musl")) {
        assert!(manifest.contains(&format!("-{target}.tar.gz")), "{target}");
    }
    assert!(release.contains("name=\"cyclescope-${GITHUB_REF_NAME#v}-${{ matrix.target }}\""));
    // What a user copies names this version, and says which account it is of.
    let tutorial = read("docs/tutorial.md");
    for says in [
        format!("uses: OWNER/cyclescope@v{VERSION}\n"),
        format!(
            "/OWNER/cyclescope/releases/download/v{VERSION}/cyclescope-{VERSION}-x86_64-unknown-linux-musl.tar.gz"
        ),
        "In place of `OWNER`, write the GitHub account".to_owned(),
    ] {
        assert!(tutorial.contains(&says), "{says}");
    }
    let template = read("template/.github/workflows/cycles.yml");
    assert!(
        template.contains(&format!("uses: {{{{repository}}}}@v{VERSION}\n")),
        "{template}"
    );
}
