// A page is renewed while it is open: every element with data-fresh is replaced when the server has another one, until there is none left.
"use strict";

(() => {
  const SECONDS = Number(document.currentScript.dataset.seconds) || 10;
  const parser = new DOMParser();

  async function renew() {
    if (document.hidden) return;
    const answer = await fetch(location.pathname + location.search, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const page = parser.parseFromString(await answer.text(), "text/html");
    for (const old of document.querySelectorAll("[data-fresh]")) {
      const fresh = page.getElementById(old.id);
      if (!fresh || fresh.outerHTML === old.outerHTML) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      const places = [...old.querySelectorAll("[tabindex]")].map((each) => each.scrollLeft);
      old.replaceWith(document.adoptNode(fresh));
      fresh.querySelectorAll("[tabindex]").forEach((each, at) => (each.scrollLeft = places[at] ?? 0));
      if (focused) [...fresh.querySelectorAll("a")].find((each) => each.getAttribute("href") === focused)?.focus({ preventScroll: true });
    }
  }

  const timer = setInterval(() => {
    if (!document.querySelector("[data-fresh]")) clearInterval(timer);
    else renew().catch(() => {}); // away for a moment: the next time will do
  }, SECONDS * 1000);
})();
