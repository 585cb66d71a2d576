// The panels of a table: players, last decision, history, numbers, chat, clock, result, menu. Each is {element, show(sight)}; `sight` is what the seat sees.

import { memory } from "./storage.js";
import { chip, count, eventLine, html, isLarge, pegs, siteUrl, waitingPieces, who } from "./ui.js";

const tag = (words, classes = "") => html("span", { class: `tag ${classes}` }, words);

/** One player: name, points, what is left of the supply, and in words whose turn it is. */
function player(sight, number) {
  const { seats, columns, values, actor, supply, me, stage } = sight;
  const seat = seats[number];
  const turn = number === actor && stage === "playing";
  const name = who(seats, number);
  name.querySelector(".name").setAttribute("dir", "auto");
  const points = columns.length ? html("b", { class: "points", title: columns[0] }, values[0][number], html("span", { class: "sr" }, ` ${columns[0]}`)) : "";
  const left = supply ? html("span", { class: "left" }, count(values[supply.column][number], supply.word)) : "";
  const you = number === me && seat.name !== "You" && !turn ? tag("you") : ""; // "your turn" says it, too
  const more = html("span", { class: "under" }, supply ? pegs(supply, values[supply.column][number]) : "", left, you, turn ? html("span", { class: "turn" }, number === me ? "▶ your turn" : "▶ to move") : "");
  if (seat.fault) more.append(tag(`${seat.fault}: a substitute plays`, "bad"));
  if (seat.rank && seats.length > 1) more.append(tag(place(seat.rank), seat.rank === 1 ? "first" : ""));
  return html("li", { class: `${turn ? "active" : ""} ${number === me ? "me" : ""}` }, name, points, more);
}

const place = (rank) => (rank === 1 ? "★ 1st" : rank === 2 ? "2nd" : rank === 3 ? "3rd" : `${rank}th`);

/** The strip of all players. */
export function playersPanel() {
  const element = html("ol", { class: "players", "aria-label": "Players" });
  return { element, show: (sight) => element.replaceChildren(...sight.seats.map((_, number) => player(sight, number))) };
}

/** The last decision in words, with its result; `hand` is a tile that waits to be laid, for the bar. */
export function lastPanel() {
  const hand = html("div");
  const element = html("section", { class: "last", "aria-live": "polite", "aria-label": "The last decision", hidden: true });
  let shown = "";

  function show({ at, log, seats, waiting, facts }) {
    const last = log.at(-1);
    const key = JSON.stringify([at, last, waiting.map(({ words }) => words)]);
    if (key === shown) return; // so that it is not read out again
    shown = key;
    const parts = last ? [html("p", { class: "move" }, who(seats, last.seat), " ", last.words)] : [];
    parts.push(...(last?.events ?? []).map(eventLine));
    if (facts.length) parts.push(html("p", { class: "facts" }, facts.join(" · ")));
    parts.push(...waitingPieces(waiting.filter((each) => !isLarge(each)), 0, 28));
    hand.replaceChildren(...waitingPieces(waiting.filter(isLarge), 52));
    element.replaceChildren(...parts);
    element.hidden = !parts.length;
  }
  return { element, hand, show };
}

/** All that has happened, the newest first. */
export function historyPanel() {
  const list = html("ol", { class: "told", tabindex: 0, "aria-label": "What has happened" });
  const element = html("section", { class: "card history" }, html("h2", {}, "What has happened"), list);

  function line(seats, { at, seat, words, events, note }) {
    const told = [words, ...(events ?? []).map((event) => event.words)].join("; ");
    const name = html("bdi", { class: "by" }, seats[seat].name);
    return html("li", { value: at + 1, class: note ? "noted" : "" }, chip(seats, seat), html("span", {}, name, " ", told, note ? html("em", {}, ` ${note}`) : ""));
  }

  function show({ log, seats }) {
    list.replaceChildren(...[...log].reverse().map((each) => line(seats, each)));
    if (!log.length) list.replaceChildren(html("li", {}, "Nothing yet."));
  }
  return { element, show };
}

/** Every number of every player, for those who want more than the strip. */
export function numbersPanel() {
  const table = html("table");
  const element = html("details", { class: "card standing" }, html("summary", {}, "All numbers"), table);

  function show({ seats, columns, values, facts }) {
    element.hidden = columns.length < 2 && !facts.length;
    const heads = columns.map((column) => html("th", { scope: "col" }, column));
    const rows = seats.map((_, number) => html("tr", {}, html("th", { scope: "row" }, who(seats, number)), ...values.map((column, index) => html("td", { class: index ? "" : "points" }, column[number]))));
    table.replaceChildren(html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "player"), ...heads)), html("tbody", {}, ...rows));
  }
  return { element, show };
}

