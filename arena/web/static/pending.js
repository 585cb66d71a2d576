// Puts in place what the server was still computing for a page once it is there. Until then there is an element [data-pending]: one with an id is
// replaced, for any other one the page is loaded again.
"use strict";

(() => {
  const LONGEST = 8000; // milliseconds between two looks
  const PENDING = "[data-pending]";
  const WHOLE = "[data-pending]:not([id])";
  let pause = 700;

  /** Replace the placeholders by the page's newer content. */
  function put(page) {
    for (const place of document.querySelectorAll("[data-pending][id]")) {
      const found = page.getElementById(place.id);
      if (found && found.textContent !== place.textContent) place.replaceWith(found); // of our own templates, where every foreign text is escaped
    }
  }

  async function look() {
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        put(page);
        if (page.querySelectorAll(WHOLE).length < document.querySelectorAll(WHOLE).length) {
          location.reload();
          return;
        }
      }
    } catch {
      // the server is away; the next look may find it
    }
    if (!document.querySelector(PENDING)) return;
    pause = Math.min(pause * 1.5, LONGEST);
    setTimeout(look, pause);
  }

  if (document.querySelector(PENDING)) setTimeout(look, pause);
})();
