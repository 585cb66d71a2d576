// The panels around the board of a table. Players, last decision, history, numbers, result and menu are templates; chat and clock, which change
// by themselves, are objects {element, show}. `sight` is what the seat sees.

import { memory } from "./storage.js";
import { chip, count, element, eventLine, isLarge, memo, numbersTable, pegs, siteUrl, waitingPieces, who } from "./ui.js";
import { html, nothing, render } from "./vendor/lit-html.js";

const tag = (words, classes = "") => html`<span class="tag ${classes}">${words}</span>`;

/** One player: name, points, what is left of the supply, and in words whose turn it is. */
function player({ seats, columns, values, actor, supply, me, stage }, number) {
  const { name, fault, rank } = seats[number];
  const turn = number === actor && stage === "playing";
  const left = supply && values[supply.column][number];
  return html`<li class="${turn ? "active" : ""} ${number === me ? "me" : ""}">
    ${who(seats, number)}
    ${columns.length ? html`<b class="points" title=${columns[0]}>${values[0][number]}<span class="sr"> ${columns[0]}</span></b>` : nothing}
    <span class="under">
      ${supply ? html`${pegs(supply, left)}<span class="left">${count(left, supply.word)}</span>` : nothing}
      ${number === me && name !== "You" && !turn ? tag("you") : nothing}
      ${turn ? html`<span class="turn">${number === me ? "▶ your turn" : "▶ to move"}</span>` : nothing}
      ${fault ? tag(`${fault}: a substitute plays`, "bad") : nothing}
      ${rank && seats.length > 1 ? tag(place(rank), rank === 1 ? "first" : "") : nothing}
    </span>
  </li>`;
}

const place = (rank) => (rank === 1 ? "★ 1st" : rank === 2 ? "2nd" : rank === 3 ? "3rd" : `${rank}th`);

/** The strip of all players. */
export const players = (sight) => html`<ol class="players" aria-label="Players">${sight.seats.map((_, number) => player(sight, number))}</ol>`;

/** A function that returns {last, hand} for what the seat sees: the last decision in words with its result, and a tile that waits to be laid. */
export function lastPanel() {
  const draw = memo((_, { log, seats, waiting, facts }) => {
    const last = log.at(-1);
    const small = waiting.filter((each) => !isLarge(each));
    return {
      hand: html`<div>${waitingPieces(waiting.filter(isLarge), 52)}</div>`,
      last: html`<section class="last" aria-live="polite" aria-atomic="true" aria-label="The last decision"
        ?hidden=${!last && !facts.length && !small.length}>
        ${last ? html`<p class="move">${who(seats, last.seat)} ${last.words}</p>${(last.events ?? []).map(eventLine)}` : nothing}
        ${facts.length ? html`<p class="facts">${facts.join(" · ")}</p>` : nothing}${waitingPieces(small, 0, 28)}
      </section>`,
    };
  });
  return (sight) => draw(JSON.stringify([sight.at, sight.log.at(-1), sight.waiting.map(({ words }) => words)]), sight); // read out once
}

/** All that has happened, the newest first. */
export function history({ log, seats }) {
  const line = ({ at, seat, words, events = [], note }) => html`<li value=${at + 1} class=${note ? "noted" : ""}>${chip(seats, seat)}<span
    ><bdi class="by">${seats[seat].name}</bdi> ${[words, ...events.map((event) => event.words)].join("; ")}${
      note ? html`<em> ${note}</em>` : nothing}</span></li>`;
  return html`<section class="card history">
    <h2>What has happened</h2>
    <ol class="told" tabindex="0" aria-label="What has happened">${log.length ? log.map(line).reverse() : html`<li>Nothing yet.</li>`}</ol>
  </section>`;
}

/** Every number of every player; the strip shows only the most important ones. */
export function numbers({ seats, columns, values, facts }) {
  return html`<details class="card standing" ?hidden=${columns.length < 2 && !facts.length}>
    <summary>All numbers</summary>
    ${numbersTable(seats, columns, values)}
  </details>`;
}

