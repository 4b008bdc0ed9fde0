"""Makes a Python wheel of programs: `wheel.py PROGRAM... --out DIR [--fast]`. A wheel is a zip file with a list of what is in it."""

import argparse
import base64
import hashlib
import pathlib
import re
import sysconfig
import zipfile

NAME = "cyclescope"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    return re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)


def platform(programs):
    """As pip names it: `manylinux_2_36_x86_64` for what needs no newer glibc than that, `macosx_14_0_arm64`, `win_amd64`. A static program
    needs no C library at all, so it also is for systems with musl."""
    plain = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not plain.startswith("linux_"):
        return plain
    needed = set()
    for program in programs:
        found = re.findall(rb"GLIBC_(\d+)\.(\d+)", program.read_bytes())
        needed |= {(int(major), int(minor)) for major, minor in found}
    major, minor = max(needed | {(2, 17)})
    tag = plain.replace("linux_", f"manylinux_{major}_{minor}_", 1)
    return tag if needed else f"{tag}.{plain.replace('linux_', 'musllinux_1_1_', 1)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--fast", action="store_true", help="do not compress")
    options = parser.parse_args()
    number, tag = version(), f"py3-none-{platform(options.programs)}"
    info = f"{NAME}-{number}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {number}\n"
        "Summary: What real-time firmware costs, to the clock cycle\nLicense: MIT OR Apache-2.0\n"
        "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text()
    )
    tags = "".join(f"Tag: py3-none-{one}\n" for one in platform(options.programs).split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n{tags}"
    files = {f"{NAME}-{number}.data/scripts/{program.name}": (program.read_bytes(), 0o755) for program in options.programs}
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{licence}"] = ((ROOT / licence).read_bytes(), 0o644)
    files[f"{info}/METADATA"] = (metadata.encode(), 0o644)
    files[f"{info}/WHEEL"] = (wheel.encode(), 0o644)

    def digest(data):
        return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

    record = [f"{name},sha256={digest(data)},{len(data)}" for name, (data, _) in files.items()]
    record.append(f"{info}/RECORD,,\n")
    files[f"{info}/RECORD"] = ("\n".join(record).encode(), 0o644)
    options.out.mkdir(parents=True, exist_ok=True)
    place = options.out / f"{NAME}-{number}-{tag}.whl"
    method = zipfile.ZIP_STORED if options.fast else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(place, "w", method) as archive:
        for name, (data, mode) in files.items():
            # The same bytes whenever it is made.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, method
            archive.writestr(entry, data)
    print(place)


main()
