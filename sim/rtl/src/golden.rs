//! Golden streams: in which cycle the instructions of our own programs retire on the Verilog, kept as text, so that the model
//! is held against them where there is no Verilator.
//!
//! A file holds one program on one core. It names what it was made with and the hash of the program's bytes; each of its runs
//! has a line for every stretch of code that is executed without a jump: the address of its first instruction, then for each
//! instruction the cycles since the one before, `5*1` being five times 1.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Context as _, Result, bail, ensure};
use core_rv32::Protection;
use isa_rv32::Extension;

use crate::{Core, Job, Oracle, Program, Pulse, Step, model, verilator_version};

/// Bytes of the memory at 0 that the programs run in.
pub const MEMORY: u32 = 0x1_0000;

/// One of the programs of `firmware/rv32`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// Whether interrupts arrive in it.
    pub interrupted: bool,
    /// Whether it uses control and status registers, and handlers.
    privileged: bool,
    /// The extension whose instructions it uses.
    needs: Option<Extension>,
    /// Whether it sets up what protects memory.
    protects: bool,
}

impl Listed {
    const fn of(name: &'static str) -> Listed {
        Listed {
            name,
            interrupted: false,
            privileged: false,
            needs: None,
            protects: false,
        }
    }

    const fn privileged(self) -> Listed {
        Listed {
            privileged: true,
            ..self
        }
    }

    const fn interrupted(self) -> Listed {
        Listed {
            interrupted: true,
            ..self.privileged()
        }
    }

    const fn needs(self, extension: Extension) -> Listed {
        Listed {
            needs: Some(extension),
            ..self
        }
    }

    const fn protects(self) -> Listed {
        Listed {
            protects: true,
            ..self.privileged()
        }
    }

    /// Whether a core has what the program uses.
    pub fn runs_on(&self, core: &Core) -> bool {
        (core.takes_interrupts() || !self.privileged)
            && self.needs.is_none_or(|extension| core.isa().has(extension))
            && (core.protection() == Protection::VexRiscv || !self.protects)
    }
}

/// The programs.
pub const PROGRAMS: [Listed; 10] = [
    Listed::of("rv32-atomic").privileged().needs(Extension::Zaamo),
    Listed::of("rv32-critical").privileged(),
    Listed::of("rv32-instructions"),
    Listed::of("rv32-latency").interrupted(),
    Listed::of("rv32-latency-divide")
        .interrupted()
        .needs(Extension::M),
    Listed::of("rv32-multiply").needs(Extension::M),
    Listed::of("rv32-protection").protects(),
    Listed::of("rv32-registers").privileged(),
    Listed::of("rv32-translation")
        .privileged()
        .needs(Extension::Supervisor),
    Listed::of("rv32-traps").privileged(),
];

/// How slow the memory is: until the first word, and until each further one of a burst.
const WAITS: [(u32, u32); 3] = [(0, 0), (2, 1), (7, 3)];

/// Longer than any of the programs takes.
const LIMIT: u64 = 1_000_000;

/// The golden streams of one program on one core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Golden {
    /// The program.
    pub program: String,
    /// The hash of its bytes: [`Program::sha256`].
    pub sha256: String,
    /// The core.
    pub core: String,
    /// The package of its Verilog and the version of Verilator.
    pub made_with: String,
    /// Its runs.
    pub runs: Vec<Run>,
}

/// A golden run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Cycles until the memory answers.
    pub latency: u32,
    /// Wait states of each further word of a burst.
    pub beat: u32,
    /// Interrupts during the run.
    pub interrupts: Vec<Pulse>,
    /// The retired instructions.
    pub stream: Vec<Step>,
}

/// The cores that there are golden streams of: those that are modelled in time.
pub fn cores() -> impl Iterator<Item = Core> {
    let modelled = |core: &Core| model::config(core.name).is_ok();
    Core::all().filter(modelled)
}

/// The file with the streams of a program on a core.
pub fn file(folder: &Path, core: &str, program: &str) -> PathBuf {
    folder.join(core).join(format!("{program}.txt"))
}

/// Pulses of the timer's input, of several lengths, so that they meet different instructions.
fn timer() -> Vec<Pulse> {
    let pulse = |at: u64| Pulse {
        line: crate::Line::Timer,
        from: 300 + 97 * at,
        until: 300 + 97 * at + 3 + 5 * (at % 6),
    };
    (0..24).map(pulse).collect()
}

/// The runs of a program, still without their streams.
fn plan(interrupted: bool) -> Vec<Run> {
    let quiet = WAITS.map(|waits| (waits, Vec::new()));
    let disturbed = WAITS[..2].iter().map(|&waits| (waits, timer()));
    let disturbed = disturbed.filter(|_| interrupted);
    let runs = quiet.into_iter().chain(disturbed);
    runs.map(|((latency, beat), interrupts)| Run {
        latency,
        beat,
        interrupts,
        stream: Vec::new(),
    })
    .collect()
}

