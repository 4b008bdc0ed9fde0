//! Handles, and what a directory keeps a program to.

use std::fs;

use tempfile::TempDir;

use super::*;

fn within(directory: &TempDir) -> Files {
    Files::new(FileAccess::within(directory.path()))
}

fn open<'a>(files: &'a mut Files, name: &str, mode: u32) -> &'a mut File {
    let handle = Handle(files.open(name, mode).unwrap());
    match files.get(handle) {
        Some(Opened::File(file)) => file,
        other => panic!("{name}: {other:?}"),
    }
}

const DENIED: Result<u32, NotOpened> = Err(NotOpened::Errno(EACCES));

#[test]
fn the_console_has_three_handles() {
    let mut files = Files::new(FileAccess::None);
    let handles = [0, 4, 8].map(|mode| files.open(":tt", mode).unwrap());
    assert_eq!(handles, [3, 4, 5], "0 to 2 are the C library's own");
    assert!(matches!(files.get(Handle(3)), Some(Opened::Input)));
    assert!(matches!(files.get(Handle(4)), Some(Opened::Output)));
    assert!(matches!(files.get(Handle(5)), Some(Opened::Error)));
    assert!((0..3).all(|handle| files.get(Handle(handle)).is_none()));
    assert_eq!(files.close(Handle(4)), Ok(()));
    assert_eq!(files.close(Handle(4)), Err(EBADF));
    assert_eq!(files.open(":tt", 4), Ok(4), "a closed handle is used again");
}

#[test]
fn host_files_are_refused_unless_allowed_and_never_outside() {
    assert_eq!(Files::new(FileAccess::None).open("a.txt", 4), DENIED);
    let outside = tempfile::tempdir().unwrap();
    let directory = tempfile::tempdir_in(&outside).unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let mut files = within(&directory);
    for name in ["../secret", "/etc/hostname", "a/../../secret"] {
        let not_opened = files.open(name, 0);
        assert!(
            matches!(not_opened, Err(NotOpened::Errno(EACCES | ENOENT))),
            "{name}"
        );
        assert!(files.open(name, 4).is_err(), "{name}");
    }
    assert_eq!(files.open("../secret", 0), DENIED);
    assert_eq!(files.open("a.txt", 0), Err(NotOpened::Errno(ENOENT)));
    assert_eq!(files.open(".", 0), Err(NotOpened::Errno(EISDIR)));
    assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"secret");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_and_not_out() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    let directory = tempfile::tempdir_in(&outside).unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("file"), "inside").unwrap();
    symlink("file", at("link")).unwrap();
    symlink(outside.path().join("secret"), at("absolute")).unwrap();
    symlink("../secret", at("relative")).unwrap();
    symlink("..", at("parent")).unwrap();
    symlink("../new", at("dangling")).unwrap();
    let mut files = within(&directory);
    assert_eq!(open(&mut files, "link", 0).read(10), Ok(b"inside".to_vec()));
    for name in ["absolute", "relative", "parent/secret", "dangling"] {
        for mode in [0, 4, 8] {
            assert_eq!(files.open(name, mode), DENIED, "{name}, mode {mode}");
        }
    }
    assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"secret");
    assert!(!outside.path().join("new").exists());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_named_and_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(directory.path().join("socket")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(directory.path().join("pipe"))
        .status();
    assert!(pipe.unwrap().success());
    let mut files = within(&directory);
    for (name, mode) in [("socket", 0), ("pipe", 0), ("pipe", 4), ("pipe", 8)] {
        let Err(NotOpened::Unfit(what)) = files.open(name, mode) else {
            panic!("{name} was opened");
        };
        assert_eq!(what, format!("`{name}` is neither a file nor a directory"));
    }
}

#[test]
fn what_is_written_is_there_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = within(&directory);
    assert_eq!(open(&mut files, "a.txt", 6).write(b"hello"), (5, 0));
    assert_eq!(fs::read(directory.path().join("a.txt")).unwrap(), b"hello");
    assert_eq!(open(&mut files, "a.txt", 0).read(9), Ok(b"hello".to_vec()));
    let Some(Opened::File(file)) = files.get(Handle(3)) else {
        panic!("a file")
    };
    file.position = 1;
    assert_eq!(file.read(3), Ok(b"ell".to_vec()));
    assert_eq!(file.write(b"p!"), (2, 0));
    assert_eq!(fs::read(directory.path().join("a.txt")).unwrap(), b"hellp!");
    assert_eq!(open(&mut files, "a.txt", 0).length(), Ok(6));
}

#[test]
fn a_snapshot_has_the_positions_and_leaves_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = within(&directory);
    assert_eq!(open(&mut files, "a.txt", 4).write(b"one "), (4, 0));
    let saved = files.clone();
    let more = |files: &mut Files, text: &[u8]| match files.get(Handle(3)) {
        Some(Opened::File(file)) => file.write(text),
        other => panic!("{other:?}"),
    };
    assert_eq!(more(&mut files, b"two three"), (9, 0));
    files.clone_from(&saved);
    assert_eq!(more(&mut files, b"TWO"), (3, 0));
    assert_eq!(
        fs::read(directory.path().join("a.txt")).unwrap(),
        b"one TWO three"
    );
}

#[test]
fn appending_begins_at_the_end_and_reading_cannot_write() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("log"), "a").unwrap();
    let mut files = within(&directory);
    assert_eq!(open(&mut files, "log", 8).write(b"b"), (1, 0));
    assert_eq!(fs::read(directory.path().join("log")).unwrap(), b"ab");
    let (written, errno) = open(&mut files, "log", 0).write(b"c");
    assert_eq!((written, errno != 0), (0, true));
    assert_eq!(fs::read(directory.path().join("log")).unwrap(), b"ab");
}

#[test]
fn a_wild_position_fills_no_disk() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = within(&directory);
    let file = open(&mut files, "a", 4);
    file.position = u64::from(u32::MAX);
    assert_eq!(file.write(b"x"), (0, EFBIG));
    assert_eq!(file.length(), Ok(0));
}

#[test]
fn handles_run_out_with_a_word() {
    let mut files = Files::new(FileAccess::None);
    assert!((0..MOST).all(|_| files.open(":tt", 4).is_ok()));
    assert_eq!(files.open(":tt", 4), Err(NotOpened::Errno(EMFILE)));
}