const LONGEST = 200;

/** `say(text)` sends a line, and throws an error message. */
export function talkPanel(say) {
  const list = html("ol", { class: "said", tabindex: 0, "aria-label": "What was said", "aria-live": "polite" });
  const field = html("input", { type: "text", maxlength: LONGEST, "aria-label": "Say something", placeholder: "say something", autocomplete: "off", dir: "auto" });
  const problem = html("p", { class: "bad", role: "alert", hidden: true });
  const form = html("form", { class: "speak", onsubmit: speak }, field, html("button", { type: "submit" }, "Say"));
  const off = html("input", { type: "checkbox", checked: memory.get("chat") === "off", onchange: () => (memory.set("chat", off.checked ? "off" : "on"), draw()) });
  const heading = html("summary", {}, "Chat");
  const wide = matchMedia("(min-width: 60rem)").matches;
  const element = html("details", { class: "card chat", hidden: true, open: wide && memory.get("chat") !== "off", ontoggle: () => draw() }, heading, list, form, problem, html("label", { class: "switch" }, off, "Switch the chat off for me"));
  let lines = [];
  let read = 0;
  let may = false;

  async function speak(event) {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    problem.hidden = true;
    try {
      await say(text);
      field.value = "";
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = !error.message;
    }
  }

  function draw() {
    const muted = off.checked;
    const shown = muted ? [] : lines;
    if (list.childElementCount > shown.length) list.replaceChildren();
    for (const { name, text } of shown.slice(list.childElementCount)) {
      list.append(html("li", {}, html("b", { dir: "auto" }, name), " ", html("span", { dir: "auto" }, text)));
      list.scrollTop = list.scrollHeight;
    }
    list.hidden = !shown.length;
    form.hidden = muted || !may;
    if (element.open || muted) read = lines.length;
    const fresh = lines.length - read;
    heading.textContent = muted ? "Chat (off)" : fresh > 0 ? `Chat (${fresh} new)` : "Chat";
  }

  function show({ chat = [], chat_on: on = false, can = [], seats }) {
    const people = seats.filter(({ person }) => person).length;
    element.hidden = !chat.length && !(on && people > 1); // somebody alone with bots has nobody to talk to
    may = can.includes("chat");
    if (chat.length < lines.length || chat[0]?.at !== lines[0]?.at) list.replaceChildren(); // the oldest lines went
    lines = chat;
    draw();
  }
  return { element, show };
}

const SAID = [60, 30, 10]; // seconds at which the countdown is read out
const QUIET = 120; // with more seconds than this the clock shows minutes, softly

/** A clock that counts down by itself; `show(seconds, words)` sets it, null hides it. */
export function countdown() {
  const face = html("span", { class: "clock", hidden: true });
  const voice = html("span", { class: "sr", "aria-live": "polite" });
  const element = html("span", { class: "clocks" }, face, voice);
  let until = null;
  let words = "";
  let said = Infinity;

  function tick() {
    if (until === null) return;
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    const told = left > QUIET ? `${Math.ceil(left / 60)} min` : `${left} s`;
    const whole = `${told} ${words}`;
    if (face.textContent !== whole) face.textContent = whole;
    face.classList.toggle("soon", left <= SAID[0]);
    const passed = SAID.findLast((each) => left <= each);
    if (passed !== undefined && passed < said) {
      said = passed;
      voice.textContent = `${left} seconds ${words}`;
    }
  }

  function show(seconds, meaning = "") {
    face.hidden = seconds == null;
    words = meaning;
    if (seconds == null) {
      until = null;
      said = Infinity;
      voice.textContent = "";
      return;
    }
    if (seconds > SAID[0]) said = Infinity;
    until = performance.now() + 1000 * seconds;
    tick();
  }
  setInterval(tick, 1000);
  return { element, show };
}

