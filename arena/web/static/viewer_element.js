// <arena-viewer>: a replay on any page, from a document on the page or at an address (`documents.py`).
// With `data-plays` it plays in a loop, from `data-from` on; with `data-opens="end"` it opens on the final position.

import { Board } from "./board.js";
import { ICONS } from "./controls.js";
import { calm } from "./motion.js";
import { Timeline } from "./timeline.js";
import { iconButton, requested, shelter } from "./ui.js";
import { html, render } from "./vendor/lit-html.js";
import { Viewer } from "./viewer.js";
import { players } from "./viewer_panels.js";

const PACE = 1400; // milliseconds a decision
const REST = 6000; // milliseconds at the end, before it begins again

/** A replay that plays by itself: the board, the players, a thin progress line, and a button that pauses it. */
class Player {
  constructor(host, data) {
    this.host = host;
    this.data = data;
    this.timeline = new Timeline(data);
    this.end = this.timeline.end;
    this.at = -1;
    this.inSight = true;
    this.timer = 0;
    host.dataset.game = data.game;
    this.inside = shelter(host, "arena-viewer arena-plays");
    this.board = new Board(data.sheet);
    this.inside.append(this.board.host);
    this.board.least = this.timeline.least;
    this.watcher = new IntersectionObserver(([{ isIntersecting }]) => (this.inSight = isIntersecting));
    this.watcher.observe(host);
    this.go(Number(host.dataset.from ?? 0));
    this.play(!calm.matches);
  }

  /** Show the position after that many decisions. */
  go(to) {
    const at = Math.max(0, Math.min(Math.round(to), this.end));
    if (at === this.at || Number.isNaN(at)) return;
    const single = at === this.at + 1 && this.at >= 0;
    this.board.change(() => this.timeline.draw(this.board, this.at, at), { glide: single });
    this.at = at;
    this.#draw();
  }

  #draw() {
    const { at, data, timeline } = this;
    const { move } = data.frames[at];
    const said = timeline.said(at);
    const [path, label] = this.timer ? [ICONS.stop, "Pause"] : [ICONS.play, "Play"];
    render(html`${players(timeline, at)}${this.board.host}
      <progress max=${Math.max(this.end, 1)} value=${at} aria-label="How far the match is" aria-valuetext=${said}></progress>
      <div class="bar">
        ${iconButton({ path, label, act: () => this.play() })}
        <p class="told" dir="auto">${move ? `${data.seats[move.seat].name} ${move.words}` : said}</p>
      </div>`, this.inside);
  }

  /** Continue (from the start, if this is the end), or pause. */
  play(playing = !this.timer) {
    clearTimeout(this.timer);
    this.timer = playing ? setTimeout(() => this.#next(), PACE) : 0;
    if (playing && this.at === this.end) this.go(0);
    this.#draw();
  }

  close() {
    clearTimeout(this.timer);
    this.watcher.disconnect();
  }

  #next() {
    if (this.at === this.end) this.go(0);
    else if (this.inSight && !document.hidden) this.go(this.at + 1); // nothing moves while nobody can see it
    this.timer = setTimeout(() => this.#next(), this.at === this.end ? REST : PACE);
  }
}

/** Make a viewer of an element, or replace it. */
async function view(host) {
  const { document: address, arenaViewer: id, plays } = host.dataset;
  const wanted = (host.arenaWanted = Symbol(address ?? id));
  let data;
  try {
    const source = address ? null : document.getElementById(id);
    if (address) data = (await requested(address)).told;
    else data = source.type === "application/gzip" ? await unpacked(source.textContent) : JSON.parse(source.textContent);
  } catch (error) {
    const instead = [...host.children].some((child) => child.localName !== "noscript"); // what the page shows until there is a match
    const alert = html`<p role="alert">The match can't be shown. ${error.message}</p>`;
    if (host.arenaWanted === wanted && !instead) render(alert, shelter(host, "arena-viewer arena-trouble"));
    return;
  }
  if (host.arenaWanted !== wanted) return; // a different one is wanted by now
  host.arenaViewer?.close();
  host.arenaViewer = plays === undefined ? new Viewer(host, data) : new Player(host, data);
}

/** Decode a document in gzip and base64, as static pages contain it. */
function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

class ArenaViewer extends HTMLElement {
  static observedAttributes = ["data-document"];

  connectedCallback() {
    if (!this.arenaViewer && (this.dataset.document || this.dataset.arenaViewer)) view(this);
  }

  disconnectedCallback() {
    this.arenaViewer?.close();
    this.arenaViewer = undefined;
  }

  attributeChangedCallback(name, before) {
    if (before !== null && this.isConnected) view(this);
  }
}

customElements.define("arena-viewer", ArenaViewer);
