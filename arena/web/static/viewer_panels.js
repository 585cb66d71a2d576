// What stands around the board of a replay, in tabs or always. Each is {element, show(at, seen)}: what to put on the page, and how to update it
// for a position; `seen` is the last position whose numbers may be told (docs/viewer.md, "Hide results").

import { grade, judged } from "./analysis.js";
import { sign } from "./board.js";
import { chip, count, eventLine, html, pegs, waitingPieces, who } from "./ui.js";

const LINE = 30; // pixels of a line of moves, before it has been drawn
const NEXT = { ArrowRight: 1, ArrowLeft: -1 };
const TICKS = "Ticks over the slider: changes of points in the players' colours, below them turns and what was revealed; red ticks are forfeits.";

/** The players, what they have, and who is to decide: above the board. */
export function playersPanel({ data, columns, end }) {
  const element = html("ol", { class: "strip", "aria-label": "Players" });
  element.dataset.seats = data.seats.length;

  function player(at, seat) {
    const { rank } = data.seats[seat];
    const active = data.frames[at].actor === seat;
    const values = columns[at].map((column) => column[seat]);
    const forfeit = (data.forfeits ?? []).find((each) => each.seat === seat && each.index < at);
    const name = who(data.seats, seat);
    const left = forfeit ? [html("span", { class: "tag bad", title: forfeit.reason }, "forfeited")] : [];
    const points = values.length ? [html("b", { class: "points" }, values[0], html("span", { class: "sr" }, ` ${data.columns[0]}`))] : [];
    const supply = data.supply ? [pegs(data.supply, values[data.supply.column])] : [];
    const place = rank === 1 ? "★ first" : `place ${rank}`;
    const state = at === end && rank ? place : active ? "▶ to move" : "";
    const parts = [html("p", {}, name, ...points), html("p", {}, ...supply, ...left, html("span", { class: "state" }, state))];
    return html("li", { "data-seat": seat, class: `${active ? "active" : ""} ${at === end && rank === 1 ? "winner" : ""}` }, ...parts);
  }
  return { element, show: (at) => element.replaceChildren(...data.seats.map((_, seat) => player(at, seat))) };
}

/** The decision that led here, its result, and what is next; after the last one `play()` shows the match from the start. */
export function decisionPanel(timeline, play) {
  const { data, turnOf, facts } = timeline;
  const element = html("section", { class: "now card", "aria-live": "polite", "aria-label": "This decision", tabindex: 0 });

  function show(at) {
    const frame = data.frames[at];
    const more = at ? `, turn ${turnOf[at - 1] + 1}` : data.seed === undefined ? "" : `; seed ${data.seed}`;
    const parts = [html("p", { class: "count" }, timeline.said(at) + more)];
    const forfeit = timeline.forfeit(at);
    if (forfeit) parts.push(html("p", { class: "bad" }, who(data.seats, forfeit.seat), ` forfeits: ${forfeit.reason}; a substitute plays on for it`));
    if (frame.move) {
      const { seat, notation, words } = frame.move;
      parts.push(html("p", { class: "move", title: notation }, who(data.seats, seat), " ", words));
      parts.push(...judged(timeline.marks.get(at)));
    }
    parts.push(...(frame.events ?? []).map(eventLine));
    if (at && at === timeline.end) parts.push(html("button", { type: "button", class: "begin", onclick: play }, "▶ Watch", html("span", { class: "wide" }, " from the start")));
    parts.push(html("p", { class: "next" }, data.words[frame.status] + (frame.legal ? `, ${count(frame.legal, "legal move")}` : "")));
    if (facts[at].length) parts.push(html("p", { class: "facts" }, facts[at].map((fact) => data.words[fact]).join(" · ")));
    element.replaceChildren(...parts, ...waitingPieces((frame.waiting ?? []).map((index) => data.signs[index]), 92, 30));
  }
  return { element, show };
}

/** All numbers of all players, who forfeited, ranks at the end. */
export function standingPanel({ data, columns, end }) {
  const rows = html("tbody");
  const rankHead = html("th", { scope: "col" }, "place");
  const heads = data.columns.map((column) => html("th", { scope: "col" }, column));
  const head = html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "player"), ...heads, rankHead));

  function row(at, seat) {
    const { rank } = data.seats[seat];
    const over = at === end;
    const player = html("th", { scope: "row" }, who(data.seats, seat));
    const cells = columns[at].map((column, index) => html("td", { class: index ? "" : "points" }, column[seat]));
    const place = html("td", { class: "rank", hidden: !over }, rank === 1 ? "★ 1" : rank);
    const classes = `${data.frames[at].actor === seat ? "active" : ""} ${over && rank === 1 ? "winner" : ""}`;
    return html("tr", { "data-seat": seat, class: classes }, player, ...cells, place);
  }

  function show(at) {
    rankHead.hidden = at < end;
    rows.replaceChildren(...data.seats.map((_, seat) => row(at, seat)));
  }
  return { element: html("section", { class: "standing", "aria-label": "Numbers" }, html("table", {}, head, rows)), show };
}

