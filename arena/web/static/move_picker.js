// Choosing a move: picks, their ghost on the board, confirming and undoing. The choices come from arena/web/play/move_picker.

import { ChoiceList } from "./choice_list.js";
import { memory } from "./storage.js";
import { Tray } from "./tray.js";
import { listenTo } from "./ui.js";

export const BUTTONS = "button, a, summary, .offer"; // which use Enter and Space themselves

/** The remaining picks in the first incomplete stage of a move, or null if the picks don't lead to this move. */
function rest(stages, picks) {
  let at = 0;
  for (const stage of stages) {
    const left = [...stage];
    while (left.length) {
      if (at === picks.length) return { left, size: stage.length };
      const found = left.indexOf(picks[at]);
      if (found < 0) return null;
      left.splice(found, 1);
      at++;
    }
  }
  return at === picks.length ? { left: [], size: 0 } : null;
}

export class MovePicker {
  /** `send(move)` plays it; `changed()` is called whenever the choices or the picks have changed. */
  constructor({ game, send, changed }) {
    this.send = send;
    this.changed = changed;
    this.at = -1; // the position that was offered last
    this.picks = [];
    this.before = []; // the picks before each pick, for undoing it
    this.pending = null; // {move, words, more, grave}: complete, to be confirmed
    this.hint = null; // {move, words}
    this.told = ""; // a message from the board
    this.list = new ChoiceList({ game, pick: (id) => this.pick(id), hover: (id) => this.hover(id) });
    this.tray = new Tray(this);
    this.element = this.list.element;
  }

  /** Listen to a board on which choices are offered. */
  onto(board) {
    this.board = board;
    const place = board.host;
    place.addEventListener("offer", ({ detail }) => {
      this.pick(detail.id);
      if (this.tray.active && !this.pending && !board.touched && place.contains(place.getRootNode().activeElement)) this.tray.enter();
    });
    place.addEventListener("told", ({ detail }) => {
      this.told = detail.words;
      this.changed();
    });
    listenTo(place, ".offer", (it) => this.hover(it?.arenaOffer));
  }

  /** Offer the moves of position `at` (null: none for now). Picks already made there are kept if they still lead to one of the moves. */
  show(offers, at) {
    this.offers = offers;
    if (offers ? at !== this.at : at > this.at) {
      this.clear();
      this.list.wanted = "";
    }
    if (!offers) return this.#draw();
    this.at = at;
    if (this.pending && (this.proposed || offers.moves.some(([move]) => move === this.pending.move))) return this.#draw();
    if (this.picks.length && this.open().length) return this.#settle();
    this.clear();
    if (offers.moves.length === 1 && !offers.trays) return this.#complete(offers.moves[0]);
    this.#draw();
  }

  /** Offer nothing for a while, but keep what was picked. */
  pause(paused) {
    if (this.paused === paused) return;
    this.paused = paused;
    this.tray.element.inert = paused;
    this.#draw();
  }

  clear() {
    this.picks = [];
    this.before = [];
    this.pending = this.hint = null;
    this.proposed = false; // whether the pending move comes from the tray
  }

  /** The moves that the picks can still lead to: [notation, what is left in this stage, how large the stage is, all stages]. */
  open(picks = this.picks) {
    const found = [];
    for (const [notation, stages] of this.offers?.moves ?? []) {
      const more = rest(stages, picks);
      if (more) found.push([notation, more.left, more.size, stages]);
    }
    return found;
  }

  /** What can be picked now, with grave choices last; once everything is picked, the alternatives to the last pick. */
  ids() {
    const picks = this.pending && !this.proposed ? (this.before.at(-1) ?? this.picks) : this.picks;
    const ids = [...new Set(this.open(picks).flatMap(([, left]) => left))];
    const { choices } = this.offers ?? {};
    return [...ids.filter((id) => !choices[id].grave), ...ids.filter((id) => choices[id].grave)];
  }

