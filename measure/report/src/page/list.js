// The list of measurements: what was measured, filters, and a table for each group with kernels or boards side by side.

const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const string = index => index < 0 || index == null ? "" : data.strings[index];
const escaped = text => String(text).replace(/[&<>"']/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);
const distinct = items => [...new Set(items)];
const number = value => (Number.isInteger(value) ? value : Math.round(value * 100) / 100).toLocaleString("en-US").replace(/,/g, "\u202f");
const several = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
const unitOf = row => ({ cycles: "cycles", bytes: "bytes", percent: "%", count: "" })[row.unit];
const groupOf = row => row.id.split("/", 1)[0];
const nameOf = row => row.id.includes("/") ? row.id.slice(row.id.indexOf("/") + 1) : row.id;
const kernelOf = row => row.kernel === "none" ? "" : row.kernel;
const parameters = () => new URLSearchParams(location.hash.slice(1));
const linkTo = (row, more) => "#" + new URLSearchParams({ m: row.id, board: row.board, kernel: row.kernel, ...more });
const MARKS = { RTL: "checked against the core's own Verilog, cycle by cycle", A: "checked against published figures of silicon",
  B: "from the vendor's documents", C: "one independent measurement, not checked again",
  D: "estimated: inferred, or measured otherwise on the same chip with the same program" };
const programOf = row => data.programs[row.program];
const hzOf = row => row.clock_hz || (programOf(row) || {}).clock_hz;
const base = path => path.split(/[/\\]/).pop();
const duration = ns => ns < 1e3 ? `${number(ns)} ns` : ns < 1e6 ? `${number(ns / 1e3)} µs` : `${number(ns / 1e6)} ms`;
// The time of the largest value at the clock of its board, as text.
function timeOf(row) {
  if (row.unit !== "cycles") return "";
  if (row.time_us) return duration(row.time_us.max * 1e3);
  return hzOf(row) ? duration(row.max * 1e9 / hzOf(row)) : "";
}
// Between two programs there is none.
const differenceOf = row => row.published == null || row.reference === "other-program" ? null : row.mean - row.published;
const ALL_FILTERS = ["group", "board", "core", "kernel", "evidence"];
const valueOf = (row, filter) => filter === "group" ? groupOf(row) : row[filter];
// Those that can tell measurements apart.
const FILTERS = ALL_FILTERS.filter(filter => distinct(data.rows.map(row => valueOf(row, filter))).length > 1);
const ANY_PUBLISHED = data.rows.some(row => differenceOf(row) != null);
// In a table of more columns there is only room for cycles.
const COLUMNS_WITH_TIMES = 3;
// More programs than these are counted, not named.
const PROGRAMS_NAMED = 3;

function figures(row) {
  return row.min === row.max ? number(row.max) : `${number(row.min)}–${number(row.max)}`;
}

function chosen(wanted) {
  const words = (wanted.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
  const fits = row => {
    const text = `${row.id} ${row.board} ${row.core} ${row.kernel} ${string(row.about)} ${row.section || ""}`.toLowerCase();
    return words.every(word => text.includes(word)) && FILTERS.every(f => !wanted.get(f) || valueOf(row, f) === wanted.get(f))
      && (!wanted.get("off") || differenceOf(row));
  };
  return data.rows.filter(fits);
}

function filters(wanted) {
  if (data.rows.length < 2) return "";
  const choice = filter => {
    const all = distinct(data.rows.map(row => valueOf(row, filter)));
    const option = value => `<option${wanted.get(filter) === value ? " selected" : ""}>${escaped(value)}</option>`;
    return `<select name="${filter}" aria-label="${filter}"><option value="">every ${filter}</option>${all.map(option).join("")}</select>`;
  };
  return `<form class="filters" id="filters"><input type="search" name="q" placeholder="Search" aria-label="search"
    value="${escaped(wanted.get("q") || "")}">${FILTERS.map(choice).join("")}
    ${ANY_PUBLISHED ? `<label><input type="checkbox" name="off" value="1"${wanted.get("off") ? " checked" : ""}>differs from published</label>` : ""}</form>`;
}

function cell(row, most, least, roomy) {
  if (!row) return "";
  const difference = differenceOf(row);
  const published = difference == null ? "" : difference === 0 ? ` <small class="is" title="as published: ${row.published}">✓</small>`
    : ` <small class="off" title="published: ${row.published}">${difference > 0 ? "+" : "−"}${number(Math.abs(difference))}</small>`;
  const width = most > 0 ? Math.max(0, 100 * row.max / most) : 0;
  const known = { bytes: " B", percent: " %", cycles: roomy ? [" cycles", timeOf(row)].filter(Boolean).join(" · ") : "" }[row.unit];
  const unit = known ? ` <small>${known}</small>` : "";
  return `<a class="cell${least ? " least" : ""}" style="--w:${width.toFixed(1)}" href="${escaped(linkTo(row))}" data-row="${row.index}">${figures(row)}${unit}${published}<span
    class="mark ${row.evidence}" title="${escaped(MARKS[row.evidence])}">${row.evidence}</span></a>`;
}

function table(rows, column, heading, name) {
  const label = [name, heading].filter(Boolean).join(", ");
  const columns = distinct(rows.map(row => row[column])), known = new Map();
  for (const row of rows) { const key = JSON.stringify([row.id, row[column]]); if (!known.has(key)) known.set(key, row); }
  const lines = distinct(rows.map(row => row.id)).map(id => {
    const cells = columns.map(value => known.get(JSON.stringify([id, value])));
    const values = cells.filter(Boolean).map(row => row.max);
    const [most, least] = [Math.max(...values), Math.min(...values)];
    const compares = cells.every(row => !row || row.unit === "cycles" || row.unit === "bytes");
    const best = compares && column === "kernel" && values.length > 1 && most > least;
    const one = row => `<td>${cell(row, most, best && row && row.max === least, columns.length <= COLUMNS_WITH_TIMES)}</td>`;
    return `<tr><th scope="row">${escaped(id.slice(id.indexOf("/") + 1))}</th>${cells.map(one).join("")}</tr>`;
  });
  const about = value => column === "kernel" ? string(rows.find(row => row.kernel === value).about) : rows.find(row => row.board === value).core;
  const head = value => `<th scope="col" title="${escaped(about(value))}">${escaped(value === "none" ? "measured" : value)}</th>`;
  return `<div class="part">${heading ? `<h3>${escaped(heading)}</h3>` : ""}<div class="scroll" tabindex="0" role="region" aria-label="${escaped(label)}"><table class="prices"><thead><tr><th scope="col">measurement</th>${columns.map(head).join("")}</tr></thead>
    <tbody>${lines.join("")}</tbody></table></div></div>`;
}

function group(name, rows) {
  const kernels = distinct(rows.map(row => row.kernel));
  // Kernels are compared on one board, and boards where there is one kernel.
  const parts = kernels.length > 1
    ? distinct(rows.map(row => row.board)).map(board => rows.filter(row => row.board === board)).map(part => table(part, "kernel", `${part[0].board} · ${part[0].core}`, name))
    : distinct(rows.map(row => row.section || "")).map(section => table(rows.filter(row => (row.section || "") === section), "board", section, name));
  return `<section class="group"><h2>${escaped(name)}</h2>${parts.join("")}</section>`;
}

function tables(wanted) {
  const rows = chosen(wanted);
  const groups = distinct(rows.map(groupOf)).map(name => group(name, rows.filter(row => groupOf(row) === name)));
  return `<p class="count" id="count">${number(rows.length)} of ${number(data.rows.length)} measurements, in cycles unless they name a unit. Each figure is a link: to how it was obtained, and where
    its cycles went. The bar compares it with the greatest in its line; the letter is its <abbr title="${escaped(Object.entries(MARKS).map(([mark, text]) => `${mark}: ${text}`).join("\n"))}">evidence</abbr>.${ANY_PUBLISHED ? " ✓: as published." : ""}</p>
    ${groups.join("") || `<p class="none">No measurement matches.</p>`}`;
}

// What was measured, with what.
function about() {
  const programs = distinct(data.rows.map(programOf).filter(Boolean));
  const boards = distinct(data.rows.map(row => [row.board, row.core, hzOf(row) && `${number(hzOf(row) / 1e6)} MHz`].filter(Boolean).join(" · ")));
  const few = (all, what) => all.length > PROGRAMS_NAMED ? several(all.length, what) : all.join("<br>");
  const named = program => `${escaped(base(program.elf))} · SHA-256 <code title="${escaped(program.sha256)}">${escaped(program.sha256.slice(0, 16))}…</code>`;
  const tools = distinct(programs.flatMap(program => program.toolchain || []));
  return `<div class="program">${facts([
    ["program", few(programs.map(named), "program")],
    ["built with", few(tools.map(escaped), "toolchain")],
    ["board", few(boards.map(escaped), "board")],
    ["measured with", escaped(data.tool)]])}</div>`;
}

function showList(wanted) {
  document.title = `${data.title} · Cyclescope`;
  main.innerHTML = `<h1 tabindex="-1">${escaped(data.title)}</h1>${about()}${filters(wanted)}<div id="tables">${tables(wanted)}</div>`;
  const form = document.getElementById("filters");
  if (!form) return;
  const filter = () => {
    const now = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", "#" + now);
    document.getElementById("tables").innerHTML = tables(now);
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
}
