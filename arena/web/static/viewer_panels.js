// The panels around the board of a replay: templates for a position, or functions (at, seen) that return one. `seen` is the last position
// whose numbers may be shown (docs/viewer.md, "Hide results").

import { grade, judged } from "./analysis.js";
import { sign } from "./board.js";
import { chip, count, element, eventLine, memo, numbersTable, pegs, waitingPieces, who } from "./ui.js";
import { html, noChange, nothing, render } from "./vendor/lit-html.js";

const LINE = 30; // the estimated height of a line of moves in pixels, before it has been drawn
const TICKS = "Above the slider, ticks show changes of points in the players' colours, turns and what was revealed. Once the match is analysed, there are also a band with the players' chances and, below it, a mark for each inaccuracy, mistake and blunder, the worse the taller.";

/** The players, what they have, and who is to decide: above the board. */
export function players({ data, columns, end }, at) {
  function player(_, seat) {
    const { rank } = data.seats[seat];
    const active = data.frames[at].actor === seat;
    const isOver = at === end && rank && data.seats[1];
    const values = columns[at].map((column) => column[seat]);
    const forfeit = data.forfeits?.find((each) => each.seat === seat && each.index < at);
    const points = values.length ? html`<b class="points">${values[0]}<span class="sr"> ${data.columns[0]}</span></b>` : nothing;
    const state = isOver ? (rank === 1 ? "★ first" : `place ${rank}`) : active ? "▶ to move" : "";
    return html`<li data-seat=${seat} class="${active ? "active" : ""} ${isOver && rank === 1 ? "winner" : ""}">
      <p>${who(data.seats, seat)}${points}</p>
      <p>${data.supply ? pegs(data.supply, values[data.supply.column]) : nothing}${
        forfeit ? html`<span class="tag bad" title=${forfeit.reason}>forfeited</span>` : nothing}<span class="state">${state}</span></p>
    </li>`;
  }
  return html`<ol class="strip" aria-label="Players" data-seats=${data.seats.length}>${data.seats.map(player)}</ol>`;
}

/** The decision that led here, its result, and what is next; after the last one `play()` shows the match from the start. */
export function decisionPanel(timeline, play) {
  const { data, turnOf, facts, end } = timeline;

  const draw = memo((at) => {
    const { move, events = [], status, legal, waiting = [] } = data.frames[at];
    const more = at ? `, turn ${turnOf[at - 1] + 1}` : data.seed === undefined ? "" : `; seed ${data.seed}`;
    const forfeit = timeline.forfeit(at);
    const again = html`<button type="button" class="begin" @click=${play}>▶ Watch<span class="wide"> from the start</span></button>`;
    return html`
      <p class="count">${timeline.said(at)}${more}</p>
      ${forfeit ? html`<p class="bad">${who(data.seats, forfeit.seat)} forfeits: ${forfeit.reason}; a substitute plays on</p>` : nothing}
      ${move ? html`<p class="move" title=${move.notation}>${who(data.seats, move.seat)} ${move.words}</p>` : nothing}
      ${move ? judged(timeline.marks.get(at)) : nothing}
      ${events.map(eventLine)}
      ${at && at === end ? again : nothing}
      <p class="next">${data.words[status]}${legal ? `, ${count(legal, "legal move")}` : ""}</p>
      ${facts[at].length ? html`<p class="facts">${facts[at].map((fact) => data.words[fact]).join(" · ")}</p>` : nothing}
      ${waitingPieces(waiting.map((index) => data.signs[index]), 92, 30)}`;
  });

  return (at, isPlaying) => html`<section class="now card" aria-live=${isPlaying ? "off" : "polite"} aria-atomic="true"
    aria-label="This decision" tabindex="0">${draw(at)}</section>`;
}

/** All numbers of all players, who forfeited, ranks at the end. */
export function standing({ data, columns, end }, at) {
  const place = ({ rank }) => html`<td class="rank" ?hidden=${at < end || !data.seats[1]}>${rank === 1 ? "★ 1" : rank}</td>`;
  const look = ({ rank }, seat) => `${data.frames[at].actor === seat ? "active" : ""} ${at === end && rank === 1 && data.seats[1] ? "winner" : ""}`;
  const head = html`<th scope="col" ?hidden=${at < end || !data.seats[1]}>place</th>`;
  return html`<section class="standing" aria-label="Numbers">${numbersTable(data.seats, data.columns, columns[at], { head, place, look })}</section>`;
}

