// The lobby of a table: reloads the page when somebody has sat down or the match begins.
"use strict";

(() => {
  const events = new EventSource(document.querySelector("[data-lobby]").dataset.lobby);
  let first = null;
  events.addEventListener("error", () => events.readyState === EventSource.CLOSED && location.reload()); // the page says what has happened
  events.addEventListener("changed", ({ data }) => {
    first ??= data;
    if (data === first) return;
    events.close();
    location.reload();
  });
})();
