// A position of a match that is explored: the visitor moves for every seat, and the server answers with the next page. The tree of moves,
// the chances and the best moves are on the page already; they are shown beside the board.

import { Board } from "./board.js";
import { Choosing } from "./move_picker.js";
import { shareButton } from "./share.js";
import { lastPanel, playersPanel } from "./table_panels.js";
import { Tray } from "./tray.js";
import { html, shelter, siteUrl } from "./ui.js";

const BUTTONS = "button, a, summary, .offer";
const TYPING = "input, select, textarea";

class Explore {
  constructor(host, sight) {
    this.host = host;
    this.sight = sight; // the position that is shown
    this.address = host.dataset.arenaExplore;
    const images = (name) => siteUrl(`/play/images/${name}.svg?game=${encodeURIComponent(sight.game)}`);
    this.choosing = new Choosing({ send: (move) => this.send(move), changed: () => this.say(), images });
    this.prompt = html("p", { class: "prompt", role: "status" });
    this.more = html("p", { class: "more whole" });
    this.confirm = button("Confirm", "Enter", () => this.choosing.confirm(), "main confirm");
    this.undo = button("Undo", "Esc", () => this.choosing.back());
    this.last = lastPanel();
    const says = html("div", { class: "says" }, this.last.hand, this.prompt, this.more);
    this.bar = html("section", { class: "bar", "aria-label": "What to do", tabindex: -1 }, says, html("div", { class: "acts" }, this.confirm, this.undo));
    this.players = playersPanel();
    this.place = html("div", { class: "place" });
    this.tray = this.choosing.tray = new Tray({ propose: (...move) => this.choosing.propose(...move), changed: () => this.choosing.redraw(), hover: (id) => this.choosing.hover(id) });
    this.side = html("div", { class: "side" }, this.choosing.element, this.last.element);
    const inside = shelter(host, "arena-viewer arena-table");
    inside.append(html("div", { class: "stage" }, this.bar, this.players.element, this.place, this.tray.element), this.side);
    inside.addEventListener("settled", () => this.confirm.focus());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.side.prepend(html("slot", { name: "chances" }));
    this.side.append(html("slot"));
    const here = `${location.origin}${this.address}`;
    this.share = shareButton(() => here);
    this.side.append(html("p", {}, this.share.element), this.share.dialog);
    this.#show();
    const step = host.querySelector("[aria-current]");
    step.closest("ol").scrollTop = step.offsetTop - 100;
  }

  #show() {
    const { sight } = this;
    const board = new Board(this.place, sight.sheet, `The board of ${sight.sheet.title}`);
    this.choosing.onto(board);
    board.show({ ...sight.board, reach: sight.offers?.reach });
    this.choosing.show(sight.offers ?? null, sight.at);
    this.tray.show(board, sight);
    this.choosing.redraw();
    this.last.show({ facts: [], waiting: [], log: [], ...sight });
    this.players.show({ ...sight, me: null });
  }

  send(move) {
    this.choosing.pause(true);
    this.going = true;
    this.say();
    location.assign(`${this.address}&move=${encodeURIComponent(move)}`);
  }

  /** Write the bar. */
  say() {
    const { actor, offers, seats } = this.sight;
    const open = Boolean(offers) && !this.going;
    let words = this.going ? "The move is being made\u2026" : "The game is over.";
    let more = "";
    if (open) ({ words, more } = this.choosing.prompt());
    if (open) more ||= `You move for ${seats[actor].name}.`;
    if (this.prompt.textContent !== words) this.prompt.textContent = words;
    this.more.textContent = more;
    this.confirm.hidden = !open || !this.choosing.pending;
    this.undo.hidden = !open || !(this.choosing.before.length || this.choosing.pending);
    this.bar.classList.toggle("mine", open);
  }

  #key(event) {
    const [target] = event.composedPath(); // event.target is the element around the shadow root
    if (event.defaultPrevented || this.share.dialog.open || event.ctrlKey || event.metaKey || event.altKey || target.closest?.(TYPING)) return;
    let known = true;
    if (event.key === "Escape") known = this.choosing.back();
    else if (event.key === "Enter" && (!target.closest?.(BUTTONS) || this.tray.has(target)) && !event.repeat && this.choosing.pending) this.choosing.confirm();
    else known = this.choosing.key(event) || this.#step(event);
    if (known) event.preventDefault();
  }

  /** Arrows go back and forward in the tree; returns whether there was a place to go to. */
  #step({ key }) {
    const link = this.host.querySelector({ ArrowLeft: "[rel~=prev]", ArrowRight: "[rel~=next]" }[key] ?? "none");
    link?.click();
    return Boolean(link);
  }
}

function button(words, key, act, classes = "") {
  return html("button", { type: "button", class: classes, hidden: true, onclick: act }, words, html("kbd", { "aria-hidden": "true" }, key));
}

for (const host of document.querySelectorAll("[data-arena-explore]")) {
  host.arenaExplore = new Explore(host, JSON.parse(document.getElementById("arena-position").textContent));
}
