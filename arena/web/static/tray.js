// A tray of pieces to lay or take: piece and place are chosen in either order, and only what fits is shown. arena/web/play/move_picker/base.py fills it.

import { beside, svg } from "./board.js";
import { TrayPicks } from "./tray_picks.js";
import { count, html, listenTo, siteUrl } from "./ui.js";

const APART = 56; // so far apart are the middles of pieces that are shown at once, so that they do not cover each other
const DOT = 12;
const TURNED = [["[", -1, "↺", "Turn back"], ["]", 1, "↻", "Turn"]];

const moved = ([x, y, degrees], inside) => `<g transform="translate(${x} ${y}) rotate(${degrees})">${inside}</g>`;

export class Tray extends TrayPicks {
  /** `propose(move, words, effect)` is called with a whole move, or null when there is none any more; `changed()` when `offers` has changed, `hover(id)` with the place pointed at. */
  constructor({ propose, changed, hover }) {
    super(propose, changed);
    this.at = -1;
    this.byEdges = false;
    this.sheet = "";
    this.pictures = svg("svg", { class: "sheet", width: 0, height: 0, "aria-hidden": "true" });
    this.tabs = html("div", { class: "tray-tabs", role: "group", "aria-label": "What to do" });
    this.title = html("h2");
    this.strip = html("div", { class: "strip", role: "group" });
    this.effect = html("p", { class: "effect", "aria-live": "polite" });
    this.turns = html("span", { class: "turning", role: "group", "aria-label": "Turn the piece" });
    this.kind = html("p", { class: "kind" });
    this.head = html("div", { class: "head" }, this.title, this.tabs, this.kind, this.turns, this.effect);
    this.list = html("div", { class: "choices" });
    this.heading = html("summary");
    this.places = html("details", { class: "places" }, this.heading, this.list);
    this.element = html("section", { class: "tray", "aria-label": "Pieces", hidden: true }, this.pictures, this.head, this.strip, this.places);
    for (const strip of [this.strip, this.list]) strip.addEventListener("keydown", (event) => this.#step(event));
    listenTo(this.list, "[data-choice]", (it) => hover(it?.dataset.choice));
  }

  /** Show the trays of the seat's view; a tray that is not to be chosen from now stays as it was, out of reach. */
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
    const address = siteUrl(`/play/images/${sheet}.svg?game=${encodeURIComponent(game)}`);
    if (this.sheet === address) return;
    this.sheet = address;
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) return void (this.sheet = "");
    const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
    this.pictures.replaceChildren(svg("defs", {}, ...[...drawn.children].map((each) => document.importNode(each, true))));
  }

  /** Handle a key; returns whether it has an action here. */
  key(event) {
    const target = event.composedPath()[0];
    if (!this.active || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return false;
    const by = { r: 1, "]": 1, R: -1, "[": -1 }[event.key];
    if (!by || !this.lie) return false;
    this.turn(by);
    return true;
  }

  /** What can be chosen on the board: places as dots with numbers, pieces as they would lie. */
  get offers() {
    if (!this.active || !this.tray.places.length) return [];
    const { tray, lie } = this;
    const shown = [];
    const offers = [];
    if (lie) offers.push(this.#ghost(lie));
    for (const place of this.open()) {
      if (place === lie?.place) continue;
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
    const { tray } = this;
    const { activeElement } = this.element.getRootNode();
    const key = this.element.contains(activeElement) ? activeElement.dataset.pick : undefined;
    this.tabs.replaceChildren(...(this.trays.length > 1 ? this.trays.map((each, index) => this.#tab(each, index)) : []));
    this.title.textContent = tray.title;
    this.title.hidden = this.trays.length > 1;
    const { stack } = this;
    const { words, note } = tray.stacks[stack] ?? {};
    const kind = stack === null ? "" : `${words}${note ? `: ${note}` : ""}`;
    this.kind.textContent = this.taken.length ? `taken: ${this.bag}` : kind;
    this.strip.setAttribute("aria-label", stack === null ? "Kinds" : words);
    this.strip.className = `strip ${stack === null ? "stacks" : "items"}`;
    this.strip.replaceChildren(...(stack === null ? this.#stackButtons() : [...this.#others(), ...this.#itemButtons()]));
    this.#drawTurning();
    this.#drawPlaces();
    if (key && !this.#focus(`[data-pick="${key}"]`)) this.enter();
  }

  /** Whether an element is a piece or a place that is chosen already, where Enter confirms. */
  has(element) {
    return this.element.contains(element) && element.matches('[aria-pressed="true"]:not(.tray-tabs *)');
  }

  /** Go to the chosen piece, or else to the first, of those worth points if there are any; returns whether there is one. */
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
    if (new Set(this.tray.items.map(({ stack }) => stack)).size < 2) return [];
    return [html("button", { type: "button", class: "others", "data-pick": "others", onclick: () => this.release() }, html("span", { class: "words" }, "‹ other kinds"))];
  }

  #tab(tray, index) {
    return html("button", { type: "button", "aria-pressed": String(tray === this.tray), "data-pick": `tab:${index}`, onclick: () => this.turnTo(index) }, tray.title);
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
    const buttons = tray.stacks.map(({ words, note }, stack) => {
      const all = tray.items.flatMap((each, item) => (each.stack === stack ? [item] : []));
      if (!all.length) return [];
      const fitting = all.filter((item) => here.has(item));
      const dead = !all.some((item) => usable.has(item));
      const none = fitting.length ? "" : !dead ? "not here" : tray.take ? "taken" : "no place";
      const parts = [this.#shown(fitting[0] ?? all[0], 0), html("span", { class: "words" }, words)];
      if (none) parts.push(html("span", { class: "none" }, none));
      else if (tray.items.length > tray.stacks.length) parts.push(html("span", { class: "number" }, `×${fitting.length}`));
      return [html("button", { type: "button", "data-pick": `stack:${stack}`, title: `${words}: ${note}${!dead ? "" : tray.take ? "; taken" : "; fits nowhere now"}`, class: none ? "dim" : "", "data-good": good.has(stack), "aria-disabled": dead && "true", onclick: (event) => dead || this.#pickKind(stack, event) }, ...parts)];
    });
    return buttons.flat().sort((one, other) => one.classList.contains("dim") - other.classList.contains("dim"));
  }

  /** Pick a kind, and by keyboard go on to its places: to the first one that is worth points, if there is one. */
  #pickKind(stack, { detail }) {
    this.pick(`stack:${stack}`);
    if (detail || this.place !== null || this.tray.take) return;
    const { host, offers } = this.board;
    host.scrollIntoView({ block: "nearest" });
    this.board.enter((offers.querySelector(".good") ?? offers.querySelector(".spot"))?.closest(".offer"));
  }

  /** The pieces of a kind: the chosen or the first alone, until somebody wants to choose by the edges. */
  #itemButtons() {
    const items = this.#itemsHere();
    if (this.byEdges || this.tray.take || this.tray.items.some(({ lies }) => lies) || items.length < 2) return items.map((item) => this.#itemButton(item));
    const shown = items.find((item) => this.#isChosen(item)) ?? items[0];
    const more = html("button", { type: "button", class: "by-edges", "data-pick": "edges", title: "Show every piece of this kind, to choose by the edges", onclick: () => ((this.byEdges = true), this.draw()) }, html("span", { class: "words" }, `by edges: ${items.length - 1} more`));
    return [this.#itemButton(shown), more];
  }

  #isChosen(item) {
    return this.tray.take ? this.taken.includes(item) : item === this.lie?.item || item === this.item;
  }

  #itemButton(item) {
    const { words } = this.tray.items[item];
    const chosen = this.#isChosen(item);
    const [fit] = this.lie ? this.fitting([this.lie.place], { item }).filter(({ turn }) => turn === this.lie.turn) : [];
    const degrees = fit ? this.tray.places[fit.place].turns[fit.turn].at[2] : 0;
    return html("button", { type: "button", "data-pick": `item:${item}`, title: words, "aria-label": words, "aria-pressed": String(chosen), onclick: () => this.pick(`item:${item}`) }, this.#shown(item, degrees || 360));
  }

  #shown(item, degrees) {
    const picture = svg("g", { transform: `rotate(${degrees})` }, svg("use", { href: `#${this.tray.items[item].picture}` }));
    return svg("svg", { viewBox: (degrees ? this.tray.round : this.tray.box).join(" "), class: "piece", "aria-hidden": "true" }, picture);
  }

  /** Mark the place that is pointed at in the list, and say what it is about. */
  mark(id = "") {
    if (!this.active) return;
    for (const button of this.list.children) button.classList.toggle("marked", button.dataset.choice === id);
    const [kind, number] = id.split(":");
    const words = kind === "place" ? this.told(Number(number), this.fitting([Number(number)])) : "";
    if (this.effect.textContent !== words) this.effect.textContent = words;
  }

  #drawTurning() {
    const ways = this.lie ? this.ways() : [];
    const buttons = TURNED.map(([key, by, sign, words]) => html("button", { type: "button", "data-pick": `turn:${by}`, title: `${words} (${by > 0 ? "R" : "Shift+R"} or ${key})`, "aria-label": words, onclick: () => this.turn(by) }, sign));
    const now = ways.findIndex(({ place, turn }) => place === this.lie.place && turn === this.lie.turn) + 1;
    this.turns.replaceChildren(...(ways.length > 1 ? [buttons[0], html("span", {}, `way ${now} of ${ways.length}`), buttons[1]] : []));
  }

  #drawPlaces() {
    const places = this.open();
    this.places.hidden = places.length < 2;
    this.heading.textContent = `${count(places.length, "place")} as a list`;
    this.list.replaceChildren(
      ...places.map((place) => html("button", { type: "button", "data-pick": `place:${place}`, "data-choice": `place:${place}`, "aria-pressed": String(place === (this.lie?.place ?? this.place)), onclick: () => this.pick(`place:${place}`) }, this.told(place, this.fitting([place])))),
    );
  }

  /** Go through the buttons of a strip with the arrow keys, after the last to the first. */
  #step(event) {
    const here = event.target.closest("button");
    const next = here && beside(event, [...here.parentElement.children], here);
    next?.focus();
    if (next) event.preventDefault();
  }
}