/** The legend of the signs on the board, and a link to the rules. */
export function legendPanel({ data }, rules) {
  const signs = data.legend.map((each) => html("li", {}, sign(each, 26), html("span", {}, each.words)));
  const element = html("section", { "aria-label": "Legend" });
  if (rules) element.append(html("p", {}, html("a", { href: rules, class: "aim" }, `The rules of ${data.sheet.title}`)));
  if (signs.length) element.append(html("ul", { class: "legend" }, ...signs));
  element.append(html("p", { class: "dim" }, TICKS));
  return { element, show() {} };
}

/** {element, show(at, seen)} as in viewer_panels.js; `go(at)` shows a position. */
export function movesPanel(timeline, go) {
  const { data } = timeline;
  const tip = html("div", { class: "tip", role: "tooltip", id: "arena-tip", hidden: true });
  const buttons = data.frames.slice(1).map((_, decision) => moveButton(timeline, decision + 1, tip));
  const list = html("ol", { class: "moves" }, ...turns(timeline, buttons));
  let marked = null;
  let explained = null;
  let told = timeline.end; // the last position whose numbers may be told

  function explain(button) {
    const { move, events } = data.frames[button.arenaAt];
    const more = (events ?? []).map(({ words }) => html("span", {}, words));
    const notation = move.words === move.notation ? [] : [html("code", {}, move.notation)];
    const verdict = button.arenaAt <= told ? judged(timeline.marks.get(button.arenaAt)) : [];
    tip.replaceChildren(html("b", {}, `${data.seats[move.seat].name} ${move.words}`), ...notation, ...more, ...verdict);
    tip.hidden = false;
    explained = button;
    const spot = button.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const above = spot.bottom + height + 8 > innerHeight;
    tip.style.left = `${Math.max(6, Math.min(spot.left + 24, innerWidth - width - 6))}px`;
    tip.style.top = `${above ? spot.top - height - 4 : spot.bottom + 4}px`;
  }

  /** Mark the move that led here, and bring it into sight without moving the page. */
  function show(at, seen) {
    if (!buttons.length) return;
    if (marked) marked.tabIndex = -1;
    marked?.removeAttribute("aria-current");
    marked = buttons[Math.max(at - 1, 0)];
    marked.tabIndex = 0;
    if (at) marked.setAttribute("aria-current", "step");
    list.classList.toggle("hushed", seen < timeline.end);
    if (told !== seen) for (const [place] of timeline.marks) buttons[place - 1].classList.toggle("untold", place > seen);
    told = seen;
    bring();
    requestAnimationFrame(() => (bring(), requestAnimationFrame(bring))); // what has come into sight may be higher than was thought
  }

  function bring() {
    const [window, spot] = [list.getBoundingClientRect(), marked.getBoundingClientRect()];
    const top = spot.top - window.top;
    if (spot.height && (top < 0 || top + spot.height > window.height)) list.scrollTop += top - window.height / 2;
  }

  const aimed = (event) => event.target.closest("button");
  const hide = () => (tip.hidden = true);
  const follow = () => tip.hidden || explain(explained);
  list.addEventListener("click", (event) => aimed(event) && go(aimed(event).arenaAt));
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!by || !aimed(event)) return;
    event.preventDefault();
    const at = Math.max(1, Math.min(aimed(event).arenaAt + by, buttons.length));
    go(at);
    buttons[at - 1].focus();
  });
  for (const come of ["mouseover", "focusin"]) list.addEventListener(come, (event) => aimed(event) && explain(aimed(event)));
  for (const leave of ["mouseout", "focusout"]) list.addEventListener(leave, hide);
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  return { element: html("section", { class: "list", "aria-label": "Moves" }, list, tip), show };
}

function moveButton(timeline, at, tip) {
  const { move, events } = timeline.data.frames[at];
  const gain = timeline.gain(at, move.seat);
  const parts = [html("span", { class: "number" }, at), html("span", { class: "words" }, move.words)];
  if (events) parts.push(html("span", { class: "event" }, events.some((event) => event.dice) ? "⚂" : "•"));
  if (timeline.forfeit(at)) parts.push(html("span", { class: "tag bad" }, "forfeit"));
  if (gain) parts.push(html("span", { class: "gain", title: timeline.data.columns[0] }, gain > 0 ? `+${gain}` : `\u2212${-gain}`));
  const mark = timeline.marks.get(at);
  if (mark) parts.push(grade(mark));
  const button = html("button", { type: "button", tabindex: -1, "aria-describedby": tip.id }, ...parts);
  button.arenaAt = at;
  return button;
}

