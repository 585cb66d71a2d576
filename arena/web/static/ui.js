// Small parts that pages share: elements, seat chips, dice, buttons.

import { sign, svg } from "./board.js";

const LARGE = 60; // a sign higher than that, in units of its board, is shown large
// By seat: a shape, so that nothing hangs on colour.
const SHAPES = [
  "M0-11A11 11 0 1 1 0 11A11 11 0 1 1 0-11Z",
  "M-10-10H10V10H-10Z",
  "M0-13L13 0L0 13L-13 0Z",
  "M-6.5-11.5H6.5L13 0L6.5 11.5H-6.5L-13 0Z",
  "M0-13.5L13 11H-13Z",
  "M0-12.5L12.5-3L7.5 11.5H-7.5L-12.5-3Z",
];
const TRIANGLE = 4; // its number stands lower
const SPOTS = { 1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568" }; // of a die, in a square of nine

/** An HTML element; "on..." adds a listener; text goes in as text only, never as markup. */
export function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** The address of a page of this server, which may have all of its pages below a path. */
export const siteUrl = (path) => `${document.documentElement.dataset.root ?? ""}${path}`;

export const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** A seat's number on its shape and colour; `seats` is that of the document. */
export function chip(seats, seat) {
  const number = svg("text", { y: seat % SHAPES.length === TRIANGLE ? 9 : 5, fill: seats[seat].ink });
  number.textContent = seat + 1;
  return svg("svg", { viewBox: "-14 -14 28 28", class: "chip", "aria-hidden": "true" }, svg("path", { d: SHAPES[seat % SHAPES.length], fill: seats[seat].color }), number);
}

/** A seat's chip and name. */
export function who(seats, seat) {
  const spoken = html("span", { class: "sr" }, `seat ${seat + 1} `);
  return html("span", { class: "who" }, chip(seats, seat), spoken, html("span", { class: "name", dir: "auto" }, seats[seat].name));
}

/** A die that shows a number. */
function die(roll) {
  const spots = [...(SPOTS[roll] ?? "")].map((spot) => svg("circle", { cx: 5 + 5 * (spot % 3), cy: 5 + 5 * Math.floor(spot / 3), r: 1.9 }));
  const edge = svg("rect", { x: 1, y: 1, width: 18, height: 18, rx: 4 });
  return svg("svg", { viewBox: "0 0 20 20", class: "die", role: "img", "aria-label": roll }, edge, ...spots);
}

/** What happened by a decision, in words, with its dice. */
export function eventLine({ words, dice }) {
  const rolls = (dice ?? []).map(([roller, numbers]) => html("span", { class: "dice" }, html("bdi", {}, roller), " ", ...numbers.map(die)));
  return html("p", { class: "event" }, words, ...rolls);
}

export const isLarge = ({ box }) => box[3] > LARGE;

/** Pieces that wait to be laid or landed, large ones `large` pixels high, others `small`: an element, or none. */
export function waitingPieces(signs, large, small) {
  const pictures = signs.map((each) => html("figure", {}, sign(each, isLarge(each) ? large : small), html("figcaption", {}, each.words)));
  return pictures.length ? [html("div", { class: "waiting" }, ...pictures)] : [];
}

/** A supply as pegs, those that are gone empty. */
export function pegs({ full, word }, left) {
  const row = (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => `M${7 * (from + i) + 0.5} .5h5v9h-5Z`).join("");
  const words = { role: "img", "aria-label": `${count(left, word)} left` };
  const here = svg("path", { class: "full", d: row(0, left) });
  return svg("svg", { viewBox: `0 0 ${full * 7} 10`, class: "pegs", ...words }, here, svg("path", { d: row(left, full) }));
}

/** Tell `hover` which part of an element, by a selector, is pointed at or has the focus; undefined once none is. */
export function listenTo(element, parts, hover) {
  for (const come of ["mouseover", "focusin"]) element.addEventListener(come, ({ target }) => hover(target.closest(parts) ?? undefined));
  for (const leave of ["mouseleave", "focusout"]) element.addEventListener(leave, () => hover());
}

/** A button with a picture (path data in 24 by 24), its name, and the key that does the same. */
export function iconButton(path, label, key, act) {
  const picture = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
  return html("button", { type: "button", "aria-label": label, title: `${label} (${key})`, onclick: act }, picture);
}

/** An element of these classes in a shadow root of `host`, with the styles marked data-arena-style: no other rule of the page applies there. */
export function shelter(host, classes) {
  const inside = html("div", { class: classes });
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const marked = [...document.querySelectorAll("[data-arena-style]")];
  const styles = marked.map((style) => style.cloneNode(true));
  // A <link> counts only when it has loaded once more; until then its rules do, so that nothing is seen without them.
  styles.forEach((style, index) => {
    const { sheet } = marked[index];
    if (style.localName !== "link" || !sheet) return;
    const rules = new CSSStyleSheet();
    try {
      rules.replaceSync([...sheet.cssRules].map((rule) => rule.cssText).join("\n"));
    } catch {
      return; // a page that was opened from disk may not read them
    }
    root.adoptedStyleSheets.push(rules);
    style.addEventListener("load", () => (root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== rules)));
  });
  root.replaceChildren(...styles, inside);
  return inside;
}
