// live: one socket a page. Every frame carries its place; a socket that opens again asks for what came after the last one, so that a hidden tab
// or a sleeping laptop loses nothing. The strip under the bar says how the connection is.
(() => {
  const strip = document.getElementById("banner");
  let element = document.getElementById("live");
  if (!element || !strip) return;
  let since = 0, connection = null, quiet = null, seen = Date.now();

  const say = state => { strip.dataset.state = state; };

  function cursor(c, seq) {
    if (!(seq > since)) return;
    since = seq;
    const url = new URL(c.url);
    url.searchParams.set("since", String(seq));
    c.url = url.toString();
  }

  document.addEventListener("htmx:ws:after:connection", e => {
    connection = e.detail.connection;
    clearTimeout(quiet);
    seen = Date.now();
    if (strip.dataset.state !== "behind") say("on");
  });
  document.addEventListener("htmx:ws:after:message:incoming", e => {
    seen = Date.now();
    e.detail.message.json().then(frame => {
      cursor(e.detail.connection, Number(frame.seq) || 0);
      if (!frame.reload) return;
      // Too much happened to replay it. A page that nobody is typing into starts again; the others are asked.
      if (document.hidden || !window.urakataBusy(document.getElementById("main"))) location.reload(); else say("behind");
    }, () => {});
  });
  document.addEventListener("htmx:ws:close", e => {
    if (e.target !== element) return;
    const code = e.detail.code;
    if (code === 1008) return say("gone");
    if (e.detail.reason === "removed") return;
    // A restart of half a second is not worth a word.
    clearTimeout(quiet);
    quiet = setTimeout(() => say("off"), 1200);
    // These codes end the extension's own attempts.
    if (code === 1000) setTimeout(() => location.reload(), 5000);
  });

  // A tab that is shown again does not wait for the next try, and does not trust a socket that was silent while the laptop slept: it opens a new
  // one from its cursor at once.
  const again = () => {
    if (document.hidden || !connection) return;
    const state = connection.socket?.readyState;
    if (state === WebSocket.CONNECTING || state === WebSocket.OPEN && Date.now() - seen < 60000) return;
    const fresh = element.cloneNode(false), url = new URL(connection.url);
    fresh.setAttribute("hx-ws:connect", url.pathname + url.search);
    connection.socket?.close();
    connection = null;
    element.replaceWith(fresh);
    element = fresh;
    htmx.process(fresh);
  };
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  addEventListener("pageshow", e => { if (e.persisted) again(); }); // back from the browser's own cache, which closes sockets
  addEventListener("offline", () => say("off"));
})();
