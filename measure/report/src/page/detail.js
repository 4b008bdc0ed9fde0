// One measurement: its figure, how it was obtained, and who else was measured.

const classOf = (core, rule) => (data.rules[core] && data.rules[core][rule] || ["issue"])[0];
const facts = pairs => `<dl>${pairs.filter(([, text]) => text).map(([name, text]) => `<dt>${name}</dt><dd>${text}</dd>`).join("")}</dl>`;

function ruleText(core, rule) {
  const known = data.rules[core] && data.rules[core][rule];
  if (!known) return "";
  const [, mark, text, source] = known;
  return `${escaped(string(text))} <span class="src">[${mark}: ${escaped(string(source))}]</span>`;
}

function parts(row) {
  if (!row.preempted && !row.blocked) return "";
  const all = [["own", row.own, "access"], ["pre-empted", row.preempted, "stacking"], ["blocked", row.blocked, "asleep"]];
  const sum = all.reduce((sum, [, value]) => sum + Math.max(value, 0), 0) || 1;
  return `<div class="split">${all.map(([, value, color]) => `<i class="k-${color}" style="width:${100 * Math.max(value, 0) / sum}%"></i>`).join("")}</div>
    <div class="key">${all.map(([name, value, color]) => `<span><i class="dot k-${color}"></i>${name} <b>${number(value)}</b></span>`).join("")}</div>`;
}

function histogram(row) {
  if (!row.histogram) return "";
  const { width, bins } = row.histogram;
  const [first, last] = [bins[0][0], bins[bins.length - 1][0] + width];
  const most = Math.max(...bins.map(bin => bin[1]));
  const [W, H] = [600, 110];
  const x = value => (value - first) / (last - first) * W;
  const bar = ([value, count], index) => {
    const height = Math.max(2, count / most * (H - 24));
    const what = `${number(value)}${width > 1 ? `–${number(value + width - 1)}` : ""}: ${number(count)} times`;
    return `<rect x="${x(value)}" y="${H - 16 - height}" width="${Math.max(2, x(value + width) - x(value) - 1)}" height="${height}"
      class="${index === bins.length - 1 ? "worst" : ""}"><title>${what}</title></rect>`;
  };
  return `<div class="card"><h2>${number(row.count)} samples by ${row.unit}</h2><svg class="histogram" viewBox="0 0 ${W} ${H}" preserveAspectRatio="none"
    role="img" aria-label="histogram">${bins.map(bar).join("")}</svg>
    <div class="key"><span>least <b>${number(row.min)}</b></span><span>mean <b>${number(row.mean)}</b></span><a href="${escaped(linkTo(row, { s: "worst" }))}"
    class="to-worst">worst <b>${number(row.max)}</b></a></div></div>`;
}

function peers(row) {
  const same = data.rows.filter(other => other.id === row.id && other.unit === row.unit);
  if (same.length < 2) return "";
  const most = Math.max(...same.map(other => other.max), 1);
  const line = other => `<a class="${other === row ? "here" : ""}" href="${escaped(linkTo(other))}">${escaped([kernelOf(other), other.board].filter(Boolean).join(" · "))}</a>
    <span class="track"><i style="width:${Math.max(0, 100 * other.max / most)}%"></i></span><span class="mono">${figures(other)}</span>`;
  const sorted = [...same].sort((a, b) => a.max - b.max);
  return `<div class="card long" tabindex="0" role="region" aria-label="the same elsewhere"><h2>The same elsewhere</h2><div class="peers">${sorted.map(line).join("")}</div></div>`;
}

