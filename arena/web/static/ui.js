// Small parts that pages share: elements, seat chips, dice, buttons.

import { sign } from "./board.js";
import { html, nothing, render, svg } from "./vendor/lit-html.js";

const LARGE = 60; // a sign higher than that, in units of its board, is shown large
// A shape for each seat, so that nothing depends on colour alone.
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

/** The element of a template that is rendered once. */
export function element(template) {
  const root = document.createElement("div");
  render(template, root);
  return root.firstElementChild;
}

/** The address of a page of this server, whose pages may all be below a prefix. */
export const siteUrl = (path) => `${document.documentElement.dataset.root ?? ""}${path}`;

/** A function that calls `make` again only if its first argument differs from the last time. */
export function memo(make) {
  let [key, made] = [];
  return (now, ...more) => {
    if (now !== key) [key, made] = [now, make(now, ...more)];
    return made;
  };
}

/** The answer to a request for JSON; throws a sentence if there is none. */
export async function requested(address, init = {}) {
  const answer = await fetch(address, { headers: { accept: "application/json" }, ...init }).catch(() => null);
  if (!answer) throw new Error("The server can't be reached.");
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(told.error ?? `The server answered with status ${answer.status}.`);
  return { status: answer.status, told };
}

/** The address of a picture of a game's pieces. */
export const imageUrl = (game, name) => siteUrl(`/play/images/${name}.svg?game=${encodeURIComponent(game)}`);

/** A button of the bar of a table or of an exploration, with the key that does the same. */
export function barButton(label, key, shown, act, classes = "") {
  return html`<button type="button" class=${classes} ?hidden=${!shown} @click=${act}
    >${label}${key ? html`<kbd aria-hidden="true">${key}</kbd>` : nothing}</button>`;
}

export const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** A seat's number on its shape and colour; `seats` are the seats of the document. */
export function chip(seats, seat) {
  const { color, ink } = seats[seat];
  const shape = seat % SHAPES.length;
  return html`<svg viewBox="-14 -14 28 28" class="chip" aria-hidden="true"
    ><path d=${SHAPES[shape]} fill=${color}></path><text y=${shape === TRIANGLE ? 9 : 5} fill=${ink}>${seat + 1}</text></svg>`;
}

/** A seat's chip and name. */
export function who(seats, seat) {
  const name = html`<span class="name" dir="auto">${seats[seat].name}</span>`;
  return html`<span class="who">${chip(seats, seat)}<span class="sr">seat ${seat + 1} </span>${name}</span>`;
}

/** A die that shows a number. */
function die(roll) {
  const spots = [...(SPOTS[roll] ?? "")].map((spot) => svg`<circle cx=${5 + 5 * (spot % 3)} cy=${5 + 5 * Math.floor(spot / 3)} r="1.9"/>`);
  return html`<svg viewBox="0 0 20 20" class="die" role="img" aria-label=${roll}>
    <rect x="1" y="1" width="18" height="18" rx="4"/>${spots}
  </svg>`;
}

/** What a decision caused, in words, with the dice. */
export function eventLine({ words, dice = [] }) {
  const rolls = dice.map(([roller, numbers]) => html`<span class="dice"><bdi>${roller}</bdi> ${numbers.map(die)}</span>`);
  return html`<p class="event">${words}${rolls}</p>`;
}

export const isLarge = ({ box }) => box[3] > LARGE;

/** The pieces that wait to be laid or landed, if there are any. Large ones are `large` pixels high, others are `small`. */
export function waitingPieces(signs, large, small) {
  const picture = (each) => html`<figure>${sign(each, isLarge(each) ? large : small)}<figcaption>${each.words}</figcaption></figure>`;
  return signs.length ? html`<div class="waiting">${signs.map(picture)}</div>` : nothing;
}

/** The table of all seats' numbers, with a column for each of `values`. The options add to the end of the header and of each row. */
export function numbersTable(seats, columns, values, { head = nothing, place = () => nothing, look = () => "" } = {}) {
  const cells = (seat) => values.map((column, index) => html`<td class=${index ? "" : "points"}>${column[seat]}</td>`);
  return html`<table>
    <thead><tr><th scope="col">player</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}${head}</tr></thead>
    <tbody>${seats.map((each, seat) => html`<tr data-seat=${seat} class=${look(each, seat)}>
      <th scope="row">${who(seats, seat)}</th>${cells(seat)}${place(each)}
    </tr>`)}</tbody>
  </table>`;
}

/** A supply as pegs; the used ones are empty. */
export function pegs({ full, word }, left) {
  const row = (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => `M${7 * (from + i) + 0.5} .5h5v9h-5Z`).join("");
  return html`<svg viewBox="0 0 ${full * 7} 10" class="pegs" role="img" aria-label="${count(left, word)} left">
    <path class="full" d=${row(0, left)}></path><path d=${row(left, full)}></path><title>${count(left, word)} left</title>
  </svg>`;
}

/** Call `hover` with the part of an element that is pointed at or focused and matches a selector, or with undefined if there is none. */
export function listenTo(element, parts, hover) {
  for (const come of ["mouseover", "focusin"]) element.addEventListener(come, ({ target }) => hover(target.closest(parts) ?? undefined));
  for (const leave of ["mouseleave", "focusout"]) element.addEventListener(leave, () => hover());
}

/** A button with a picture (path data in 24 by 24), its name, and the key that does the same. If `disabled`, it only looks and is announced as disabled. */
export function iconButton({ path, label, key, act, classes = "", disabled = false }) {
  return html`<button type="button" class=${classes} aria-label=${label} title=${key ? `${label} (${key})` : label} aria-disabled=${disabled} @click=${act}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path}></path></svg>
  </button>`;
}

/** An element of these classes in a shadow root of `host`, with the styles marked data-arena-style: no other rule of the page applies there. */
export function shelter(host, classes) {
  const inside = element(html`<div class=${classes}></div>`);
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [];
  const styles = [...document.querySelectorAll("[data-arena-style]")].flatMap((style) => {
    try {
      const rules = new CSSStyleSheet();
      rules.replaceSync([...style.sheet.cssRules].map((rule) => rule.cssText).join("\n"));
      root.adoptedStyleSheets.push(rules); // a copy of a <link> would have to load first
      return [];
    } catch {
      return [style.cloneNode(true)]; // a page that was opened from disk may not read its style sheets
    }
  });
  root.replaceChildren(...styles, inside);
  return inside;
}
