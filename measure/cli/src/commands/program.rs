//! Options that several commands share: the files of a program, its inputs and its outputs.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lab::batch::{find_board, load_files};
use lab::diagnostic::{Diagnostic, Result};
use machine::defmt::Log;

use super::output::Lost;
use machine::{Board, Channel, Console, Image, Incoming, ProgramFile, Receiver, Stimulus, bounded};

/// The files of a program: where the first one goes, and further ones.
#[derive(clap::Args, Debug)]
pub(super) struct Files {
    /// Where the program goes, if it is a binary file, which does not say it itself: 0x08000000.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    base: Option<u32>,
    #[command(flatten)]
    further: Further,
}

/// The files of a program beside the first.
#[derive(clap::Args, Debug)]
pub(super) struct Further {
    /// A further file of the program, such as a bootloader: ELF, Intel HEX, UF2, or a binary file as FILE@ADDRESS.
    #[arg(long, value_name = "FILE")]
    with: Vec<FurtherFile>,
}

#[derive(Clone, Debug)]
struct FurtherFile(ProgramFile);

impl FromStr for FurtherFile {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<FurtherFile, String> {
        if let Some((path, base)) = text.rsplit_once('@')
            && let (false, Ok(base)) = (path.is_empty(), address(base))
        {
            let path = path.into();
            return Ok(FurtherFile(ProgramFile {
                path,
                base: Some(base),
            }));
        }
        Ok(FurtherFile(ProgramFile::new(text)))
    }
}

impl Files {
    /// Loads the program whose first file is `first`, for a board if one is named.
    pub(super) fn load(&self, first: &Path, board: Option<&str>) -> Result<Image> {
        self.further.load_at(first, self.base, board)
    }

    /// The address of the first file, if its format has none.
    pub(super) fn base(&self) -> Option<u32> {
        self.base
    }

    /// The further files.
    pub(super) fn others(&self) -> Vec<ProgramFile> {
        self.further.others().collect()
    }

    /// The paths of the further files.
    pub(super) fn further(&self) -> impl Iterator<Item = &Path> {
        self.further.paths()
    }
}

impl Further {
    /// Loads the program whose first file is `first`, for a board if one is named.
    pub(super) fn load(&self, first: &Path, board: Option<&str>) -> Result<Image> {
        self.load_at(first, None, board)
    }

    fn load_at(&self, first: &Path, base: Option<u32>, board: Option<&str>) -> Result<Image> {
        let board = board.map(find_board).transpose()?;
        let path = first.to_owned();
        let first = ProgramFile { path, base };
        let files: Vec<_> = std::iter::once(first).chain(self.others()).collect();
        load_files(&files, board.as_ref())
    }

    /// The further files.
    pub(super) fn others(&self) -> impl Iterator<Item = ProgramFile> {
        self.with.iter().map(|further| further.0.clone())
    }

    /// The paths of the further files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.with.iter().map(|further| further.0.path.as_path())
    }
}

/// What goes in and out.
#[derive(clap::Args, Debug)]
pub(super) struct Ways {
    /// Write what comes out on a channel to a file, in place of standard output: `semihosting`, `rtt:0`, `itm:0`, or a peripheral of the
    /// board (`usart1`).
    #[arg(long, value_name = "CHANNEL=FILE", value_parser = pair::<Channel>)]
    output: Vec<(Channel, PathBuf)>,
    #[command(flatten)]
    inputs: Inputs,
}

/// What goes in.
#[derive(clap::Args, Debug)]
pub(super) struct Inputs {
    /// Send the bytes of a file (`-` is standard input) to a UART of the board or to RTT (`rtt:0`): each when the program has read the one
    /// before.
    #[arg(long, value_name = "RECEIVER=FILE", value_parser = pair::<Receiver>)]
    input: Vec<(Receiver, PathBuf)>,
    /// Let something come from outside in a cycle since reset: bytes (`USART1@1000=hello\n`), the level of a pin (`GPIOA.5@1000=high`, `low`,
    /// `open`), a value of a converter (`ADC1.3@1000=2048`). Bytes come whether the program reads them in time or not; a sender that waits for
    /// that is `USART1@1000,when-read=hello\n`.
    #[arg(long, value_name = "RECEIVER@CYCLE=WHAT")]
    stimulus: Vec<Stimulus>,
}

/// The most bytes of input.
const MOST_INPUT: u64 = 16 << 20;

impl Ways {
    /// The files to write, with their option.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static str, Option<&Path>)> {
        self.output
            .iter()
            .map(|(_, path)| ("--output", Some(path.as_path())))
    }

    /// The files whose bytes are sent as input.
    pub(super) fn sent(&self) -> impl Iterator<Item = &Path> {
        self.inputs.sent()
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

    /// The stimuli of all inputs.
    pub(super) fn stimuli(&self) -> Result<Vec<Stimulus>> {
        self.inputs.stimuli()
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
    pub(super) fn sent(&self) -> impl Iterator<Item = &Path> {
        self.input.iter().map(|(_, path)| path.as_path())
    }

    /// The stimuli of all inputs.
    pub(super) fn stimuli(&self) -> Result<Vec<Stimulus>> {
        let standard = self.sent().filter(|path| *path == Path::new("-"));
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
    let wrong = |error: std::io::Error| {
        Diagnostic::mistake(format!("cannot be read: {error}")).in_file(path.display().to_string())
    };
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

/// Parses an address: hexadecimal with 0x.
fn address(text: &str) -> std::result::Result<u32, String> {
    let digits = text.replace('_', "");
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.map_err(|_| "an address is a number such as 0x08000000".into())
}
