//! The packages that hold the Verilog: Python wheels, pinned by version and hash; and Verilog that is in none, which somebody puts
//! there by hand.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context as _, Result, bail};
use sha2::{Digest, Sha256};

/// A Python wheel, or another archive, with Verilog.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Of the wheel, or of the file.
    sha256: &'static str,
    /// The file of it that is looked at, where there is no wheel.
    file: Option<&'static str>,
    /// Folder of the Verilog inside it.
    folder: &'static str,
}

pub(crate) const VEXRISCV: Package = Package {
    name: "pythondata-cpu-vexriscv",
    version: "1.0.1.post407",
    sha256: "8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc",
    file: None,
    folder: "pythondata_cpu_vexriscv/verilog",
};

pub(crate) const IBEX: Package = Package {
    name: "pythondata-cpu-ibex",
    version: "0.0.post2937",
    sha256: "bcb32ffccc75097248a11b3e52031eca92d21c6c6161a29151c8c79d6157e1c9",
    file: None,
    folder: "pythondata_cpu_ibex/system_verilog",
};

pub(crate) const PICORV32: Package = Package {
    name: "pythondata-cpu-picorv32",
    version: "1.0.post218",
    sha256: "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd",
    file: None,
    folder: "pythondata_cpu_picorv32/verilog",
};

/// Names the folder of the Verilog that is in no package, if it is not where it is built.
pub(crate) const BY_HAND: &str = "RTL_PRECURSOR";

/// Precursor's core, which is in no package: `VexRiscv_BetrustedSoC.v` of a repository.
pub(crate) const PRECURSOR: Package = Package {
    name: "betrusted-io/pythondata-cpu-vexriscv",
    version: "of commit b63b58b",
    sha256: "0022e4384811f138234124aff5d6130dabb8f1af64917242958fa6c0b5cb6402",
    file: Some("VexRiscv_BetrustedSoC.v"),
    folder: "precursor",
};

/// `LiteX`'s L2 cache and its Verilog generator.
pub(crate) const LITEX: Package = Package {
    name: "litex",
    version: "2024.12",
    sha256: "f4ffd571540f19101e3fbebc4e945919f74254bb38292ecd79db71f9acd1dc7e",
    file: None,
    folder: "litex",
};

pub(crate) const MIGEN: Package = Package {
    name: "migen",
    version: "0.10.0",
    sha256: "e2ba5a11906c46a434a39fa73c0881ed4ad697619492e7d28b9b30954a17bc4c",
    file: None,
    folder: "migen",
};

impl Package {
    /// Verilog that is in no package but in a folder.
    pub(crate) const fn by_hand_at(
        name: &'static str,
        version: &'static str,
        folder: &'static str,
    ) -> Package {
        Package {
            name,
            version,
            sha256: "",
            file: None,
            folder,
        }
    }

    /// The folder of the Verilog, fetched and unpacked under `cache` if it is not there yet.
    pub(crate) fn unpacked(&self, cache: &Path) -> Result<PathBuf> {
        if let Some(folder) = self.by_hand(cache) {
            return self.put_there(folder);
        }
        let folder = cache.join(format!("{}-{}", self.name, self.version));
        let verilog = folder.join(self.folder);
        let download = cache.join("download");
        fs::create_dir_all(&download)?;
        // Several cores come from one package.
        let lock = File::create(download.join("lock"))?;
        lock.lock()?;
        if !verilog.exists() {
            let wheel = self.fetched(&download)?;
            self.check(&wheel)?;
            unpack(&wheel, &folder)?;
        }
        Ok(verilog)
    }

    /// The folder of Verilog that is in no package, which may read further files there when it runs.
    pub(crate) fn by_hand(&self, cache: &Path) -> Option<PathBuf> {
        if self.sha256.is_empty() {
            return Some(cache.join(self.folder));
        }
        let named = || std::env::var_os(BY_HAND).map(PathBuf::from);
        self.file
            .map(|_| named().unwrap_or_else(|| cache.join(self.folder)))
    }

