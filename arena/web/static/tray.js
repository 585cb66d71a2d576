// A tray of pieces to lay or take: piece and place are chosen in either order, and only what fits is shown.
// arena/web/play/move_picker/base.py fills it.

import { beside, svgElement } from "./board.js";
import { count, element, imageUrl, listenTo } from "./ui.js";
import { html, nothing, render } from "./vendor/lit-html.js";

const APART = 56; // the least distance between the middles of pieces shown at the same time, so that they do not overlap
const DOT = 12;
const TURNED = [["[", -1, "↺", "Turn back"], ["]", 1, "↻", "Turn"]];

const moved = ([x, y, degrees], inside) => `<g transform="translate(${x} ${y}) rotate(${degrees})">${inside}</g>`;

export class Tray {
  /** The tray proposes composed moves to the move picker, which offers the places on the board. */
  constructor(picker) {
    this.propose = (...move) => picker.propose(...move); // with a whole move, or null when there no longer is one
    this.changed = () => picker.redraw(); // after every pick
    this.trays = [];
    this.forget();
    this.at = -1;
    this.byEdges = false;
    this.sheet = "";
    this.pictures = svgElement("svg", { class: "sheet", width: 0, height: 0, "aria-hidden": "true" });
    this.effect = element(html`<p class="effect" aria-live="polite"></p>`);
    this.element = element(html`<section class="tray" aria-label="Pieces" hidden></section>`);
    listenTo(this.element, "[data-choice]", (it) => picker.hover(it?.dataset.choice));
  }

  /** Show the trays of the seat's view. A tray that can't be used at the moment stays visible but disabled. */
  show(board, sight) {
    this.board = board;
    const trays = sight.offers?.trays ?? [];
    this.element.inert = !trays.length;
    this.element.classList.toggle("waiting", !trays.length);
    if (sight.stage !== "playing") this.element.hidden = true;
    if (!trays.length || sight.at !== this.at) this.forget();
    this.active = trays.length > 0;
    if (this.active && sight.at !== this.at) this.#arrive(trays, sight.game);
    this.at = trays.length ? sight.at : -1;
    if (this.active) this.draw();
  }

