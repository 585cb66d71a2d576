// A position in which the visitor chooses a move as at a table, without a table: what to do, the players, the board, the choices.
"use strict";

(() => {
  const { Board, Choosing, html, shelter, siteUrl, told, Tray } = globalThis.arena;
  const BUTTONS = "button, a, summary, .offer";
  const TYPING = "input, select, textarea";

  /** Builds itself in `host`. Pages add to `says`, `acts` and `side`, and say what becomes of a move (`send`) and what stands in the bar (`say`). */
  class Deciding {
    constructor(host) {
      this.host = host;
      this.sight = null; // the position that is shown
      const images = (name) => siteUrl(`/play/images/${name}.svg?game=${encodeURIComponent(this.sight.game)}`);
      this.choosing = new Choosing({ send: (move) => this.send(move), changed: () => this.say(), images });
      this.prompt = html("p", { class: "prompt", role: "status" });
      this.more = html("p", { class: "more whole" });
      this.confirm = this.button("Confirm", "Enter", () => this.choosing.confirm(), "main confirm");
      this.undo = this.button("Undo", "Esc", () => this.choosing.back());
      this.says = html("div", { class: "says" }, this.prompt, this.more);
      this.acts = html("div", { class: "acts" }, this.confirm, this.undo);
      this.bar = html("section", { class: "bar", "aria-label": "What to do", tabindex: -1 }, this.says, this.acts);
      this.players = told.playersPanel();
      this.last = told.lastPanel();
      this.place = html("div", { class: "place" });
      this.tray = this.choosing.tray = new Tray({ propose: (...move) => this.choosing.propose(...move), changed: () => this.choosing.redraw() });
      this.side = html("div", { class: "side" }, this.choosing.element, this.last.element);
      const inside = shelter(host, "arena-viewer arena-table");
      inside.append(html("div", { class: "stage" }, this.bar, this.players.element, this.place, this.tray.element), this.side);
      inside.addEventListener("settled", () => this.confirm.focus());
      document.addEventListener("keydown", (event) => this.#key(event));
    }

    button(words, key, act, classes = "") {
      return html("button", { type: "button", class: classes, hidden: true, onclick: act }, words, key ? html("kbd", { "aria-hidden": "true" }, key) : "");
    }

    /** Show a position, and offer its moves. */
    show(sight) {
      this.sight = sight;
      if (!this.board) {
        this.board = new Board(this.place, sight.sheet, `The board of ${sight.sheet.title}`);
        this.choosing.onto(this.board);
      }
      const reach = sight.offers?.reach ?? 0;
      const [x, y, width, height] = sight.board.box;
      this.board.show({ ...sight.board, box: [x - reach, y - reach, width + 2 * reach, height + 2 * reach] });
      this.choosing.clear();
      this.choosing.pause(false);
      this.choosing.show(sight.offers ?? null, sight.at);
      this.tray.show(this.board, sight);
      this.choosing.redraw();
      this.players.show(sight);
      this.last.show({ facts: [], waiting: [], log: [], ...sight });
    }

    /** Write the bar; while it is `open`, a move can be chosen. */
    tell({ words, more }, open) {
      if (this.prompt.textContent !== words) this.prompt.textContent = words;
      this.more.textContent = more;
      this.confirm.hidden = !open || !this.choosing.pending;
      this.undo.hidden = !open || !(this.choosing.before.length || this.choosing.pending);
      this.bar.classList.toggle("mine", open);
    }

    /** Handle a key that no choice uses; returns whether it has an action. */
    keyed() {
      return false;
    }

    #key(event) {
      const [target] = event.composedPath(); // event.target is the element around the shadow root
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest?.(TYPING)) return;
      let known = true;
      if (event.key === "Escape") known = this.choosing.back();
      else if (event.key === "Enter" && (!target.closest?.(BUTTONS) || this.tray.has(target)) && !event.repeat && this.choosing.pending) this.choosing.confirm();
      else known = this.choosing.key(event) || this.keyed(event);
      if (known) event.preventDefault();
    }
  }

  globalThis.arena = { ...globalThis.arena, Deciding };
})();
