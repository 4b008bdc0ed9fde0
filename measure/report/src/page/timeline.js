// The timeline of a sample: waveforms of contexts, instructions and causes, and the same as a table.

// A timeline with its windows one by one. Cycle 0 is where the sample begins.
function unfolded(t, core) {
  const costs = t.costs.map(flat => pairs(flat, t.rules, core));
  const lengths = costs.map(cost => cost.reduce((sum, [, cycles]) => sum + cycles, 0));
  const instructions = t.code.map((_, code) => instruction(t, code));
  let cycle = t.lead;
  const windows = order(t).map(step => {
    const [code, cost, context] = [t.steps[3 * step], t.steps[3 * step + 1], t.steps[3 * step + 2]];
    const from = cycle;
    cycle += lengths[cost];
    return { from, to: cycle, i: instructions[code], cost: costs[cost], kind: dominant(costs[cost]), context };
  });
  const contexts = new Set();
  for (let index = 0; index < t.turns.length; index += 2) contexts.add(t.turns[index]);
  for (const window of windows) contexts.add(window.context);
  return { ...t, windows, lanes: [...contexts].sort((a, b) => a - b), shown: cycle, length: t.ended - t.began };
}

// The steps one after the other: what was folded is (0, a step) or (how far back, how many).
function order(t) {
  const all = t.windows.slice();
  for (let index = 0; index < t.parts.length; index += 2) {
    const [back, count] = [t.parts[index], t.parts[index + 1]];
    if (!back) all.push(count);
    else for (let n = 0; n < count; n++) all.push(all[all.length - back]);
  }
  return all;
}

// [[rule, cycles, class]…] of [rule, cycles, …].
function pairs(flat, rules, core) {
  const all = [];
  for (let i = 0; i < flat.length; i += 2) {
    const rule = string(rules[flat[i]]);
    all.push([rule, flat[i + 1], classOf(core, rule)]);
  }
  return all;
}

function instruction(t, code) {
  const [pc, text, fn, inlined, file, line] = data.code[t.code[code]];
  return { pc, text: string(text), fn: string(fn), short: short(string(fn)), inlined: string(inlined), file: string(file), line };
}

const short = name => { const last = name.replace(/::h[0-9a-f]{16}$/, "").split("::").pop(); return last.endsWith(">") ? name : last; };
const placeOf = i => i.file ? `${base(i.file)}:${i.line}` : "";
const named = i => i.inlined && i.inlined !== i.fn ? `${short(i.inlined)} in ${short(i.fn)}` : short(i.fn);
const dominant = cost => cost.reduce((best, one) => one[1] > best[1] ? one : best, ["", 0, "issue"])[2];
const hex = pc => pc.toString(16).padStart(8, "0");
const chips = cost => cost.map(([rule, cycles, kind]) => `<span class="chip"><i class="dot k-${kind}"></i>${escaped(rule)} ${number(cycles)}</span>`).join("");

// Cycles by rule, of all of it.
function sums(t, core) {
  const all = pairs(t.sums, t.rules, core).map(([rule, cycles, kind]) => ({ rule, cycles, kind }));
  return all.sort((a, b) => b.cycles - a.cycles);
}

function showTimelines(row, wanted) {
  const box = document.getElementById("timelines");
  if (row.worst == null) {
    box.innerHTML = row.unit === "cycles" ? `<p class="none">No timeline was recorded: <code>--timeline</code> of <code>cyclescope measure</code> does.</p>` : "";
    return;
  }
  const which = wanted.get("s") === "best" && row.best != null ? "best" : "worst";
  const t = unfolded(data.timelines[row[which]], row.core);
  const button = (name, text) => `<button type="button" class="tool" data-s="${name}" aria-pressed="${name === which}">${text}</button>`;
  const choice = row.best == null ? "" : button("worst", `worst: ${number(row.max)}`) + button("best", `least: ${number(row.min)}`);
  box.innerHTML = `<div class="section"><h2>Where the cycles went</h2>
    <div class="tools">${choice}<button type="button" class="tool" data-zoom="in" aria-label="zoom in">+</button><button type="button" class="tool" data-zoom="out"
    aria-label="zoom out">−</button><button type="button" class="tool" data-zoom="fit">all</button><span class="hint">Ctrl + wheel, pinch, + and − zoom; drag pans; a click or the arrow keys select an instruction</span></div>
    <div class="timeline" tabindex="0" role="application" aria-label="timeline; arrow keys go from window to window, plus and minus zoom"></div>
    <div class="why" aria-live="polite"></div>${summary(t, row)}${differs(row)}${listing()}</div>`;
  box.querySelectorAll("[data-s]").forEach(button => button.addEventListener("click", () => {
    refocus = `[data-s="${button.dataset.s}"]`;
    location.hash = linkTo(row, { s: button.dataset.s });
  }));
  const view = new View(box, t, row, which);
  const at = Number(wanted.get("w"));
  if (wanted.has("w") && Number.isInteger(at)) view.choose(at, true);
}

