// What is picked of a tray: a kind of piece and a place in either order, the piece itself, the way it lies; tray.js shows it.

import { count } from "./ui.js";

export class TrayPicks {
  /** `propose(move, words, effect)` is called with a whole move, or null when there is none any more; `changed()` after every pick. */
  constructor(propose, changed) {
    this.propose = propose;
    this.changed = changed;
    this.trays = [];
    this.forget();
  }

  forget() {
    this.history = []; // what was picked, in order: "stack", "item", "place"
    this.stack = this.item = this.place = null;
    this.lie = null; // the fit that is proposed
    this.taken = [];
  }

  turnTo(index) {
    this.tray = this.trays[index];
    this.restart();
  }

  /** Pick nothing but the only kind and the only place, if there is no other. */
  restart() {
    this.forget();
    const stacks = new Set(this.usable().map((item) => this.tray.items[item].stack));
    if (stacks.size === 1) [this.stack] = stacks;
    const places = new Set(this.tray.fits.map(({ place }) => place));
    if (places.size === 1) [this.place] = places;
    this.settle();
  }

  /** The items that can be laid at all, or that are still there to be taken. */
  usable() {
    if (this.tray.take) return this.tray.items.flatMap((_, item) => (this.taken.includes(item) ? [] : [item]));
    return [...new Set(this.tray.fits.map(({ item }) => item))];
  }

  /** What fits, of the stack or item that was picked if there is one, at these places. */
  fitting(places = null, { stack = this.stack, item = this.item } = {}) {
    const { fits, fitting, items } = this.tray;
    const all = places ? places.flatMap((place) => fitting[place]) : fits;
    return all.filter((fit) => (item === null || fit.item === item) && (stack === null || items[fit.item].stack === stack));
  }

  /** All ways to lie where the place is or overlapping with it, each once, as one goes through them by turning. */
  ways() {
    if (this.place === null || this.stack === null) return [];
    const ways = new Map();
    for (const fit of this.fitting([this.place, ...(this.tray.places[this.place].near ?? [])])) {
      const key = `${fit.place} ${fit.turn}`;
      if (!ways.has(key) || fit.item === this.lie?.item) ways.set(key, fit);
    }
    const degrees = ({ place, turn }) => this.tray.places[place].turns[turn].at[2];
    return [...ways.values()].sort((a, b) => degrees(a) - degrees(b) || a.place - b.place);
  }

  /** Pick by the id of an offer or of a button; returns whether it is one of the tray's. */
  pick(id) {
    const [kind, number] = id.split(":");
    if (!this.active || !["stack", "item", "place", "ghost"].includes(kind) || number === undefined) return false;
    if (kind === "ghost") this.turn(1);
    else if (kind === "item" && this.tray.take) this.take(Number(number));
    else this.choose(kind, Number(number));
    return true;
  }

  choose(kind, number) {
    if (kind === "place" && this.place !== null && this.stack === null && this.place === number) return this.back();
    this[kind] = number;
    if (kind === "stack") this.item = null;
    this.lie = kind === "item" && this.lie ? { ...this.lie, item: number } : null;
    if (kind === "stack" && this.place !== null && !(this.history.includes("place") && this.fitting([this.place]).length)) this.place = null;
    this.history = this.tray.take ? [...this.taken.map(() => "item"), kind] : [...this.history.filter((each) => each !== kind && this[each] !== null), kind];
    const pieces = this.tray.take ? this.tray.items.flatMap(({ stack }, item) => (stack === this.stack ? [item] : [])) : [];
    if (kind === "stack" && pieces.length === 1) return this.take(pieces[0]);
    this.settle();
  }

  take(item) {
    this.taken = this.taken.includes(item) ? this.taken.filter((each) => each !== item) : [...this.taken, item].slice(-this.tray.take);
    const left = this.tray.items.some(({ stack }, each) => stack === this.stack && !this.taken.includes(each));
    if (this.taken.length < this.tray.take && !left) return this.release();
    this.history = [...(this.stack === null ? [] : ["stack"]), ...this.taken.map(() => "item")];
    this.settle();
  }

  /** What was taken so far, in words. */
  get bag() {
    return this.taken.map((item) => this.tray.items[item].words).join(" and ");
  }

  /** Take back the last pick; returns whether there was one. */
  back() {
    const last = this.active && this.history.pop();
    if (!last) return false;
    if (!this.history.length) {
      this.restart();
      return true;
    }
    if (this.tray.take && last === "item") this.taken.pop();
    this[last] = null;
    if (last === "stack") this.item = null;
    this.lie = null;
    this.settle();
    return true;
  }

  /** Show all kinds again, for another one at the same place. */
  release() {
    this.stack = this.item = this.lie = null;
    if (!this.history.includes("place")) this.place = null;
    const kinds = new Set(this.place === null ? [] : this.fitting([this.place]).map(({ item }) => this.tray.items[item].stack));
    if (kinds.size === 1) this.place = null;
    this.history = this.place === null ? this.taken.map(() => "item") : ["place"];
    this.settle();
  }

