// A tray of pieces to lay or take: piece and place are chosen in either order, and only what fits is shown. arena/web/play/move_picker/tray.py fills it.
"use strict";

(() => {
  const { count, html, svg } = globalThis.arena;
  const NEAR = 34; // how far from the middle of a place a click still means it, in units of the board
  const APART = 56; // so far apart are the middles of pieces that are shown at once, so that they do not cover each other
  const DOT = 12;
  const TURNED = [["[", -1, "↺", "Turn back"], ["]", 1, "↻", "Turn"]];

  const moved = ([x, y, degrees], inside) => `<g transform="translate(${x} ${y}) rotate(${degrees})">${inside}</g>`;

  class Tray {
    /** `propose(move, words, effect)` is told of a whole move, or null when there is none any more; `changed()` that `offers` has changed. */
    constructor({ propose, changed }) {
      this.propose = propose;
      this.changed = changed;
      this.trays = [];
      this.at = -1;
      this.sheet = "";
      this.pictures = svg("svg", { class: "sheet", width: 0, height: 0, "aria-hidden": "true" });
      this.tabs = html("div", { class: "tray-tabs", role: "group", "aria-label": "What to do" });
      this.title = html("h2");
      this.stacks = html("div", { class: "strip stacks", role: "group", "aria-label": "Kinds" });
      this.items = html("div", { class: "strip items", role: "group", "aria-label": "Pieces of this kind" });
      this.effect = html("p", { class: "effect", "aria-live": "polite" });
      this.turns = html("span", { class: "turns", role: "group", "aria-label": "Turn the piece" });
      this.head = html("div", { class: "head" }, this.title, this.tabs, this.turns, this.effect);
      this.list = html("div", { class: "choices" });
      this.heading = html("summary");
      this.places = html("details", { class: "places" }, this.heading, this.list);
      this.element = html("section", { class: "tray", "aria-label": "Pieces", hidden: true }, this.pictures, this.head, this.stacks, this.items, this.places);
      for (const strip of [this.stacks, this.items, this.list]) strip.addEventListener("keydown", (event) => this.#step(event));
      this.#forget();
    }

    #forget() {
      this.history = []; // what was picked, in order: "stack", "item", "place"
      this.stack = this.item = this.place = null;
      this.lie = null; // the fit that is proposed
      this.taken = [];
    }

    /** Show the trays of what the seat sees; a tray that is not to be chosen from now stays as it was, out of reach. */
    show(board, sight) {
      if (this.board !== board) this.#listen(board);
      const trays = sight.offers?.trays ?? [];
      this.element.inert = !trays.length;
      this.element.classList.toggle("waiting", !trays.length);
      if (sight.stage !== "playing") this.element.hidden = true;
      if (!trays.length || sight.at !== this.at) this.#forget();
      this.active = trays.length > 0;
      if (this.active && sight.at !== this.at) this.#open(trays, sight.game);
      this.at = trays.length ? sight.at : -1;
      if (this.active) this.#draw();
    }

    #open(trays, game) {
      this.element.hidden = false;
      this.trays = trays.map((tray) => {
        const fits = (tray.places ?? []).flatMap(({ fits }, place) => fits.map(([item, turn, effect]) => ({ place, item, turn, effect })));
        return { places: [], effects: [], take: 0, ...tray, fits };
      });
      this.#load(game, trays[0].sheet);
      this.#turnTo(Math.max(0, this.trays.findIndex(({ title }) => title === this.tray?.title)));
    }

    #turnTo(index) {
      this.#forget();
      this.tray = this.trays[index];
      const stacks = new Set(this.#usable().map((item) => this.tray.items[item].stack));
      if (stacks.size === 1) [this.stack] = stacks;
      const places = new Set(this.tray.fits.map(({ place }) => place));
      if (places.size === 1) [this.place] = places;
      this.#settle();
    }

    /** Fetch the pictures of all pieces, once for a game. */
    async #load(game, sheet) {
      const address = `/play/images/${sheet}.svg?game=${encodeURIComponent(game)}`;
      if (this.sheet === address) return;
      this.sheet = address;
      const answer = await fetch(address).catch(() => null);
      if (!answer?.ok) return void (this.sheet = "");
      const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
      this.pictures.replaceChildren(svg("defs", {}, ...[...drawn.children].map((each) => document.importNode(each, true))));
    }

    /** The items that can be laid or taken at all. */
    #usable() {
      if (this.tray.take) return this.tray.items.map((_, item) => item);
      return [...new Set(this.tray.fits.map(({ item }) => item))];
    }

    /** What fits, of the stack or item that was picked if there is one, at these places. */
    #fitting(places = null, { stack = this.stack, item = this.item } = {}) {
      return this.tray.fits.filter(
        (fit) => (item === null || fit.item === item) && (stack === null || this.tray.items[fit.item].stack === stack) && (!places || places.includes(fit.place)),
      );
    }

    /** All ways to lie where the place is or overlapping with it, each once, as one goes through them by turning. */
    #ways() {
      if (this.place === null || this.stack === null) return [];
      const ways = new Map();
      for (const fit of this.#fitting([this.place, ...(this.tray.places[this.place].near ?? [])])) {
        const key = `${fit.place} ${fit.turn}`;
        if (!ways.has(key) || fit.item === this.lie?.item) ways.set(key, fit);
      }
      const degrees = ({ place, turn }) => this.tray.places[place].turns[turn].at[2];
      return [...ways.values()].sort((a, b) => degrees(a) - degrees(b) || a.place - b.place);
    }

    /** Pick by the id of an offer or of a button; tells whether it is one of the tray's. */
    pick(id) {
      const [kind, number] = id.split(":");
      if (!this.active || !["stack", "item", "place", "ghost"].includes(kind) || number === undefined) return false;
      if (kind === "ghost") this.turn(1);
      else if (kind === "item" && this.tray.take) this.#take(Number(number));
      else this.#choose(kind, Number(number));
      return true;
    }

    #choose(kind, number) {
      if (kind === "place" && this.place !== null && this.stack === null && this.place === number) return this.back();
      this[kind] = number;
      if (kind === "stack") this.item = null;
      this.lie = kind === "item" && this.lie ? { ...this.lie, item: number } : null;
      if (kind === "stack" && this.place !== null && !this.#fitting([this.place]).length) this.place = null;
      this.history = [...this.history.filter((each) => each !== kind && this[each] !== null), kind];
      this.#settle();
    }

    #take(item) {
      this.taken = this.taken.includes(item) ? this.taken.filter((each) => each !== item) : [...this.taken, item].slice(-this.tray.take);
      this.history = ["stack", ...this.taken.map(() => "item")];
      this.#settle();
    }

    /** Take back the last pick; tells whether there was one. */
    back() {
      const last = this.active && this.history.pop();
      if (!last) return false;
      if (this.tray.take && last === "item") this.taken.pop();
      this[last] = null;
      if (last === "stack") this.item = null;
      this.lie = null;
      this.#settle();
      return true;
    }

    /** Turn the piece to the next way to lie, or back. */
    turn(by) {
      const ways = this.#ways();
      if (ways.length < 2) return;
      const now = ways.findIndex(({ place, turn }) => place === this.lie.place && turn === this.lie.turn);
      this.lie = ways[(now + by + ways.length) % ways.length];
      this.#settle();
    }

    /** Select the move of that notation; tells whether it is one of the trays'. */
    suggest(notation) {
      for (const [index, tray] of this.trays.entries()) {
        const fit = tray.fits.find((each) => this.#notation(tray, each) === notation);
        if (!fit) continue;
        if (tray !== this.tray) this.#turnTo(index);
        [this.stack, this.item, this.place, this.lie] = [tray.items[fit.item].stack, fit.item, fit.place, fit];
        this.history = ["stack", "item", "place"];
        this.#settle();
        return true;
      }
      return false;
    }

    #notation({ move, items, places }, { item, place, turn }) {
      return move.replace("{item}", items[item].key).replace("{turn}", places[place].turns[turn].key);
    }

    /** Complete what was picked as far as it is clear, and say what move it is. */
    #settle() {
      const { tray } = this;
      if (this.stack === null && this.place !== null) {
        const stacks = new Set(this.#fitting([this.place]).map(({ item }) => tray.items[item].stack));
        if (stacks.size === 1) [this.stack] = stacks;
      }
      if (tray.take) this.#offerTaken();
      else if (this.stack === null || this.place === null) this.#drop();
      else this.#offerLaid();
      this.#draw();
      this.changed();
    }

    #drop() {
      this.lie = null;
      if (this.proposed) this.propose(null, "", "");
      this.proposed = false;
    }

    #offerTaken() {
      const { tray } = this;
      if (this.taken.length < tray.take) return this.#drop();
      const taken = [...this.taken].sort((a, b) => a - b).map((item) => tray.items[item]);
      this.proposed = true;
      this.propose(tray.move.replace("{item}", taken.map(({ key }) => key).join(" ")), `${tray.act} ${taken.map(({ words }) => words).join(" and ")}`, "");
    }

    #offerLaid() {
      const { tray } = this;
      const here = this.#fitting([this.lie?.place ?? this.place]);
      this.lie = here.find((fit) => fit.item === this.lie?.item && fit.turn === this.lie?.turn) ?? here.find((fit) => fit.item === this.lie?.item) ?? here[0] ?? null;
      if (!this.lie) return this.#drop();
      const { item, place, effect } = this.lie;
      const where = tray.places.length > 1 ? ` at ${this.#named(place)}` : "";
      this.proposed = true;
      this.propose(this.#notation(tray, this.lie), `${tray.act} ${tray.stacks[tray.items[item].stack].words}${where}`, tray.effects[effect]?.words ?? "");
    }

    #named(place) {
      return `place ${place + 1}`;
    }

    /** Do what a key stands for; tells whether it stands for anything here. */
    key(event) {
      const target = event.composedPath()[0];
      if (!this.active || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return false;
      const by = { r: 1, "]": 1, R: -1, "[": -1 }[event.key];
      if (!by || !this.lie) return false;
      this.turn(by);
      return true;
    }

    /** What to do next, in words. */
    get prompt() {
      if (!this.active) return "";
      const { tray, stack, place, lie } = this;
      if (tray.take) return this.taken.length < tray.take ? tray.prompt : "";
      if (lie) return this.#ways().length > 1 ? "Turn it, choose another cut of its edges or another place, or confirm." : "Choose another place or another cut of its edges, or confirm.";
      if (stack !== null) return `Choose one of ${count(this.#open_places().length, "place")} for it on the board.`;
      if (place !== null) return `Choose what to lay at ${this.#named(place)}.`;
      return tray.prompt;
    }

    #open_places() {
      return [...new Set(this.#fitting().map(({ place }) => place))];
    }

    /** What can be chosen on the board: places as dots with numbers, pieces as they would lie. */
    get offers() {
      if (!this.active || !this.tray.places.length) return [];
      const { tray, lie } = this;
      const shown = [];
      const offers = [];
      if (lie) offers.push(this.#ghost(lie));
      for (const place of this.#open_places()) {
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
      const words = `${this.tray.items[fit.item].words} at ${this.#named(fit.place)}${this.#ways().length > 1 ? "; turn it" : ""}`;
      return { id: "ghost:0", words, markup: `<g class="ghost seen laid">${this.#picture(fit)}${moved(at, this.tray.outline)}</g>` };
    }

    #spot(place, seen) {
      const { middle: [x, y], turns } = this.tray.places[place];
      const fits = this.#fitting([place]);
      const piece = this.stack === null ? "" : this.#picture(fits[0]);
      const good = fits.some(({ effect }) => this.tray.effects[effect]?.good);
      const chosen = place === this.place && !this.lie;
      const dot = `<circle class="dot" cx="${x}" cy="${y}" r="${DOT}"/><text x="${x}" y="${y + 4.5}" font-size="12.5">${place + 1}</text>`;
      const markup = `<g class="spot${good ? " good" : ""}${chosen ? " chosen" : ""}"><g class="ghost${seen ? " seen" : ""}">${piece}${moved(turns[0].at, this.tray.outline)}</g>${dot}</g>`;
      return { id: `place:${place}`, words: this.#told(place, fits), markup };
    }

    /** The pieces that lie on the board and can be moved. */
    #lying() {
      return this.tray.items.flatMap(({ lies, stack, words }) => {
        if (!lies) return [];
        const chosen = stack === this.stack ? " chosen" : "";
        return [{ id: `stack:${stack}`, words, markup: `<g class="lying${chosen}">${moved(lies, this.tray.outline)}</g>` }];
      });
    }

    #told(place, fits) {
      const { effects, places } = this.tray;
      const all = [...new Set(fits.map(({ effect }) => effects[effect]))].filter(Boolean);
      const does = this.stack === null ? all.filter(({ good }) => good) : all.sort((a, b) => Number(b.good ?? 0) - Number(a.good ?? 0));
      return `Place ${place + 1}, ${places[place].words}${does.length ? `: ${does[0].words}${all.length > 1 ? " Other pieces do something else." : ""}` : "."}`;
    }

    #draw() {
      const { tray } = this;
      const { activeElement } = this.element.getRootNode();
      const key = this.element.contains(activeElement) ? activeElement.dataset.pick : undefined;
      this.tabs.replaceChildren(...(this.trays.length > 1 ? this.trays.map((each, index) => this.#tab(each, index)) : []));
      this.title.textContent = tray.title;
      this.title.hidden = this.trays.length > 1;
      this.stacks.replaceChildren(...this.#stackButtons());
      const items = this.stack === null ? [] : this.#itemsHere();
      const shown = items.length > 1 || tray.take ? items.map((item) => this.#itemButton(item)) : [];
      this.items.replaceChildren(...(shown.length ? shown : [html("p", { class: "hint" }, this.#hint(items))]));
      this.#drawTurning();
      this.#drawPlaces();
      if (key) this.element.querySelector(`[data-pick="${key}"]`)?.focus({ preventScroll: true });
    }

    /** What to do where there are no pieces of one kind to choose from. */
    #hint(items) {
      const { tray } = this;
      if (tray.take) return "Choose a kind; then the pieces of that kind are shown here.";
      if (items.length === 1) return "Only this one fits here.";
      const good = tray.effects.some((effect) => effect.good) ? " A number on gold closes something that scores." : "";
      return `Choose a kind of piece here, or a number on the board; what fits is shown.${good} Nothing is sent before you confirm.`;
    }

    #tab(tray, index) {
      return html("button", { type: "button", "aria-pressed": String(tray === this.tray), "data-pick": `tab:${index}`, onclick: () => this.#turnTo(index) }, tray.title);
    }

    #itemsHere() {
      if (this.tray.take) return this.tray.items.flatMap(({ stack }, item) => (stack === this.stack ? [item] : []));
      const places = this.place === null ? null : [this.lie?.place ?? this.place];
      return [...new Set(this.#fitting(places, { item: null }).map(({ item }) => item))].sort((a, b) => a - b);
    }

    #stackButtons() {
      const { tray } = this;
      const usable = new Set(this.#usable());
      const here = this.place === null || this.stack !== null ? usable : new Set(this.#fitting([this.place], { stack: null, item: null }).map(({ item }) => item));
      const buttons = tray.stacks.map(({ words, note }, stack) => {
        const all = tray.items.flatMap((each, item) => (each.stack === stack ? [item] : []));
        if (!all.length) return [];
        const fitting = all.filter((item) => here.has(item));
        const none = fitting.length ? "" : all.some((item) => usable.has(item)) ? "not here" : "fits nowhere";
        const parts = [this.#shown(fitting[0] ?? all[0], 0), html("span", { class: "words" }, words)];
        if (none) parts.push(html("span", { class: "none" }, none));
        else if (tray.items.length > tray.stacks.length) parts.push(html("span", { class: "number" }, `×${fitting.length}`));
        const dead = none === "fits nowhere";
        return [html("button", { type: "button", "data-pick": `stack:${stack}`, title: `${words}: ${note}${none ? `; ${none} now` : ""}`, class: none ? "dim" : "", "aria-disabled": dead && "true", "aria-pressed": String(stack === this.stack), onclick: () => dead || this.pick(`stack:${stack}`) }, ...parts)];
      });
      return buttons.flat();
    }

    #itemButton(item) {
      const { words, key } = this.tray.items[item];
      const chosen = this.tray.take ? this.taken.includes(item) : item === this.lie?.item || item === this.item;
      const [fit] = this.lie ? this.#fitting([this.lie.place], { item }).filter(({ turn }) => turn === this.lie.turn) : [];
      const degrees = fit ? this.tray.places[fit.place].turns[fit.turn].at[2] : 0;
      return html("button", { type: "button", "data-pick": `item:${item}`, title: `${words} (${key})`, "aria-label": words, "aria-pressed": String(chosen), onclick: () => this.pick(`item:${item}`) }, this.#shown(item, degrees || 360), html("span", { class: "notation" }, key));
    }

    #shown(item, degrees) {
      const picture = svg("g", { transform: `rotate(${degrees})` }, svg("use", { href: `#${this.tray.items[item].picture}` }));
      return svg("svg", { viewBox: (degrees ? this.tray.round : this.tray.box).join(" "), class: "piece", "aria-hidden": "true" }, picture);
    }

    /** Say what the place that is pointed at is about, or what the chosen move does. */
    #tell(id) {
      const [kind, number] = id.split(":");
      const { effects } = this.tray;
      const effect = kind === "place" ? null : this.lie && effects[this.lie.effect];
      const words = kind === "place" ? this.#told(Number(number), this.#fitting([Number(number)])) : effect?.words ?? "";
      if (this.effect.textContent !== words) this.effect.textContent = words;
      this.effect.classList.toggle("good", Boolean(effect?.good));
    }

    #drawTurning() {
      const ways = this.lie ? this.#ways() : [];
      const buttons = TURNED.map(([key, by, sign, words]) => html("button", { type: "button", "data-pick": `turn:${by}`, title: `${words} (${by > 0 ? "R" : "Shift+R"} or ${key})`, "aria-label": words, onclick: () => this.turn(by) }, sign));
      const now = ways.findIndex(({ place, turn }) => place === this.lie.place && turn === this.lie.turn) + 1;
      this.#tell("");
      this.turns.replaceChildren(...(ways.length > 1 ? [...buttons, html("span", {}, `${now} of ${ways.length}`)] : []));
    }

    #drawPlaces() {
      const places = this.#open_places();
      this.places.hidden = places.length < 2;
      this.heading.textContent = `${count(places.length, "place")} as a list`;
      this.list.replaceChildren(
        ...places.map((place) => html("button", { type: "button", "data-pick": `place:${place}`, "data-choice": `place:${place}`, "aria-pressed": String(place === (this.lie?.place ?? this.place)), onclick: () => this.pick(`place:${place}`) }, this.#told(place, this.#fitting([place])))),
      );
    }

    /** Go through the buttons of a strip with the arrow keys. */
    #step(event) {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const here = by && event.target.closest("button");
      if (!here) return;
      (by > 0 ? here.nextElementSibling : here.previousElementSibling)?.focus();
      event.preventDefault();
    }

    /** A click beside a dot means the nearest place. */
    #listen(board) {
      this.board = board;
      const nearest = (point) => {
        const open = this.active && this.tray.places.length ? this.#open_places() : [];
        const apart = (place) => Math.hypot(this.tray.places[place].middle[0] - point[0], this.tray.places[place].middle[1] - point[1]);
        const [best] = open.sort((a, b) => apart(a) - apart(b));
        return best !== undefined && apart(best) <= NEAR ? best : null;
      };
      board.host.addEventListener("pick", ({ detail }) => {
        const place = detail.point && nearest(detail.point);
        if (place != null) this.pick(`place:${place}`);
      });
      board.svg.addEventListener("pointermove", (event) => {
        if (!this.active || event.buttons) return;
        const offer = event.target.closest(".offer");
        const place = offer ? null : nearest(board.point(event.clientX, event.clientY));
        if (!offer) board.mark(place == null ? undefined : `place:${place}`);
        this.#tell(offer ? offer.arenaOffer : place == null ? "" : `place:${place}`);
      });
      board.svg.addEventListener("focusin", ({ target }) => this.active && this.#tell(target.closest(".offer")?.arenaOffer ?? ""));
      board.svg.addEventListener("pointerleave", () => this.active && this.#tell(""));
    }
  }

  globalThis.arena = { ...globalThis.arena, Tray };
})();
