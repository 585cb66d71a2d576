// <arena-viewer>: a replay on any page, from a document on the page or at an address (`schema.py`). With `data-plays` it plays in a loop, from `data-from` on; with `data-opens="end"` it opens on the final position.

import { Board } from "./board.js";
import { ICONS } from "./controls.js";
import { Timeline } from "./timeline.js";
import { html, iconButton, shelter } from "./ui.js";
import { Viewer } from "./viewer.js";
import { playersPanel } from "./viewer_panels.js";

const PACE = 1400; // milliseconds a decision
const REST = 6000; // milliseconds at the end, before it begins again
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** A replay that plays by itself: the board, the players, a thin line for how far it is, and a button that pauses it. */
class Player {
  constructor(host, data) {
    this.host = host;
    this.data = data;
    this.timeline = new Timeline(data);
    this.end = this.timeline.end;
    this.at = -1;
    this.from = Number(host.dataset.from ?? 0);
    this.inSight = true;
    this.timer = 0;
    this.#build();
    this.go(this.from);
    this.play(!calm.matches);
  }

  /** Show the position after that many decisions. */
  go(to) {
    const at = Math.max(0, Math.min(Math.round(to), this.end));
    if (at === this.at || Number.isNaN(at)) return;
    const single = at === this.at + 1 && this.at >= 0;
    this.board.change(() => this.timeline.draw(this.board, this.at, at), { glide: single });
    this.at = at;
    const { move } = this.data.frames[at];
    this.players.show(at);
    this.line.value = at;
    this.line.setAttribute("aria-valuetext", this.timeline.said(at));
    this.words.textContent = move ? `${this.data.seats[move.seat].name} ${move.words}` : this.timeline.said(at);
  }

  /** Go on, from the start if this is the end; or pause. */
  play(playing = !this.timer) {
    clearTimeout(this.timer);
    this.timer = 0;
    if (playing) {
      if (this.at === this.end) this.go(0);
      this.timer = setTimeout(() => this.#next(), PACE);
    }
    this.button.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.button.title = playing ? "Pause" : "Play";
    this.button.querySelector("path").setAttribute("d", playing ? ICONS.stop : ICONS.play);
  }

  close() {
    clearTimeout(this.timer);
    this.watcher.disconnect();
  }

  #build() {
    const { data, host } = this;
    host.dataset.game = data.game;
    const place = html("div", { class: "place" });
    this.board = new Board(place, data.sheet, `The board of ${data.sheet.title}`);
    this.board.least = this.timeline.least;
    this.players = playersPanel(this.timeline);
    this.line = html("progress", { max: Math.max(this.end, 1), "aria-label": "How far the match is" });
    this.words = html("p", { class: "told", dir: "auto" });
    this.button = iconButton(ICONS.play, "Play", "", () => this.play());
    const bar = html("div", { class: "bar" }, this.button, this.words);
    shelter(host, "arena-viewer arena-plays").append(this.players.element, place, this.line, bar);
    this.watcher = new IntersectionObserver(([{ isIntersecting }]) => (this.inSight = isIntersecting));
    this.watcher.observe(host);
  }

  #next() {
    if (this.at === this.end) this.go(0);
    else if (this.inSight && !document.hidden) this.go(this.at + 1); // motion that nobody sees is not worth the work
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
    if (address) data = await fetched(address);
    else data = source.type === "application/gzip" ? await unpacked(source.textContent) : JSON.parse(source.textContent);
  } catch (error) {
    const instead = [...host.children].some((child) => child.localName !== "noscript"); // what the page shows until there is a match
    if (host.arenaWanted === wanted && !instead) shelter(host, "arena-viewer arena-trouble").append(html("p", { role: "alert" }, `The match can't be shown: ${error.message}.`));
    return;
  }
  if (host.arenaWanted !== wanted) return; // by now another is
  host.arenaViewer?.close();
  host.arenaViewer = plays === undefined ? new Viewer(host, data) : new Player(host, data);
}

/** The document in gzip and base64, as pages have it that are files. */
function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

async function fetched(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) throw new Error(answer ? `the server answered with status ${answer.status}` : "the server can't be reached");
  return answer.json();
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