  /** Turn the piece to the next way to lie, or back. */
  turn(by) {
    const ways = this.ways();
    if (ways.length < 2) return;
    const now = ways.findIndex(({ place, turn }) => place === this.lie.place && turn === this.lie.turn);
    this.lie = ways[(now + by + ways.length) % ways.length];
    this.settle();
  }

  /** Select the move of that notation; returns whether it is one of the trays'. */
  suggest(notation) {
    const index = this.trays.findIndex((tray) => this.chosen(tray, notation));
    if (index < 0 || !this.active) return false;
    if (this.trays[index] !== this.tray) this.turnTo(index);
    Object.assign(this, this.chosen(this.tray, notation));
    this.history = this.tray.take ? ["stack", ...this.taken.map(() => "item")] : ["stack", "item", "place"];
    this.settle();
    return true;
  }

  /** The picks in a tray for the move of that notation, null if it is not one of its moves. */
  chosen(tray, notation) {
    const { items, take } = tray;
    if (!take) {
      const lie = tray.fits.find((fit) => this.notation(tray, fit) === notation);
      return lie ? { stack: items[lie.item].stack, item: lie.item, place: lie.place, lie } : null;
    }
    const [before] = tray.move.split("{item}");
    const taken = notation.startsWith(before) ? notation.slice(before.length).split(" ").map((key) => items.findIndex((item) => item.key === key)) : [];
    return taken.length === take && taken.every((item) => item >= 0) ? { stack: items[taken[0]].stack, taken } : null;
  }

  notation({ move, items, places }, { item, place, turn }) {
    return move.replace("{item}", items[item].key).replace("{turn}", places[place].turns[turn].key);
  }

  /** Complete what was picked as far as it is clear, and say what move it is. */
  settle() {
    const { tray } = this;
    if (this.stack === null && this.place !== null) {
      const stacks = new Set(this.fitting([this.place]).map(({ item }) => tray.items[item].stack));
      if (stacks.size === 1) [this.stack] = stacks;
    }
    const places = this.stack !== null && this.place === null ? this.open() : [];
    if (places.length === 1) [this.place] = places;
    if (tray.take) this.offerTaken();
    else if (this.stack === null || this.place === null) this.drop();
    else this.offerLaid();
    this.draw();
    this.changed();
  }

  drop() {
    this.lie = null;
    if (this.proposed) this.propose(null, "", "");
    this.proposed = false;
  }

  offerTaken() {
    const { tray } = this;
    if (this.taken.length < tray.take) return this.drop();
    const taken = [...this.taken].sort((a, b) => a - b).map((item) => tray.items[item]);
    this.proposed = true;
    this.propose(tray.move.replace("{item}", taken.map(({ key }) => key).join(" ")), `${tray.act} ${this.bag}`, "");
  }

  offerLaid() {
    const { tray } = this;
    const here = this.fitting([this.lie?.place ?? this.place]);
    this.lie = here.find((fit) => fit.item === this.lie?.item && fit.turn === this.lie?.turn) ?? here.find((fit) => fit.item === this.lie?.item) ?? here[0] ?? null;
    if (!this.lie) return this.drop();
    const { item, place, effect } = this.lie;
    const where = tray.places.length > 1 ? ` at ${this.named(place)}` : "";
    this.proposed = true;
    this.propose(this.notation(tray, this.lie), `${tray.act} ${tray.stacks[tray.items[item].stack].words}${where}`, tray.effects[effect]?.words ?? "");
  }

  named(place) {
    return `place ${place + 1}`;
  }

  /** What to do next, in words. */
  get prompt() {
    if (!this.active) return "";
    const { tray, stack, place, lie } = this;
    if (tray.take) return this.taken.length ? (this.taken.length < tray.take ? `Choose ${tray.take - this.taken.length} more.` : "") : tray.prompt;
    if (lie) {
      const cuts = this.fitting([lie.place], { item: null }).length > 1 ? "a piece with other edges" : "";
      const others = [cuts, tray.places.length > 1 ? "another place" : ""].filter(Boolean).join(" or ");
      return [this.ways().length > 1 ? "turn it, " : "", others && `choose ${others}, or `, "confirm."].join("").replace(/^./, (letter) => letter.toUpperCase());
    }
    if (stack !== null && this.history.includes("stack")) return `Choose one of ${count(this.open().length, "place")} for it on the board.`;
    if (place !== null && stack === null) return `Choose what to lay at ${this.named(place)}.`;
    return tray.prompt;
  }

  open() {
    return [...new Set(this.fitting().map(({ place }) => place))];
  }

  told(place, fits) {
    const { effects, places } = this.tray;
    const all = [...new Set(fits.map(({ effect }) => effects[effect]))].filter(Boolean);
    const does = this.stack === null ? all.filter(({ good }) => good) : all.sort((a, b) => Number(b.good ?? 0) - Number(a.good ?? 0));
    return `Place ${place + 1}, ${places[place].words}${does.length ? `: ${does[0].words}${all.length > 1 ? " Other pieces do something else." : ""}` : "."}`;
  }

  /** Show the picks; the caller says how. */
  draw() {}
}