function summary(t, row) {
  const all = sums(t, row.core);
  const total = all.reduce((sum, { cycles }) => sum + cycles, 0) || 1;
  const edge = (value, text) => value ? `<span>${text} <b>${value > 0 ? "" : "−"}${number(Math.abs(value))}</b></span>` : "";
  return `<div class="split" role="img" aria-label="cycles by rule">${all.map(({ kind, cycles, rule }) => `<i class="k-${kind}" style="width:${100 * cycles / total}%" title="${escaped(rule)} ${cycles}"></i>`).join("")}</div>
    <div class="key" id="sums">${all.map(({ kind, cycles, rule }) => `<span title="${kind}"><i class="dot k-${kind}"></i>${escaped(rule)} <b>${number(cycles)}</b></span>`).join("")}
    ${edge(t.lead, t.lead > 0 ? "still under way before" : "before it began")}${edge(t.tail, t.tail > 0 ? "begun at the end" : "behind its end")}</div>`;
}

// Why the worst sample is worse than the least one.
function differs(row) {
  if (row.best == null || row.worst == null) return "";
  const [worst, best] = [data.timelines[row.worst], data.timelines[row.best]];
  const of = t => new Map(sums(t, row.core).map(one => [one.rule, one]));
  const [more, less] = [of(worst), of(best)];
  const edges = worst.lead + worst.tail - best.lead - best.tail;
  const lines = distinct([...more.keys(), ...less.keys()]).map(rule => {
    const [w, b] = [more.get(rule), less.get(rule)];
    return { rule, kind: (w || b).kind, by: (w ? w.cycles : 0) - (b ? b.cycles : 0) };
  }).concat(edges ? [{ rule: "at its edges", kind: "issue", by: edges }] : []).filter(({ by }) => by);
  lines.sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
  const one = ({ rule, kind, by }) => `<span><b>${by > 0 ? "+" : "−"}${number(Math.abs(by))}</b><i class="dot k-${kind}"></i>${escaped(rule)}</span>`;
  return `<details class="section" open><summary>Why the worst takes ${number(worst.ended - worst.began - best.ended + best.began)} more than the least</summary>
    <div class="differs">${lines.map(one).join("")}</div></details>`;
}

// A column in which no line says anything takes no room.
function hideEmptyColumns(table) {
  const rows = [...table.querySelectorAll("tbody tr[data-w]")];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const empty = rows.length > 0 && rows.every(row => !row.cells[column].textContent.trim());
    [head, ...rows.map(row => row.cells[column])].forEach(cell => { cell.hidden = empty; });
  });
}

// Lines of the list that are there at once.
const LINES = 400;

// A line for each window around one of them. Where it comes from stands in a column, or, where there is no room for that, in a line before it.
function lines(t, first, end) {
  let place = null, context = -1;
  const rows = t.windows.slice(first, end).map((window, index) => {
    const i = window.i;
    const where = [escaped(named(i)), placeOf(i) && `<span title="${escaped(i.file)}">${escaped(placeOf(i))}</span>`].filter(Boolean).join(" · ");
    const [turns, moves] = [window.context !== context, i.pc != null && where !== place && where];
    const head = turns ? `<tr class="place"><td colspan="6"><span class="ctx">${escaped(string(t.contexts[window.context]))}</span></td></tr>` : "";
    const line = moves ? `<tr class="place line"><td colspan="6">${where}</td></tr>` : "";
    if (i.pc != null) place = where;
    context = window.context;
    return `${head}${line}<tr data-w="${first + index}"><td class="n">${number(window.from)}</td><td class="n">${number(window.to - window.from)}</td>
      <td class="address">${i.pc == null ? "" : hex(i.pc)}</td><td>${escaped(i.text)}</td><td>${chips(window.cost)}</td><td class="where">${moves ? where : ""}</td></tr>`;
  });
  const more = (to, count, where) => count > 0 ? `<tr class="place more"><td colspan="6"><button type="button" class="tool" data-lines="${to}">${number(count)} ${where}</button></td></tr>` : "";
  const behind = t.windows.length - end;
  const omitted = t.omitted && !behind ? `<tr class="place"><td colspan="6">${number(t.omitted)} more windows until cycle ${number(t.length)}, which are in the sums above</td></tr>` : "";
  return more(Math.max(0, first - LINES), first, "before") + rows.join("") + more(end, behind, "behind") + omitted;
}

function listing() {
  return `<div class="section"><h2>Instructions</h2><div class="code" id="code" role="region" tabindex="0" aria-label="instructions; the arrow keys scroll"><table><thead><tr><th scope="col" class="n">cycle</th><th scope="col" class="n">takes</th><th scope="col" class="address">address</th>
    <th scope="col">instruction</th><th scope="col">its cycles went to</th><th scope="col" class="where">in</th></tr></thead><tbody></tbody></table></div></div>`;
}
