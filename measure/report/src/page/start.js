// Which part of the page is shown: `#m=…` names a measurement; anything else are filters of the price list.

let cameFrom = null, shown = null;

function show() {
  const wanted = parameters();
  const view = wanted.has("m") ? `m ${wanted.get("m")} ${wanted.get("board")} ${wanted.get("kernel")}` : "list";
  if (wanted.has("m")) showDetail(wanted);
  else { cameFrom = location.hash; showList(wanted); }
  if (view !== shown && shown != null) window.scrollTo(0, 0);
  shown = view;
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
document.getElementById("about").textContent = `${data.title} · ${several(data.rows.length, "measurement")} on ${several(distinct(data.rows.map(row => row.board)).length, "board")} · ${data.tool}`;
themes();
window.addEventListener("hashchange", show);
window.addEventListener("click", event => {
  if (event.target.closest("a.cell")) cameFrom = location.hash;
});
show();
