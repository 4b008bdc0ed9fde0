// The picture of a timeline: which cycles are in view, and what is drawn of them.

// The colours on which dark text is easier to read than white.
const DARK = /k-(issue|asleep|operand|access|refill|masking)/;
const LANE = 26, GAP = 8, AXIS = 22, MAP = 22;

class View {
  constructor(box, timeline, row, which) {
    Object.assign(this, { box, t: timeline, row, which, at: -1 });
    this.frame = box.querySelector(".timeline");
    this.first = Math.min(0, timeline.lead);
    this.last = Math.max(timeline.length, timeline.shown, 1);
    [this.from, this.to] = [this.first, this.last];
    box.querySelectorAll("[data-zoom]").forEach(button => button.addEventListener("click", () => this.button(button.dataset.zoom)));
    box.querySelector("#code").addEventListener("click", event => {
      const [line, more] = [event.target.closest("[data-w]"), event.target.closest("[data-lines]")];
      if (line) this.choose(Number(line.dataset.w), true);
      if (more) { this.list(Number(more.dataset.lines)); event.currentTarget.focus(); }
    });
    this.list(0);
    this.listen();
    const redraw = () => this.frame.isConnected ? this.draw() : window.removeEventListener("resize", redraw);
    window.addEventListener("resize", redraw);
    this.draw();
    this.tell();
  }

  get width() { return Math.max(200, this.frame.clientWidth); }
  get gutter() { return this.width < 620 ? 0 : 118; }
  x(cycle) { return this.gutter + (cycle - this.from) / (this.to - this.from) * (this.width - this.gutter - 8); }
  cycle(x) { return this.from + (x - this.gutter) / (this.width - this.gutter - 8) * (this.to - this.from); }

