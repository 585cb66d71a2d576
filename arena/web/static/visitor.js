// The visitor's tables in the header: how many there are, and whether one waits for them; and the name that they have claimed, which the
// browser remembers, so that it is in no page. A browser that never sat at a table and has no name asks nothing.
"use strict";

(() => {
  const KEY = "arena-has-played";
  const ASK_EVERY = 20000; // milliseconds, while the page is in sight
  const link = document.getElementById("my-tables");
  const own = document.getElementById("my-name");
  if (!link) return;
  const ME = `arena-me ${link.pathname}`; // of this site, of several below one host

  /** What is remembered, or undefined where a browser forbids it. */
  const memory = (() => {
    try {
      return globalThis.localStorage;
    } catch {
      return undefined;
    }
  })();
  if (location.pathname.startsWith(`${link.pathname}/t/`)) memory?.setItem(KEY, "yes");
  const here = document.querySelector("[data-me]");
  if (here) know({ name: here.textContent, address: here.dataset.me });
  else name();
  for (const form of document.querySelectorAll("form[action$='/people/sign-out']")) form.addEventListener("submit", () => know(null));
  if (!memory?.getItem(KEY) && !memory?.getItem(ME)) return;

  /** Remember who the visitor is: {name, address}, or null for a guest. */
  function know(me) {
    if (me) memory?.setItem(ME, JSON.stringify(me));
    else memory?.removeItem(ME);
    name();
  }

  function remembered() {
    try {
      return JSON.parse(memory?.getItem(ME) ?? "null");
    } catch {
      return null; // something else is kept under that key; the server's answer replaces it
    }
  }

  /** Show the name that is remembered. */
  function name() {
    const me = remembered();
    own.hidden = !me;
    if (!me) return;
    own.href = me.address;
    own.lastChild.textContent = me.name;
  }

  function show(tables) {
    const mine = tables.filter((table) => table.turn);
    link.hidden = tables.length === 0;
    if (!tables.length) return;
    link.classList.toggle("turn", mine.length > 0);
    link.href = (mine[0] ?? tables[0]).address;
    link.querySelector("span").textContent = mine.length ? "Your turn" : tables.length === 1 ? "Your table" : `Your tables: ${tables.length}`;
  }

  async function ask() {
    if (document.hidden) return;
    try {
      const answer = await fetch(link.dataset.mine, { headers: { accept: "application/json" } });
      if (!answer.ok) return;
      const { tables, me } = await answer.json();
      know(me);
      show(tables.filter((table) => table.address !== location.pathname));
    } catch {
      link.hidden = true; // the server can't be reached: nothing is known
    }
  }

  ask();
  setInterval(ask, ASK_EVERY);
  document.addEventListener("visibilitychange", ask);
})();
