// keyboard: single letters work only while the inbox list, or the item opened from it, has focus, never in a field, and can be switched off.
(() => {
  const off = () => localStorage.getItem("urakata.keys") === "off";
  const box = document.querySelector("[data-keys-switch]");
  if (box) {
    box.checked = !off();
    box.addEventListener("change", () => localStorage.setItem("urakata.keys", box.checked ? "on" : "off"));
  }
  const help = document.getElementById("keys");
  const list = () => document.querySelector("[data-keys]");
  const rows = () => [...list().querySelectorAll("a[data-item]")];
  const here = () => rows().findIndex(a => a === document.activeElement);
  const open = () => rows().findIndex(a => a.hasAttribute("aria-current"));

  function move(step) {
    const all = rows();
    if (!all.length) return;
    const from = here() >= 0 ? here() : open();
    all[Math.min(all.length - 1, Math.max(0, from + step))].focus();
  }
  const form = () => document.querySelector("#detail form[data-decide]");
  // A letter decides only what is open, so that nobody says yes to something they have not seen.
  const opened = () => { const a = document.activeElement; return !a.matches?.("a[data-item]") || a.hasAttribute("aria-current"); };
  const press = value => { if (!opened()) return document.activeElement.click(); const b = form()?.querySelector(`button[name=decision][value="${value}"]`); if (b && !b.disabled) b.click(); };

  const keys = {
    j: () => move(1), k: () => move(-1), o: () => rows()[here()]?.click(),
    a: () => press("allow-once"), d: () => press("deny"),
    n: () => { const note = form()?.querySelector("details.note"); if (note) { note.open = true; note.querySelector("input").focus(); } },
    "?": () => help?.showModal(),
  };
  document.addEventListener("keydown", e => {
    if (!list() || off() || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.repeat && e.key !== "j" && e.key !== "k") return;
    const el = e.target;
    if (el.matches("input, textarea, select, [contenteditable]") || help?.open) return;
    if (!list().contains(el) && !document.getElementById("detail")?.contains(el)) return;
    const act = keys[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  document.addEventListener("click", e => { if (e.target.closest("[data-keys-open]")) help?.showModal(); });

  // After a decision the next thing that waits gets the focus.
  document.addEventListener("htmx:after:swap", e => {
    const ctx = e.detail.ctx;
    if (!ctx.sourceElement?.matches?.("form[data-decide]") && !ctx.request?.form?.matches?.("form[data-decide]")) return;
    if (document.activeElement !== document.body) return;
    const next = list() ? [...list().querySelectorAll(".item-row:not(.item-decided) a[data-item]")].find(a => !a.hasAttribute("aria-current"))
      : document.querySelector("#now .now-item:not(.item-decided) .allow");
    next?.focus({ preventScroll: true });
  });
  if (list() && new URLSearchParams(location.search).size === 0 && document.querySelector("a[data-item][aria-current]")) document.querySelector("a[data-item][aria-current]").focus({ preventScroll: true });
})();
