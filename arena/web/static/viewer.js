// The viewer: walks through the replay of any game, a document arena-viewer/1 (viewer/documents.py). viewer_element.js creates one for every <arena-viewer>.

import { analysisPanel, askingPanel, goToMark } from "./analysis.js";
import { Board } from "./board.js";
import { chartPanel } from "./chart.js";
import { Controls } from "./controls.js";
import { GLIDE } from "./motion.js";
import { shareButton } from "./share.js";
import { memory } from "./storage.js";
import { Timeline } from "./timeline.js";
import { shelter } from "./ui.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { decisionPanel, legend, movesPanel, players, positionPanel, standing, tabs } from "./viewer_panels.js";

const LINK_DELAY = 150; // milliseconds: browsers refuse pages that change their address too often
const nextTurn = (viewer) => viewer.go(viewer.timeline.nextTurn(viewer.at));
const turnBegan = (viewer) => viewer.go(viewer.timeline.turnBegan(viewer.at));
// The keys: their names in the help, their descriptions, and their functions.
const KEYS = [
  ["→ ←", "one decision forward, back", { ArrowRight: (viewer) => viewer.go(viewer.at + 1), ArrowLeft: (viewer) => viewer.go(viewer.at - 1) }],
  ["] [ or PageDown PageUp", "the next turn, the start of the turn", { "]": nextTurn, PageDown: nextTurn, "[": turnBegan, PageUp: turnBegan }],
  ["Home End", "the start, the end", { Home: (viewer) => viewer.go(0), End: (viewer) => viewer.go(viewer.end) }],
  ["Space", "play, stop", { " ": (viewer) => viewer.play() }],
  [". ,", "play faster, slower", { ".": ({ controls }) => controls.paced(controls.speed + 1), ",": ({ controls }) => controls.paced(controls.speed - 1) }],
  ["j", "jump to a decision by its number", { j: ({ controls: { jump } }) => (jump.focus(), jump.select()) }],
  ["+ − 0", "zoom in, zoom out, show the whole board; Shift and arrows move the view"], // the board handles these
  ["m M", "the next marked decision, the previous one", { m: (viewer) => goToMark(viewer, 1), M: (viewer) => goToMark(viewer, -1) }],
  ["c", "copy the position in notation", { c: (viewer) => viewer.position.copy(viewer.timeline.text(viewer.at), "position") }],
  ["l", "copy a link to the position", { l: (viewer) => viewer.position.copy(viewer.address(), "link") }],
  ["?", "show these keys", { "?": ({ dialog }) => dialog.showModal() }],
];
const ACTS = new Map(KEYS.flatMap(([, , acts = {}]) => Object.entries(acts)));
const HELP = html`<dialog aria-label="Keys">
  <table><tbody>${KEYS.map(([keys, words]) => html`<tr><th scope="row">${keys}</th><td>${words}</td></tr>`)}</tbody></table>
  <form method="dialog"><button>Close</button></form>
</dialog>`;
// Elements that use keys themselves, and the keys they use; without a list, they use all keys.
const OWN_KEYS = [
  ["input:not([type=range]), select, textarea, [contenteditable]"],
  ["input[type=range]", ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]],
  ["[role=tab]", ["ArrowLeft", "ArrowRight", "Home", "End", " ", "Enter"]],
  ["button, summary, a", [" ", "Enter"]],
  ["pre", ["Home", "End", "PageUp", "PageDown"]],
];

/** A replay on a page, in the element `host`; its data-* attributes say what else the page has. */
export class Viewer {
  constructor(host, data) {
    this.host = host;
    this.data = data;
    this.timeline = new Timeline(data);
    this.end = this.timeline.end;
    this.at = -1;
    this.reached = 0;
    this.timer = 0;
    this.stepped = 0; // the time of the last step
    this.hiding = memory.get("hide-results") === "1";
    this.listening = new AbortController();
    this.#build();
    const linked = this.#linked();
    this.go(linked ?? (host.dataset.opens === "end" && !this.hiding ? this.end : 0));
    clearTimeout(this.linking);
  }