  look(from, to) {
    const whole = this.last - this.first;
    const length = Math.min(whole, Math.max(Math.min(2, whole), to - from));
    this.from = Math.min(Math.max(this.first, from + (to - from - length) / 2), this.last - length);
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.look(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  button(what) {
    if (what === "fit") this.look(this.first, this.last);
    else {
      const chosen = this.t.windows[this.at];
      this.zoom(what === "in" ? 0.5 : 2, chosen && chosen.from >= this.from && chosen.to <= this.to ? (chosen.from + chosen.to) / 2 : undefined);
    }
  }

  choose(index, closer) {
    const window = this.t.windows[index];
    if (!window) return;
    this.at = index;
    const room = this.width / 48;
    if (closer && (this.to - this.from) / Math.max(1, window.to - window.from) > room) {
      const half = Math.max(1, window.to - window.from) * room / 2;
      this.look((window.from + window.to) / 2 - half, (window.from + window.to) / 2 + half);
    } else if (window.from < this.from || window.to > this.to) {
      const half = (this.to - this.from) / 2;
      this.look((window.from + window.to) / 2 - half, (window.from + window.to) / 2 + half);
    } else this.draw();
    this.tell();
    if (index < this.listed || index >= this.listed + LINES) this.list(Math.max(0, index - LINES / 2));
    else this.mark();
    history.replaceState(null, "", linkTo(this.row, { s: this.which, w: index }));
  }

  // Lists the windows from this one on.
  list(first) {
    this.listed = first;
    const code = this.box.querySelector("#code");
    code.querySelector("tbody").innerHTML = lines(this.t, first, Math.min(first + LINES, this.t.windows.length));
    code.scrollTop = 0;
    hideEmptyColumns(code.querySelector("table"));
    this.mark();
  }

  mark() {
    const code = this.box.querySelector("#code");
    code.querySelectorAll(".chosen").forEach(line => line.classList.remove("chosen"));
    const line = code.querySelector(`[data-w="${this.at}"]`);
    if (!line) return;
    line.classList.add("chosen");
    code.scrollTop = line.offsetTop - code.clientHeight / 3;
  }

  // What is known of the chosen window.
  tell() {
    const why = this.box.querySelector(".why");
    const window = this.t.windows[this.at];
    if (!window) {
      why.innerHTML = `<p class="src">${number(this.t.windows.length + this.t.omitted)} windows, from cycle ${number(this.t.began)} to ${number(this.t.ended)} since reset, sample ${number(this.t.number)}.</p>`;
      return;
    }
    const i = window.i;
    const rules = window.cost.map(([rule, cycles, kind]) => `<p><i class="dot k-${kind}"></i><b>${escaped(rule)} ${number(cycles)}</b> ${ruleText(this.row.core, rule)}</p>`);
    why.innerHTML = `<p><code>${escaped(i.text)}</code> takes ${number(window.to - window.from)} from cycle ${number(window.from)}
      (${number(this.t.began + window.from)} since reset) in ${escaped(string(this.t.contexts[window.context]))}${i.fn ? `, <b>${escaped(named(i))}</b>` : ""}${placeOf(i) ? ` at <span title="${escaped(i.file)}">${escaped(placeOf(i))}</span>` : ""}</p>
      ${rules.join("") || `<p class="src">It is hidden behind another instruction, and takes no cycle.</p>`}`;
  }

  draw() {
    const lanes = this.t.lanes;
    const narrow = this.gutter === 0, step = LANE + GAP + (narrow ? 12 : 0);
    const y = lane => AXIS + 6 + lane * step + (narrow ? 12 : 0);
    const height = y(lanes.length + 2) - (narrow ? 12 : 0) + MAP + 8;
    const body = [this.axis(height - MAP - 12)];
    lanes.forEach((context, lane) => body.push(this.name(string(this.t.contexts[context]), y(lane), narrow), this.runs(context, y(lane))));
    body.push(this.name("instruction", y(lanes.length), narrow), this.waves(y(lanes.length)));
    body.push(this.name("cause", y(lanes.length + 1), narrow), this.causes(y(lanes.length + 1)));
    body.push(this.edges(height - MAP - 12), this.map(height - MAP - 4));
    this.frame.innerHTML = `<svg aria-hidden="true" viewBox="0 0 ${this.width} ${height}" height="${height}"><defs><clipPath id="clip"><rect x="${this.gutter}" y="0" width="${this.width - this.gutter - 7}" height="${height}"/></clipPath></defs>${body.join("")}</svg>`;
  }

  name(text, y, narrow) {
    const name = text.length > 16 ? text.slice(0, 15) + "…" : text;
    return narrow ? `<text class="name" x="4" y="${y - 3}">${escaped(name)}</text>` : `<text class="name" x="${this.gutter - 8}" y="${y + 17}" text-anchor="end">${escaped(name)}</text>`;
  }

  axis(bottom) {
    const wanted = (this.to - this.from) / Math.max(3, (this.width - this.gutter) / 110);
    const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
    const step = Math.max(1, [1, 2, 5, 10].map(n => n * power).find(n => n >= wanted));
    const ticks = [];
    for (let cycle = Math.ceil(this.from / step) * step; cycle <= this.to; cycle += step) {
      const x = this.x(cycle);
      ticks.push(`<line class="grid" x1="${x}" x2="${x}" y1="${AXIS}" y2="${bottom}"/><text class="tick" x="${Math.max(8, Math.min(x, this.width - 30))}" y="14" text-anchor="middle">${number(cycle || 0)}</text>`);
    }
    return `<g>${ticks.join("")}</g>`;
  }

  // The windows in view.
  visible() {
    const all = this.t.windows;
    let [low, high] = [0, all.length];
    while (low < high) { const middle = low + high >> 1; if (all[middle].to < this.from) low = middle + 1; else high = middle; }
    let end = low;
    while (end < all.length && all[end].from <= this.to) end++;
    return [low, end];
  }

  // A value of a bus, as a waveform draws it.
  box_(x1, x2, y, height, more, label) {
    const slope = Math.min(4, (x2 - x1) / 3), middle = y + height / 2;
    const left = Math.max(x1, this.gutter - 9), right = Math.min(x2, this.width + 9);
    const room = Math.floor((Math.min(x2, this.width - 8) - Math.max(x1, this.gutter) - 10) / 6.7);
    const word = label.split(" ", 1)[0];
    const text = room < 2 ? "" : label.length <= room ? label : room > word.length + 3 || room > 6 && word === label ? label.slice(0, room - 1) + "…" : word.length <= room ? word : "";
    const kind = DARK.test(more) ? "dark" : more.includes("k-") ? "on" : "";
    return `<path ${more} d="M${left} ${middle}L${left + slope} ${y}H${right - slope}L${right} ${middle}L${right - slope} ${y + height}H${left + slope}Z"/>` +
      (text ? `<text class="${kind}" x="${Math.max(x1, this.gutter) + 6}" y="${middle + 4}">${escaped(text)}</text>` : "");
  }

  // When a context ran, and in which function.
  runs(context, y) {
    const out = [`<line class="low" x1="${this.gutter}" x2="${this.width - 8}" y1="${y + LANE}" y2="${y + LANE}"/>`];
    const [low, end] = this.visible();
    let run = null;
    const flush = () => { if (run) out.push(this.box_(this.x(run.from), Math.max(this.x(run.to), this.x(run.from) + 1), y, LANE, `class="run"`, run.name)); run = null; };
    for (let index = low; index < end; index++) {
      const window = this.t.windows[index];
      if (window.context !== context) { flush(); continue; }
      const name = window.i.fn ? window.i.short : run ? run.name : window.i.text;
      if (run && run.name !== name && this.x(run.to) - this.x(run.from) > 3) flush();
      if (run) run.to = window.to; else run = { from: window.from, to: window.to, name };
    }
    flush();
    if (this.t.omitted) out.push(this.later(context, y));
    return `<g clip-path="url(#clip)">${out.join("")}</g>`;
  }

  // Behind the windows that are kept, only who ran when is known.
  later(context, y) {
    const out = [], turns = this.t.turns;
    for (let index = 0; index < turns.length; index += 2) {
      const from = Math.max(turns[index + 1] + this.t.lead, this.t.shown);
      const to = index + 3 < turns.length ? turns[index + 3] + this.t.lead : this.t.length;
      if (turns[index] !== context || to <= from || to < this.from || from > this.to) continue;
      const [x1, x2] = [this.x(from), this.x(to)];
      out.push(`<rect class="more" x="${x1}" y="${y + 4}" width="${Math.max(1, x2 - x1)}" height="${LANE - 8}"/>`);
    }
    return out.join("");
  }

  waves(y) {
    const out = [], [low, end] = this.visible();
    for (let index = low; index < end; index++) {
      let window = this.t.windows[index];
      const start = index, x1 = this.x(window.from);
      // Windows narrower than a line are drawn as one.
      while (index + 1 < end && this.x(this.t.windows[index + 1].to) - x1 < 2) index++;
      const x2 = this.x(this.t.windows[index].to);
      if (x2 - x1 < 0.01 && index === start) continue;
      if (index > start) {
        const [[kind]] = this.kinds(start, index);
        out.push(`<rect class="k-${kind}" data-w="${start}" x="${x1}" y="${y + 2}" width="${Math.max(0.5, x2 - x1)}" height="${LANE - 4}"/>`);
        continue;
      }
      out.push(this.box_(x1, Math.max(x2, x1 + 1), y, LANE, `class="wave k-${window.kind}" data-w="${start}"`, window.i.text));
    }
    const chosen = this.t.windows[this.at];
    if (chosen) out.push(`<rect class="chosen" x="${this.x(chosen.from)}" y="${y - 2}" width="${Math.max(3, this.x(chosen.to) - this.x(chosen.from))}" height="${2 * LANE + GAP + (this.gutter ? 0 : 12) + 4}" rx="3"/>`);
    return `<g clip-path="url(#clip)" class="waves">${out.join("")}</g>`;
  }

  causes(y) {
    const out = [], [low, end] = this.visible();
    for (let index = low; index < end; index++) {
      let from = this.t.windows[index].from;
      const start = index;
      // Of windows narrower than a line, their shares stand one above the other.
      while (index + 1 < end && this.x(this.t.windows[index + 1].to) - this.x(from) < 3) index++;
      if (index > start) { out.push(this.shares(start, index, y)); continue; }
      for (const [rule, cycles, kind] of this.t.windows[index].cost) {
        const [x1, x2] = [this.x(from), this.x(from + cycles)];
        from += cycles;
        if (x2 - x1 < 0.4) continue;
        const room = Math.floor((x2 - x1 - 6) / 6.7);
        const text = rule.length <= room ? rule : room > 5 ? rule.slice(0, room - 1) + "…" : "";
        out.push(`<rect class="wave k-${kind}" data-w="${index}" x="${x1}" y="${y}" width="${x2 - x1}" height="${LANE - 4}"><title>${escaped(rule)} ${cycles}</title></rect>`);
        if (text) out.push(`<text class="${DARK.test("k-" + kind) ? "dark" : "on"}" x="${x1 + 4}" y="${y + 15}">${escaped(text)}</text>`);
      }
    }
    if (this.t.omitted) {
      const [x1, x2] = [this.x(this.t.shown), this.x(this.t.length)];
      if (x2 > this.gutter) out.push(`<rect class="more" x="${x1}" y="${y}" width="${x2 - x1}" height="${LANE - 4}"/><text class="name" x="${Math.max(x1, this.gutter) + 6}" y="${y + 15}">${number(this.t.omitted)} windows more</text>`);
    }
    return `<g clip-path="url(#clip)">${out.join("")}</g>`;
  }

  // [kind, cycles] of several windows, the most first.
  kinds(start, end) {
    const sums = new Map([["issue", 0]]);
    for (let index = start; index <= end; index++)
      for (const [, cycles, kind] of this.t.windows[index].cost) sums.set(kind, (sums.get(kind) || 0) + cycles);
    return [...sums].sort(([, a], [, b]) => b - a);
  }

  // What the cycles of several windows went to, one above the other.
  shares(start, end, y) {
    const [first, last] = [this.t.windows[start], this.t.windows[end]];
    const [x, width, all] = [this.x(first.from), this.x(last.to) - this.x(first.from), last.to - first.from];
    if (!all) return "";
    let top = y;
    return this.kinds(start, end).sort(([a], [b]) => a < b ? -1 : 1).map(([kind, cycles]) => {
      const height = (LANE - 4) * cycles / all;
      top += height;
      return `<rect class="k-${kind}" data-w="${start}" x="${x}" y="${top - height}" width="${Math.max(0.5, width)}" height="${height}"/>`;
    }).join("");
  }

  // Where the sample begins and ends.
  edges(bottom) {
    const line = cycle => cycle < this.from || cycle > this.to ? "" : `<line class="edge" x1="${this.x(cycle)}" x2="${this.x(cycle)}" y1="${AXIS - 4}" y2="${bottom}"/>`;
    return line(0) + line(this.t.length);
  }

  // All of it, and which part is in view.
  map(y) {
    const room = this.width - this.gutter - 8, whole = this.last - this.first;
    const x = cycle => this.gutter + (cycle - this.first) / whole * room;
    // It changes with the width alone.
    if (this.mapped?.width !== this.width) this.mapped = { width: this.width, drawn: this.overview(x, y) };
    return `<g class="map">${this.mapped.drawn}<rect class="lens" x="${x(this.from)}" y="${y - 2}" width="${Math.max(4, x(this.to) - x(this.from))}" height="${MAP - 2}" rx="2"/></g>`;
  }

  overview(x, y) {
    const out = [];
    let run = null;
    const flush = () => { if (run) out.push(`<rect class="k-${run.kind}" x="${run.x1}" y="${y}" width="${Math.max(.5, run.x2 - run.x1)}" height="${MAP - 6}"/>`); run = null; };
    for (const window of this.t.windows) {
      const [x1, x2, kind] = [x(window.from), x(window.to), window.kind];
      if (run && (run.kind === kind || run.x2 - run.x1 < 1)) run.x2 = x2; else { flush(); run = { x1, x2, kind }; }
    }
    flush();
    if (this.t.omitted) out.push(`<rect class="more" x="${x(this.t.shown)}" y="${y}" width="${x(this.last) - x(this.t.shown)}" height="${MAP - 6}"/>`);
    return out.join("");
  }

  listen() {
    const frame = this.frame, pointers = new Map();
    const place = event => event.clientX - frame.getBoundingClientRect().left;
    let pressed = null, spread = 0;
    frame.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return;
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.cycle(place(event)));
      else { const by = event.deltaX * (this.to - this.from) / this.width; this.look(this.from + by, this.to + by); }
    }, { passive: false });
    frame.addEventListener("pointerdown", event => {
      pointers.set(event.pointerId, place(event));
      const target = event.target.closest("[data-w]");
      pressed = { x: place(event), from: this.from, to: this.to, moved: false, window: target ? Number(target.dataset.w) : null, map: !!event.target.closest(".map") };
      if (pointers.size === 2) { const [a, b] = [...pointers.values()]; spread = Math.abs(a - b); }
      if (pressed.map) this.centre(place(event));
    });
    window.addEventListener("pointermove", event => {
      if (!pointers.has(event.pointerId) || !pressed) return;
      pointers.set(event.pointerId, place(event));
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], now = Math.abs(a - b);
        if (now > 10 && spread > 10) this.zoom(spread / now, this.cycle((a + b) / 2));
        [spread, pressed.moved] = [now, true];
        return;
      }
      if (pressed.map) { this.centre(place(event)); return; }
      const by = place(event) - pressed.x;
      if (Math.abs(by) > 4) pressed.moved = true;
      if (pressed.moved) { const cycles = by * (pressed.to - pressed.from) / (this.width - this.gutter - 8); this.look(pressed.from - cycles, pressed.to - cycles); }
    });
    const release = event => {
      if (!pointers.delete(event.pointerId) || !pressed) return;
      if (!pressed.moved && pressed.window != null && event.type === "pointerup") this.choose(pressed.window);
      if (!pointers.size) pressed = null;
    };
    window.addEventListener("pointerup", release);
    window.addEventListener("pointercancel", release);
    frame.addEventListener("dblclick", event => this.zoom(0.4, this.cycle(place(event))));
    frame.addEventListener("keydown", event => {
      const keys = { ArrowRight: () => this.choose(this.at + 1), ArrowLeft: () => this.choose(this.at - 1), "+": () => this.button("in"), "=": () => this.button("in"),
        "-": () => this.button("out"), Home: () => this.choose(0), End: () => this.choose(this.t.windows.length - 1), "0": () => this.button("fit") };
      if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
  }

  centre(x) {
    const middle = this.first + (x - this.gutter) / (this.width - this.gutter - 8) * (this.last - this.first), half = (this.to - this.from) / 2;
    this.look(middle - half, middle + half);
  }
}
