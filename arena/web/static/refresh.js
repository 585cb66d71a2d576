// Renews a page while it is open: elements with data-fresh when the server has others (the value is how many seconds between two looks), and what
// was still being computed, with data-pending, once it is there: in its place if it has an id, else by loading the page again. Elements with
// data-later are renewed when the viewer has its analysis, those with data-live when lobby.js hears of a change.

const SECONDS = 10; // between two looks for others
const LONGEST = 8; // seconds between two looks for what is being computed, at most
const PENDING = "[data-pending]";
const WHOLE = "[data-pending]:not([id])";
let pause = 0.7;

/** Put the newer element in the place of one; a link or button that had the focus gets it back, and what was scrolled stays. */
function replace(old, fresh) {
  if (fresh.outerHTML === old.outerHTML) return;
  const targets = (place) => [...place.querySelectorAll("a, button")];
  const at = targets(old).indexOf(document.activeElement);
  const href = document.activeElement?.getAttribute("href");
  const scrolled = [...old.querySelectorAll("[tabindex]")].map((each) => each.scrollLeft);
  old.replaceWith(document.adoptNode(fresh)); // of our own templates, where every foreign text is escaped
  fresh.querySelectorAll("[tabindex]").forEach((each, index) => (each.scrollLeft = scrolled[index] ?? 0));
  if (at >= 0) (href ? targets(fresh).find((each) => each.getAttribute("href") === href) : targets(fresh)[at])?.focus({ preventScroll: true });
}

/** Renew the parts of the page; returns the page that the server has now, null if it has none. */
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
    if (!document.hidden || document.querySelector(PENDING)) await refresh().catch(() => {}); // away for a moment: the next time will do
    wait();
  };
  setTimeout(again, 1000 * (pending ? pause : Number(fresh.dataset.fresh) || SECONDS));
  if (pending) pause = Math.min(1.5 * pause, LONGEST);
}

addEventListener("arena-analysed", () => refresh().catch(() => {}));
wait();
