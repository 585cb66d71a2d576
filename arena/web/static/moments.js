// Moments of a match: positions in which a player gave away most, one by one; the visitor chooses, and the server says how good that is.
"use strict";

(() => {
  const { Deciding, html } = globalThis.arena;
  const PAUSE = 500; // milliseconds between two requests for a verdict that is being computed

  class Moments extends Deciding {
    constructor(host) {
      super(host);
      this.address = host.dataset.arenaMoments;
      this.places = host.dataset.at.split(" ").map(Number);
      this.number = 0; // of the moment that is shown, from 0
      this.right = 0;
      this.verdict = null;
      this.answered = false; // whether the best move is shown
      this.trouble = "";
      this.waiting = false;
      this.next = this.button("Next", "", () => this.#go(this.number + 1), "main");
      this.again = this.button("Try again", "", () => (this.bar.focus({ preventScroll: true }), this.#load()), "main");
      this.reveal = this.button("Show the better move", "", () => this.#reveal());
      this.links = html("span", { class: "actions", hidden: true }, html("button", { type: "button", onclick: () => this.#restart() }, "Once more"), html("a", { class: "onward quiet", href: host.dataset.back }, "To the replay"));
      this.count = html("p", { class: "step" });
      this.says.prepend(this.count);
      this.acts.append(this.next, this.again, this.reveal, this.links);
      const margin = html("p", { class: "dim" }, `A move within ${host.dataset.margin} of the best one counts as right.`);
      this.where = html("a", { class: "aim" }, "");
      this.explore = html("a", { class: "aim" }, "Explore from here");
      this.side.append(html("section", { class: "card", "aria-label": "About this moment" }, margin, html("p", {}, this.where, " · ", this.explore)));
      this.#load();
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
      else this.say();
    }

    /** Show the present moment, as if no move had been tried. */
    async #load() {
      this.trouble = "";
      this.verdict = null;
      this.answered = false;
      try {
        this.show(await asked(`${this.address}?at=${this.places[this.number]}`));
        const { sight } = this;
        this.where.href = `${this.host.dataset.back}?at=${sight.at}`;
        this.where.textContent = `Decision ${sight.at + 1} in the replay`;
        this.explore.href = `${this.host.dataset.explore}?at=${sight.at}`;
      } catch (error) {
        this.trouble = error.message;
      }
      this.say();
    }

    /** Ask for the verdict on a move, and show it; the best one only if the move is as good. */
    async send(move) {
      this.choosing.pause(true);
      this.waiting = true;
      this.trouble = "";
      this.bar.focus({ preventScroll: true });
      this.say();
      try {
        const verdict = await asked(this.address, { at: this.sight.at, move });
        this.verdict = verdict;
        this.right += verdict.is_right ? 1 : 0;
        this.choosing.clear();
        this.choosing.show(null, this.sight.at);
        this.tray.show(this.board, { ...this.sight, offers: undefined, stage: "over" });
      } catch (error) {
        this.trouble = error.message;
      }
      this.waiting = false;
      this.choosing.pause(false);
      if (this.verdict?.is_right) this.#reveal();
      else this.say();
      if (this.verdict && !this.answered) this.again.focus({ preventScroll: true });
    }

    /** Show the best move. */
    #reveal() {
      const { sketch } = this.verdict.best;
      this.answered = true;
      this.board.ghost(sketch ? [sketch] : []);
      this.say();
      this.next.focus({ preventScroll: true });
    }

    say() {
      const { number, places, verdict, waiting } = this;
      const over = number === places.length;
      const open = Boolean(this.sight) && !over && !verdict && !waiting;
      const single = places.length === 1;
      const done = this.answered && !over;
      this.count.textContent = over || single ? "" : `Moment ${number + 1} of ${places.length}`;
      this.tell(this.#words(over, open), open);
      this.next.hidden = !done || single;
      this.next.textContent = number + 1 < places.length ? "Next" : "The result";
      this.again.hidden = verdict ? this.answered : !this.trouble || Boolean(this.sight);
      this.reveal.hidden = !verdict || this.answered;
      this.links.hidden = !over && !(single && done);
      this.bar.classList.toggle("away", Boolean(this.trouble));
    }

    /** The text of the bar: {words, more}. */
    #words(over, open) {
      const { verdict, waiting, right, places, sight, trouble } = this;
      if (over) return { words: `You found the better move in ${right} of ${places.length}.`, more: "" };
      if (verdict) return { words: verdict.is_right ? "Right!" : "Not the best.", more: this.answered ? `${verdict.words} ${verdict.answer}` : verdict.words };
      if (waiting) return { words: "Your move is being compared with the best one…", more: "" };
      if (!open) return { words: trouble || "The moment is being loaded…", more: "" };
      const { words, more } = this.choosing.prompt();
      const { name } = sight.seats[sight.me];
      return { words, more: trouble || more || `${name === "You" ? "Once more" : `You are ${name}`}: what would you play here?` };
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
      if (!answer.ok) throw new Error(said.error ?? `The server answered with status ${answer.status}.`);
      if (answer.status !== 202) return said;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  for (const host of document.querySelectorAll("[data-arena-moments]")) host.arenaMoments = new Moments(host);
})();
