//! What goes into a program from outside, and what comes out of it: options that several commands share.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lab::asked::Interruption;
use lab::diagnostic::{Diagnostic, Result};
use machine::defmt::Log;
use machine::{Board, Channel, Console, FileAccess, Image, Incoming, Receiver, Stimulus, bounded};

use super::output::Lost;

/// The heading of these options in the help.
const INPUT: &str = "Input and output";

/// The channels of a program: its output in files, and its input.
#[derive(clap::Args, Debug)]
pub(super) struct Channels {
    /// Write what comes out on a channel to a file, in place of standard output: `semihosting`, `rtt:0`, `itm:0`, or a peripheral of the
    /// board (`usart1`).
    #[arg(long, value_name = "CHANNEL=FILE", value_parser = pair::<Channel>, help_heading = INPUT)]
    output: Vec<(Channel, PathBuf)>,
    #[command(flatten)]
    pub(super) inputs: Inputs,
}

/// What comes from outside: interrupts, bytes, levels and values.
#[derive(clap::Args, Debug)]
pub(super) struct Inputs {
    /// Raise an interrupt from outside, in this cycle since reset: IRQ6@1000.
    #[arg(long, value_name = "IRQ@CYCLE", help_heading = INPUT)]
    pub(super) raise: Vec<Interruption>,
    /// Send the bytes of a file (`-` is standard input) to a UART of the board or to RTT (`rtt:0`): each when the program has read the one
    /// before.
    #[arg(long, value_name = "RECEIVER=FILE", value_parser = pair::<Receiver>, help_heading = INPUT)]
    input: Vec<(Receiver, PathBuf)>,
    /// Let something come from outside in a cycle since reset: bytes (`USART1@1000=hello\n`), the level of a pin (`GPIOA.5@1000=high`, `low`,
    /// `open`), a value of a converter (`ADC1.3@1000=2048`). Bytes come whether the program reads them in time or not; a sender that waits for
    /// that is `USART1@1000,when-read=hello\n`.
    #[arg(long, value_name = "RECEIVER@CYCLE=WHAT", help_heading = INPUT)]
    stimulus: Vec<Stimulus>,
}

/// What a program may do by semihosting.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Semihosting {
    /// Let the program open files in this directory by semihosting. Names and links that lead out of it are refused.
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    files: Option<PathBuf>,
}

impl Semihosting {
    /// The files that the program may open.
    pub(super) fn access(&self) -> Result<FileAccess> {
        match &self.files {
            None => Ok(FileAccess::None),
            Some(directory) if directory.is_dir() => Ok(FileAccess::within(directory)),
            Some(other) => {
                let title = "`--files` takes a directory that exists";
                Err(Diagnostic::mistake(title).in_file(other.display().to_string()))
            }
        }
    }
}

/// The most bytes of input.
const MOST_INPUT: u64 = 16 << 20;

impl Channels {
    /// The files to write, with their option.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static str, Option<&Path>)> {
        self.output
            .iter()
            .map(|(_, path)| ("--output", Some(path.as_path())))
    }

    /// Taps the channels to the files, silenced by this flag. Write errors go to `lost`.
    pub(super) fn connect(
        &self,
        console: &mut Console,
        board: &Board,
        silent: &Arc<AtomicBool>,
        lost: &Lost,
    ) -> Result<()> {
        for (channel, path) in &self.output {
            let channel = known(channel, board)?;
            if console.is_tapped(&channel) {
                return Err(Diagnostic::mistake(format!("--output names `{channel}` twice")));
            }
            let file = bounded::create(path).map_err(|error| {
                Diagnostic::mistake(format!("cannot be written: {error}")).in_file(path.display().to_string())
            })?;
            console.tap(channel, gdb::Output::new(lost.file(path, file), silent));
        }
        Ok(())
    }

    /// Decodes the program's defmt logs, unless a file takes the channel's raw bytes.
    pub(super) fn decode(console: &mut Console, image: &Arc<Image>) {
        if let Some(log) = Log::of(image) {
            console.decode(Channel::Rtt(0), log);
        }
    }
}

/// The channel, with the board's spelling of its device.
fn known(channel: &Channel, board: &Board) -> Result<Channel> {
    let Channel::Device(name) = channel else {
        return Ok(channel.clone());
    };
    match board.peripheral_name(name) {
        Ok(name) => Ok(Channel::Device(name.to_owned())),
        Err((wrong, hint)) => Err(Diagnostic::mistake(format!("--output {name}: {wrong}")).maybe_help(hint)),
    }
}

impl Inputs {
    /// The files whose bytes are sent as input.
    pub(super) fn sent(&self) -> Vec<&Path> {
        self.input.iter().map(|(_, path)| path.as_path()).collect()
    }

    /// The stimuli of all inputs.
    pub(super) fn stimuli(&self) -> Result<Vec<Stimulus>> {
        let standard = self.sent().into_iter().filter(|path| *path == Path::new("-"));
        if standard.count() > 1 {
            let title = "--input: there is one standard input, and two or more receivers want it";
            return Err(
                Diagnostic::mistake(title).help("write the bytes for each of them to a file of its own")
            );
        }
        let mut stimuli = Vec::new();
        for (receiver, path) in &self.input {
            stimuli.push(Stimulus {
                at: 0,
                to: receiver.clone(),
                input: Incoming::Waiting(input(path)?),
            });
        }
        stimuli.extend(self.stimulus.iter().cloned());
        Ok(stimuli)
    }
}

fn input(path: &Path) -> Result<Vec<u8>> {
    let wrong = |error: std::io::Error| Diagnostic::unreadable(path, &error);
    if path != Path::new("-") {
        return machine::bounded::read_at_most(path, MOST_INPUT).map_err(wrong);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MOST_INPUT + 1)
        .read_to_end(&mut bytes)
        .map_err(wrong)?;
    if bytes.len() as u64 > MOST_INPUT {
        let title = format!("standard input has more than {} MiB", MOST_INPUT >> 20);
        return Err(Diagnostic::mistake(title));
    }
    Ok(bytes)
}

/// Parses `NAME=FILE`.
fn pair<T: FromStr<Err = String>>(text: &str) -> std::result::Result<(T, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !path.is_empty() => Ok((name.parse()?, path.into())),
        _ => Err("write a name, `=`, and a file".into()),
    }
}
