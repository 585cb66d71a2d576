// Loads a page again once what the server was still computing for it is there: until then the page has an element [data-pending].
"use strict";

(() => {
  const LONGEST = 8000; // milliseconds between two looks
  let pause = 700;

  async function look() {
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.ok && !/<[^>]* data-pending/.test(await answer.text())) {
        location.reload();
        return;
      }
    } catch {
      // the server is away; the next look may find it
    }
    pause = Math.min(pause * 1.5, LONGEST);
    setTimeout(look, pause);
  }

  if (document.querySelector("[data-pending]")) setTimeout(look, pause);
})();
