// Renews a page while it is open: elements with data-fresh when the server has others, and what was still being computed, with data-pending, once
// it is there: in its place if it has an id, else by loading the page again. A value of data-fresh is the
// seconds between two looks. Elements with data-later are renewed when the viewer has its analysis.

const SECONDS = 10; // between two looks for others
const LONGEST = 8; // seconds between two looks for what is being computed, at most
const PENDING = "[data-pending]";
const WHOLE = "[data-pending]:not([id])";
let pause = 0.7;

/** Put the newer element in the place of one; what had the focus gets it back, and what was scrolled stays. */
function put(old, fresh) {
  if (fresh.outerHTML === old.outerHTML) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const places = [...old.querySelectorAll("[tabindex]")].map((each) => each.scrollLeft);
  old.replaceWith(document.adoptNode(fresh)); // of our own templates, where every foreign text is escaped
  fresh.querySelectorAll("[tabindex]").forEach((each, at) => (each.scrollLeft = places[at] ?? 0));
  if (focused) [...fresh.querySelectorAll("a")].find((each) => each.getAttribute("href") === focused)?.focus({ preventScroll: true });
}

async function look() {
  if (document.hidden && !document.querySelector(PENDING)) return;
  const answer = await fetch(location.pathname + location.search, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll("[data-fresh], [data-later], [data-pending][id]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) put(old, fresh);
    else if (old.matches(PENDING)) old.remove(); // it could not be computed
  }
  if (page.querySelectorAll(WHOLE).length < document.querySelectorAll(WHOLE).length) location.reload();
}

function wait() {
  const pending = document.querySelector(PENDING);
  const fresh = document.querySelector("[data-fresh]");
  if (!pending && !fresh) return;
  const again = () => look().catch(() => {}).finally(wait); // away for a moment: the next time will do
  setTimeout(again, 1000 * (pending ? pause : Number(fresh.dataset.fresh) || SECONDS));
  if (pending) pause = Math.min(1.5 * pause, LONGEST);
}

addEventListener("arena-analysed", () => look().catch(() => {}));
wait();