  #arrive(trays, game) {
    this.element.hidden = false;
    this.trays = trays.map((tray) => {
      const fitting = (tray.places ?? []).map(({ fits }, place) => fits.map(([item, turn, effect]) => ({ place, item, turn, effect })));
      return { places: [], effects: [], take: 0, ...tray, fitting, fits: fitting.flat() };
    });
    this.#load(game, trays[0].sheet);
    this.turnTo(Math.max(0, this.trays.findIndex(({ title }) => title === this.tray?.title)));
  }

  /** Fetch the pictures of all pieces, once for a game. */
  async #load(game, sheet) {
    const address = imageUrl(game, sheet);
    if (this.sheet === address) return;
    this.sheet = address;
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) return void (this.sheet = "");
    const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
    this.pictures.replaceChildren(svgElement("defs", {}, ...[...drawn.children].map((each) => document.importNode(each, true))));
  }

  /** Handle a key; returns whether it has an action here. */
  key(event) {
    const by = { r: 1, "]": 1, R: -1, "[": -1 }[event.key];
    if (!by || !this.active || !this.lie) return false;
    this.turn(by);
    return true;
  }

  // What is picked: a kind of piece and a place in either order, the piece itself, and its orientation

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

  /** Drop all picks, except a kind or a place without alternatives. */
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

  /** What fits at these places; if a stack or an item is picked, only what belongs to it. */
  fitting(places = null, { stack = this.stack, item = this.item } = {}) {
    const { fits, fitting, items } = this.tray;
    const all = places ? places.flatMap((place) => fitting[place]) : fits;
    return all.filter((fit) => (item === null || fit.item === item) && (stack === null || items[fit.item].stack === stack));
  }

  /** All orientations at the place and at overlapping places, each once, in the order in which turning goes through them. */
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
    if (kind === "stack" && this.stack === number) return this.history.includes(kind) ? this.release() : this.board.tell("It is the only one: choose its place.");
    if (kind === "place" && this.place === number && this.stack === null) return this.back();
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

  /** Undo the last pick; returns whether there was one. */
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

  /** Show all kinds again, to choose a different one for the same place. */
  release() {
    this.stack = this.item = this.lie = null;
    if (!this.history.includes("place")) this.place = null;
    const kinds = new Set(this.place === null ? [] : this.fitting([this.place]).map(({ item }) => this.tray.items[item].stack));
    if (kinds.size === 1) this.place = null;
    this.history = this.place === null ? this.taken.map(() => "item") : ["place"];
    this.settle();
  }

  /** Turn the piece to its next or previous orientation. */
  turn(by) {
    const ways = this.ways();
    if (ways.length < 2) return this.board.tell("It fits in only one way here.");
    const now = ways.findIndex(({ place, turn }) => place === this.lie.place && turn === this.lie.turn);
    this.lie = ways[(now + by + ways.length) % ways.length];
    this.settle();
  }

  /** Select the move with that notation; returns whether a tray has it. */
  suggest(notation) {
    const index = this.trays.findIndex((tray) => this.chosen(tray, notation));
    if (index < 0 || !this.active) return false;
    if (this.trays[index] !== this.tray) this.turnTo(index);
    Object.assign(this, this.chosen(this.tray, notation));
    this.history = this.tray.take ? ["stack", ...this.taken.map(() => "item")] : ["stack", "item", "place"];
    this.settle();
    return true;
  }

  /** The picks in a tray for the move with that notation, or null if the tray does not have it. */
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

  /** Complete the picks as far as they are unambiguous, and propose the move. */
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
    const where = tray.places.length > 1 ? ` ${tray.items[item].lies ? "to" : "at"} ${this.named(place)}` : "";
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
    if (tray.take) return this.taken.length ? (this.taken.length < tray.take ? `Choose ${tray.take - this.taken.length} more` : "") : tray.prompt;
    if (lie) {
      const cuts = this.fitting([lie.place], { item: null }).length > 1 ? "a piece with different edges" : "";
      const others = [cuts, tray.places.length > 1 ? "another place" : ""].filter(Boolean).join(" or ");
      return [this.ways().length > 1 ? "turn it, " : "", others && `choose ${others}, or `, "confirm"].join("");
    }
    if (stack !== null && this.history.includes("stack")) return `Choose one of ${count(this.open().length, "place")} for it on the board`;
    if (place !== null && stack === null) return `Choose what to lay at ${this.named(place)}`;
    return tray.prompt;
  }

  open() {
    return [...new Set(this.fitting().map(({ place }) => place))];
  }

  told(place, fits) {
    const { effects, places } = this.tray;
    const all = [...new Set(fits.map(({ effect }) => effects[effect]))].filter(Boolean);
    const does = this.stack === null ? all.filter(({ good }) => good) : all.sort((a, b) => Number(b.good ?? 0) - Number(a.good ?? 0));
    return `Place ${place + 1}, ${places[place].words}${does.length ? `: ${does[0].words}${all.length > 1 ? " Other pieces have other effects." : ""}` : "."}`;
  }

  // Drawing

  /** What can be chosen on the board: places as dots with numbers, pieces as they would lie. */
  get offers() {
    if (!this.active || !this.tray.places.length) return [];
    const { tray, lie } = this;
    const shown = [];
    const offers = [];
    if (lie) offers.push(this.#ghost(lie));
    for (const place of this.open()) {
      if (lie && (place === lie.place || tray.places[lie.place].near?.includes(place))) continue; // the piece covers its number
      const [x, y] = tray.places[place].middle;
      const far = !lie && shown.every(([px, py]) => Math.hypot(px - x, py - y) > APART);
      if (far && this.stack !== null) shown.push([x, y]);
      offers.push(this.#spot(place, far && this.stack !== null));
    }
    const first = (offer) => (offer.markup.includes("seen") ? 0 : 1);
    return [...this.#lying(), ...offers.sort((a, b) => first(a) - first(b))];
  }

  #picture({ item, place, turn }) {
    return moved(this.tray.places[place].turns[turn].at, `<use href="#${this.tray.items[item].picture}"/>`);
  }

  #ghost(fit) {
    const { at } = this.tray.places[fit.place].turns[fit.turn];
    const words = `${this.tray.items[fit.item].words} at ${this.named(fit.place)}${this.ways().length > 1 ? "; turn it" : ""}`;
    return { id: "ghost:0", words, markup: `<g class="ghost seen laid">${this.#picture(fit)}<g class="under">${moved(at, this.tray.outline)}</g>${moved(at, this.tray.outline)}</g>` };
  }

  #spot(place, seen) {
    const { middle: [x, y], turns } = this.tray.places[place];
    const fits = this.fitting([place]);
    const piece = this.stack === null ? "" : this.#picture(fits[0]);
    const good = fits.some(({ effect }) => this.tray.effects[effect]?.good);
    const chosen = place === this.place && !this.lie;
    const dot = `<circle class="dot" cx="${x}" cy="${y}" r="${DOT}"/><text x="${x}" y="${y + 4.5}" font-size="12.5">${place + 1}</text>`;
    const markup = `<g class="spot${good ? " good" : ""}${chosen ? " chosen" : ""}"><g class="ghost${seen ? " seen" : ""}">${piece}${moved(turns[0].at, this.tray.outline)}</g>${dot}</g>`;
    return { id: `place:${place}`, words: this.told(place, fits), markup };
  }

  /** The pieces that lie on the board and can be moved. */
  #lying() {
    return this.tray.items.flatMap(({ lies, stack, words }) => {
      if (!lies) return [];
      const chosen = stack === this.stack ? " chosen" : "";
      return [{ id: `stack:${stack}`, words, markup: `<g class="lying${chosen}">${moved(lies, this.tray.outline)}</g>` }];
    });
  }

  draw() {
    const { tray, trays, stack } = this;
    const { activeElement } = this.element.getRootNode();
    const key = this.element.contains(activeElement) ? activeElement.dataset.pick : undefined;
    const { words, note } = tray.stacks[stack] ?? {};
    const kind = stack === null ? "" : `${words}${note ? `: ${note}` : ""}`;
    const strip = stack === null ? this.#stackButtons() : [this.#others(), this.#itemButtons()];
    const places = this.open();
    const step = (event) => this.#step(event);
    render(html`${this.pictures}
      <div class="head">
        <h2 ?hidden=${trays.length > 1}>${tray.title}</h2>
        <div class="tray-tabs" role="group" aria-label="What to do">${trays.length > 1 ? trays.map((each, index) => this.#tab(each, index)) : nothing}</div>
        <p class="kind">${this.taken.length ? `taken: ${this.bag}` : kind}</p>
        <span class="turning" role="group" aria-label="Turn the piece">${this.#turning()}</span>
        ${this.effect}
      </div>
      <div class="strip ${stack === null ? "stacks" : "items"}" role="group" aria-label=${stack === null ? "Kinds" : words} @keydown=${step}>${strip}</div>
      <details class="places" ?hidden=${places.length < 2}>
        <summary>${count(places.length, "place")} as a list</summary>
        <div class="choices" @keydown=${step}>${places.map((place) => this.#placeButton(place))}</div>
      </details>`, this.element);
    if (key && !this.#focus(`[data-pick="${key}"]`)) this.enter();
  }

  /** Whether an element is a piece or a place that is chosen already, where Enter confirms. */
  has(target) {
    return this.element.contains(target) && target.matches('[aria-pressed="true"]:not(.tray-tabs *)');
  }

  /** Go to the chosen piece, or else to the first that is worth points, or else to the first; returns whether there is a piece. */
  enter() {
    const first = ['[aria-pressed="true"]', "[data-good]", "button:not(.others, .dim)", "button:not(.others, [aria-disabled])"];
    return this.active && first.some((each) => this.#focus(`.strip ${each}`));
  }

  #focus(selector) {
    const found = this.element.querySelector(selector);
    found?.focus({ preventScroll: true });
    return Boolean(found);
  }

  /** The way back to all kinds, if there are others. */
  #others() {
    if (new Set(this.tray.items.map(({ stack }) => stack)).size < 2) return nothing;
    return html`<button type="button" class="others" data-pick="others" @click=${() => this.release()}><span class="words">‹ other kinds</span></button>`;
  }

  #tab(tray, index) {
    const turn = () => this.turnTo(index);
    return html`<button type="button" aria-pressed=${tray === this.tray} data-pick="tab:${index}" @click=${turn}>${tray.title}</button>`;
  }

  #itemsHere() {
    if (this.tray.take) return this.tray.items.flatMap(({ stack }, item) => (stack === this.stack ? [item] : []));
    const places = this.place === null ? null : [this.lie?.place ?? this.place];
    return [...new Set(this.fitting(places, { item: null }).map(({ item }) => item))].sort((a, b) => a - b);
  }

  #stackButtons() {
    const { tray } = this;
    const usable = new Set(this.usable());
    const fits = this.place === null ? [] : this.fitting([this.place], { stack: null, item: null });
    const here = this.place === null ? usable : new Set(fits.map(({ item }) => item));
    const good = new Set(fits.filter(({ effect }) => tray.effects[effect]?.good).map(({ item }) => tray.items[item].stack));
    const button = ({ words, note }, stack) => {
      const all = tray.items.flatMap((each, item) => (each.stack === stack ? [item] : []));
      if (!all.length) return [];
      const fitting = all.filter((item) => here.has(item));
      const dead = !all.some((item) => usable.has(item));
      const none = fitting.length ? "" : !dead ? "not here" : tray.take ? "taken" : "no place";
      const number = tray.items.length > tray.stacks.length ? html`<span class="number">${fitting.length} fit</span>` : nothing;
      const title = `${words}: ${note}${!dead ? "" : tray.take ? "; taken" : "; fits nowhere now"}`;
      const act = (event) => (dead ? this.board.tell(`${title}.`) : this.#pickKind(stack, event));
      return [{ none, template: html`<button type="button" data-pick="stack:${stack}" title=${title} class=${none ? "dim" : ""} ?data-good=${good.has(stack)}
        aria-disabled=${dead ? "true" : nothing} @click=${act}>${this.#shown(fitting[0] ?? all[0], 0)}<span class="words">${words}</span>${
          none ? html`<span class="none">${none}</span>` : number}</button>` }];
    };
    const buttons = tray.stacks.flatMap(button);
    return [...buttons.filter(({ none }) => !none), ...buttons.filter(({ none }) => none)].map(({ template }) => template);
  }

  /** Pick a kind, and show all places for it. If the keyboard is used, go to the first one worth points if there is one, else to the first. */
  #pickKind(stack, { detail }) {
    this.pick(`stack:${stack}`);
    if (this.place !== null || this.tray.take) return;
    const { host, offers } = this.board;
    host.scrollIntoView({ block: "nearest" });
    if (!detail) this.board.enter((offers.querySelector(".good") ?? offers.querySelector(".spot"))?.closest(".offer"));
  }

  /** The pieces of a kind: only the chosen or the first one, until the visitor asks to choose by the edges. */
  #itemButtons() {
    const items = this.#itemsHere();
    if (this.byEdges || this.tray.take || this.tray.items.some(({ lies }) => lies) || items.length < 2) return items.map((item) => this.#itemButton(item));
    const shown = items.find((item) => this.#isChosen(item)) ?? items[0];
    const all = () => ((this.byEdges = true), this.draw());
    return [this.#itemButton(shown), html`<button type="button" class="by-edges" data-pick="edges"
      title="Show every piece of this kind, to choose by the edges" @click=${all}><span class="words">by edges: ${items.length - 1} more</span></button>`];
  }

  #isChosen(item) {
    return this.tray.take ? this.taken.includes(item) : item === this.lie?.item || item === this.item;
  }

  #itemButton(item) {
    const { words } = this.tray.items[item];
    const chosen = this.#isChosen(item);
    const [fit] = this.lie ? this.fitting([this.lie.place], { item }).filter(({ turn }) => turn === this.lie.turn) : [];
    const degrees = fit ? this.tray.places[fit.place].turns[fit.turn].at[2] : 0;
    return html`<button type="button" data-pick="item:${item}" title=${words} aria-label=${words} aria-pressed=${chosen}
      @click=${() => this.pick(`item:${item}`)}>${this.#shown(item, degrees || 360)}</button>`;
  }

  #shown(item, degrees) {
    const { round, box, items } = this.tray;
    return html`<svg viewBox=${(degrees ? round : box).join(" ")} class="piece" aria-hidden="true"
      ><g transform="rotate(${degrees})"><use href="#${items[item].picture}"></use></g></svg>`;
  }

  /** Mark the place that is pointed at in the list, and say what it is about. */
  mark(id = "") {
    if (!this.active) return;
    for (const button of this.element.querySelectorAll("[data-choice]")) button.classList.toggle("marked", button.dataset.choice === id);
    const [kind, number] = id.split(":");
    const words = kind === "place" ? this.told(Number(number), this.fitting([Number(number)])) : "";
    if (this.effect.textContent !== words) this.effect.textContent = words;
  }

  #turning() {
    const ways = this.lie ? this.ways() : [];
    if (ways.length < 2) return nothing;
    const now = ways.findIndex(({ place, turn }) => place === this.lie.place && turn === this.lie.turn) + 1;
    const [back, on] = TURNED.map(([key, by, sign, words]) => html`<button type="button" data-pick="turn:${by}" aria-label=${words}
      title="${words} (${by > 0 ? "R" : "Shift+R"} or ${key})" @click=${() => this.turn(by)}>${sign}</button>`);
    return html`${back}<span>way ${now} of ${ways.length}</span>${on}`;
  }

  #placeButton(place) {
    const id = `place:${place}`;
    return html`<button type="button" data-pick=${id} data-choice=${id} aria-pressed=${place === (this.lie?.place ?? this.place)}
      @click=${() => this.pick(id)}>${this.told(place, this.fitting([place]))}</button>`;
  }

  /** Go through the buttons of a strip with the arrow keys; the first follows the last. */
  #step(event) {
    const here = event.target.closest("button");
    const next = here && beside(event, [...here.parentElement.children], here);
    next?.focus();
    if (next) event.preventDefault();
  }
}
