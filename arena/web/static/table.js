// A table: shows the board, whose turn it is and what to do now, and sends the chosen moves.

import { Board } from "./board.js";
import { BUTTONS, MovePicker } from "./move_picker.js";
import { PositionFeed } from "./position_feed.js";
import { memory } from "./storage.js";
import { chatPanel, confirmed, countdown, history, lastPanel, menu, numbers, players, result } from "./table_panels.js";
import { barButton, element, shelter, siteUrl } from "./ui.js";
import { html, nothing, render } from "./vendor/lit-html.js";

const OWN_KEYS = "input, select, textarea, dialog, [contenteditable]";
const ASKS = {
  resign: ["Resign this match? A substitute plays on in your place, and you can't come back.", "Resign"],
  leave: ["Leave the table? A substitute plays on in your place; if no people are left, the match is abandoned.", "Leave"],
};

class Table {
  constructor(host) {
    this.host = host;
    this.address = host.dataset.arenaTable;
    this.sight = null;
    this.sending = false;
    this.sent = -1; // the last decision that was accepted
    this.trouble = "";
    this.away = "";
    this.inside = shelter(host, "arena-viewer arena-table");
    this.root = this.inside.getRootNode();
    this.title = document.title;
    this.choosing = new MovePicker({ game: host.dataset.game, send: (move) => this.send(move), changed: () => this.#say() });
    this.tray = this.choosing.tray;
    this.tray.element.hidden = host.dataset.tray === undefined;
    this.bar = element(html`<section class="bar" aria-label="What to do" tabindex="-1"></section>`);
    this.inside.append(this.bar);
    this.inside.addEventListener("settled", () => this.bar.querySelector(this.choosing.pending?.grave ? ".undo" : ".confirm").focus());
    this.last = lastPanel();
    this.chat = chatPanel((text) => this.following.post("/chat", { text }));
    this.clock = countdown();
    this.guide = []; // what the guide says
    this.prose = ""; // the position as text
    document.addEventListener("keydown", (event) => this.#key(event));
    globalThis.addEventListener("hashchange", () => this.#arrive());
    this.following = new PositionFeed(this.address, {
      show: (sight, step) => this.show(sight, step),
      heard: (sight) => (this.chat.show(sight), this.#say()), // without waiting until earlier decisions have been shown
      lost: (words, gone) => this.#lose(words, gone),
    });
  }

  /** Open the position as text if that is what the address names. */
  #arrive() {
    if (location.hash !== "#position-as-text") return;
    const reading = this.inside.querySelector(".prose");
    reading.open = true;
    reading.querySelector("summary").focus();
  }

  async #read() {
    if (!this.inside.querySelector(".prose").open) return;
    const answer = await fetch(`${this.address}/text`).catch(() => null);
    this.prose = answer?.ok ? await answer.text() : "There is no text of this position.";
    this.#draw();
  }

  /** Show what the seat sees; `step` is whether it is one decision after what was shown. */
  show(sight, step = false) {
    const before = this.sight;
    this.sight = sight;
    this.away = "";
    if (sight.at <= this.sent) sight.offers = undefined; // requested before the answer was accepted
    if (!this.board) {
      this.host.dataset.game = sight.game;
      this.board = new Board(sight.sheet);
      this.inside.append(this.board.host);
      this.choosing.onto(this.board);
      this.title = this.title.replace(/^.*? – /, `${sight.sheet.title} – `);
    }
    if (!sight.offers && this.board.narrowed) this.board.fit(); // whatever the others do is in sight
    this.board.show({ ...sight.board, reach: sight.offers?.reach }, { glide: step });
    if (before?.at !== sight.at) this.trouble = "";
    this.choosing.pause(this.sending);
    this.choosing.show(sight.offers ?? null, sight.at);
    const kept = this.choosing.proposed && this.choosing.pending;
    this.tray.show(this.board, sight);
    this.choosing.restore(kept);
    this.choosing.redraw(); // the tray may no longer offer anything
    this.#draw();
    if (!before) this.#arrive();
    if (before?.at !== sight.at) this.#read();
    this.inside.classList.toggle("over", sight.stage === "over");
    this.inside.classList.toggle("seated", sight.stage === "playing" && sight.me !== null);
    this.#say();
    if (!before?.offers && this.tray.active && this.tray.tray.alike) this.choosing.confirm(); // there is nothing to ask
  }

  #draw() {
    const { sight, bar, board, tray, choosing, chat } = this;
    const rematch = () => this.#try("/rematch", ({ address }) => location.assign(address));
    render(html`
      <div class="stage">${bar}${players(sight)}${board.host}${tray.element}${result(sight, rematch)}</div>
      <div class="side">
        ${this.#guide()}${this.last(sight).last}${choosing.element}${history(sight)}${chat.element}${numbers(sight)}
        ${menu(sight, (act) => this.#leave(act), () => this.#help())}
        <details class="card prose" @toggle=${() => this.#read()}>
          <summary>Position as text</summary>
          <pre tabindex="0" aria-label="The position as text">${this.prose}</pre>
        </details>
      </div>`, this.inside);
  }

  #lose(words, gone) {
    if (words && this.following?.away === "") this.trouble = words;
    else {
      this.away = words;
      this.sent = -1; // a server that stops may lose what it has just accepted, and asks for it again
    }
    this.gone = gone;
    this.choosing.pause(this.sending || Boolean(this.away));
    this.#say();
  }

  /** Show the bar over the board (on a phone: below it): what to do, and the buttons to do it. */
  #say() {
    const { sight, choosing, away, bar } = this;
    const { pending, hint, before } = choosing;
    const mine = Boolean(sight?.offers) && !away && !this.sending;
    const behind = Boolean(this.following?.isBehind);
    const { words, more } = this.#prompt(mine, behind);
    const problem = this.trouble || (sight?.stage === "over" ? "" : (sight?.problem ?? ""));
    const can = (act) => Boolean(sight?.can.includes(act)) && !away;
    this.clock.show(...this.#deadline());
    render(html`
      <div class="says">
        ${sight ? this.last(sight).hand : nothing}
        <p class="prompt" role="status">${words}</p>
        <p class="more">${more}</p>
        <p class="bad" role="alert" ?hidden=${!problem}>${problem}</p>
        <p class="notice" role="status" ?hidden=${!sight?.notice}>${sight?.notice}</p>
      </div>
      <div class="acts">
        ${barButton("Confirm", "Enter", mine && pending, () => choosing.confirm(), `main confirm ${pending?.grave ? "grave" : ""}`)}
        ${barButton("Undo", "Esc", mine && (before.length || hint || pending), () => choosing.back(), "undo")}
        ${barButton("Resume", "", can("resume"), () => this.#try("/resume").then(() => this.following.refresh()), "main")}
        ${barButton("Hint", "H", this.#mayAsk(), () => this.#hint(), "hint")}
        ${barButton("Skip", "Space", behind, () => this.following.skip())}
        <a class="onward" href=${siteUrl("/play")} ?hidden=${!this.gone}>To the tables</a>
        ${this.clock.element}
      </div>`, bar);
    bar.classList.toggle("mine", mine);
    bar.classList.toggle("away", Boolean(away));
    this.inside.classList.toggle("choosing", mine);
    document.title = mine ? `Your turn – ${this.title}` : sight?.stage === "over" ? `Over – ${this.title}` : this.title;
  }

  /** Whether there is a hint to ask for. */
  #mayAsk() {
    const { sight, choosing, away } = this;
    return Boolean(sight?.offers) && !away && !this.sending && !choosing.hint && sight.can.includes("hint");
  }

