// The broadcast of a tournament: asks the server what is on the air whenever that changes, and has the viewer show it from there.
"use strict";

(() => {
  const { siteUrl } = globalThis.arena;
  const host = document.querySelector("[data-broadcast]");
  const AGAIN = 10; // seconds, if the server can't be reached
  const part = (name) => host.querySelector(`[data-part="${name}"]`);

  /** Names with something between them, each with a direction of its own. */
  function isolated(names) {
    return names.flatMap((name, at) => {
      const one = document.createElement("bdi");
      one.textContent = name;
      return at ? [" – ", one] : [one];
    });
  }

  function link(address, words) {
    const made = document.createElement("a");
    made.href = address;
    made.textContent = words;
    return made;
  }

  function show(told) {
    const viewer = host.querySelector("arena-viewer");
    const address = siteUrl(`/m/${told.match}/viewer.json`);
    if (viewer?.dataset.document !== address) {
      part("title").replaceChildren(...isolated(told.players));
      part("played").textContent = `played ${told.played}`;
      host.querySelector(".badge").textContent = "on the air";
      const next = document.createElement("arena-viewer");
      Object.assign(next.dataset, { plays: "", pace: told.pace, started: told.started, document: address });
      next.setAttribute("role", "region");
      next.setAttribute("aria-label", "The match");
      (viewer ?? part("wait")).replaceWith(next);
    }
    const outcome = part("outcome");
    outcome.hidden = !told.outcome;
    if (told.outcome) outcome.replaceChildren(`${told.outcome.join(", ")}. Ending: ${told.ending}. `, link(siteUrl(`/m/${told.match}`), "The match"), ". The next one begins in a moment.");
    else outcome.replaceChildren();
  }

  async function ask() {
    let left = AGAIN;
    try {
      const answer = await fetch(host.dataset.broadcast, { headers: { accept: "application/json" } });
      if (answer.ok) {
        const told = await answer.json();
        left = told.left;
        if (told.match) show(told);
      }
    } catch {
      left = AGAIN;
    }
    wait(left);
  }

  /** Ask again when something else is to be shown; a little later, since clocks differ. */
  function wait(seconds) {
    setTimeout(ask, 1000 * Math.max(seconds + 0.3, 1));
  }

  wait(Number(host.dataset.left));
})();
