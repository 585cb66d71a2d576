// The lobby, and a table whose match has not begun: replaces the lists whenever they change. In the form for a new table, frees the seats
// that the chosen game doesn't have. The style sheet hides those seats, and the options of other games.

import { refresh } from "./refresh.js";

document.querySelector(".games")?.addEventListener("change", ({ target }) => {
  const most = Number(target.dataset.most ?? Infinity);
  if (target.name !== "game") return;
  for (const row of document.querySelectorAll("[data-seat]")) {
    const seat = row.querySelector("select");
    if (Number(row.dataset.seat) >= most && seat.value !== "me") seat.value = "";
  }
});

/** Show the page as the server has it now. If it has become a different page, such as the page of a match, load that one. */
async function renew() {
  const page = await refresh().catch(() => undefined);
  if (page === undefined) return; // the events begin again when the server is back
  if (!page?.querySelector("[data-follow]")) return location.reload();
  document.title = page.title;
  equip();
}

/** The button that copies the address, if the browser can. */
function equip() {
  const button = document.querySelector("[data-copy]");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.onclick = async () => {
    await navigator.clipboard.writeText(document.querySelector(".address").value);
    button.textContent = "Copied";
  };
}

/** Listen for changes to what the page shows in this element. */
function follow({ dataset }) {
  const events = new EventSource(dataset.follow);
  let first = dataset.number ?? null; // what the page shows already
  events.addEventListener("error", () => events.readyState === EventSource.CLOSED && setTimeout(() => location.reload(), 3000));
  events.addEventListener("changed", ({ data }) => {
    first ??= data;
    if (data !== first) renew();
  });
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}

equip();
document.querySelectorAll("[data-follow]").forEach(follow);