/** The legend of the signs on the board, and a link to the rules. */
export function legend({ data }, rules) {
  const signs = data.legend.map((each) => html`<li>${sign(each, 26)}<span>${each.words}</span></li>`);
  return html`<section aria-label="Legend">
    ${rules ? html`<p><a href=${rules} class="aim">The rules of ${data.sheet.title}</a></p>` : nothing}
    ${signs.length ? html`<ul class="legend">${signs}</ul>` : nothing}
    <p class="dim">${data.supply ? `The bars under a player's name: the ${data.supply.word}s that are left to use. ` : ""}${TICKS}${data.forfeits?.length ? " A red tick in the lower row is a forfeit." : ""}</p>
  </section>`;
}

/** All moves by turn; `go(at)` shows a position. */
export function movesPanel(timeline, go) {
  const { data, end } = timeline;
  const tip = element(html`<div class="tip" role="tooltip" id="arena-tip" hidden></div>`);
  const list = element(html`<ol class="moves"></ol>`);
  let explained = null;
  let told = end; // the last position whose numbers may be shown

  function explain(target) {
    const at = Number(target.dataset.at);
    const { move, events = [] } = data.frames[at];
    render(html`
      <b>${data.seats[move.seat].name} ${move.words}</b>
      ${move.words === move.notation ? nothing : html`<code>${move.notation}</code>`}
      ${events.map(({ words }) => html`<span>${words}</span>`)}
      ${at <= told ? judged(timeline.marks.get(at)) : nothing}`, tip);
    tip.hidden = false;
    explained = target;
    const spot = target.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const above = spot.bottom + height + 8 > innerHeight;
    tip.style.left = `${Math.max(6, Math.min(spot.left + 24, innerWidth - width - 6))}px`;
    tip.style.top = `${above ? spot.top - height - 4 : spot.bottom + 4}px`;
  }

  const button = (at) => list.querySelector(`[data-at="${at}"]`);

  /** Bring the marked move into sight without moving the page. */
  function bring() {
    const marked = list.querySelector("[tabindex='0']");
    if (!marked) return;
    const [window, spot] = [list.getBoundingClientRect(), marked.getBoundingClientRect()];
    const top = spot.top - window.top;
    if (spot.height && (top < 0 || top + spot.height > window.height)) list.scrollTop += top - window.height / 2;
  }

  const aimed = (act) => ({ target }) => target.closest("button") && act(target.closest("button"));
  const hide = () => (tip.hidden = true);
  const follow = () => tip.hidden || explain(explained);
  list.addEventListener("click", aimed(({ dataset }) => go(Number(dataset.at))));
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!by) return;
    event.preventDefault();
    const at = Math.max(1, Math.min(Number(event.target.dataset.at) + by, end));
    go(at);
    button(at).focus();
  });
  for (const come of ["mouseover", "focusin"]) list.addEventListener(come, aimed(explain));
  for (const leave of ["mouseout", "focusout"]) list.addEventListener(leave, hide);
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  return (at, seen) => {
    told = seen;
    render(turns(timeline, at, seen), list);
    list.classList.toggle("hushed", seen < end);
    bring();
    requestAnimationFrame(() => (bring(), requestAnimationFrame(bring))); // items that have become visible may be higher than estimated
    return html`<section class="list" aria-label="Moves">${list}${tip}</section>`;
  };
}

/** The button for the move that led to a position. If a different seat answers during the turn, that seat is named. */
function moveButton(timeline, at, of, marked, seen) {
  const { seats, columns, frames } = timeline.data;
  const { move: { seat, words }, events } = frames[at];
  const gain = timeline.gain(at, seat);
  const mark = timeline.marks.get(at);
  return html`<button type="button" tabindex=${at === Math.max(marked, 1) ? 0 : -1} aria-current=${at === marked ? "step" : nothing}
    class=${mark && at > seen ? "untold" : ""} aria-describedby="arena-tip" data-at=${at}><span class="number">${at}</span>${
    seat === of ? nothing : html`${chip(seats, seat)}<span class="sr">${seats[seat].name} </span>`}<span class="words">${words}</span>${
    events ? html`<span class="event">${events.some((event) => event.dice) ? "⚂" : "•"}</span>` : nothing}${
    timeline.forfeit(at) ? html`<span class="tag bad">forfeit</span>` : nothing}${
    gain ? html`<span class="gain" title=${columns[0]}>${gain > 0 ? `+${gain}` : `\u2212${-gain}`}</span>` : nothing}${mark ? grade(mark) : nothing}</button>`;
}

/** One item for each turn: whose it is, and its moves; what is not visible is not laid out. */
function turns(timeline, marked, seen) {
  const { data, end } = timeline;
  const begins = data.turns.filter((turn) => turn < end);
  if (begins[0] !== 0) begins.unshift(0);
  return begins.map((from, turn) => {
    const upTo = begins[turn + 1] ?? end;
    const { seat } = data.frames[from + 1].move;
    const items = data.frames.slice(from + 1, upTo + 1).map((_, index) => html`<li>${moveButton(timeline, from + 1 + index, seat, marked, seen)}</li>`);
    const height = `auto ${LINE * (items.length + 1)}px`;
    return html`<li class="turn" .style=${`contain-intrinsic-size: ${height}`}>
      <p class="turn-of">${chip(data.seats, seat)}<span class="name" dir="auto">${data.seats[seat].name}</span><span class="dim">turn ${turn + 1}</span></p>
      <ol>${items}</ol>
    </li>`;
  });
}

/** {content, copy(text, what)} for a viewer; addresses come from data-* of its host. */
export function positionPanel(viewer) {
  const { host: { dataset }, timeline } = viewer;
  let said = "";
  let selected = {}; // the text to be copied by hand, which is shown instead of the position, and where it is shown

  async function copy(words, what) {
    try {
      await navigator.clipboard.writeText(words);
      said = `${what} copied`;
      viewer.show();
    } catch {
      said = `this browser does not let the page copy; select the ${what} and copy it:`;
      selected = { at: viewer.at, words };
      viewer.open("Position");
      getSelection().selectAllChildren(viewer.inside.querySelector("pre"));
    }
  }

  function content(at) {
    const onward = dataset.continue && at < viewer.end ? dataset.continue.replaceAll("{d}", at) : null;
    const replay = dataset.replay ? html`<a class="aim" href=${dataset.replay} download>The replay as JSON</a>` : nothing;
    const page = dataset.page ? html`<a class="aim" href=${dataset.page} download>This page as one file</a>` : nothing;
    return html`<section aria-label="The position">
      <div class="actions">
        <button type="button" @click=${() => copy(timeline.text(at), "position")}>Copy the position</button>
        <button type="button" @click=${() => copy(viewer.address(), "link")}>Copy a link to it</button>
        ${onward ? html`<a class="onward" href=${onward}>Continue from here</a>` : nothing}
        <span class="said" role="status">${said}</span>
      </div>
      ${dataset.replay || dataset.page ? html`<h2>Download</h2><p class="files">${replay}${page}</p>` : nothing}
      <h2>In notation</h2>
      <pre tabindex="0" aria-label="The position in notation">${selected.at === at ? selected.words : timeline.text(at)}</pre>
    </section>`;
  }
  return { content, copy };
}

/** A link to the explorer for a position, if the match has one. */
export function exploreLink({ host: { dataset }, data: { frames }, end }, at) {
  if (dataset.explore === undefined) return nothing;
  const last = Math.max(frames.findLastIndex(({ legal }) => legal > 1), 0); // there is nothing to explore at the end
  return html`<a class="onward quiet" title="Play moves for every seat from here" href="${dataset.explore}?at=${at === end ? last : at}">Explore</a>`;
}

/** Tabs of [{name, content(at, seen)}...], of which one is opened; `open(name)` opens another. */
export function tabs(label, parts, opened, open, [at, seen]) {
  function key(event) {
    const heads = [...event.currentTarget.children];
    const here = heads.indexOf(event.target);
    const to = { Home: 0, End: -1, ArrowRight: (here + 1) % heads.length, ArrowLeft: here - 1 }[event.key];
    if (here < 0 || to === undefined) return;
    event.preventDefault();
    open(parts.at(to).name);
    heads.at(to).focus();
  }

  const head = ({ name }, each) => html`<button type="button" role="tab" id="arena-tab-${each}" aria-controls="arena-panel-${each}"
    aria-selected=${each === opened} tabindex=${each === opened ? 0 : -1} @click=${() => open(name)}>${name}</button>`;
  // A panel is not drawn until it is visible.
  const body = ({ name, content }, each) => html`<div role="tabpanel" id="arena-panel-${each}" aria-labelledby="arena-tab-${each}" tabindex="0"
    class="panel" ?hidden=${each !== opened}><div class=${name.toLowerCase()}>${each === opened ? content(at, seen) : noChange}</div></div>`;
  return html`<section class="tabbed card">
    <div role="tablist" aria-label=${label} @keydown=${key}>${parts.map(head)}</div>${parts.map(body)}
  </section>`;
}