function obtained(row) {
  const program = data.programs[row.program];
  const mark = `<b>${row.evidence}</b>: ${MARKS[row.evidence]}`;
  const weakest = (row.weakest || []).map(rule => `<p><code>${escaped(rule)}</code> ${ruleText(row.core, rule)}</p>`).join("");
  const toolchain = program && program.toolchain && program.toolchain.map(escaped).join("<br>");
  const inputs = program && program.inputs && program.inputs.map(([name, cycle]) => `${escaped(name)} in cycle ${number(cycle)}`).join(", ");
  const difference = differenceOf(row);
  const differs = difference == null ? "another program" : difference === 0 ? "the same"
    : `${difference > 0 ? "+" : "−"}${number(Math.abs(difference))}`;
  return `<div class="card"><h2>How it was obtained</h2>${facts([
    ["measured", escaped(row.how || "")],
    ["samples", `${number(row.count)}${row.unfinished ? `, and ${number(row.unfinished)} calls that did not return` : ""}`],
    ["published", row.published == null ? "" : `${row.published} (${differs})${row.source ? `, ${escaped(string(row.source))}` : ""}`],
    ["limit", row.limit == null ? "" : number(row.limit)],
    ["kernel", row.about == null ? "" : escaped(string(row.about))],
    ["time", row.time_us ? `${number(row.time_us.min)} / ${number(row.time_us.mean)} / ${number(row.time_us.max)} µs` : ""],
    ["stack", row.stack == null ? "" : `${number(row.stack)} bytes`],
    ["program", program ? `<span title="${escaped(program.elf)}">${escaped(base(program.elf))}</span>` : ""],
    ["SHA-256", program ? `<code title="${escaped(program.sha256)}">${escaped(program.sha256.slice(0, 16))}…</code>` : ""],
    ["built with", toolchain || ""],
    ["inputs", inputs ? `${inputs}${program.runs > 1 ? `, and a cycle later in each of ${number(program.runs)} runs` : ""}` : ""],
    ["ended with", program ? `${escaped(program.outcome)}, at ${number(program.clock_hz / 1e6)} MHz` : ""]])}</div>
    <div class="card long" tabindex="0" role="region" aria-label="evidence"><h2>Evidence</h2><p style="margin:0 0 6px">${mark}</p>${weakest ? `<div class="src">weakest rules it relied on</div>${weakest}` : ""}</div>`;
}

function showDetail(wanted) {
  const of = row => row.id === wanted.get("m") && (!wanted.get("board") || row.board === wanted.get("board"))
    && (!wanted.get("kernel") || row.kernel === wanted.get("kernel"));
  const row = data.rows.find(of);
  if (!row) {
    main.innerHTML = `<p class="none">There is no measurement named <code>${escaped(wanted.get("m"))}</code> here. <a href="#">All measurements</a></p>`;
    return;
  }
  document.title = `${row.id} on ${row.board} · ${data.title}`;
  const [before, behind] = [data.rows[row.index - 1], data.rows[row.index + 1]];
  const step = (other, sign) => other ? `<a href="${escaped(linkTo(other))}">${sign}</a>` : "";
  const range = row.min === row.max ? "" : `<span class="sub">least ${number(row.min)}, mean ${number(row.mean)}</span>`;
  main.innerHTML = `<nav class="crumbs" aria-label="Measurements"><a href="#" id="back">← all measurements</a><span>${step(before, "‹ previous")} &nbsp; ${step(behind, "next ›")}</span></nav>
    <div class="head"><h1 tabindex="-1">${escaped(row.id)}</h1><span class="sub">${escaped([row.board, row.core, kernelOf(row)].filter(Boolean).join(" · "))}</span></div>
    <div class="head" style="margin-top:0"><span class="figure" id="figure">${number(row.max)} <small>${unitOf(row)}${timeOf(row) ? ` · ${timeOf(row)}${hzOf(row) ? ` at ${number(hzOf(row) / 1e6)} MHz` : ""}` : ""}</small></span>
    <span class="mark ${row.evidence}" title="${escaped(MARKS[row.evidence])}">${row.evidence}</span>${range}</div>
    ${parts(row)}<div id="timelines"></div><div class="cards">${histogram(row)}${peers(row)}${obtained(row)}</div>`;
  document.getElementById("back").addEventListener("click", event => {
    if (cameFrom != null) { event.preventDefault(); location.hash = cameFrom; }
  });
  const worst = main.querySelector(".histogram .worst");
  if (worst) worst.addEventListener("click", () => { location.hash = linkTo(row, { s: "worst" }); });
  showTimelines(row, wanted);
}