const LONGEST = 200;

/** `say(text)` sends a line, or throws an error message. */
export function chatPanel(say) {
  let muted = memory.get("chat") === "off";
  const isOpen = matchMedia("(min-width: 60rem)").matches && !muted;
  const card = element(html`<details class="card chat" hidden ?open=${isOpen} @toggle=${draw}></details>`);
  let lines = [];
  let read = 0; // the number of lines when the chat was last visible
  let may = false;
  let problem = "";

  async function speak(event) {
    event.preventDefault();
    const field = event.target.elements.text;
    if (!field.value.trim()) return;
    problem = "";
    try {
      await say(field.value.trim());
      field.value = "";
    } catch (error) {
      problem = error.message;
    }
    draw();
  }

  function mute({ target }) {
    muted = target.checked;
    memory.set("chat", muted ? "off" : "on");
    draw();
  }

  function draw() {
    if (card.open || muted) read = lines.length;
    const fresh = lines.length - read;
    const shown = muted ? [] : lines;
    const list = card.querySelector("ol");
    const before = list?.childElementCount ?? 0;
    render(html`
      <summary>${muted ? "Chat (off)" : fresh > 0 ? `Chat (${fresh} new)` : "Chat"}</summary>
      <ol class="said" tabindex="0" aria-label="What was said" aria-live="polite" ?hidden=${!shown.length}>
        ${shown.map(({ name, text }) => html`<li><b dir="auto">${name}</b> <span dir="auto">${text}</span></li>`)}
      </ol>
      <form class="speak" ?hidden=${muted || !may} @submit=${speak}>
        <input type="text" name="text" maxlength=${LONGEST} aria-label="Say something" placeholder="say something" autocomplete="off" dir="auto">
        <button type="submit">Say</button>
      </form>
      <p class="bad" role="alert" ?hidden=${!problem}>${problem}</p>
      <label class="switch"><input type="checkbox" .checked=${muted} @change=${mute}>Switch the chat off for me</label>`, card);
    if (list && list.childElementCount > before) list.scrollTop = list.scrollHeight;
  }

  function show({ chat = [], chat_on: on = false, can = [], seats }) {
    const people = seats.filter(({ person }) => person).length;
    card.hidden = !chat.length && !(on && people > 1); // a person who plays only with bots has nobody to talk to
    may = can.includes("chat");
    lines = chat;
    draw();
  }
  return { element: card, show };
}

const SAID = [60, 30, 10]; // seconds at which the countdown is read out
const QUIET = 120; // with more seconds than this the clock shows minutes, softly

/** A clock that counts down by itself; `show(seconds, words)` sets it, null hides it. */
export function countdown() {
  const clocks = element(html`<span class="clocks"></span>`);
  let until = null;
  let words = "";
  let said = Infinity;

  function tick() {
    const left = until === null ? null : Math.max(0, Math.ceil((until - performance.now()) / 1000));
    if (left === null || left > SAID[0]) said = Infinity;
    else said = Math.min(said, SAID.findLast((each) => left <= each));
    const told = left > QUIET ? `${Math.ceil(left / 60)} min` : `${left} s`;
    render(html`<span class="clock ${left > SAID[0] ? "" : "soon"}" ?hidden=${left === null}>${told} ${words}</span>
      <span class="sr" aria-live="polite">${said < Infinity ? `${said} seconds ${words}` : ""}</span>`, clocks);
  }

  function show(seconds, meaning = "") {
    words = meaning;
    until = seconds == null ? null : performance.now() + 1000 * seconds;
    tick();
  }
  setInterval(tick, 1000);
  return { element: clocks, show };
}