  /** The text of the bar: {words, more}. */
  #prompt(mine, behind) {
    const { sight, away } = this;
    if (away || !sight) return { words: away, more: "" };
    const last = lastWords(sight);
    if (behind && last) return { words: last, more: "" };
    const told = mine ? this.choosing.prompt() : { words: status(sight, this.sending), more: "" };
    const { hint, pending } = this.choosing;
    return { words: told.words, more: told.more || (hint && mine ? this.why : pending && mine ? "" : last && `${last}.`) };
  }

  #deadline() {
    const sight = this.following?.latest;
    if (!sight || sight.deadline == null || sight.paused || sight.stage !== "playing" || this.away) return [null];
    if (sight.asked.includes(sight.me)) return [sight.deadline, "until a substitute plays for you"];
    return [sight.deadline, `until a substitute plays for ${sight.asked.map((seat) => sight.seats[seat].name).join(", ")}`];
  }

  async send(move) {
    const { at } = this.sight;
    this.sending = true;
    this.choosing.pause(true);
    this.bar.focus({ preventScroll: true });
    const accepted = () => {
      this.sent = Math.max(this.sent, at);
      this.trouble = "";
    };
    await this.#try("/move", accepted, { at, move });
    this.sending = false;
    if (this.sight.at <= this.sent) {
      this.sight.offers = undefined;
      this.choosing.clear();
      this.choosing.show(null, at);
    }
    this.choosing.pause(Boolean(this.away));
    this.#say();
    this.following.refresh();
  }

  async #hint() {
    if (this.asking) return;
    const { at } = this.sight;
    this.asking = true;
    await this.#try("/hint", (hint) => {
      this.why = hint.why;
      if (this.sight.at === at && this.sight.offers) this.choosing.suggest(hint);
    }, { at });
    this.asking = false;
    this.#say();
  }

  /** Resign or leave, once that was confirmed. */
  async #leave(act) {
    const [question, yes] = ASKS[act];
    if (!(await confirmed(this.inside, question, yes))) return;
    await this.#try(`/${act}`, () => (act === "leave" ? location.assign(siteUrl("/play")) : this.following.refresh()));
  }

  /** Send something to the table, and call `act` with the response; error messages are shown. */
  async #try(path, act = () => {}, body = {}) {
    try {
      act(await this.following.post(path, body));
    } catch (error) {
      this.trouble = error.message;
      this.#say();
    }
  }

  /** The guide for a first match, until it is dismissed: the goal of the game, and an explanation of the visitor's current or last decision. */
  #guide() {
    const { guide = [], game, actor, me, stage } = this.sight;
    if (!this.guide.length || actor === me) this.guide = guide;
    const known = memory.get(`guide-${game}`) === "known";
    const close = () => (memory.set(`guide-${game}`, "known"), this.#draw());
    return html`<section class="card guide" aria-label="How to play" ?hidden=${known || !guide.length || me === null || stage !== "playing"}>
      <h2>Your first match?</h2>
      ${this.guide.map((text) => html`<p>${text}</p>`)}
      <div class="actions">
        <button type="button" @click=${close}>Got it, hide this</button>
        <a class="onward quiet" href=${siteUrl(`/rules/${encodeURIComponent(game)}`)} target="_blank">All rules</a>
      </div>
    </section>`;
  }

  #help() {
    memory.set(`guide-${this.sight.game}`, "");
    this.#draw();
    this.inside.querySelector(".guide").scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    const [target] = event.composedPath(); // event.target is the element around the shadow root
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest?.(OWN_KEYS)) return;
    let known = true;
    if (event.key === " " && !target.closest?.(BUTTONS) && this.following.isBehind) this.following.skip();
    else if (event.key.toLowerCase() === "h" && this.#mayAsk()) this.#hint();
    else known = this.choosing.key(event);
    if (known) event.preventDefault();
  }
}

/** Whose turn it is, for a visitor who has nothing to decide. */
function status(sight, sending) {
  const { stage, actor, me, seats } = sight;
  if (stage === "over") return "The match is over";
  if (stage === "closed") return "The table is closed";
  if (sight.paused) return "The match is paused";
  if (sending || actor === me) return sight.at ? "Sent; the match goes on…" : "The match begins as soon as the other players are ready…";
  if (actor < 0) return sight.status;
  return `${sight.status.includes(seats[actor].name) ? sight.status : `${seats[actor].name} is to move`}…`;
}

function lastWords({ log, seats, stage }) {
  const last = log.at(-1);
  if (!last || stage === "over") return "";
  return `${seats[last.seat].name} ${[last.words, ...(last.events ?? []).map(({ words }) => words)].join("; ")}`;
}

for (const host of document.querySelectorAll("[data-arena-table]")) host.arenaTable = new Table(host);
