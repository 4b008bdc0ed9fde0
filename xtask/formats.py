"""Reads the files of `./x package formats` with tools of their formats: `formats.py FOLDER CHECKOUT`. What they hold must add up, too."""

import json
import os
import pathlib
import re
import subprocess
import sys

import junitparser
from perfetto.protos.perfetto.trace import perfetto_trace_pb2
from vcdvcd import VCDVCD

FOLDER, CHECKOUT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
NODE = FOLDER / "node/node_modules"
PYTHON = FOLDER / "python/bin"
# The validator is a program of .NET, which else looks for libraries of languages.
ENVIRONMENT = os.environ | {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}


def said(*words):
    done = subprocess.run([str(word) for word in words], cwd=FOLDER, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def holds(what, condition, found):
    if not condition:
        sys.exit(f"{what}: {found}")
    print(f"{what}: {found}")


def sarif():
    tool = NODE / "@microsoft/sarif-multitool-linux/Sarif.Multitool"
    tool.chmod(0o755)
    lines = [line for line in said(tool, "validate", "out.sarif").splitlines() if ": error " in line]
    holds("SARIF, by its validator", not lines, "; ".join(lines) or "no error")


def junit():
    cases = [case for suite in junitparser.JUnitXml.fromfile(str(FOLDER / "out.xml")) for case in suite]
    failed = [case.name for case in cases if not case.is_passed]
    holds("JUnit, by junitparser", len(cases) == 1 and len(failed) == 1, f"{len(cases)} cases, {len(failed)} failed")


def profiles(cycles):
    said(PYTHON / "check-jsonschema", "--schemafile", NODE / "speedscope/dist/release/file-format-schema.json", "out.speedscope")
    document = json.loads((FOLDER / "out.speedscope").read_text())
    total = sum(sum(profile["weights"]) for profile in document["profiles"])
    holds("speedscope, by its schema", total == cycles, f"{total} cycles")
    graph = said(PYTHON / "gprof2dot", "-f", "callgrind", "-n", "0", "-e", "0", "out.callgrind")
    holds("callgrind, by gprof2dot", "100.00%" in graph and "step -> gain" in graph, f"{graph.count('->')} calls")
    script = (
        "const fs=require('fs'),zlib=require('zlib');"
        f"const {{Profile}}=require({json.dumps(str(NODE / 'pprof-format'))});"
        "const profile=Profile.decode(zlib.gunzipSync(fs.readFileSync('out.pb.gz')));"
        "const names=profile.sampleType.map(type=>profile.stringTable.strings[Number(type.type)]);"
        "const at=names.indexOf('cycles');"
        "console.log(profile.sample.reduce((sum,sample)=>sum+Number(sample.value[at]),0))"
    )
    total = int(said("node", "-e", script))
    holds("pprof, by pprof-format", total == cycles, f"{total} cycles")
    said(PYTHON / "lcov_cobertura", "out.lcov", "--output", "coverage.xml")
    covered = re.search(r'lines-covered="(\d+)"', (FOLDER / "coverage.xml").read_text())
    holds("LCOV, by lcov_cobertura", covered and int(covered[1]) > 0, f"{covered and covered[1]} lines")


def traces(cycles):
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString((FOLDER / "out.perfetto").read_bytes())
    event = perfetto_trace_pb2.TrackEvent
    depth = 0
    for packet in trace.packet:
        if packet.HasField("track_event"):
            depth += {event.TYPE_SLICE_BEGIN: 1, event.TYPE_SLICE_END: -1}.get(packet.track_event.type, 0)
    holds("Perfetto, by its messages", depth == 0 and len(trace.packet) > 10, f"{len(trace.packet)} packets, each slice ends")
    waves = VCDVCD(str(FOLDER / "out.vcd"))
    holds("VCD, by vcdvcd", waves.endtime == cycles and "core.pc" in waves.signals, f"ends at {waves.endtime}")


def configurations():
    checker = PYTHON / "check-jsonschema"
    workflows = sorted((CHECKOUT / ".github/workflows").glob("*.yml")) + sorted((CHECKOUT / "template/.github/workflows").glob("*.yml"))
    said(checker, "--builtin-schema", "vendor.github-workflows", *workflows)
    said(checker, "--builtin-schema", "vendor.github-actions", CHECKOUT / "action.yml")
    snippets = [
        snippet
        for page in sorted((CHECKOUT / "docs").glob("*.md"))
        for snippet in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.S)
        if "script:" in snippet
    ]
    for index, snippet in enumerate(snippets):
        file = FOLDER / f"gitlab-{index}.yml"
        file.write_text(snippet)
        said(checker, "--builtin-schema", "vendor.gitlab-ci", file)
    holds("workflows, the action, GitLab's snippets, by their schemas", snippets, f"{len(workflows)}, 1 and {len(snippets)} files")


def main():
    cycles = json.loads((FOLDER / "out.json").read_text())["cycles"]
    sarif()
    junit()
    profiles(cycles)
    traces(cycles)
    configurations()


main()