    fn put_there(&self, folder: PathBuf) -> Result<PathBuf> {
        if !folder.is_dir() {
            bail!(
                "its Verilog is in no package: put the files of {} that it is made of into {}, or name their folder in {BY_HAND}",
                self.name,
                folder.display()
            );
        }
        if let Some(file) = self.file {
            self.check(&folder.join(file))?;
        }
        Ok(folder)
    }

    fn fetched(&self, into: &Path) -> Result<PathBuf> {
        let wanted = format!("{}=={}", self.name, self.version);
        let pip = [
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            "--dest",
        ];
        succeeds(Command::new("python3").args(pip).arg(into).arg(&wanted))
            .with_context(|| format!("{wanted} cannot be fetched with pip"))?;
        let stem = self.folder.split('/').next().unwrap_or_default();
        let files = into.read_dir()?.flatten().map(|entry| entry.path());
        let mut wheels = files.filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(stem) && name.contains(self.version)
        });
        wheels.next().with_context(|| format!("pip brought no {wanted}"))
    }

    fn check(&self, wheel: &Path) -> Result<()> {
        let bytes = fs::read(wheel).with_context(|| wheel.display().to_string())?;
        let found = Sha256::digest(bytes);
        if format!("{found:x}") != self.sha256 {
            bail!("{} has the hash {found:x}, not {}", wheel.display(), self.sha256);
        }
        Ok(())
    }
}

/// The folder is there when all is in it: one that was left half-unpacked has another name, and is begun anew.
fn unpack(wheel: &Path, into: &Path) -> Result<()> {
    let name = into.file_name().unwrap_or_default().to_string_lossy();
    let half = into.with_file_name(format!("{name}.half"));
    if half.exists() {
        fs::remove_dir_all(&half)?;
    }
    succeeds(
        Command::new("python3")
            .args(["-m", "zipfile", "-e"])
            .args([wheel, &half]),
    )
    .with_context(|| format!("{} cannot be unpacked", wheel.display()))?;
    if into.exists() {
        fs::remove_dir_all(into)?;
    }
    fs::rename(&half, into).with_context(|| into.display().to_string())
}

/// Runs a command to its end; what it says is only shown when it fails.
pub(crate) fn succeeds(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{program} cannot be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{program} failed: {}", said.trim_end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_put_there_is_looked_at() {
        let folder = std::env::temp_dir().join(format!("rtl-by-hand-{}", std::process::id()));
        let error = |path: PathBuf| format!("{:#}", PRECURSOR.put_there(path).unwrap_err());
        assert!(error(folder.clone()).contains("put the files of betrusted-io/"));
        fs::create_dir(&folder).unwrap();
        assert!(error(folder.clone()).contains("VexRiscv_BetrustedSoC.v"));
        fs::write(
            folder.join("VexRiscv_BetrustedSoC.v"),
            "module VexRiscv; endmodule",
        )
        .unwrap();
        assert!(error(folder).contains("has the hash"));
    }

    #[test]
    fn what_was_left_half_unpacked_is_unpacked_again() {
        if Command::new("python3").arg("--version").output().is_err() {
            skipped::skip("no python3");
            return;
        }
        let folder = std::env::temp_dir().join(format!("rtl-unpacked-{}", std::process::id()));
        let (wheel, into) = (folder.join("a.whl"), folder.join("a"));
        fs::create_dir_all(folder.join("a.half/old")).unwrap();
        fs::write(&wheel, b"half of a wheel").unwrap();
        assert!(unpack(&wheel, &into).is_err());
        assert!(!into.exists());
        fs::write(folder.join("core.v"), "module core; endmodule").unwrap();
        let zip = ["-m", "zipfile", "-c"];
        succeeds(
            Command::new("python3")
                .args(zip)
                .args([&wheel, &folder.join("core.v")]),
        )
        .unwrap();
        unpack(&wheel, &into).unwrap();
        assert!(into.join("core.v").exists() && !into.join("old").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
