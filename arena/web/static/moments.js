// Moments of a match: positions in which a player gave away most, one by one; the visitor chooses, and the server says how good that is.
"use strict";

(() => {
  const { Board, Choosing, html, shelter, siteUrl, told, Tray } = globalThis.arena;
  const PAUSE = 500; // milliseconds between two requests for a verdict that is being computed
  const BUTTONS = "button, a, summary, .offer";
  const TYPING = "input, select, textarea";

  class Moments {
    constructor(host) {
      this.host = host;
      this.address = host.dataset.arenaMoments;
      this.places = host.dataset.at.split(" ").map(Number);
      this.number = 0; // of the moment that is shown, from 0
      this.right = 0;
      this.sight = null;
      this.verdict = null;
      this.trouble = "";
      this.waiting = false;
      const images = (name) => siteUrl(`/play/images/${name}.svg?game=${encodeURIComponent(this.sight.game)}`);
      this.choosing = new Choosing({ send: (move) => this.#send(move), changed: () => this.#say(), images });
      this.#build(shelter(host, "arena-viewer arena-table"));
      document.addEventListener("keydown", (event) => this.#key(event));
      this.#load();
    }

    #build(inside) {
      const button = (words, key, act, classes = "") => html("button", { type: "button", class: classes, hidden: true, onclick: act }, words, key ? html("kbd", { "aria-hidden": "true" }, key) : "");
      this.prompt = html("p", { class: "prompt", role: "status" });
      this.more = html("p", { class: "more whole" });
      this.confirm = button("Confirm", "Enter", () => this.choosing.confirm(), "main confirm");
      this.undo = button("Undo", "Esc", () => this.choosing.back());
      this.next = button("Next", "", () => this.#go(this.number + 1), "main");
      this.again = button("Load it again", "", () => this.#load(), "main");
      this.links = html("span", { class: "actions", hidden: true }, html("button", { type: "button", onclick: () => this.#restart() }, "Once more"), html("a", { class: "onward quiet", href: this.host.dataset.back }, "To the replay"));
      this.count = html("p", { class: "step" });
      const says = html("div", { class: "says" }, this.count, this.prompt, this.more);
      this.bar = html("section", { class: "bar", "aria-label": "What to do", tabindex: -1 }, says, html("div", { class: "acts" }, this.confirm, this.undo, this.next, this.again, this.links));
      this.players = told.playersPanel();
      this.last = told.lastPanel();
      this.place = html("div", { class: "place" });
      this.tray = this.choosing.tray = new Tray({ propose: (...move) => this.choosing.propose(...move), changed: () => this.choosing.redraw() });
      const margin = html("p", { class: "dim" }, `A move within ${this.host.dataset.margin} of the best one counts as right.`);
      const where = html("p", {}, (this.where = html("a", { class: "aim" }, "")));
      const about = html("section", { class: "card", "aria-label": "About this moment" }, margin, where);
      inside.append(html("div", { class: "stage" }, this.bar, this.players.element, this.place, this.tray.element), html("div", { class: "side" }, this.choosing.element, this.last.element, about));
      inside.addEventListener("settled", () => this.confirm.focus());
    }

    #restart() {
      this.right = 0;
      this.#go(0);
    }

    #go(number) {
      this.number = number;
      this.verdict = null;
      this.bar.focus({ preventScroll: true });
      if (number < this.places.length) this.#load();
      else this.#say();
    }

    /** Show the present moment. */
    async #load() {
      this.trouble = "";
      try {
        const sight = await asked(`${this.address}?at=${this.places[this.number]}`);
        this.sight = sight;
        if (!this.board) {
          this.board = new Board(this.place, sight.sheet, `The board of ${sight.sheet.title}`);
          this.choosing.onto(this.board);
        }
        const reach = sight.offers.reach ?? 0;
        const [x, y, width, height] = sight.board.box;
        this.board.show({ ...sight.board, box: [x - reach, y - reach, width + 2 * reach, height + 2 * reach] });
        this.choosing.clear();
        this.choosing.pause(false);
        this.choosing.show(sight.offers, sight.at);
        this.tray.show(this.board, sight);
        this.choosing.redraw();
        this.players.show(sight);
        this.last.show({ facts: [], waiting: [], log: [], ...sight });
        this.where.href = `${this.host.dataset.back}?at=${sight.at}`;
        this.where.textContent = `Decision ${sight.at + 1} in the replay`;
      } catch (error) {
        this.trouble = error.message;
      }
      this.#say();
    }

    /** Ask for the verdict on a move, and show it with the best one. */
    async #send(move) {
      this.choosing.pause(true);
      this.waiting = true;
      this.trouble = "";
      this.bar.focus({ preventScroll: true });
      this.#say();
      try {
        const verdict = await asked(this.address, { at: this.sight.at, move });
        this.verdict = verdict;
        this.right += verdict.is_right ? 1 : 0;
        this.choosing.clear();
        this.choosing.show(null, this.sight.at);
        this.tray.show(this.board, { ...this.sight, offers: undefined, stage: "over" });
        this.board.ghost(verdict.best.sketch ? [verdict.best.sketch] : []);
      } catch (error) {
        this.trouble = error.message;
      }
      this.waiting = false;
      this.choosing.pause(false);
      if (this.verdict?.best.sketch) this.board.ghost([this.verdict.best.sketch]);
      this.#say();
      if (this.verdict) this.next.focus({ preventScroll: true });
    }

    #say() {
      const { choosing, number, places, verdict, waiting } = this;
      const over = number === places.length;
      const open = Boolean(this.sight) && !over && !verdict && !waiting;
      const { words, more } = this.#words(over, open);
      const single = places.length === 1;
      this.count.textContent = over || single ? "" : `Moment ${number + 1} of ${places.length}`;
      if (this.prompt.textContent !== words) this.prompt.textContent = words;
      this.more.textContent = more;
      this.confirm.hidden = !open || !choosing.pending;
      this.undo.hidden = !open || !(choosing.before.length || choosing.pending);
      this.next.hidden = !verdict || over || single;
      this.next.textContent = number + 1 < places.length ? "Next" : "The result";
      this.again.hidden = !this.trouble || Boolean(this.sight);
      this.links.hidden = !over && !(single && verdict);
      this.bar.classList.toggle("mine", open);
      this.bar.classList.toggle("away", Boolean(this.trouble));
    }

    /** The text of the bar: {words, more}. */
    #words(over, open) {
      const { verdict, waiting, right, places, sight, trouble } = this;
      if (over) return { words: `You found the better move in ${right} of ${places.length}.`, more: "" };
      if (verdict) return { words: verdict.is_right ? "Right!" : "Not the best.", more: verdict.words };
      if (waiting) return { words: "Your move is being compared with the best one…", more: "" };
      if (!open) return { words: trouble || "The moment is being loaded…", more: "" };
      const { words, more } = this.choosing.prompt();
      const { name } = sight.seats[sight.me];
      return { words, more: trouble || more || `${name === "You" ? "Once more" : `You are ${name}`}: what would you play here?` };
    }

    #key(event) {
      const [target] = event.composedPath(); // event.target is the element around the shadow root
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || this.verdict || target.closest?.(TYPING)) return;
      let known = true;
      if (event.key === "Escape") known = this.choosing.back();
      else if (event.key === "Enter" && !target.closest?.(BUTTONS) && !event.repeat && this.choosing.pending) this.choosing.confirm();
      else known = this.choosing.key(event);
      if (known) event.preventDefault();
    }
  }

  /** The JSON at an address, polled until it is there; throws an error message. */
  async function asked(address, body) {
    const headers = { accept: "application/json", ...(body && { "content-type": "application/json" }) };
    const how = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) };
    for (;;) {
      const answer = await fetch(address, how).catch(() => null);
      if (!answer) throw new Error("The server can't be reached.");
      const said = await answer.json().catch(() => ({}));
      if (!answer.ok) throw new Error(said.error ?? `The server answers ${answer.status}.`);
      if (answer.status !== 202) return said;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  for (const host of document.querySelectorAll("[data-arena-moments]")) host.arenaMoments = new Moments(host);
})();
