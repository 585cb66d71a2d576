// What an analysis adds to the viewer (docs/viewer.md): the panel with chances and marked decisions, and the marks themselves. The page around the viewer shows the rest.

import { chancesChart } from "./chart.js";
import { count, requested, who } from "./ui.js";
import { html, nothing } from "./vendor/lit-html.js";

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" }; // as chess writes them
const PAUSE = 700; // milliseconds between two requests for an analysis that is being computed
const GRADES = Object.keys(SIGNS);

const badge = (name) => html`<span class="grade ${name}" aria-hidden="true">${SIGNS[name]}</span>`;

/** The symbol of a mark, with its description for screen readers. */
export function grade({ grade: name, words }) {
  return html`<span class="grade ${name}" title=${words}><span aria-hidden="true">${SIGNS[name]}</span><span class="sr"> ${words}</span></span>`;
}

/** The loss by the decision that led to a position, and the better move; nothing if the decision has no mark. */
export function judged(mark) {
  if (!mark) return nothing;
  const better = ({ notation, words, sketch }) => html`<p class="better" title=${notation}
    >Better: ${words}${sketch ? html`<span class="drawn">, drawn on the board in green</span>` : nothing}</p>`;
  return html`<p class="judged">${badge(mark.grade)} ${mark.words.charAt(0).toUpperCase()}${mark.words.slice(1)}</p>${mark.better ? better(mark.better) : nothing}`;
}

/** A panel, as a function like those in viewer_panels.js. */
export function analysisPanel(viewer) {
  const { data } = viewer.timeline;
  const { evaluation, marks, seats } = data;
  const graph = evaluation?.length ? chancesChart(viewer.timeline, (at) => viewer.go(at, { glide: false })) : null;

  function counted(seat, seen) {
    const own = marks.filter(({ index }) => index < seen && data.frames[index + 1].move.seat === seat);
    const told = GRADES.map((name) => [name, own.filter((mark) => mark.grade === name).length]).filter(([, number]) => number);
    const words = told.map(([name, number]) => (name === "inaccuracy" && number > 1 ? `${number} inaccuracies` : count(number, name)));
    return html`<li>${who(seats, seat)}<span>${words.join(", ") || (seen < data.frames.length - 1 ? "none so far" : "none")}</span></li>`;
  }

  function button(at, seen, way, words, title) {
    const isLast = nextMark(data, at, way, seen) === undefined;
    return html`<button type="button" title=${title} aria-disabled=${isLast} @click=${() => goToMark(viewer, way)}>${words}</button>`;
  }

  return (at, seen) => html`<section class="analysed" aria-label="Analysis">
      ${graph?.(at, seen) ?? nothing}
      <section aria-label="Marked decisions">
        <h2>Marked decisions</h2>
        <ul class="mistakes">${seats.map((_, seat) => counted(seat, seen))}</ul>
        <p class="dim">${GRADES.map((name) => html`${badge(name)} ${name}, `)}compared with the best move found;
          marked over the slider, the worse the taller.</p>
        <p class="actions">
          ${button(at, seen, -1, "Previous", "the previous marked decision (M)")}${button(at, seen, 1, "Next", "the next marked decision (m)")}
        </p>
      </section>
    </section>`;
}

/** The position after the next marked decision (way 1), or after the previous one (way -1). */
function nextMark({ marks }, at, way, seen) {
  const places = (marks ?? []).map(({ index }) => index + 1).filter((place) => place <= seen);
  return way > 0 ? places.find((place) => place > at) : places.findLast((place) => place < at);
}

/** Go to the next or previous marked decision whose result is not hidden. */
export function goToMark(viewer, way) {
  const place = nextMark(viewer.data, viewer.at, way, viewer.seen);
  if (place !== undefined) viewer.go(place);
}

/**
 * The panel of a match that can be analysed. It requests the analysis when it first becomes visible; if the server has no time or the
 * analysis failed, a button requests it. It shows progress, and calls `viewer.analysed(parts)` once the analysis is there.
 */
export function askingPanel(viewer, address) {
  let [said, isAsked, isBusy, isOffered] = ["", false, false, false];

  async function ask(first = address) {
    [said, isAsked, isBusy] = ["Analysing…", true, true];
    try {
      viewer.analysed(await fetched(first, address, () => viewer.listening.signal.aborted));
      viewer.host.dispatchEvent(new CustomEvent("arena-analysed", { bubbles: true })); // refresh.js then fetches the page's text about it
    } catch (error) {
      [said, isBusy, isOffered] = [first === address ? error.message : "", false, true];
      viewer.show();
    }
  }

  function again() {
    ask();
    viewer.show();
  }

  return () => {
    if (!isAsked) ask(viewer.host.dataset.analysed === undefined ? `${address}?unasked=true` : address);
    return html`<section aria-label="Analysis">
      <p>This takes up to half a minute once its turn has come, and shows the chances of winning by decision, better moves, key moments, and what was luck or skill.</p>
      <p class="actions"><button type="button" ?hidden=${!isOffered} aria-disabled=${isBusy} @click=${again}>Analyse this match</button></p>
      <p role="status" class="dim">${said}</p>
    </section>`;
  };
}

/** The analysis: requested at the address `first`, and then at `address` until it is there. */
async function fetched(first, address, isGone) {
  let { status, told } = await requested(first, { method: "POST" });
  while (status === 202 && !isGone()) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    ({ status, told } = await requested(address, { method: "POST" })); // a different server may answer, and has to begin first
  }
  return told;
}
