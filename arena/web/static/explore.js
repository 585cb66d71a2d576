// The explorer: the visitor plays moves for every seat, and the server answers each move with the next page. The tree of moves, the chances
// and the best moves are already on the page; they are shown next to the board.

import { Board } from "./board.js";
import { MovePicker } from "./move_picker.js";
import { lastPanel, players } from "./table_panels.js";
import { barButton, element, shelter } from "./ui.js";
import { html, render } from "./vendor/lit-html.js";

class Explore {
  constructor(host, sight) {
    this.host = host;
    this.sight = { facts: [], waiting: [], log: [], ...sight }; // the position that is shown
    this.address = host.dataset.arenaExplore;
    this.choosing = new MovePicker({ game: sight.game, send: (move) => this.send(move), changed: () => this.say() });
    this.last = lastPanel();
    this.bar = element(html`<section class="bar" aria-label="What to do" tabindex="-1"></section>`);
    this.board = new Board(sight.sheet);
    this.tray = this.choosing.tray;
    const inside = shelter(host, "arena-viewer arena-table");
    render(html`
      <div class="stage">${this.bar}${players({ ...this.sight, me: null })}${this.board.host}${this.tray.element}</div>
      <div class="side">
        <slot name="chances"></slot>${this.choosing.element}${this.last(this.sight).last}<slot></slot>
      </div>`, inside);
    inside.addEventListener("settled", () => this.bar.querySelector(".confirm").focus());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.choosing.onto(this.board);
    this.board.show({ ...sight.board, reach: sight.offers?.reach });
    this.choosing.show(sight.offers ?? null, sight.at);
    this.tray.show(this.board, sight);
    this.choosing.redraw();
    const step = host.querySelector("[aria-current]");
    step.closest("ol").scrollTop = step.offsetTop - 100;
  }

  send(move) {
    this.choosing.pause(true);
    this.going = true;
    this.say();
    location.assign(`${this.address}&move=${encodeURIComponent(move)}`);
  }

  /** Draw the bar. */
  say() {
    const { actor, offers, seats } = this.sight;
    const open = Boolean(offers) && !this.going;
    const { pending, before } = this.choosing;
    const { words, more } = open ? this.choosing.prompt() : { words: this.going ? "The move is being played…" : "The game is over", more: "" };
    render(html`
      <div class="says">
        ${this.last(this.sight).hand}
        <p class="prompt" role="status">${words}</p>
        <p class="more whole">${more || (open ? `You move for ${seats[actor].name}.` : "")}</p>
      </div>
      <div class="acts">
        ${barButton("Confirm", "Enter", open && pending, () => this.choosing.confirm(), `main confirm ${pending?.grave ? "grave" : ""}`)}
        ${barButton("Undo", "Esc", open && (before.length || pending), () => this.choosing.back())}
      </div>`, this.bar);
    this.bar.classList.toggle("mine", open);
  }

  #key(event) {
    const [target] = event.composedPath(); // event.target is the element around the shadow root
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, select, textarea")) return;
    if (this.choosing.key(event) || this.#step(event)) event.preventDefault();
  }

  /** Arrows go back and forward in the tree; returns whether there was a place to go to. */
  #step({ key }) {
    const link = this.host.querySelector({ ArrowLeft: "[rel~=prev]", ArrowRight: "[rel~=next]" }[key] ?? "none");
    link?.click();
    return Boolean(link);
  }
}

for (const host of document.querySelectorAll("[data-arena-explore]")) {
  host.arenaExplore = new Explore(host, JSON.parse(document.getElementById("arena-position").textContent));
}
