// Follows a run live: puts the pieces of the page that the server sends in place (arena/web/pages/tournaments.py).

const SPEAK_EVERY = 15000; // milliseconds: often enough to follow, seldom enough to listen to
const live = document.getElementById("live");
const said = document.getElementById("said");
let spoken = 0;
let lost = ""; // when the connection was lost

/** Put one piece in its place, unless it is already there, and restore the focus. */
function put(id, markup) {
  const place = document.getElementById(id);
  if (!place || place.arenaMarkup === markup) return;
  place.arenaMarkup = markup;
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const before = new Map(rows(place));
  place.innerHTML = markup; // from our own templates, which escape all other text
  for (const [key, row] of rows(place)) {
    if (before.size && before.get(key)?.textContent !== row.textContent) row.classList.add("changed");
  }
  place.dispatchEvent(new Event("arena:rows")); // sortable.js sorts and filters the new rows as it did the old ones
  if (focused) [...place.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
}

/** Tell the visitor whether to expect updates; there are none while the run is stopped. */
function tell() {
  const idle = document.querySelector("#progress [data-idle]");
  live.textContent = idle ? "Results appear here once the run goes on." : "This page updates automatically.";
  live.className = idle ? "soft" : "live";
}

function* rows(place) {
  for (const row of place.querySelectorAll("tr")) {
    const link = row.querySelector("th a");
    if (link) yield [link.getAttribute("href"), row];
  }
}

function show(event) {
  const { say, end, ...pieces } = JSON.parse(event.data);
  for (const [id, markup] of Object.entries(pieces)) put(id, markup);
  if (pieces.standings) {
    document.getElementById("board").hidden = false;
    document.getElementById("nothing")?.remove();
  }
  if (end) live.textContent = end;
  else tell();
  if (end || performance.now() - spoken > SPEAK_EVERY) {
    spoken = performance.now();
    said.textContent = end ? `${say} ${end}` : say;
  }
}

const source = new EventSource(live.dataset.events);
source.addEventListener("open", () => {
  lost = "";
  tell();
});
source.addEventListener("news", show);
source.addEventListener("end", (event) => {
  source.close();
  show(event);
  live.className = "soft";
  live.dataset.over = "";
});
source.addEventListener("error", () => {
  lost ||= new Date().toTimeString().slice(0, 5);
  live.textContent =
    source.readyState === EventSource.CLOSED ? "This page is no longer updated; reload it." : `The connection was lost at ${lost}; trying again.`;
  live.className = "soft";
});
addEventListener("pagehide", () => source.close());
