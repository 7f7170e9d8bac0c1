// guard: what arrives never replaces what a person is using. A part with focus in a field, a selection, an open menu or unsaved input keeps its
// place; a notice offers the newer one. Rows that the page has already are replaced where they stand instead of being added again.
(() => {
  const held = new Map(); // id of a part → its newest task

  const fields = "input:not([type=hidden]):not([type=checkbox]):not([type=radio]), textarea, select";
  const typed = el => [...el.querySelectorAll(fields)].some(f => f.type === "file" ? f.files.length : f.tagName === "SELECT"
    ? [...f.options].some(o => o.selected !== o.defaultSelected) && [...f.options].some(o => o.defaultSelected) : f.value !== f.defaultValue);
  const selected = el => {
    const s = document.getSelection();
    return s && !s.isCollapsed && s.rangeCount && s.getRangeAt(0).intersectsNode(el);
  };
  const busy = el => {
    const on = document.activeElement;
    return (on && on !== el && el.contains(on) && on.matches(fields)) || el.querySelector("details[data-menu][open], details.note[open]") || typed(el) || selected(el);
  };
  window.urakataBusy = busy;

  const replaces = style => /^(inner|outer)(HTML|Morph)$|^(textContent|delete|none)$/i.test(style) && style !== "none";

  function notice(el) {
    if (el.querySelector(":scope > .held")) return;
    const n = document.getElementById("held-notice");
    if (n) el.prepend(n.content.cloneNode(true));
  }

  function apply(id) {
    const task = held.get(id), el = document.getElementById(id);
    held.delete(id);
    if (!task || !el) return;
    el.querySelector(":scope > .held")?.remove();
    const box = document.createElement("div");
    box.append(task.fragment);
    // htmx parses the text again, so that what is in it comes alive.
    htmx.swap({ sourceElement: document.body, target: el, swap: task.style, text: box.getHTML ? box.getHTML() : new XMLSerializer().serializeToString(box) });
  }

  // known takes rows out of an insertion that stand on the page already, and makes a replacement of each.
  function known(task, tasks) {
    for (const row of [...task.fragment.children]) {
      const old = row.id && document.getElementById(row.id);
      if (!old) continue;
      row.remove();
      const fragment = document.createDocumentFragment();
      fragment.append(row);
      tasks.push({ type: "partial", fragment, target: old, swapSpec: { style: "outerMorph" }, sourceElement: task.sourceElement });
    }
    return task.fragment.childElementCount > 0;
  }

  document.addEventListener("htmx:before:swap", e => {
    const tasks = e.detail.tasks, live = e.detail.ctx.sourceElement?.id === "live";
    if (!live) return;
    const kept = [];
    for (let i = 0; i < tasks.length; i++) { // known adds to the end while this runs
      const t = tasks[i], style = t.swapSpec?.style || "";
      if (!t.target || t.target === document.body || t.target.id === "live") continue;
      if (/^(afterbegin|prepend|beforeend|append)$/.test(style)) {
        if (known(t, tasks)) kept.push(t);
        continue;
      }
      if (replaces(style) && t.target.id && busy(t.target)) {
        held.set(t.target.id, { fragment: t.fragment, style });
        notice(t.target);
        continue;
      }
      kept.push(t);
    }
    tasks.splice(0, tasks.length, ...kept);
  });

  document.addEventListener("click", e => {
    const show = e.target.closest("[data-held-show]");
    if (!show) return;
    for (let el = show.parentElement; el; el = el.parentElement) if (held.has(el.id)) return apply(el.id);
  });

  // What waited comes in by itself once nothing is in its way.
  const settle = () => { for (const id of [...held.keys()]) { const el = document.getElementById(id); if (!el) held.delete(id); else if (!busy(el)) apply(id); } };
  document.addEventListener("focusout", () => setTimeout(settle, 300));
  document.addEventListener("selectionchange", () => { if (document.getSelection()?.isCollapsed) setTimeout(settle, 300); });
  document.addEventListener("toggle", e => { if (!e.target.open) setTimeout(settle, 300); }, true);

  // Lists keep a bounded number of rows.
  document.addEventListener("htmx:after:swap", () => {
    for (const list of document.querySelectorAll("[data-most]")) {
      const rows = [...list.children].filter(r => !r.classList.contains("only-empty"));
      for (const r of rows.slice(Number(list.dataset.most))) if (!r.contains(document.activeElement)) r.remove();
    }
  });
})();
