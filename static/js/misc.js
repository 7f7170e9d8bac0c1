// misc: small manners. Menus close on Escape and on a click elsewhere, long comments open on a click, codes are copied, filters send themselves.
(() => {
  document.addEventListener("click", e => {
    for (const d of document.querySelectorAll("details[data-menu][open]")) if (!d.contains(e.target)) d.open = false;
    e.target.closest("[data-close]")?.parentElement.remove();
    const text = e.target.closest("[data-clamp]");
    if (text && document.getSelection().isCollapsed) text.classList.toggle("open");
    const copy = e.target.closest("[data-copy]");
    if (copy) navigator.clipboard?.writeText(document.querySelector(copy.dataset.copy).textContent).then(() => { copy.textContent = copy.dataset.copied; });
  });
  document.addEventListener("keydown", e => {
    if (e.key !== "Escape") return;
    for (const d of document.querySelectorAll("details[data-menu][open]")) { d.open = false; d.querySelector("summary").focus(); }
  });
  document.addEventListener("change", e => { e.target.closest("form[data-submit-on-change]")?.requestSubmit(); });
  // The parts of a form that belong to one choice show only with it.
  const parts = () => document.querySelectorAll("[data-when]").forEach(p => {
    const chosen = p.closest("form").querySelector("input[name=kind]:checked");
    p.hidden = !!chosen && chosen.value !== p.dataset.when;
  });
  document.addEventListener("change", parts);
  parts();
})();