  pick(id) {
    if (!this.offers || this.paused || this.tray.pick(id)) return;
    if (!this.ids().includes(id)) return;
    if (this.pending) {
      if (this.picks.at(-1) === id && this.before.length) return;
      this.picks = this.before.pop() ?? [];
    }
    this.hint = null;
    this.before.push([...this.picks]);
    this.picks = [...this.picks, id];
    this.#settle(true);
  }

  /** Undo the last pick; returns whether there was one. */
  back() {
    if (this.paused) return false;
    if (this.tray.back()) return true;
    if (!this.before.length && !this.hint) return false;
    if (this.hint) this.clear();
    else this.picks = this.before.pop();
    this.pending = null;
    this.#settle(true);
    return true;
  }

  /** Complete the move if only one is still possible; otherwise ask for the remaining picks. */
  #settle(mine = false) {
    this.pending = null;
    const open = this.open();
    if (open.length === 1 && this.picks.length) return this.#complete(this.offers.moves.find(([move]) => move === open[0][0]), mine);
    this.#draw(mine);
  }

  #complete([move, stages], mine = false) {
    const picks = stages.flat();
    const choices = picks.map((id) => this.offers.choices[id]);
    const grave = choices.map((choice) => choice.grave).filter(Boolean).join(" ");
    this.picks = this.#inOrder(picks);
    this.pending = { move, words: this.offers.told?.[move] ?? choices.map(({ words }) => words).join(", "), more: choices.length === 1 ? (choices[0].more ?? "") : "", grave };
    this.proposed = false;
    if (mine && !grave && memory.get("send-at-once") === "yes") return this.confirm();
    this.#draw(mine);
  }

  /** All picks of a move, those made by hand first. */
  #inOrder(all) {
    const left = [...all];
    const first = this.picks.filter((id) => left.includes(id) && left.splice(left.indexOf(id), 1));
    return [...first, ...left];
  }

  /** Take a whole move from the tray, or null if the tray no longer has one. */
  propose(move, words, more = "") {
    if (move === null && !this.proposed) return;
    if (this.hint?.move !== move) this.hint = null;
    this.proposed = move !== null;
    this.pending = move === null ? null : { move, words, more, grave: "" };
    this.#draw(move !== null);
  }

  /** Let the tray show its composed move again, which it forgets while nothing is offered. */
  restore(kept) {
    if (!kept || !this.offers || this.tray.lie || this.tray.taken.length) return;
    if (!this.tray.suggest(kept.move)) this.propose(null);
  }

  /** Show a suggested move, to be confirmed or undone. */
  suggest({ move, words }) {
    this.clear();
    const found = this.offers?.moves.find(([notation]) => notation === move);
    if (found) {
      this.before.push([]);
      this.#complete(found);
    } else this.tray.suggest(move);
    this.hint = { move, words };
    this.pending ??= { move, words, more: "", grave: "" };
    this.#draw();
  }

  confirm() {
    if (this.pending && !this.paused) this.send(this.pending.move);
  }

  /** What to do now: {words, more}. If a touch of the board chose nothing, `more` is what the touch did. */
  prompt() {
    const { words, more } = this.#asked();
    const told = this.told || (!this.pending && this.board?.beyond.length && this.board.narrowed) || "";
    const sentence = (told && !this.pending?.grave ? told : more).replace(/^./, (letter) => letter.toUpperCase());
    return { words: words.replace(/\.$/, ""), more: sentence.replace(/[^.!?]$/, "$&.") };
  }

  #asked() {
    if (this.pending) return { words: `${this.hint ? "Hint: " : ""}${this.pending.words}`, more: this.pending.grave || this.pending.more || (this.proposed ? this.tray.prompt : "") };
    const tray = this.tray.prompt;
    if (tray) return { words: tray, more: "" };
    const next = this.picks.map((id) => this.offers.choices[id].next).filter(Boolean).at(-1);
    const [first] = this.open();
    const size = first?.[2] ?? 0;
    const done = size > 1 ? `${size - first[1].length} of ${size} chosen` : "";
    return { words: next || this.offers?.prompt || "Choose a move", more: done };
  }

  /** Show on the board and in the list what a choice would do; nothing without an id, or after a touch. */
  hover(id) {
    if (this.board?.touched) id = undefined;
    this.hovered = id;
    this.board?.mark(id);
    this.list.mark(id);
    this.tray.mark(id);
    this.#haunt();
  }

  #haunt() {
    const { choices = {}, defs = "" } = this.offers ?? {};
    let picks = [...this.picks];
    if (this.hovered && choices[this.hovered] && this.ids().includes(this.hovered)) {
      if (this.pending) picks = this.picks.includes(this.hovered) ? picks : [...(this.before.at(-1) ?? []), this.hovered];
      else picks.push(this.hovered);
    }
    this.board?.ghost(ghostsOf(picks.map((id) => choices[id]).filter(Boolean)), defs);
  }

  #draw(mine = false) {
    this.told = "";
    const active = this.element.getRootNode().activeElement;
    const [inList, inBoard] = [this.element.contains(active), Boolean(this.board?.host.contains(active))];
    const choices = this.offers?.choices ?? {};
    const ids = this.offers && !this.paused ? this.ids() : [];
    const here = ids.filter((id) => choices[id].markup);
    const tray = (!this.paused && this.tray.offers) || [];
    this.board?.offer([...here.map((id) => ({ id, markup: choices[id].markup, words: [choices[id].words, choices[id].more].filter(Boolean).join(": ") })), ...tray]);
    for (const node of this.board?.offers.children ?? []) node.classList.toggle("picked", this.picks.includes(node.arenaOffer));
    this.board?.offers.classList.toggle("settled", Boolean(this.pending));
    this.list.show(ids, this.offers, { picks: this.picks, keyed: !this.tray.active });
    this.hover();
    this.board?.approach();
    this.changed();
    if (mine && (inList || inBoard) && !this.board?.touched) this.#focus(inBoard);
  }

  /** Offer the choices again, because those of the tray have changed. */
  redraw() {
    if (this.board) this.#draw();
  }

  #focus(onBoard) {
    if (this.pending) return this.element.dispatchEvent(new CustomEvent("settled", { bubbles: true }));
    if (onBoard) this.board.offers.firstElementChild?.focus({ preventScroll: true });
    else this.list.enter();
  }

  /**
   * Handle a key wherever the focus is: Escape undoes, Enter confirms what can be undone, numbers pick, arrows go to the list; returns
   * whether it has an action.
   */
  key(event) {
    if (event.key === "Escape") return this.back();
    if (event.key === "Enter") {
      const [target] = event.composedPath(); // event.target is the element around the shadow root
      const isFree = !target.closest?.(BUTTONS) || this.tray.has(target);
      return isFree && !event.repeat && Boolean(this.pending) && !this.pending.grave && (this.confirm(), true);
    }
    if (!this.offers || this.paused) return false;
    if (this.tray.key(event)) return true;
    const id = this.tray.active ? undefined : this.list.keyed(event.key);
    if (id !== undefined) this.pick(id);
    else if (!["ArrowDown", "ArrowUp"].includes(event.key) || event.shiftKey) return false;
    else return this.tray.enter() || this.list.enter(event.key === "ArrowUp");
    return true;
  }
}

/** The combined effect of choices: choices in one row fill it one after the other, or only the last one counts. */
function ghostsOf(choices) {
  const rows = new Map();
  const shown = [];
  for (const { ghost, row, fills } of choices) {
    if (fills?.length) {
      const taken = rows.get(row) ?? 0;
      rows.set(row, taken + 1);
      shown.push({ markup: fills[Math.min(taken, fills.length - 1)] });
    } else if (ghost) {
      const last = row && shown.findIndex((each) => each.row === row);
      if (row && last >= 0) shown.splice(last, 1);
      shown.push({ row, markup: ghost });
    }
  }
  return shown.map(({ markup }) => markup);
}
