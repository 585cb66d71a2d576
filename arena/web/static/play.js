// A table: shows what the seat sees, offers its legal moves, sends the one chosen. arena/web/play/move_picker makes the choices.
"use strict";

(() => {
  const { Board, Tray, chip, count, die, html, pegs, shelter, sign, who } = globalThis.arena;
  const FEW = 16; // so many choices are listed without being asked for, and without a field to search them
  const MANY = 200; // so many of those that are found are shown at once
  const AGAIN = 3000; // milliseconds until the server is asked again
  const LOST = "The server can't be reached at the moment. This page tries again by itself.";
  const GONE = "This table is gone: the server was restarted or has closed it, and a match in progress is not kept.";

  /** What is left to pick in the first stage of a move that is not complete, null if the picks don't lead to it. */
  function rest(stages, picks) {
    let at = 0;
    for (const stage of stages) {
      const left = [...stage];
      while (left.length) {
        if (at === picks.length) return left;
        const found = left.indexOf(picks[at]);
        if (found < 0) return null;
        left.splice(found, 1);
        at++;
      }
    }
    return at === picks.length ? [] : null;
  }

  class Table {
    constructor(host) {
      this.host = host;
      this.address = host.dataset.arenaTable;
      this.picks = [];
      this.sight = null;
      this.sending = false;
      this.sent = -1; // the last decision that was taken
      const inside = shelter(host, "arena-viewer arena-table");
      this.root = inside.getRootNode();
      this.place = html("div", { class: "place" });
      this.ask = html("section", { class: "card ask", "aria-label": "Your move" });
      this.now = html("section", { class: "card now", "aria-live": "polite", "aria-label": "The last decision" });
      this.standing = html("section", { class: "card standing", "aria-label": "Standings" });
      this.log = html("ol", { class: "told", tabindex: 0, "aria-label": "What has happened" });
      const history = html("section", { class: "card" }, html("h2", {}, "What has happened"), this.log);
      this.tray = new Tray({ propose: (move, words) => this.propose(move, words), changed: () => this.#offer() });
      const stage = html("div", { class: "stage" }, this.place, this.tray.element);
      inside.append(stage, html("div", { class: "side" }, this.ask, this.standing, this.now, history, this.#words()));
      this.search = html("input", { type: "search", "aria-label": "Search the legal moves", placeholder: "search the legal moves", autocomplete: "off", spellcheck: "false" });
      this.search.addEventListener("input", () => this.#find());
      this.search.addEventListener("keydown", (event) => this.#searchKey(event));
      this.found = html("div", { class: "choices listed" });
      this.found.addEventListener("keydown", (event) => this.#step(event));
      this.tally = html("p", { class: "soft", role: "status" });
      this.place.addEventListener("offer", ({ detail }) => this.pick(detail.id));
      for (const come of ["mouseover", "focusin"]) {
        this.place.addEventListener(come, ({ target }) => this.#mark(target.closest(".offer")?.arenaOffer));
        this.ask.addEventListener(come, ({ target }) => this.#mark(target.closest("[data-choice]")?.dataset.choice));
      }
      for (const leave of ["mouseleave", "focusout"]) for (const part of [this.place, this.ask]) part.addEventListener(leave, () => this.#mark());
      document.addEventListener("keydown", (event) => (event.key === "Escape" ? this.back() : this.tray.key(event) && event.preventDefault()));
      globalThis.addEventListener("hashchange", () => this.#arrive());
      this.#arrive();
      this.#follow();
    }

    /** The position as text, for screen readers and for whoever likes to read; it is asked for when it is open. */
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

    #follow() {
      const events = new EventSource(`${this.address}/events`);
      events.addEventListener("changed", ({ data }) => {
        if (/over|closed/.test(data)) events.close();
        this.refresh();
      });
      events.addEventListener("open", () => this.away && this.refresh());
      events.addEventListener("error", async () => {
        if (events.readyState !== EventSource.CLOSED) return this.#leave(LOST); // the browser connects again by itself
        await this.refresh();
        if (this.away !== GONE) setTimeout(() => this.#follow(), AGAIN);
      });
    }

    /** Nothing can be played: the server does not answer, or does not know the table. */
    #leave(words) {
      if (this.away === words) return;
      this.away = words;
      this.#offer();
    }

    /** The answer to a request about the table; throws the words of what went wrong. */
    async #fetch(path, request = {}) {
      const headers = { accept: "application/json", ...request.headers };
      const answer = await fetch(`${this.address}${path}`, { ...request, headers }).catch(() => null);
      const error = answer && !answer.ok ? ((await answer.json().catch(() => ({}))).error ?? "The server could not answer.") : "";
      this.away = !answer ? LOST : answer.status === 404 ? GONE : "";
      if (this.away || error) throw new Error(this.away ? "" : error);
      return answer;
    }

    /** Ask for what the seat sees; while one answer is under way, one more is asked for afterwards. */
    async refresh() {
      if (this.asking) {
        this.again = true;
        return;
      }
      this.asking = true;
      try {
        do {
          this.again = false;
          this.show(await (await this.#fetch("/state")).json());
        } while (this.again);
      } catch (error) {
        this.say(error.message);
      } finally {
        this.asking = false;
      }
    }

    show(sight) {
      const before = this.sight;
      this.sight = sight;
      sight.actor ??= -1; // what has its default is left out
      if (sight.at <= this.sent) sight.offers = undefined; // asked for before the answer was taken
      if (!this.board) {
        this.host.dataset.game = sight.game;
        this.board = new Board(this.place, sight.sheet, `The board of ${sight.sheet.title}`);
      }
      const reach = sight.offers?.reach ?? 0;
      const [x, y, width, height] = sight.board.box;
      this.board.show({ ...sight.board, box: [x - reach, y - reach, width + 2 * reach, height + 2 * reach] });
      if (!before || before.at !== sight.at || !sight.offers) this.picks = [];
      this.tray.show(this.board, sight);
      if (before?.at !== sight.at) {
        this.search.value = "";
        this.#read();
      }
      this.#offer();
      this.#stand();
      this.#tell();
    }

    say(words) {
      this.trouble = words;
      this.#offer();
    }

    /** The moves that what was picked may still become. */
    #open() {
      const found = [];
      for (const [notation, stages] of this.sight?.offers?.moves ?? []) {
        const left = rest(stages, this.picks);
        if (left) found.push([notation, left]);
      }
      return found;
    }

    /** A move of the tray, which is sent when the player says so; null takes it back. */
    propose(move, words) {
      this.proposed = move && { move, words };
      this.#offer();
    }

    pick(id) {
      if (this.sending || !this.sight?.offers || this.tray.pick(id)) return;
      this.trouble = "";
      this.picks.push(id);
      const open = this.#open();
      if (open.length === 1) this.send(open[0][0]);
      else this.#offer(true);
    }

    back() {
      if (this.tray.back() || !this.picks.length) return;
      this.picks.pop();
      this.#offer(true);
    }

    async send(move) {
      const { at } = this.sight;
      this.sending = true;
      this.proposed = null;
      this.board.offer([]);
      try {
        await this.#fetch("/move", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ at, move }) });
        this.sent = Math.max(this.sent, at);
        this.trouble = "";
      } catch (error) {
        this.trouble = error.message;
      }
      if (this.sight.at <= this.sent) this.sight.offers = undefined;
      this.sending = false;
      this.picks = [];
      this.#offer();
      this.refresh();
    }

    #offer(focus = false) {
      const { sight } = this;
      const open = this.sending || this.away ? [] : this.#open();
      const ids = [...new Set(open.flatMap(([, left]) => left))];
      const choices = sight?.offers?.choices ?? {};
      const placed = ids.filter((id) => choices[id].markup).map((id) => ({ id, markup: choices[id].markup, words: choices[id].words }));
      this.board?.offer([...placed, ...(this.sending || this.away ? [] : this.tray.offers)]);
      const parts = [];
      if (this.away) parts.push(html("p", { class: "status", role: "alert" }, this.away));
      else if (sight) parts.push(html("p", { class: "status", role: "status" }, this.#status(open.length)));
      if (this.away === GONE) parts.push(html("p", {}, html("a", { href: "/play" }, "Make a new table")));
      if (this.trouble || sight?.problem) parts.push(html("p", { class: "bad", role: "alert" }, this.trouble || sight.problem));
      if (sight?.match) parts.push(html("p", {}, html("a", { href: `/play/m/${sight.match}` }, "Watch the match"), " ", html("a", { href: "/play" }, "Another table")));
      if (this.tray.prompt && !this.away) parts.push(html("p", {}, this.tray.prompt));
      if (this.proposed && !this.away && !this.sending) parts.push(html("button", { type: "button", class: "confirm", onclick: () => this.send(this.proposed.move) }, this.proposed.words));
      if (this.picks.length && !this.away) {
        const said = this.picks.map((id) => choices[id].words).join(", ");
        parts.push(html("p", { class: "picked" }, said, " ", html("button", { type: "button", onclick: () => this.back() }, "Take back (Esc)")));
      }
      const whole = open.find(([, left]) => !left.length);
      if (whole && open.length > 1) parts.push(html("button", { type: "button", class: "whole", onclick: () => this.send(whole[0]) }, "Enough"));
      const buttons = ids.map((id) => this.#button(id, choices[id]));
      const off = buttons.filter((_, index) => !choices[ids[index]].markup);
      const on = buttons.filter((_, index) => choices[ids[index]].markup);
      if (off.length > FEW) parts.push(this.search, this.tally, this.found);
      else if (off.length) parts.push(html("div", { class: "choices" }, ...off));
      this.listed = off.length > FEW ? off : [];
      this.found.classList.toggle("pictured", this.listed.some((button) => button.querySelector("img, svg")));
      if (on.length) {
        const words = on.length > 1 ? `${on.length} places on the board` : "one place on the board";
        parts.push(html("details", { open: this.listing ?? on.length <= FEW, ontoggle: ({ target }) => (this.listing = target.open) }, html("summary", {}, words), html("div", { class: "choices" }, ...on)));
      }
      const { activeElement } = this.root;
      const had = this.ask.contains(activeElement) || this.place.contains(activeElement);
      const searching = activeElement === this.search;
      this.ask.replaceChildren(...parts);
      this.#find();
      if (searching && this.search.isConnected) this.search.focus();
      if (focus && had) this.ask.querySelector(".choices button")?.focus();
    }

    /** Mark a choice on the board and in the list, or none. */
    #mark(id) {
      this.board?.mark(id);
      for (const button of this.ask.querySelectorAll("[data-choice]")) button.classList.toggle("marked", button.dataset.choice === id);
    }

    /** Show those of the listed choices that have every word that is searched for. */
    #find() {
      const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matching = this.listed.filter(({ dataset, textContent }) => {
        const text = `${dataset.choice} ${textContent}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      this.found.replaceChildren(...matching.slice(0, MANY));
      const hidden = matching.length - MANY;
      this.tally.textContent = `${matching.length} of ${this.listed.length}${hidden > 0 ? `; the first ${MANY} are shown, search for the others` : ""}`;
    }

    #searchKey(event) {
      const first = this.found.firstChild;
      if (event.key === "ArrowDown" && first) first.focus();
      else if (event.key === "Enter" && first) this.pick(first.dataset.choice);
      else if (event.key === "Escape" && this.search.value) {
        this.search.value = "";
        this.#find();
        event.stopPropagation();
      } else return;
      event.preventDefault();
    }

    /** Go through the found choices with the arrow keys. */
    #step(event) {
      const by = { ArrowDown: "nextSibling", ArrowRight: "nextSibling", ArrowUp: "previousSibling", ArrowLeft: "previousSibling" }[event.key];
      const here = by && event.target.closest("button");
      if (!here) return;
      (here[by] ?? (by === "previousSibling" ? this.search : here)).focus();
      event.preventDefault();
    }

    #button(id, choice) {
      const parts = [];
      const picture = choice.picture && this.sight.offers.pictures[choice.picture];
      if (picture) parts.push(sign({ words: "", markup: picture.markup, box: picture.box }, 64));
      if (choice.image) parts.push(html("img", { src: `/play/images/${choice.image}.svg?game=${encodeURIComponent(this.sight.game)}`, alt: "", width: 72, height: 56, loading: "lazy" }));
      return html("button", { type: "button", "data-choice": id, onclick: () => this.pick(id) }, ...parts, html("span", {}, choice.words));
    }

    #status(open) {
      const { stage, me, actor, status, seats } = this.sight;
      if (stage === "over") return "The match is over.";
      if (stage === "closed") return "The table is closed.";
      if (this.sight.offers) return `Your turn. ${status}: ${count(open, "legal move")}.`;
      if (actor < 0) return status;
      return `${status}${actor === me ? "" : `; ${seats[actor].name} decides`}.`;
    }

    #stand() {
      const { seats, columns, values, actor, supply, me, stage } = this.sight;
      const over = stage === "over";
      const heads = columns.map((column) => html("th", { scope: "col" }, column));
      const head = html("tr", {}, html("th", { scope: "col" }, "player"), ...heads, over ? html("th", { scope: "col" }, "rank") : "");
      const rows = seats.map((seat, number) => {
        const player = html("th", { scope: "row" }, who(seats, number));
        if (number === me) player.firstChild.append(html("span", { class: "tag" }, "you"));
        if (seat.fault) player.firstChild.append(html("span", { class: "tag bad" }, seat.fault));
        if (number === actor) player.firstChild.append(html("span", { class: "turns", role: "img", "aria-label": "to move" }, "◀"));
        if (supply) player.append(pegs(supply, values[supply.column][number]));
        const cells = values.map((column, index) => html("td", { class: index ? "" : "points" }, column[number]));
        const place = over ? html("td", { class: "rank" }, seat.rank === 1 ? "★ 1" : seat.rank) : "";
        return html("tr", { class: `${number === actor ? "active" : ""} ${seat.rank === 1 ? "winner" : ""}` }, player, ...cells, place);
      });
      this.standing.replaceChildren(html("table", {}, html("thead", {}, head), html("tbody", {}, ...rows)));
    }

    #tell() {
      const { log, seats, facts, waiting } = this.sight;
      const parts = [];
      const last = log.at(-1);
      if (last) parts.push(html("p", { class: "move" }, who(seats, last.seat), " ", last.notation ? html("code", {}, last.notation) : "has chosen"));
      if (last?.words && last.words !== last.notation) parts.push(html("p", {}, last.words));
      parts.push(...(last?.events ?? []).map((event) => this.#event(event)));
      if (facts.length) parts.push(html("p", { class: "facts" }, facts.join(" · ")));
      const pictures = waiting.map((each) => html("figure", {}, sign(each, each.box[3] > 60 ? 92 : 30), html("figcaption", {}, each.words)));
      if (pictures.length) parts.push(html("div", { class: "waiting" }, ...pictures));
      this.now.replaceChildren(...parts);
      this.now.hidden = !parts.length;
      const lines = [...log].reverse().map(({ seat, words, events }) => {
        const told = [words || "has chosen in secret", ...(events ?? []).map((event) => event.words)].join("; ");
        return html("li", {}, chip(seats, seat), html("span", { class: "sr" }, `${seats[seat].name} `), told);
      });
      this.log.replaceChildren(...lines);
    }

    #event({ words, dice }) {
      const rolls = (dice ?? []).map(([roller, numbers]) => html("span", { class: "dice" }, `${roller} `, ...numbers.map(die)));
      return html("p", { class: "event" }, words, ...rolls);
    }
  }

  for (const host of document.querySelectorAll("[data-arena-table]")) host.arenaTable = new Table(host);
})();
