// The price list: filters, and a table for each group with kernels or boards side by side.

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
// Between two programs there is none.
const differenceOf = row => row.published == null || row.reference === "other-program" ? null : row.mean - row.published;
const FILTERS = ["group", "board", "core", "kernel", "evidence"];
const valueOf = (row, filter) => filter === "group" ? groupOf(row) : row[filter];

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
  const choice = filter => {
    const all = distinct(data.rows.map(row => valueOf(row, filter)));
    const option = value => `<option${wanted.get(filter) === value ? " selected" : ""}>${escaped(value)}</option>`;
    return `<select name="${filter}" aria-label="${filter}"><option value="">every ${filter}</option>${all.map(option).join("")}</select>`;
  };
  return `<form class="filters" id="filters"><input type="search" name="q" placeholder="Search: lock stm32f4 mainspring" aria-label="search"
    value="${escaped(wanted.get("q") || "")}">${FILTERS.map(choice).join("")}
    <label><input type="checkbox" name="off" value="1"${wanted.get("off") ? " checked" : ""}>differs from published</label></form>`;
}

function cell(row, most, least) {
  if (!row) return "";
  const difference = differenceOf(row);
  const published = difference == null ? "" : difference === 0 ? ` <small class="is" title="as published: ${row.published}">✓</small>`
    : ` <small class="off" title="published: ${row.published}">${difference > 0 ? "+" : "−"}${number(Math.abs(difference))}</small>`;
  const width = most > 0 ? Math.max(0, 100 * row.max / most) : 0;
  const unit = row.unit === "bytes" ? " <small>B</small>" : row.unit === "percent" ? " <small>%</small>" : "";
  return `<a class="cell${least ? " least" : ""}" style="--w:${width.toFixed(1)}" href="${escaped(linkTo(row))}" data-row="${row.index}">${figures(row)}${unit}${published}<span
    class="mark ${row.evidence}" title="${escaped(MARKS[row.evidence])}">${row.evidence}</span></a>`;
}

function table(rows, column, heading) {
  const columns = distinct(rows.map(row => row[column])), known = new Map();
  for (const row of rows) { const key = JSON.stringify([row.id, row[column]]); if (!known.has(key)) known.set(key, row); }
  const lines = distinct(rows.map(row => row.id)).map(id => {
    const cells = columns.map(value => known.get(JSON.stringify([id, value])));
    const values = cells.filter(Boolean).map(row => row.max);
    const [most, least] = [Math.max(...values), Math.min(...values)];
    const compares = cells.every(row => !row || row.unit === "cycles" || row.unit === "bytes");
    const best = compares && column === "kernel" && values.length > 1 && most > least;
    const one = row => `<td>${cell(row, most, best && row && row.max === least)}</td>`;
    return `<tr><th scope="row">${escaped(id.slice(id.indexOf("/") + 1))}</th>${cells.map(one).join("")}</tr>`;
  });
  const about = value => column === "kernel" ? string(rows.find(row => row.kernel === value).about) : rows.find(row => row.board === value).core;
  const head = value => `<th scope="col" title="${escaped(about(value))}">${escaped(value === "none" ? "cycles" : value)}</th>`;
  return `<div class="part">${heading ? `<h3>${escaped(heading)}</h3>` : ""}<div class="scroll"><table class="prices"><thead><tr><th></th>${columns.map(head).join("")}</tr></thead>
    <tbody>${lines.join("")}</tbody></table></div></div>`;
}

function group(name, rows) {
  const kernels = distinct(rows.map(row => row.kernel));
  // Kernels are compared on one board, and boards where there is one kernel.
  const parts = kernels.length > 1
    ? distinct(rows.map(row => row.board)).map(board => rows.filter(row => row.board === board)).map(part => table(part, "kernel", `${part[0].board} · ${part[0].core}`))
    : distinct(rows.map(row => row.section || "")).map(section => table(rows.filter(row => (row.section || "") === section), "board", section));
  return `<section class="group"><h2>${escaped(name)}</h2>${parts.join("")}</section>`;
}

function tables(wanted) {
  const rows = chosen(wanted);
  const groups = distinct(rows.map(groupOf)).map(name => group(name, rows.filter(row => groupOf(row) === name)));
  return `<p class="count" id="count">${number(rows.length)} of ${number(data.rows.length)} measurements. The bar compares with the dearest of the line;
    the letter is the <abbr title="${escaped(Object.entries(MARKS).map(([mark, text]) => `${mark}: ${text}`).join("\n"))}">evidence</abbr>; ✓ is as published.</p>
    ${groups.join("") || `<p class="none">Nothing is like that.</p>`}`;
}

function showList(wanted) {
  document.title = "Cyclescope: price list";
  main.innerHTML = `${filters(wanted)}<div id="tables">${tables(wanted)}</div>`;
  const form = document.getElementById("filters");
  const filter = () => {
    const now = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", "#" + now);
    document.getElementById("tables").innerHTML = tables(now);
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
}
