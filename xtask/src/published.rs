//! Measures others' code that is published with cycle counts on silicon. It builds from checkouts given by path and writes a part of
//! `docs/evidence.md`; none of that code is part of this repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::packages::{C_COMPILER, ensure};
use crate::pages::{CODE, write_evidence};
use crate::shell::{output, run, say};
use crate::{prices, root};

/// The variable that names the checkouts' folder if no argument does.
const PLACE: &str = "PUBLISHED";

/// The folder of our drivers and the spec.
const FOLDER: &str = "firmware/published";

/// An ELF file to build.
struct Recipe {
    name: &'static str,
    /// The checkout's folder, and the subfolder to build in.
    checkout: &'static str,
    driver: &'static str,
    /// Files of the checkout, or folders whose assembly is built. An entry with an argument after a blank is a script that writes the
    /// file.
    sources: &'static [&'static str],
    include: &'static str,
    flags: &'static [&'static str],
    /// Addresses of flash, RAM and the end of the stack.
    places: [u32; 3],
}

const M4: &[&str] = &["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"];

const CHACHA: &[&str] = &[
    "common/chacha_gen.py 8",
    "common/chacha_gen.py 12",
    "common/chacha_gen.py 20",
];

const RECIPES: &[Recipe] = &[
    Recipe {
        name: "aes-m3",
        checkout: "cortexm-AES",
        driver: "aes-m3.c",
        sources: &["aes/target/CM3_1T", "aes/lookup_tables.c"],
        include: "",
        flags: &["-mcpu=cortex-m3", "-O2"],
        places: [0x0800_0000, 0x2000_0000, 0x2000_2000],
    },
    Recipe {
        name: "aes-m4",
        checkout: "cortexm-AES",
        driver: "aes-m3.c",
        sources: &["aes/target/CM3_1T", "aes/lookup_tables.c"],
        include: "",
        flags: &["-mcpu=cortex-m3", "-O2"],
        places: [0x0800_0000, 0x2000_0000, 0x2000_2000],
    },
    Recipe {
        name: "aes-m0",
        checkout: "cortexm-AES",
        driver: "aes-m0.c",
        sources: &[
            "aes/target/CM0_sBOX",
            "aes/target/CM0_FASTMULsBOX",
            "aes/target/CM0_d4T",
            "aes/lookup_tables.c",
        ],
        include: "",
        flags: &["-mcpu=cortex-m0", "-O2"],
        places: [0, 0x2000_0000, 0x2000_6000],
    },
    Recipe {
        name: "chacha-m3",
        checkout: "chacha-arm-cortex-m",
        driver: "chacha.c",
        sources: CHACHA,
        include: "",
        flags: &["-mcpu=cortex-m3", "-O3"],
        places: [0x0800_0000, 0x2000_0000, 0x2000_2000],
    },
    Recipe {
        name: "chacha-m4",
        checkout: "chacha-arm-cortex-m",
        driver: "chacha.c",
        sources: CHACHA,
        include: "",
        flags: &[M4[0], M4[1], M4[2], "-O3"],
        places: [0x0800_0000, 0x2000_0000, 0x2002_0000],
    },
    Recipe {
        name: "curve9767-m0plus",
        checkout: "curve9767/src",
        driver: "curve9767.c",
        sources: &[
            "curve9767.c",
            "ops_arm.c",
            "ops_cm0.s",
            "scalar_arm.c",
            "scalar_cm0.s",
        ],
        include: ".",
        flags: &["-mcpu=cortex-m0plus", "-mlong-calls", "-Os"],
        places: [0, 0x2000_0000, 0x2000_4000],
    },
    Recipe {
        name: "curve9767-m4",
        checkout: "curve9767/src",
        driver: "curve9767.c",
        sources: &[
            "curve9767.c",
            "ops_arm.c",
            "ops_cm4.s",
            "scalar_arm.c",
            "scalar_cm4.s",
        ],
        include: ".",
        flags: &[M4[0], M4[1], M4[2], "-Os"],
        // The end of SRAM2, as in the authors' linker script.
        places: [0x0800_0000, 0x2000_0000, 0x2002_0000],
    },
];

/// Builds and measures the checkouts in the folder that the argument or the environment names. Without one it reports the measurement as
/// skipped.
///
/// # Errors
/// If a checkout is incomplete, does not build, or does not run.
pub fn measure(arguments: &[String]) -> Result<()> {
    let place = match arguments {
        [] => env::var_os(PLACE).map(PathBuf::from),
        [path] => Some(path.into()),
        _ => bail!("`./x others published DIR`, or {PLACE}=DIR ./x others published"),
    };
    let Some(place) = place else {
        say(&format!(
            "published: skipped: {PLACE} names no folder of checkouts"
        ));
        return Ok(());
    };
    let place = place
        .canonicalize()
        .with_context(|| format!("no folder {}", place.display()))?;
    ensure(C_COMPILER)?;
    let built = root().join("target/published");
    fs::create_dir_all(&built)?;
    for recipe in RECIPES {
        recipe.build(&place, &built)?;
    }
    let simulator = prices::simulator()?;
    let page = built.join("page.md");
    let mut measure = Command::new(simulator);
    measure
        .current_dir(root())
        .args(["prices", &format!("{FOLDER}/published.toml"), "--ledger"]);
    run(measure.arg(&page))?;
    write_evidence(CODE, &fs::read_to_string(&page)?)
}

impl Recipe {
    fn build(&self, place: &Path, built: &Path) -> Result<()> {
        let checkout = place.join(self.checkout);
        if !checkout.is_dir() {
            bail!("{} has no checkout `{}`", place.display(), self.checkout);
        }
        let drivers = root().join(FOLDER);
        let mut compile = Command::new("arm-none-eabi-gcc");
        compile
            .args(self.flags)
            .args(["-mthumb", "-ffreestanding", "-nostdlib", "-w"])
            .args(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]);
        compile.arg("-I").arg(checkout.join(self.include));
        for (symbol, address) in ["_flash", "_ram", "_stack"].iter().zip(self.places) {
            compile.arg(format!("-Wl,--defsym={symbol}={address:#x}"));
        }
        compile.arg("-Wl,--no-warn-rwx-segments").arg("-T");
        compile
            .arg(drivers.join("sections.ld"))
            .arg(drivers.join(self.driver));
        for source in self.sources {
            match source.split_once(' ') {
                Some((script, argument)) => {
                    let text = output(Command::new("python3").arg(checkout.join(script)).arg(argument))?;
                    let file = built.join(format!("{}-{argument}.s", self.name));
                    fs::write(&file, text)?;
                    compile.arg(file);
                }
                None => {
                    compile.args(files(&checkout.join(source))?);
                }
            }
        }
        compile.arg("-lgcc").arg("-o");
        output(compile.arg(built.join(format!("{}.elf", self.name))))
            .map(drop)
            .with_context(|| format!("{} does not build", self.name))
    }
}

/// The file itself, or the assembly files in a folder, sorted by name.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = path
        .read_dir()
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "S"))
        .collect();
    files.sort();
    Ok(files)
}
