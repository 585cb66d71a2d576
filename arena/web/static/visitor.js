// The visitor's tables in the header: how many there are, and whether one waits for the visitor. Before the first table, nothing is requested.

import { memory } from "./storage.js";

const ASK_EVERY = 20000; // milliseconds, while the page is in sight
const link = document.getElementById("my-tables");

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
    if (answer.ok) show((await answer.json()).filter((table) => table.address !== location.pathname));
  } catch {
    link.hidden = true; // the server can't be reached: nothing is known
  }
}

if (location.pathname.startsWith(`${link.pathname}/t/`)) memory.set("has-played", "yes");
if (memory.get("has-played")) {
  ask();
  setInterval(ask, ASK_EVERY);
  document.addEventListener("visibilitychange", ask);
}