impl Golden {
    /// Runs a program on the Verilog.
    ///
    /// # Errors
    /// When that does not work, or the program does not end itself.
    pub fn made(oracle: &Oracle, listed: &Listed, program: &Program) -> Result<Golden> {
        let name = listed.name;
        let mut runs = plan(listed.interrupted);
        for run in &mut runs {
            let outcome = oracle.run(&run.job(program))?;
            ensure!(
                outcome.exit == Some(0),
                "{name} does not end on {}",
                oracle.core.name
            );
            run.stream = outcome.stream.iter().map(Step::from).collect();
        }
        let verilator = verilator_version().unwrap_or_default();
        Ok(Golden {
            program: name.to_owned(),
            sha256: program.sha256(),
            core: oracle.core.name.to_owned(),
            made_with: format!("{}, Verilator {verilator}", oracle.core.source()),
            runs,
        })
    }

    /// As a file holds it.
    pub fn to_text(&self, program: &Program) -> String {
        let Golden {
            program: name,
            sha256,
            core,
            made_with,
            runs,
        } = self;
        let mut text = format!(
            "# What retires on the Verilog, and when; written by ./x rtl, described in sim/rtl/src/golden.rs.\n\
             program {name}\nsha256 {sha256}\ncore {core}\nverilog {made_with}\n"
        );
        for run in runs {
            run.write(&mut text, program);
        }
        text
    }

    /// Reads what [`Golden::to_text`] gave, for the same program.
    ///
    /// # Errors
    /// When it is something else, with the number of the line.
    pub fn from_text(text: &str, program: &Program) -> Result<Golden> {
        let mut golden = Golden {
            program: String::new(),
            sha256: String::new(),
            core: String::new(),
            made_with: String::new(),
            runs: Vec::new(),
        };
        for (number, line) in (1..).zip(text.lines()) {
            golden
                .read(line, program)
                .with_context(|| format!("line {number}: {line:?}"))?;
        }
        Ok(golden)
    }

    fn read(&mut self, line: &str, program: &Program) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "#" => {}
            "program" => self.program = rest.into(),
            "sha256" => {
                let found = program.sha256();
                ensure!(
                    rest == found,
                    "the program was changed since (it has {found} now); ./x rtl runs it again"
                );
                self.sha256 = found;
            }
            "core" => self.core = rest.into(),
            "verilog" => self.made_with = rest.into(),
            "run" => self.runs.push(Run::begun(rest)?),
            _ => {
                let run = self.runs.last_mut().context("no run has begun")?;
                run.read(word, rest, program)?;
            }
        }
        Ok(())
    }
}

impl Run {
    /// The run's job for the harness.
    pub fn job(&self, program: &Program) -> Job {
        Job {
            reset_vector: program.entry,
            base: program.base,
            memory: program.memory.clone(),
            latency: self.latency,
            beat: self.beat,
            changes: Pulse::changes(&self.interrupts),
            limit: LIMIT,
            ..Job::default()
        }
    }

    fn write(&self, text: &mut String, program: &Program) {
        let _ = write!(text, "run latency {} beat {}", self.latency, self.beat);
        self.interrupts.iter().for_each(|pulse| {
            let _ = write!(text, " {pulse}");
        });
        let mut expected = None;
        let mut last = 0;
        let mut same = Repeated::default();
        for step in &self.stream {
            if expected != Some(step.pc) {
                same.end(text);
                let _ = write!(text, "\n{:x}", step.pc);
            }
            same.add(step.cycle - last, text);
            last = step.cycle;
            expected = Some(step.pc.wrapping_add(program.size(step.pc)));
        }
        same.end(text);
        text.push('\n');
    }

    /// `latency 2 beat 1 timer@300..340 …`
    fn begun(text: &str) -> Result<Run> {
        let words: Vec<&str> = text.split(' ').collect();
        let ["latency", latency, "beat", beat, pulses @ ..] = &words[..] else {
            bail!("a run begins with `latency N beat N`");
        };
        let interrupts: Result<Vec<Pulse>> = pulses.iter().map(|pulse| pulse.parse()).collect();
        Ok(Run {
            latency: latency.parse()?,
            beat: beat.parse()?,
            interrupts: interrupts?,
            stream: Vec::new(),
        })
    }

    /// A stretch of code.
    fn read(&mut self, first: &str, cycles: &str, program: &Program) -> Result<()> {
        let mut pc = u32::from_str_radix(first, 16)?;
        for word in cycles.split(' ') {
            let (count, each) = word.split_once('*').unwrap_or(("1", word));
            let each: u64 = each.parse()?;
            for _ in 0..count.parse()? {
                let last = self.stream.last().map_or(0, |step| step.cycle);
                let cycle = last + each;
                self.stream.push(Step { cycle, pc });
                pc = pc.wrapping_add(program.size(pc));
            }
        }
        Ok(())
    }
}

/// A number, and how often it came.
#[derive(Default)]
struct Repeated {
    number: u64,
    count: usize,
}

impl Repeated {
    fn add(&mut self, number: u64, text: &mut String) {
        if self.number != number {
            self.end(text);
        }
        self.number = number;
        self.count += 1;
    }

    fn end(&mut self, text: &mut String) {
        let _ = match (self.count, self.number) {
            (0, _) => Ok(()),
            (1, number) => write!(text, " {number}"),
            (count, number) => write!(text, " {count}*{number}"),
        };
        self.count = 0;
    }
}
