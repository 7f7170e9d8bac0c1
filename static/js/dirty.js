// dirty: a form with unsaved changes says so and asks before the page is left.
(() => {
  const changed = new Set();
  document.addEventListener("input", e => {
    const form = e.target.closest("form[data-dirty]");
    if (!form) return;
    changed.add(form);
    form.querySelector("[data-dirty-say]")?.removeAttribute("hidden");
  });
  document.addEventListener("submit", e => changed.delete(e.target));
  addEventListener("beforeunload", e => { if (changed.size) e.preventDefault(); });
  document.getElementById("form-errors")?.focus();
})();
