// evidence: the button on a card lights its comments up in the chat beside it and goes to the first. What is not on the page is a link away.
(() => {
  const clear = () => {
    document.querySelectorAll(".lit").forEach(r => r.classList.remove("lit"));
    document.querySelectorAll("[data-show-evidence][aria-pressed=true]").forEach(b => b.setAttribute("aria-pressed", "false"));
  };
  document.addEventListener("click", e => {
    const button = e.target.closest("[data-show-evidence]");
    if (!button || e.ctrlKey || e.metaKey || e.shiftKey) return;
    const chat = document.getElementById("chat-rows");
    if (!chat) return;
    if (button.getAttribute("aria-pressed") === "true") { e.preventDefault(); clear(); return; }
    const ids = new Set((button.closest("[data-evidence]")?.dataset.evidence || "").split(" "));
    const rows = [...chat.querySelectorAll("[data-id]")].filter(r => ids.has(r.dataset.id));
    if (!rows.length) return; // the link itself leads to them
    e.preventDefault();
    clear();
    button.setAttribute("aria-pressed", "true");
    rows.forEach(r => r.classList.add("lit"));
    rows[rows.length - 1].scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  });
  document.addEventListener("keydown", e => { if (e.key === "Escape") clear(); });
})();