/** Who won, with places and scores, why it ended, and what to do next. `rematch()` asks for another match. */
export function resultPanel(rematch) {
  const element = html("section", { class: "result", "aria-label": "The result", hidden: true });
  let shown = "";

  function show({ stage, seats, me, status, match, can, rematch: address, problem, notice = "" }) {
    const over = stage === "over" && seats.every(({ rank }) => rank);
    element.hidden = !over;
    const key = JSON.stringify([stage, seats, match, can, address, notice]);
    if (!over || key === shown) return;
    shown = key;
    const first = seats.filter(({ rank }) => rank === 1);
    const order = seats.map((_, seat) => seat).sort((a, b) => seats[a].rank - seats[b].rank);
    const places = order.map((seat) => html("li", { class: seat === me ? "me" : "" }, html("b", {}, place(seats[seat].rank)), who(seats, seat), html("span", { class: "points" }, seats[seat].score)));
    const next = [];
    if (address) next.push(html("a", { class: "onward", href: address }, "To the rematch"));
    else if (can.includes("rematch")) next.push(html("button", { type: "button", class: "main", onclick: rematch }, "Rematch"));
    if (match) next.push(html("a", { class: "onward quiet", href: siteUrl(`/m/${match}`) }, "Watch the replay"));
    next.push(html("a", { class: "onward quiet", href: siteUrl("/play") }, "Another table"));
    element.replaceChildren(html("h2", {}, html("span", { role: "status" }, headline(seats, me, first))), html("p", {}, problem || why(status)), html("p", { hidden: !notice }, notice), html("ol", { hidden: seats.length === 1 }, ...places), html("div", { class: "actions" }, ...next));
  }
  return { element, show };
}

function headline(seats, me, first) {
  if (seats.length === 1) return count(seats[0].score, "point"); // nobody to be better than
  if (first.length === seats.length && seats.length > 1) return "A draw";
  if (me !== null && seats[me].rank === 1) return first.length > 1 ? "You share the first place" : "You won!";
  const names = first.map(({ name }) => name).join(" and ");
  return `${names} ${first.length > 1 ? "share the first place" : "won"}`;
}

/** The last status of a game says why it is over: "Over: the last island is laid". */
const why = (status) => status.replace(/^over:?\s*/i, "").replace(/^\w/, (letter) => letter.toUpperCase()) || "The match is over.";

/** Ask before something that can't be undone; resolves to whether it was confirmed. */
export function sure(root, words, act) {
  return new Promise((resolve) => {
    const dialog = html("dialog", { class: "sure", "aria-label": act }, html("p", {}, words), html("div", { class: "actions" }, html("button", { type: "button", class: "main", onclick: () => dialog.close("yes") }, act), html("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Go on playing")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    root.append(dialog);
    dialog.showModal();
  });
}

const KEYS = [
  ["1 to 9", "choose the move with that number in the list"],
  ["↑ ↓", "go to the pieces or the list, and through them; on the board, Tab goes to a choice and the arrows to the others"],
  ["Enter", "choose, confirm; a piece that is chosen already is confirmed"],
  ["Esc", "take back the last pick"],
  ["H", "a hint, where there is one"],
  ["R", "turn the piece"],
  ["Space", "skip to the current position"],
  ["+ − 0", "on the board: zoom in, out, all of it; Shift and arrows move it"],
];

function box(words, name) {
  const field = html("input", { type: "checkbox", checked: memory.get(name) === "yes", onchange: () => memory.set(name, field.checked ? "yes" : "no") });
  return html("label", { class: "switch" }, field, words);
}

/** Ways out and settings. `out(act)` resigns or leaves; `help()` shows the guide again. */
export function menuPanel(game, out, help) {
  const resign = html("button", { type: "button", hidden: true, onclick: () => out("resign") }, "Resign…");
  const leave = html("button", { type: "button", hidden: true, onclick: () => out("leave") }, "Leave the table…");
  const guide = html("button", { type: "button", onclick: help }, "How to play");
  const rules = html("a", { class: "onward quiet", href: siteUrl(`/rules/${encodeURIComponent(game)}`), target: "_blank" }, "Rules");
  const pace = html("select", { onchange: () => memory.set("pace", pace.value) });
  const paces = [["2200", "slowly"], ["1100", "at a readable pace"], ["500", "fast"], ["0", "all at once"]];
  pace.append(...paces.map(([value, words]) => html("option", { value, selected: value === memory.get("pace", "1100") }, words)));
  const settings = html("details", {}, html("summary", {}, "Settings"), box("Send moves without asking, except those that can't be undone", "send-at-once"), html("label", { class: "switch" }, "Show others' moves ", pace));
  const keys = html("details", {}, html("summary", {}, "Keys"), html("dl", { class: "keys" }, ...KEYS.flatMap(([key, words]) => [html("dt", {}, key), html("dd", {}, words)])));
  const element = html("section", { class: "card menu", "aria-label": "This table" }, html("div", { class: "actions" }, guide, rules, resign, leave), settings, keys);

  function show({ can }) {
    resign.hidden = !can.includes("resign");
    leave.hidden = !can.includes("leave");
  }
  return { element, show };
}
