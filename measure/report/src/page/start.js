// Which part of the page is shown: `#m=…` names a measurement; anything else are filters of the list.

let cameFrom = null, shown = null;
// What has the focus once the next part is shown, as a selector: the keyboard goes on where it was.
let refocus = null;
// The figure that was opened last.
let opened = null;

function show() {
  const wanted = parameters();
  const view = wanted.has("m") ? `m ${wanted.get("m")} ${wanted.get("board")} ${wanted.get("kernel")}` : "list";
  if (wanted.has("m")) showDetail(wanted);
  else { cameFrom = location.hash; refocus = opened; showList(wanted); }
  if (view !== shown && shown != null) window.scrollTo(0, 0);
  if (shown != null) focusOn(refocus);
  [shown, refocus] = [view, null];
}

function focusOn(selector) {
  const target = selector && main.querySelector(selector) || main.querySelector("h1");
  if (target) target.focus({ preventScroll: !selector });
}

function themes() {
  const order = ["", "light", "dark"], root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("cyclescope-theme") || ""; } catch { return ""; } };
  const set = theme => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme; };
  set(kept());
  document.getElementById("theme").addEventListener("click", () => {
    const next = order[(order.indexOf(root.dataset.theme || "") + 1) % order.length];
    try { localStorage.setItem("cyclescope-theme", next); } catch { /* A page from a file may keep nothing. */ }
    set(next);
  });
}

data.rows.forEach((row, index) => { row.index = index; });
document.getElementById("about").textContent = `${several(data.rows.length, "measurement")} on ${several(distinct(data.rows.map(row => row.board)).length, "board")} · ${data.tool}`;
themes();
window.addEventListener("hashchange", show);
window.addEventListener("click", event => {
  const figure = event.target.closest("a.cell");
  if (figure) [cameFrom, opened] = [location.hash, `[data-row="${figure.dataset.row}"]`];
});
show();