/** Who won, with places and scores, why it ended, and what to do next. `rematch()` asks for another match. */
export function result({ stage, seats, me, status, match, can, rematch: address, problem, notice = "" }, rematch) {
  if (stage !== "over" || !seats.every(({ rank }) => rank)) return nothing;
  const order = seats.map((_, seat) => seat).sort((a, b) => seats[a].rank - seats[b].rank);
  const places = order.map((seat) => html`<li class=${seat === me ? "me" : ""}>
    <b>${place(seats[seat].rank)}</b>${who(seats, seat)}<span class="points">${seats[seat].score}</span>
  </li>`);
  const again = can.includes("rematch") ? html`<button type="button" class="main" @click=${rematch}>Rematch</button>` : nothing;
  return html`<section class="result" aria-label="The result">
    <h2><span role="status">${headline(seats, me)}</span></h2>
    <p>${problem || why(status)}</p>
    <p ?hidden=${!notice}>${notice}</p>
    <ol ?hidden=${seats.length === 1}>${places}</ol>
    <div class="actions">
      ${address ? html`<a class="onward" href=${address}>To the rematch</a>` : again}
      ${match ? html`<a class="onward quiet" href=${siteUrl(`/m/${match}`)}>Watch the replay</a>` : nothing}
      <a class="onward quiet" href=${siteUrl("/play")}>Another table</a>
    </div>
  </section>`;
}

function headline(seats, me) {
  const first = seats.filter(({ rank }) => rank === 1);
  if (seats.length === 1) return count(seats[0].score, "point"); // nobody to be better than
  if (first.length === seats.length && seats.length > 1) return "A draw";
  if (me !== null && seats[me].rank === 1) return first.length > 1 ? "You share first place" : "You won!";
  const names = first.map(({ name }) => name).join(" and ");
  return `${names} ${first.length > 1 ? "share first place" : "won"}`;
}

/** The last status of a game says why it is over: "Over: the last island is laid". */
const why = (status) => status.replace(/^over:?\s*/i, "").replace(/^\w/, (letter) => letter.toUpperCase()) || "The match is over.";

/** Ask before something that can't be undone; resolves to whether it was confirmed. */
export function confirmed(root, words, act) {
  return new Promise((resolve) => {
    const closed = ({ target }) => {
      target.remove();
      resolve(target.returnValue === "yes");
    };
    const dialog = element(html`<dialog class="sure" aria-label=${act} @close=${closed}>
      <p>${words}</p>
      <form method="dialog" class="actions">
        <button class="main" value="yes">${act}</button>
        <button value="no" autofocus>Go on playing</button>
      </form>
    </dialog>`);
    root.append(dialog);
    dialog.showModal();
  });
}

const KEYS = [
  ["1 to 9", "choose the move with that number in the list"],
  ["↑ ↓", "go to the pieces or the list, and through them; on the board, Tab goes to a choice and the arrows to the others"],
  ["Enter", "choose; confirm the move, or a piece that is already chosen"],
  ["Esc", "take back the last pick"],
  ["H", "show a hint, if there is one"],
  ["R", "turn the piece"],
  ["Space", "skip to the current position"],
  ["+ − 0", "on the board: zoom in, zoom out, show all of it; Shift and arrows move the view"],
];

/** Ways to leave, and settings. `out(act)` resigns or leaves; `help()` shows the guide again. */
export function menu({ game, can }, out, help) {
  const kept = ({ target }) => memory.set("send-at-once", target.checked ? "yes" : "no");
  return html`<section class="card menu" aria-label="This table">
    <div class="actions">
      <button type="button" @click=${help}>How to play</button>
      <a class="onward quiet" href=${siteUrl(`/rules/${encodeURIComponent(game)}`)} target="_blank">Rules</a>
      <button type="button" ?hidden=${!can.includes("resign")} @click=${() => out("resign")}>Resign…</button>
      <button type="button" ?hidden=${!can.includes("leave")} @click=${() => out("leave")}>Leave the table…</button>
    </div>
    <label class="switch"><input type="checkbox" .checked=${memory.get("send-at-once") === "yes"} @change=${kept}
      >Send moves without asking, except those that can't be undone</label>
    <details><summary>Keys</summary>
      <dl class="keys">${KEYS.map(([key, words]) => html`<dt>${key}</dt><dd>${words}</dd>`)}</dl>
    </details>
  </section>`;
}