/** One item for each turn: whose it is, and its moves; what is not in sight is not laid out. */
function turns({ data, end }, buttons) {
  const begins = data.turns.filter((turn) => turn < end);
  if (begins[0] !== 0) begins.unshift(0);
  return begins.map((from, turn) => {
    const mine = buttons.slice(from, begins[turn + 1] ?? end);
    const { seat } = data.frames[from + 1].move;
    const name = html("span", { class: "name", dir: "auto" }, data.seats[seat].name);
    const head = html("p", { class: "turn-of" }, chip(data.seats, seat), name, html("span", { class: "dim" }, `turn ${turn + 1}`));
    const items = mine.map((button) => {
      const other = data.frames[button.arenaAt].move.seat; // in a turn of one seat another may have to answer
      if (other !== seat) button.firstChild.after(chip(data.seats, other), html("span", { class: "sr" }, `${data.seats[other].name} `));
      return html("li", {}, button);
    });
    const item = html("li", { class: "turn" }, head, html("ol", {}, ...items));
    item.style.containIntrinsicSize = `auto ${LINE * (mine.length + 1)}px`;
    return item;
  });
}

/** {element, show(at), copy(text, what)} for a viewer; addresses come from data-* of its host. */
export function positionPanel(viewer) {
  const { dataset } = viewer.host;
  const said = html("span", { class: "said", role: "status" });
  const onward = html("a", { class: "onward", hidden: true }, "Continue from here");
  const text = html("pre", { tabindex: 0, "aria-label": "The position in notation" });
  const button = (words, act) => html("button", { type: "button", onclick: act }, words);
  const copyPosition = button("Copy the position", () => copy(viewer.text(), "position"));
  const copyLink = button("Copy a link to it", () => copy(viewer.address(), "link"));
  const files = [];
  if (dataset.replay) files.push(html("a", { class: "aim", href: dataset.replay, download: "" }, "The replay as JSON"));
  if (dataset.page) files.push(html("a", { class: "aim", href: dataset.page, download: "" }, "This page as one file"));
  const downloads = files.length ? [html("h2", {}, "Download"), html("p", { class: "files" }, ...files)] : [];
  const actions = html("div", { class: "actions" }, copyPosition, copyLink, onward, said);
  const element = html("section", { "aria-label": "The position" }, actions, ...downloads, html("h2", {}, "In notation"), text);

  function write(words) {
    if (text.textContent !== words) text.textContent = words; // what is marked in it stays marked
  }

  async function copy(words, what) {
    try {
      await navigator.clipboard.writeText(words);
      said.textContent = `${what} copied`;
    } catch {
      viewer.open("Position");
      said.textContent = `this browser does not let the page copy; select the ${what} and copy it:`;
      write(words);
      getSelection().selectAllChildren(text);
    }
  }

  function show(at) {
    write(viewer.text());
    onward.hidden = !dataset.continue || at === viewer.end;
    if (dataset.continue) onward.href = dataset.continue.replaceAll("{d}", at);
  }
  return { element, show, copy };
}

/** {element, show(at)}: a link to the page where every seat can be moved from the position, if the match has one. */
export function exploreLink({ host: { dataset }, data: { frames }, end }) {
  const element = html("a", { class: "onward quiet", hidden: dataset.explore === undefined, title: "Move every seat from here" }, "Explore");
  const last = Math.max(frames.findLastIndex(({ legal }) => legal > 1), 0); // there is nothing to explore at the end
  return { element, show: (at) => element.setAttribute("href", `${dataset.explore}?at=${at === end ? last : at}`) };
}

/** {element, open(index)} for [{name, element}...]; `opened(index)` is called with the open one. */
export function tabs(label, parts, opened) {
  const heads = parts.map(({ name }, index) => html("button", { type: "button", role: "tab", id: `arena-tab-${index}`, "aria-controls": `arena-panel-${index}`, onclick: () => open(index) }, name));
  const bodies = parts.map(({ element }, index) => html("div", { role: "tabpanel", id: `arena-panel-${index}`, "aria-labelledby": `arena-tab-${index}`, tabindex: 0, class: "panel" }, element));
  const list = html("div", { role: "tablist", "aria-label": label }, ...heads);
  list.addEventListener("keydown", (event) => {
    const at = heads.indexOf(event.target);
    const to = event.key === "Home" ? 0 : event.key === "End" ? heads.length - 1 : NEXT[event.key] && (at + NEXT[event.key] + heads.length) % heads.length;
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    open(to);
    heads[to].focus();
  });

  function open(index) {
    heads.forEach((head, each) => {
      head.setAttribute("aria-selected", each === index);
      head.tabIndex = each === index ? 0 : -1;
      bodies[each].hidden = each !== index;
    });
    opened(index);
  }
  return { element: html("section", { class: "tabbed card" }, list, ...bodies), open };
}
