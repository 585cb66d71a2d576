// Updates a page while it is open. Elements with data-fresh are replaced when the server has new ones; the value is the time between two requests
// in seconds. Elements with data-pending are replaced once their content has been computed; if one has no id, the page is reloaded. Elements with
// data-later are replaced when the viewer has its analysis, and elements with data-live when lobby.js hears of a change.

const SECONDS = 10; // between two requests for new elements
const LONGEST = 8; // the most seconds between two requests for what is being computed
const PENDING = "[data-pending]";
const WHOLE = "[data-pending]:not([id])";
let pause = 0.7;

/** Replace an element with a newer one; the focus on its links and buttons and the scroll positions are kept. */
function replace(old, fresh) {
  if (fresh.outerHTML === old.outerHTML) return;
  const targets = (place) => [...place.querySelectorAll("a, button")];
  const at = targets(old).indexOf(document.activeElement);
  const href = document.activeElement?.getAttribute("href");
  const scrolled = [...old.querySelectorAll("[tabindex]")].map((each) => each.scrollLeft);
  old.replaceWith(document.adoptNode(fresh)); // from our own templates, which escape all other text
  fresh.querySelectorAll("[tabindex]").forEach((each, index) => (each.scrollLeft = scrolled[index] ?? 0));
  if (at >= 0) (href ? targets(fresh).find((each) => each.getAttribute("href") === href) : targets(fresh)[at])?.focus({ preventScroll: true });
}

/** Update the parts of the page; returns the server's current version of the page, or null if there is none. */
export async function refresh() {
  const answer = await fetch(location.pathname + location.search, { headers: { accept: "text/html" } });
  if (!answer.ok) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll("[data-fresh], [data-later], [data-live], [data-pending][id]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) replace(old, fresh);
    else if (old.matches(PENDING)) old.remove(); // it could not be computed
  }
  if (page.querySelectorAll(WHOLE).length < document.querySelectorAll(WHOLE).length) location.reload();
  return page;
}

function wait() {
  const pending = document.querySelector(PENDING);
  const fresh = document.querySelector("[data-fresh]");
  if (!pending && !fresh) return;
  const again = async () => {
    if (!document.hidden || document.querySelector(PENDING)) await refresh().catch(() => {}); // the server may be away for a moment; the next attempt will do
    wait();
  };
  setTimeout(again, 1000 * (pending ? pause : Number(fresh.dataset.fresh) || SECONDS));
  if (pending) pause = Math.min(1.5 * pause, LONGEST);
}

addEventListener("arena-analysed", () => refresh().catch(() => {}));
wait();
