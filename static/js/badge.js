// badge: the tab's title and icon say how much waits and how bad it is; a screen reader hears when it becomes more.
(() => {
  let last = null;
  function tell() {
    const c = document.getElementById("counts");
    if (!c) return;
    const n = Number(c.dataset.pending) || 0;
    const bare = document.title.replace(/^\([^)]*\) /, "");
    const title = n ? `(${n}) ${bare}` : bare;
    if (document.title !== title) document.title = title;
    const icon = document.querySelector("link[rel=icon]");
    const url = c.dataset.worst === "high" ? icon?.dataset.alert : icon?.dataset.calm;
    if (url && icon.getAttribute("href") !== url) icon.setAttribute("href", url);
    if (last !== null && n > last) {
      const status = document.getElementById("status");
      if (status) status.textContent = c.querySelector(".sr")?.textContent || "";
    }
    last = n;
  }
  document.addEventListener("htmx:after:swap", tell);
  tell();
})();
