// What an analysis adds to the viewer (docs/viewer.md): the panel with chances and marked decisions, and the marks themselves. The page tells the rest.

import { chancesChart } from "./chart.js";
import { count, html, who } from "./ui.js";

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" }; // as chess writes them
const PAUSE = 700; // milliseconds between two looks for an analysis that is being computed
const GRADES = Object.keys(SIGNS);

const badge = (name) => html("span", { class: `grade ${name}`, "aria-hidden": "true" }, SIGNS[name]);

/** The sign of a mark, with its words for those who do not see it. */
export function grade({ grade: name, words }) {
  return html("span", { class: `grade ${name}`, title: words }, html("span", { "aria-hidden": "true" }, SIGNS[name]), html("span", { class: "sr" }, ` ${words}`));
}

/** What the decision that led to a position lost, and the better move; nothing for one without a mark. */
export function judged(mark) {
  if (!mark) return [];
  const said = html("p", { class: "judged" }, badge(mark.grade), ` ${capital(mark.words)}`);
  if (!mark.better) return [said];
  const { notation, words, sketch } = mark.better;
  const drawn = sketch ? html("span", { class: "drawn" }, ", drawn on the board in green") : "";
  return [said, html("p", { class: "better", title: notation }, `Better: ${words}`, drawn)];
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** {element, show(at, seen)} as in viewer_panels.js. */
export function analysisPanel(viewer) {
  const { data } = viewer.timeline;
  const { evaluation, marks, seats } = data;
  const mistakes = html("ul", { class: "mistakes" });
  const before = html("button", { type: "button", title: "the marked decision before (M)", onclick: () => goToMark(viewer, -1) }, "Previous");
  const next = html("button", { type: "button", title: "the next marked decision (m)", onclick: () => goToMark(viewer, 1) }, "Next");
  const graph = evaluation?.length ? chancesChart(viewer.timeline, (at) => viewer.go(at, { glide: false })) : null;
  const parts = [
    ...(graph ? [graph.element] : []),
    html("section", { "aria-label": "Marked decisions" }, html("h2", {}, "Marked decisions"), mistakes, html("p", { class: "dim" }, ...GRADES.flatMap((name) => [badge(name), ` ${name}, `]), "compared with the best move found; over the slider a mark for each, the worse the taller."), html("p", { class: "actions" }, before, next)),
  ];

  function counted(seat, seen) {
    const own = marks.filter(({ index }) => index < seen && data.frames[index + 1].move.seat === seat);
    const told = GRADES.map((name) => [name, own.filter((mark) => mark.grade === name).length]).filter(([, number]) => number);
    const words = told.map(([name, number]) => (name === "inaccuracy" && number > 1 ? `${number} inaccuracies` : count(number, name)));
    return html("li", {}, who(seats, seat), html("span", {}, words.join(", ") || "none"));
  }

  let told = -1;
  function show(at, seen) {
    graph?.show(at, seen);
    for (const [button, way] of [[before, -1], [next, 1]]) button.setAttribute("aria-disabled", nextMark(data, at, way, seen) === undefined);
    if (told !== seen) mistakes.replaceChildren(...seats.map((_, seat) => counted(seat, seen)));
    told = seen;
  }
  return { element: html("section", { class: "analysed", "aria-label": "Analysis" }, ...parts), show };
}

/** The position after the next marked decision (way 1), or after the one before (-1). */
function nextMark({ marks }, at, way, seen) {
  const places = (marks ?? []).map(({ index }) => index + 1).filter((place) => place <= seen);
  return way > 0 ? places.find((place) => place > at) : places.findLast((place) => place < at);
}

/** Go to the next marked decision that the visitor may know of. */
export function goToMark(viewer, way) {
  const place = nextMark(viewer.data, viewer.at, way, viewer.seen);
  if (place !== undefined) viewer.go(place);
}

/**
 * The panel of a match that can be analysed: progress until the analysis is there, then `viewer.analysed(parts)`. It is requested when the panel
 * is first in sight; where the server has no time for that, or it failed, by a button.
 */
export function askingPanel(viewer, address) {
  const said = html("p", { role: "status", class: "dim" });
  const button = html("button", { type: "button", onclick: () => ask(), hidden: true }, "Analyse this match");
  const words = "Takes up to half a minute once its turn has come: the chances of winning by decision, better moves, key moments, and what was luck or skill.";

  let isAsked = false;
  async function ask(first = address) {
    isAsked = true;
    button.setAttribute("aria-disabled", true);
    said.textContent = "Analysing…";
    try {
      viewer.analysed(await fetched(first, address, () => viewer.listening.signal.aborted));
      viewer.host.dispatchEvent(new CustomEvent("arena-analysed", { bubbles: true })); // refresh.js fetches what the page says of it
    } catch (error) {
      said.textContent = first === address ? error.message : "";
      button.hidden = false;
      button.removeAttribute("aria-disabled");
    }
  }
  const element = html("section", { "aria-label": "Analysis" }, html("p", {}, words), html("p", { class: "actions" }, button), said);
  const show = () => isAsked || ask(viewer.host.dataset.analysed === undefined ? `${address}?unasked=true` : address);
  return { element, show };
}

/** The analysis, requested at one address, and then at the other one until it is there. */
async function fetched(first, address, isGone) {
  const headers = { accept: "application/json" };
  let answer = await reached(first, { method: "POST", headers });
  while (answer.status === 202 && !isGone()) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    answer = await reached(address, { method: "POST", headers }); // another server may answer, which has to begin, too
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error ?? `The server answered with status ${answer.status}.`);
  return told;
}

async function reached(address, how) {
  const answer = await fetch(address, how).catch(() => null);
  if (!answer) throw new Error("The server can't be reached.");
  return answer;
}
