// countdown: deadlines run by the server's clock. They are warned of once, and never blink.
(() => {
  const meta = document.querySelector("meta[name=now]");
  const shift = meta ? Date.parse(meta.content) - Date.now() : 0; // the server's clock against ours, as of this page
  const told = new Set();
  const two = n => String(n).padStart(2, "0");
  const text = s => s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
  const relative = "RelativeTimeFormat" in Intl ? new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto", style: "narrow" }) : null;

  function tick() {
    const now = Date.now() + shift;
    for (const el of document.querySelectorAll("[data-deadline]")) {
      const left = Math.ceil((Number(el.dataset.deadline) - now) / 1000), box = el.closest(".deadline");
      el.textContent = left > 0 ? text(left) : el.dataset.late;
      box?.classList.toggle("soon", left > 0 && left <= 60);
      box?.classList.toggle("deadline-late", left <= 0);
      if (left > 0 && left <= 60 && !told.has(el.dataset.deadline)) {
        told.add(el.dataset.deadline);
        const status = document.getElementById("status");
        if (status) status.textContent = el.dataset.soon;
      }
    }
  }
  function ago() {
    if (!relative) return;
    const now = Date.now() + shift;
    for (const el of document.querySelectorAll("time[data-ago]")) {
      const s = Math.max(0, Math.round((now - Date.parse(el.getAttribute("datetime"))) / 1000));
      el.textContent = s < 60 ? relative.format(-s, "second") : s < 3600 ? relative.format(-Math.floor(s / 60), "minute") : s < 172800
        ? relative.format(-Math.floor(s / 3600), "hour") : relative.format(-Math.floor(s / 86400), "day");
    }
  }
  setInterval(tick, 1000);
  setInterval(ago, 5000);
  document.addEventListener("htmx:after:swap", tick);
  tick();
})();
