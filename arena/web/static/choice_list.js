// The choices of a move as a list: with pictures, with keys for the first ones, and with a field to search them where there are many.

import { sign } from "./board.js";
import { html, listenTo } from "./ui.js";

const FEW = 16; // up to this many choices are listed at once, without a search field
const MANY = 200; // at most this many search results are shown
const DIGITS = 9; // choices that have a key of their own

export class ChoiceList {
  /** `pick(id)` is called with the choice, `hover(id)` with the one pointed at; `images(name)` is the address of an image. */
  constructor({ pick, hover, images }) {
    this.pick = pick;
    this.images = images;
    this.listed = [];
    this.search = html("input", { type: "search", "aria-label": "Search the legal moves", placeholder: "search the legal moves", autocomplete: "off", spellcheck: "false", oninput: () => this.#find(), onkeydown: (event) => this.#searchKey(event) });
    this.found = html("div", { class: "choices listed" });
    this.tally = html("p", { class: "dim", role: "status" });
    this.element = html("section", { class: "card ask", "aria-label": "Your choices" });
    this.element.addEventListener("keydown", (event) => this.#step(event));
    listenTo(this.element, "[data-choice]", (it) => hover(it?.dataset.choice));
  }

  /** Clear the search. */
  clear() {
    this.search.value = "";
  }

  /** Show these choices of the offers; `picks` are marked, and the first ones say their keys if they are `keyed`. The focus stays where it was. */
  show(ids, offers, { picks, keyed }) {
    const { activeElement } = this.element.getRootNode();
    const focused = this.element.contains(activeElement) ? activeElement : null;
    const choices = offers?.choices ?? {};
    const buttons = ids.map((id, index) => this.#button(id, offers, picks, keyed && index < DIGITS && !choices[id].grave ? index + 1 : 0));
    const off = buttons.filter((_, index) => !choices[ids[index]].markup);
    const on = buttons.filter((_, index) => choices[ids[index]].markup);
    const parts = [];
    this.details = on.length ? this.#onBoard(on) : null;
    if (this.details) parts.push(this.details);
    const grave = off.filter((button) => button.classList.contains("grave"));
    const plain = grave.length < ids.length || !keyed ? off.filter((button) => !grave.includes(button)) : off;
    if (off.length > FEW) parts.push(this.search, this.tally, this.found);
    else if (plain.length) parts.push(html("div", { class: "choices" }, ...plain));
    if (plain.length < off.length && off.length <= FEW) parts.push(this.#more(grave, Boolean(focused?.closest(".more-choices[open]"))));
    this.listed = off.length > FEW ? off : [];
    this.found.classList.toggle("pictured", this.listed.some((button) => button.querySelector("img, svg")));
    this.element.replaceChildren(...parts);
    this.#find();
    if (focused) this.#focusAgain(focused);
  }

  #focusAgain(old) {
    const same = old.isConnected ? old : old.dataset.choice ? this.#buttons().find(({ dataset }) => dataset.choice === old.dataset.choice) : null;
    const summary = old.localName === "summary" && this.element.querySelector(old.closest(".more-choices") ? ".more-choices summary" : "summary");
    (same || summary || null)?.focus({ preventScroll: true });
  }

  /** Mark the choice of that id, and no other. */
  mark(id) {
    for (const button of this.#buttons()) button.classList.toggle("marked", button.dataset.choice === id);
  }

  /** The choice that has this key, if any; none that can't be undone has one. */
  keyed(key) {
    return this.#buttons().find((button) => button.querySelector("kbd")?.textContent === key)?.dataset.choice;
  }

  /** Go to the first choice, or to the last; returns whether there is one. */
  enter(last = false) {
    const buttons = this.#buttons();
    for (const details of this.element.querySelectorAll("details")) details.open = true;
    buttons.at(last ? -1 : 0)?.focus();
    return buttons.length > 0;
  }

  #onBoard(on) {
    const words = on.length > 1 ? `${on.length} choices on the board, as a list` : "The choice on the board, as a list";
    const open = this.opened ?? (on.length <= FEW && matchMedia("(min-width: 60rem)").matches);
    const toggled = ({ target }) => target.isConnected && (this.opened = target.open);
    return html("details", { open, ontoggle: toggled }, html("summary", {}, words), html("div", { class: "choices" }, ...on));
  }

  /** What can't be undone, out of the way of a finger. */
  #more(grave, wasOpen) {
    const open = wasOpen || grave.some((button) => button.classList.contains("picked"));
    return html("details", { class: "more-choices", open }, html("summary", {}, "More"), html("div", { class: "choices" }, ...grave));
  }

  #button(id, offers, picks, key) {
    const choice = offers.choices[id];
    const parts = [];
    const picture = choice.picture && offers.pictures[choice.picture];
    if (key) parts.push(html("kbd", { "aria-hidden": "true" }, key));
    if (picture) parts.push(sign({ words: "", markup: picture.markup, box: picture.box }, 64));
    if (choice.image) parts.push(html("img", { src: this.images(choice.image), alt: "", width: 72, height: 56, loading: "lazy" }));
    const words = html("span", { class: "words", dir: "auto" }, choice.words, choice.more ? html("small", {}, choice.more) : "");
    const classes = `${choice.grave ? "grave" : ""} ${picks.includes(id) ? "picked" : ""}`;
    return html("button", { type: "button", "data-choice": id, class: classes, onclick: () => this.pick(id) }, ...parts, words);
  }

  #buttons() {
    return [...this.element.querySelectorAll("[data-choice]")];
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
    else if (by < 0 && this.search.isConnected) this.search.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
