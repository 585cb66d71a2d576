// The choices of a move as a list: with pictures, with keys for the first ones, and with a search field if there are many.

import { sign } from "./board.js";
import { element, imageUrl, listenTo } from "./ui.js";
import { html, nothing, render } from "./vendor/lit-html.js";

const FEW = 16; // up to this many choices are listed at once, without a search field
const MANY = 200; // at most this many search results are shown
const DIGITS = 9; // the number of choices with keys

export class ChoiceList {
  /** `pick(id)` is called with the choice, `hover(id)` with the one pointed at. */
  constructor({ game, pick, hover }) {
    this.pick = pick;
    this.game = game;
    this.wanted = ""; // what is searched for
    this.element = element(html`<section class="card ask" aria-label="Your choices"></section>`);
    this.element.addEventListener("keydown", (event) => this.#step(event));
    listenTo(this.element, "[data-choice]", (it) => hover(it?.dataset.choice));
  }

  /** Show these choices of the offers. `picks` are marked; if `keyed`, the first choices show their keys. The focus stays where it was. */
  show(ids, offers, { picks, keyed }) {
    const { activeElement } = this.element.getRootNode();
    const focused = this.element.contains(activeElement) ? activeElement : null;
    const id = focused?.dataset.choice;
    const isMoreOpen = Boolean(focused?.closest(".more-choices[open]"));
    this.ids = ids;
    this.offers = offers;
    this.picks = picks;
    this.keys = keyed ? ids.slice(0, DIGITS).filter((each) => !offers.choices[each].grave) : [];
    this.#draw(keyed);
    const more = this.element.querySelector(".more-choices");
    if (more) more.open = isMoreOpen || more.querySelector(".picked") !== null;
    if (id === undefined || (focused.isConnected && focused.dataset.choice === id)) return;
    focused.blur(); // the button now shows a different choice
    this.#buttons().find(({ dataset }) => dataset.choice === id)?.focus({ preventScroll: true });
  }

  #draw(keyed) {
    const { choices } = this.offers ?? {};
    const on = this.ids.filter((id) => choices[id].markup);
    const off = this.ids.filter((id) => !choices[id].markup);
    const isSearched = off.length > FEW;
    const grave = isSearched ? [] : off.filter((id) => choices[id].grave);
    const hidden = grave.length < this.ids.length || !keyed ? grave : []; // hides what can't be undone from accidental taps
    const plain = off.filter((id) => !hidden.includes(id));
    const listed = (ids) => html`<div class="choices">${ids.map((id) => this.#button(id))}</div>`;
    const more = html`<details class="more-choices"><summary>More</summary>${listed(hidden)}</details>`;
    const offBoard = isSearched ? this.#searched(off) : plain.length ? listed(plain) : nothing;
    render(html`${on.length ? this.#onBoard(on, listed) : nothing}${offBoard}${hidden.length ? more : nothing}`, this.element);
  }

  /** Mark only the choice with that id. */
  mark(id) {
    for (const button of this.#buttons()) button.classList.toggle("marked", button.dataset.choice === id);
  }

  /** The choice with this key, if any; choices that can't be undone have no keys. */
  keyed(key) {
    return this.keys.find((id) => String(this.ids.indexOf(id) + 1) === key);
  }

  /** Go to the first choice, or to the last; returns whether there is one. */
  enter(last = false) {
    const buttons = this.#buttons();
    for (const details of this.element.querySelectorAll("details")) details.open = true;
    buttons.at(last ? -1 : 0)?.focus();
    return buttons.length > 0;
  }

  #onBoard(on, listed) {
    const words = on.length > 1 ? `${on.length} choices on the board, as a list` : "The choice on the board, as a list";
    const open = this.opened ?? (on.length <= FEW && matchMedia("(min-width: 60rem)").matches);
    const toggled = ({ target }) => target.isConnected && (this.opened = target.open);
    return html`<details ?open=${open} @toggle=${toggled}><summary>${words}</summary>${listed(on)}</details>`;
  }

  /** The choices that contain every word of the search, if there are many. */
  #searched(ids) {
    const { choices } = this.offers;
    const words = this.wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (id) => `${id} ${choices[id].words} ${choices[id].more ?? ""}`.toLowerCase();
    const matching = ids.filter((id) => words.every((word) => text(id).includes(word)));
    const tally = `${matching.length} of ${ids.length}`;
    const found = ({ target }) => ((this.wanted = target.value), this.#draw(true));
    return html`<input type="search" aria-label="Search the legal moves" placeholder="search the legal moves" autocomplete="off" spellcheck="false"
        .value=${this.wanted} @input=${found} @keydown=${(event) => this.#searchKey(event)}>
      <p class="dim" role="status">${tally}${matching.length > MANY ? `; the first ${MANY} are shown, search for the others` : ""}</p>
      <div class="choices listed ${ids.some((id) => choices[id].picture || choices[id].image) ? "pictured" : ""}"
        >${matching.slice(0, MANY).map((id) => this.#button(id))}</div>`;
  }

  #button(id) {
    const { words, more, picture, image, grave } = this.offers.choices[id];
    const drawn = picture && this.offers.pictures[picture];
    const key = this.keys.includes(id) ? this.ids.indexOf(id) + 1 : 0;
    const classes = `${grave ? "grave" : ""} ${this.picks.includes(id) ? "picked" : ""}`;
    return html`<button type="button" data-choice=${id} class=${classes} @click=${() => this.pick(id)}
      >${key ? html`<kbd aria-hidden="true">${key}</kbd>` : nothing}${
        drawn ? sign({ words: "", markup: drawn.markup, box: drawn.box }, 64) : nothing}${
        image ? html`<img src=${imageUrl(this.game, image)} alt="" width="72" height="56" loading="lazy">` : nothing
      }<span class="words" dir="auto">${words}${more ? html`<small>${more}</small>` : nothing}</span></button>`;
  }

  #buttons() {
    return [...this.element.querySelectorAll("[data-choice]")];
  }

  #searchKey(event) {
    const first = this.element.querySelector(".listed [data-choice]");
    if (event.key === "ArrowDown" && first) first.focus();
    else if (event.key === "Enter" && first) this.pick(first.dataset.choice);
    else if (event.key === "Escape" && this.wanted) {
      this.wanted = "";
      this.#draw(true);
    } else return;
    event.stopPropagation();
    event.preventDefault();
  }

  /** Go through the choices with the arrow keys. */
  #step(event) {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const here = by && event.target.closest("[data-choice]");
    if (!here) return;
    const buttons = this.#buttons();
    const next = buttons[buttons.indexOf(here) + by];
    if (next) next.focus();
    else if (by < 0) this.element.querySelector("[type=search]")?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
