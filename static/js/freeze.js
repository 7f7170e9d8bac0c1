// freeze: a list stands still while somebody points at it, reads in it, or says so. What arrives meanwhile waits behind "N new".
(() => {
  const rooms = () => document.querySelectorAll("[data-freeze]");
  const list = room => room.querySelector("[data-most]");
  const waiting = new WeakMap(); // room → rows held back, newest first
  const still = room => room.dataset.held === "true" || room.matches(":hover") && matchMedia("(hover: hover)").matches ||
    list(room)?.contains(document.activeElement) && document.activeElement.matches(":focus-visible") || (list(room)?.scrollTop || 0) > 40;

  function show(room) {
    const pill = room.querySelector("[data-pill]"), rows = waiting.get(room) || [];
    pill.hidden = rows.length === 0;
    pill.querySelector("[data-pill-count]").textContent = rows.length;
  }

  function release(room) {
    const rows = waiting.get(room) || [], l = list(room);
    waiting.set(room, []);
    const fresh = rows.filter(r => !document.getElementById(r.id));
    l.prepend(...fresh);
    fresh.forEach(r => htmx.process(r));
    const all = [...l.children].filter(r => !r.classList.contains("only-empty"));
    for (const r of all.slice(Number(l.dataset.most))) r.remove();
    show(room);
  }

  document.addEventListener("htmx:before:swap", e => {
    if (e.detail.ctx.sourceElement?.id !== "live") return;
    for (const t of e.detail.tasks) {
      const room = t.target?.closest?.("[data-freeze]");
      if (!room || t.target !== list(room) || !/^(afterbegin|prepend)$/.test(t.swapSpec?.style || "") || !still(room)) continue;
      const rows = [...t.fragment.children], ids = new Set(rows.map(r => r.id));
      const before = (waiting.get(room) || []).filter(r => !ids.has(r.id));
      waiting.set(room, [...rows, ...before].slice(0, Number(list(room).dataset.most)));
      rows.forEach(r => r.remove());
      show(room);
    }
  });

  const settle = () => rooms().forEach(r => { if ((waiting.get(r) || []).length && !still(r)) release(r); });
  document.addEventListener("pointerout", () => setTimeout(settle, 250));
  document.addEventListener("focusout", () => setTimeout(settle, 250));
  document.addEventListener("click", e => {
    const pill = e.target.closest("[data-pill]");
    if (pill) { const room = pill.closest("[data-freeze]"); release(room); list(room).scrollTop = 0; return; }
    const toggle = e.target.closest("[data-freeze-toggle]");
    if (toggle) hold(toggle.closest("[data-freeze]"));
  });
  function hold(room) {
    const on = room.dataset.held !== "true";
    room.dataset.held = String(on);
    room.querySelector("[data-freeze-toggle]")?.setAttribute("aria-pressed", String(on));
    if (!on) { release(room); list(room).scrollTop = 0; }
  }
  document.addEventListener("keydown", e => {
    if (e.key !== " " || e.ctrlKey || e.metaKey || e.altKey) return;
    const room = document.activeElement?.matches("[data-most]") && document.activeElement.closest("[data-freeze]");
    if (room?.querySelector("[data-freeze-toggle]")) { e.preventDefault(); hold(room); }
  });
  document.addEventListener("scroll", e => { if (e.target.matches?.("[data-most]") && e.target.scrollTop < 10) setTimeout(settle, 250); }, true);
})();
