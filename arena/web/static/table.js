// A table: the board, whose turn it is and what to do now; what is chosen is sent. The parts are in the scripts that are loaded before this one.

import { Board } from "./board.js";
import { Choosing } from "./move_picker.js";
import { Following } from "./position_feed.js";
import { memory } from "./storage.js";
import { countdown, historyPanel, lastPanel, menuPanel, numbersPanel, playersPanel, resultPanel, sure, talkPanel } from "./table_panels.js";
import { Tray } from "./tray.js";
import { html, shelter, siteUrl } from "./ui.js";

const OWN_KEYS = "input, select, textarea, dialog, [contenteditable]";
const BUTTONS = "button, a, summary, .offer";
const ASKS = {
  resign: ["Resign this match? A substitute plays on in your place, and you can't come back to it.", "Resign"],
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
    const inside = shelter(host, "arena-viewer arena-table");
    this.root = inside.getRootNode();
    this.inside = inside;
    this.title = document.title;
    const images = (name) => siteUrl(`/play/images/${name}.svg?game=${encodeURIComponent(this.sight.game)}`);
    this.choosing = new Choosing({ send: (move) => this.send(move), changed: () => this.#say(), images });
    this.#build();
    document.addEventListener("keydown", (event) => this.#key(event));
    globalThis.addEventListener("hashchange", () => this.#arrive());
    this.#arrive();
    this.following = new Following(this.address, { show: (sight, step) => this.show(sight, step), heard: (sight) => this.#hear(sight), lost: (words, gone) => this.#lose(words, gone) });
  }

  #build() {
    this.place = html("div", { class: "place" });
    this.players = playersPanel();
    this.last = lastPanel();
    this.history = historyPanel();
    this.numbers = numbersPanel();
    this.result = resultPanel(() => this.#rematch());
    this.menu = menuPanel(this.host.dataset.game, (act) => this.#out(act), () => this.#help());
    this.talk = talkPanel((text) => this.following.post("/chat", { text }));
    this.stage = html("div", { class: "stage" }, this.#bar(), this.players.element, this.place);
    this.tray = this.choosing.tray = new Tray({ propose: (...move) => this.choosing.propose(...move), changed: () => this.choosing.redraw(), hover: (id) => this.choosing.hover(id) });
    this.tray.element.hidden = this.host.dataset.tray === undefined;
    this.stage.append(this.tray.element, this.result.element);
    this.guide = html("section", { class: "card guide", "aria-label": "How to play", hidden: true });
    const side = [this.guide, this.last.element, this.choosing.element, this.history.element, this.talk.element, this.numbers.element, this.menu.element, this.#words()];
    this.inside.append(this.stage, html("div", { class: "side" }, ...side));
    this.inside.addEventListener("settled", () => (this.choosing.pending?.grave ? this.undo : this.confirm).focus());
  }

  /** The bar over the board (on a phone: below it): what to do, and the buttons to do it. */
  #bar() {
    this.prompt = html("p", { class: "prompt", role: "status" });
    this.more = html("p", { class: "more" });
    this.problem = html("p", { class: "bad", role: "alert", hidden: true });
    this.notice = html("p", { class: "notice", role: "status", hidden: true });
    const act = (words, key, does, classes = "") => html("button", { type: "button", class: classes, hidden: true, onclick: does }, words, key ? html("kbd", { "aria-hidden": "true" }, key) : "");
    this.confirm = act("Confirm", "Enter", () => this.choosing.confirm(), "main confirm");
    this.undo = act("Undo", "Esc", () => this.choosing.back());
    this.hint = act("Hint", "H", () => this.#hint());
    this.skip = act("Skip", "Space", () => this.following.skip());
    this.resume = act("Go on", "", () => this.following.post("/resume").then(() => this.refresh(), () => this.refresh()), "main");
    this.clock = countdown();
    this.again = html("a", { class: "onward", href: siteUrl("/play"), hidden: true }, "To the tables");
    const acts = html("div", { class: "acts" }, this.confirm, this.undo, this.resume, this.hint, this.skip, this.again, this.clock.element);
    this.bar = html("section", { class: "bar", "aria-label": "What to do", tabindex: -1 }, html("div", { class: "says" }, this.last.hand, this.prompt, this.more, this.problem, this.notice), acts);
    return this.bar;
  }

  /** The position as text, for screen readers, and for readers; it is fetched when it is open. */
  #words() {
    this.prose = html("pre", { tabindex: 0, "aria-label": "The position as text" });
    this.reading = html("details", { class: "card prose", ontoggle: () => this.#read() }, html("summary", {}, "Position as text"), this.prose);
    return this.reading;
  }

  /** Open the position as text if that is what the address names. */
  #arrive() {
    if (location.hash !== "#position-as-text") return;
    this.reading.open = true;
    this.reading.querySelector("summary").focus();
  }

  async #read() {
    if (!this.reading.open) return;
    const answer = await fetch(`${this.address}/text`).catch(() => null);
    const words = answer?.ok ? await answer.text() : "There is no text of this position.";
    if (this.prose.textContent !== words) this.prose.textContent = words;
  }

  /** Show what the seat sees; `step` if it is one decision after what was shown. */
  show(sight, step = false) {
    const before = this.sight;
    this.sight = sight;
    this.away = "";
    if (sight.at <= this.sent) sight.offers = undefined; // requested before the answer was accepted
    if (!this.board) {
      this.host.dataset.game = sight.game;
      this.board = new Board(this.place, sight.sheet, `The board of ${sight.sheet.title}`);
      this.choosing.onto(this.board);
      this.title = this.title.replace(/^.*? – /, `${sight.sheet.title} – `);
    }
    this.board.show({ ...sight.board, reach: sight.offers?.reach }, { glide: step });
    if (before?.at !== sight.at) this.trouble = "";
    this.choosing.pause(this.sending);
    this.choosing.show(sight.offers ?? null, sight.at);
    const kept = this.choosing.proposed && this.choosing.pending;
    this.tray.show(this.board, sight);
    this.choosing.restore(kept);
    this.choosing.redraw(); // the tray may offer nothing any more
    for (const panel of [this.players, this.last, this.history, this.numbers, this.result, this.menu]) panel.show(sight);
    this.#guide();
    if (before?.at !== sight.at) this.#read();
    this.inside.classList.toggle("over", sight.stage === "over");
    this.inside.classList.toggle("seated", sight.stage === "playing" && sight.me !== null);
    this.#say();
    if (!before?.offers && this.tray.active && this.tray.tray.alike) this.choosing.confirm(); // there is nothing to ask
  }

  /** Update the parts that don't wait until earlier decisions have been shown. */
  #hear(sight) {
    this.talk.show(sight);
    this.#say();
  }

  #lose(words, gone) {
    if (words && this.following?.away === "") this.trouble = words;
    else {
      this.away = words;
      this.sent = -1; // a server that stops may lose what it has just accepted, and asks for it again
    }
    this.again.hidden = !gone;
    this.choosing.pause(this.sending || Boolean(this.away));
    this.#say();
  }

  /** Show the prompt and its buttons. */
  #say() {
    const { sight, choosing, away } = this;
    const { pending } = choosing;
    const mine = Boolean(sight?.offers) && !away && !this.sending;
    const behind = Boolean(this.following?.isBehind);
    const { words, more } = this.#prompt(mine, behind);
    if (this.prompt.textContent !== words) this.prompt.textContent = words;
    this.more.textContent = more;
    this.problem.textContent = this.trouble || (sight?.stage === "over" ? "" : (sight?.problem ?? ""));
    this.problem.hidden = !this.problem.textContent;
    this.notice.textContent = sight?.notice ?? "";
    this.notice.hidden = !this.notice.textContent;
    this.confirm.hidden = !mine || !pending;
    this.confirm.classList.toggle("grave", Boolean(pending?.grave));
    this.undo.hidden = !mine || !(choosing.before.length || choosing.hint || pending);
    this.hint.hidden = !mine || Boolean(choosing.hint) || !sight.can.includes("hint");
    this.skip.hidden = !behind;
    this.resume.hidden = !sight?.can.includes("resume") || Boolean(away);
    this.bar.classList.toggle("mine", mine);
    this.bar.classList.toggle("away", Boolean(away));
    this.inside.classList.toggle("choosing", mine);
    this.clock.show(...this.#deadline());
    document.title = mine ? `Your turn – ${this.title}` : sight?.stage === "over" ? `Over – ${this.title}` : this.title;
  }

  /** The text of the bar: {words, more}. */
  #prompt(mine, behind) {
    const { sight, away } = this;
    if (away || !sight) return { words: away, more: "" };
    const last = lastWords(sight);
    if (behind && last) return { words: last, more: "" };
    const told = mine ? this.choosing.prompt() : { words: status(sight, this.sending), more: "" };
    const { hint, pending } = this.choosing;
    return { words: told.words, more: told.more || (hint && mine ? this.why : pending && mine ? "" : last) };
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
    try {
      await this.following.post("/move", { at, move });
      this.sent = Math.max(this.sent, at);
      this.trouble = "";
    } catch (error) {
      this.trouble = error.message;
    }
    this.sending = false;
    if (this.sight.at <= this.sent) {
      this.sight.offers = undefined;
      this.choosing.clear();
      this.choosing.show(null, at);
    }
    this.choosing.pause(Boolean(this.away));
    this.#say();
    this.refresh();
  }

  refresh() {
    return this.following.refresh();
  }

  async #hint() {
    this.hint.disabled = true;
    try {
      const { at } = this.sight;
      const hint = await this.following.post("/hint", { at });
      this.why = hint.why;
      if (this.sight.at === at && this.sight.offers) this.choosing.suggest(hint);
    } catch (error) {
      this.trouble = error.message;
      this.#say();
    }
    this.hint.disabled = false;
  }

  async #out(act) {
    const [question, yes] = ASKS[act];
    if (!(await sure(this.inside, question, yes))) return;
    try {
      await this.following.post(`/${act}`);
      if (act === "leave") location.assign(siteUrl("/play"));
      else this.refresh();
    } catch (error) {
      this.trouble = error.message;
      this.#say();
    }
  }

  async #rematch() {
    try {
      location.assign((await this.following.post("/rematch")).address);
    } catch (error) {
      this.trouble = error.message;
      this.#say();
    }
  }

  /** Until it is dismissed, a first match shows the goal of its game and an explanation of one's present (or else last) decision. */
  #guide() {
    const { guide = [], game, actor, me, stage } = this.sight;
    const known = memory.get(`guide-${game}`) === "known";
    this.guide.hidden = known || !guide.length || me === null || stage !== "playing";
    const words = guide.join("\n");
    if (this.guide.hidden || this.guide.dataset.words === words || (this.guide.dataset.words && actor !== me)) return;
    this.guide.dataset.words = words;
    const close = html("button", { type: "button", onclick: () => (memory.set(`guide-${game}`, "known"), this.#guide()) }, "Got it, hide this");
    this.guide.replaceChildren(html("h2", {}, "Your first match?"), ...guide.map((text) => html("p", {}, text)), html("div", { class: "actions" }, close, html("a", { class: "onward quiet", href: siteUrl(`/rules/${encodeURIComponent(game)}`), target: "_blank" }, "All rules")));
  }

  #help() {
    memory.set(`guide-${this.sight.game}`, "");
    this.#guide();
    this.guide.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    const [target] = event.composedPath(); // event.target is the element around the shadow root
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest?.(OWN_KEYS)) return;
    const { pending } = this.choosing;
    const onButton = target.closest?.(BUTTONS);
    let known = true;
    if (event.key === "Escape") known = this.choosing.back();
    else if (event.key === "Enter" && (!onButton || this.tray.has(target)) && !event.repeat && pending && !pending.grave) this.choosing.confirm();
    else if (event.key === " " && !onButton && this.following.isBehind) this.following.skip();
    else if (event.key.toLowerCase() === "h" && !this.hint.hidden) this.#hint();
    else known = this.choosing.key(event);
    if (known) event.preventDefault();
  }
}

/** Whose decision it is, for those who have none to make. */
function status(sight, sending) {
  const { stage, actor, me, seats } = sight;
  if (stage === "over") return "The match is over.";
  if (stage === "closed") return "The table is closed.";
  if (sight.paused) return "The match is paused.";
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