  /** Show the position after that many decisions. A step forward is shown as motion, unless `glide` forbids it or steps come too fast; else, playing stops. */
  go(to, { glide = true } = {}) {
    const at = Math.max(0, Math.min(Math.round(to), this.end));
    if (at === this.at || Number.isNaN(at)) return;
    if (this.timer && at !== this.at + 1) this.play(false);
    const now = performance.now();
    const single = at === this.at + 1 && this.at >= 0 && now - this.stepped > GLIDE;
    this.stepped = now;
    this.board.change(() => this.timeline.draw(this.board, this.at, at), { glide: glide && single });
    const { sketch } = this.timeline.marks.get(at)?.better ?? {};
    this.board.ghost(sketch ? [sketch] : []);
    this.at = at;
    this.reached = Math.max(this.reached, at);
    this.show();
    clearTimeout(this.linking);
    this.linking = setTimeout(() => this.#link(), LINK_DELAY);
  }

  /** Update everything around the board. */
  show() {
    const { at, seen, timeline, parts, tab } = this;
    this.host.toggleAttribute("data-hides", seen < this.end);
    // The board holds the definitions that signs refer to, so it is on the page before them.
    render(html`
      <div class="stage">${players(timeline, at)}${this.board.host}${this.controls.content(at, seen)}</div>
      <div class="side">
        ${this.decision(at, Boolean(this.timer))}${tabs("About this match", parts, tab, (name) => this.open(name), [at, seen])}
      </div>
      ${HELP}${this.share?.dialog ?? nothing}`, this.inside);
  }

  /** The last position whose numbers may be shown. */
  get seen() {
    return this.hiding ? this.reached : this.end;
  }

  /** Hide or show results from now on, in all replays of this site. */
  hide(hiding) {
    this.hiding = hiding;
    if (hiding && this.at === this.end) this.go(0);
    this.reached = this.at;
    memory.set("hide-results", hiding ? "1" : "0");
    this.show();
  }

  /** Show the match again with its analysis, where it is now; hidden results stay hidden. */
  analysed({ marks, evaluation }) {
    const focused = this.host.shadowRoot.activeElement;
    this.close();
    const next = new Viewer(this.host, { ...this.data, marks, evaluation });
    this.host.arenaViewer = next;
    next.go(this.at, { glide: false });
    next.reached = this.reached;
    next.show();
    if (focused) next.inside.querySelector("[role=tab]").focus();
  }

  /** The address of this page at this position. */
  address() {
    return `${location.href.replace(/#.*$/, "")}#d=${this.at}`;
  }

  /** Play from here (from the start, if this is the end), or stop playing. */
  play(playing = !this.timer) {
    clearInterval(this.timer);
    this.timer = 0;
    if (playing) {
      if (this.at === this.end) this.go(0);
      this.timer = setInterval(() => (this.at < this.end ? this.go(this.at + 1) : this.play(false)), this.controls.interval);
    }
    this.show();
  }

  /** Open the tab with that name. */
  open(name) {
    this.tab = this.parts.findIndex((part) => part.name === name);
    this.show();
  }

  /** Stop playing and remove all listeners. */
  close() {
    clearInterval(this.timer);
    clearTimeout(this.linking);
    this.listening.abort();
  }

  #build() {
    const { data, host, timeline } = this;
    host.dataset.game = data.game;
    this.inside = shelter(host, "arena-viewer");
    this.board = new Board(data.sheet);
    this.inside.append(this.board.host);
    this.board.least = timeline.least;
    this.decision = decisionPanel(timeline, () => this.play(true));
    this.position = positionPanel(this);
    const { share } = host.dataset;
    this.share = share === undefined ? null : shareButton(() => this.address(), () => `${location.origin}${share}/embed#d=${this.at}`);
    this.controls = new Controls(this);
    this.parts = this.#parts((at) => this.go(at));
    this.tab = 0;
    const { signal } = this.listening;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    // The address may have changed again since then: an earlier step may have been written into it.
    const follow = ({ newURL }) => {
      const at = this.#linked(new URL(newURL).hash);
      if (at === null) return;
      this.go(at);
      host.scrollIntoView();
    };
    globalThis.addEventListener("hashchange", follow, { signal });
  }

  #parts(go) {
    const { data, timeline, host } = this;
    const { analysis, rules } = host.dataset;
    const chart = chartPanel(timeline, go);
    const signs = legend(timeline, rules);
    const parts = [
      { name: "Moves", content: movesPanel(timeline, go) },
      { name: "Chart", content: (at, seen) => [chart(at, seen), standing(timeline, at)] },
      { name: "Position", content: this.position.content },
      { name: "Legend", content: () => signs },
    ].filter(({ name }) => name !== "Chart" || data.columns.length);
    if (data.marks) parts.unshift({ name: "Analysis", content: analysisPanel(this) });
    else if (analysis) parts.unshift({ name: "Analysis", content: askingPanel(this, analysis) });
    return parts;
  }

  // Links

  #linked(hash = location.hash) {
    const found = /(?:^#|&)d=(\d{1,6})(?:&|$)/.exec(hash);
    return found && Number(found[1]);
  }

  #link() {
    if (location.protocol === "about:") return; // a frame in a notebook has no address of its own
    if (this.#linked() !== this.at && (this.at || location.hash)) history.replaceState(history.state, "", `#d=${this.at}`);
  }

  // Keys

  get dialog() {
    return this.inside.querySelector("dialog[aria-label=Keys]");
  }

  #key(event) {
    const { key } = event;
    const [target] = event.composedPath(); // event.target is the element around the shadow root
    if (event.defaultPrevented || this.dialog.open || this.share?.dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (OWN_KEYS.some(([elements, keys]) => target.closest?.(elements) && (!keys || keys.includes(key)))) return;
    const act = event.shiftKey && key.length > 1 ? undefined : ACTS.get(key);
    if (!this.board.key(event)) {
      if (!act) return;
      act(this);
    }
    event.preventDefault();
  }
}
