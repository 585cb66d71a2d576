// The viewer: walks through the replay of any game, a document arena-viewer/1 (viewer/documents.py). element.js makes one of every <arena-viewer>.

import { analysisPanel, askingPanel, goToMark } from "./analysis.js";
import { Board } from "./board.js";
import { chartPanel } from "./chart.js";
import { Steps } from "./controls.js";
import { GLIDE } from "./motion.js";
import { shareButton } from "./share.js";
import { memory } from "./storage.js";
import { Timeline } from "./timeline.js";
import { html, shelter } from "./ui.js";
import { decisionPanel, legendPanel, movesPanel, playersPanel, positionPanel, standingPanel, tabs } from "./viewer_panels.js";

const LINK_DELAY = 150; // milliseconds: browsers refuse pages that change their address too often
const KEYS = [
  ["→ ←", "one decision forward, back"],
  ["] [ or PageDown PageUp", "the next turn, the start of the turn"],
  ["Home End", "the start, the end"],
  ["Space", "play, stop"],
  [". ,", "play faster, slower"],
  ["j", "jump to a decision by its number"],
  ["+ − 0", "zoom in, out, the whole board"],
  ["Shift and arrows", "move over the board"],
  ["m M", "the next marked decision, the one before"],
  ["c", "copy the position in notation"],
  ["l", "copy a link to the position"],
  ["?", "show these keys"],
];
// Elements that use keys themselves, and which; without a list, all.
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
    this.revealed = false;
    this.timeline = new Timeline(data);
    this.end = this.timeline.end;
    this.at = -1;
    this.reached = 0;
    this.timer = 0;
    this.stepped = 0; // when
    this.hiding = memory.get("hide-results") === "1";
    this.listening = new AbortController();
    this.#build();
    const linked = this.#linked();
    this.go(linked ?? (host.dataset.opens === "end" && !this.hiding ? this.end : 0));
    clearTimeout(this.linking);
  }

  /** Show the position after that many decisions; a single step forward is shown as motion, unless `glide` forbids it or steps come too fast. */
  go(to, { glide = true } = {}) {
    const at = Math.max(0, Math.min(Math.round(to), this.end));
    if (at === this.at || Number.isNaN(at)) return;
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

  /** Update everything around the board; the panels that are not in sight wait until they are. */
  show() {
    this.host.toggleAttribute("data-hides", this.seen < this.end);
    for (const part of this.always) part.show(this.at, this.seen);
    for (const part of this.parts[this.tab].panels) part.show(this.at, this.seen);
  }

  /** The last position whose numbers may be told. */
  get seen() {
    return this.hiding && !this.revealed ? this.reached : this.end;
  }

  /** Hide results from now on, in all replays of this site; or not. */
  hide(hiding) {
    this.hiding = hiding;
    this.revealed = false;
    this.reached = this.at;
    memory.set("hide-results", hiding ? "1" : "0");
    this.show();
  }

  /** Show the result of this replay after all. */
  reveal() {
    this.revealed = true;
    this.show();
  }

  /** Show the match again with its analysis, where it is now; hidden results stay hidden. */
  analysed({ marks, evaluation }) {
    const focused = this.host.shadowRoot.activeElement;
    this.close();
    const next = new Viewer(this.host, { ...this.data, marks, evaluation });
    this.host.arenaViewer = next;
    next.go(this.at, { glide: false });
    next.revealed = this.revealed;
    next.reached = this.reached;
    next.show();
    if (focused) next.tabs.element.querySelector("[role=tab]").focus();
  }

  /** The position in notation. */
  text() {
    return this.timeline.text(this.at);
  }

  /** The address of this page at this position. */
  address() {
    return `${location.href.replace(/#.*$/, "")}#d=${this.at}`;
  }

  /** Play from here, from the start if this is the end; or stop. */
  play(playing = !this.timer) {
    clearInterval(this.timer);
    this.timer = 0;
    if (playing) {
      if (this.at === this.end) this.go(0);
      this.timer = setInterval(() => (this.at < this.end ? this.go(this.at + 1) : this.play(false)), this.steps.interval);
    }
    this.decision.element.setAttribute("aria-live", playing ? "off" : "polite");
    this.steps.playing(playing);
  }

  /** Open the tab of that name. */
  open(name) {
    this.tabs.open(this.parts.findIndex((part) => part.name === name));
  }

  /** Stop, and listen no more. */
  close() {
    clearInterval(this.timer);
    clearTimeout(this.linking);
    this.listening.abort();
  }

  #build() {
    const { data, host, timeline } = this;
    const go = (at) => this.go(at);
    host.dataset.game = data.game;
    const place = html("div", { class: "place" });
    this.board = new Board(place, data.sheet, `The board of ${data.sheet.title}`);
    this.board.least = timeline.least;
    const players = playersPanel(timeline);
    this.decision = decisionPanel(timeline, () => this.play(true));
    this.position = positionPanel(this);
    const { share } = host.dataset;
    this.share = share === undefined ? null : shareButton(() => this.address(), () => `${location.origin}${share}/embed#d=${this.at}`);
    this.steps = new Steps(this);
    this.always = [players, this.decision, this.steps];
    const stage = html("div", { class: "stage" }, players.element, place, this.steps.element);
    const side = html("div", { class: "side" }, this.decision.element);
    // The board holds the definitions that signs refer to, so it is on the page before them.
    shelter(host, "arena-viewer").append(stage, side, this.#help(), ...(this.share ? [this.share.dialog] : []));
    this.parts = this.#parts(go);
    this.tabs = tabs("About this match", this.parts, (index) => this.#opened(index));
    side.append(this.tabs.element);
    this.tabs.open(0);
    const { signal } = this.listening;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    // By now the address may be another: a step before may have been written into it.
    globalThis.addEventListener("hashchange", ({ newURL }) => this.#follow(this.#linked(new URL(newURL).hash)), { signal });
  }

  /** Go to the position of a link on the page, and bring the board into sight. */
  #follow(at) {
    if (at === null) return;
    this.go(at);
    this.host.scrollIntoView();
  }

  #parts(go) {
    const { data, timeline, host } = this;
    const numbers = data.columns.length ? [chartPanel(timeline, go), standingPanel(timeline)] : [];
    const parts = [
      { name: "Moves", panels: [movesPanel(timeline, go)] },
      { name: "Chart", panels: numbers },
      { name: "Position", panels: [this.position] },
      { name: "Legend", panels: [legendPanel(timeline, host.dataset.rules)] },
    ].filter((part) => part.panels.length);
    if (data.marks) parts.unshift({ name: "Analysis", panels: [analysisPanel(this)] });
    else if (host.dataset.analysis) parts.unshift({ name: "Analysis", panels: [askingPanel(this, host.dataset.analysis)] });
    for (const part of parts) part.element = html("div", { class: part.name.toLowerCase().split(" ")[0] }, ...part.panels.map((panel) => panel.element));
    return parts;
  }

  #opened(index) {
    this.tab = index;
    if (this.at >= 0) for (const part of this.parts[index].panels) part.show(this.at, this.seen);
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

  #help() {
    const rows = KEYS.map(([keys, words]) => html("tr", {}, html("th", { scope: "row" }, keys), html("td", {}, words)));
    const close = html("button", { type: "button", onclick: () => this.dialog.close() }, "Close");
    this.dialog = html("dialog", { "aria-label": "Keys" }, html("table", {}, html("tbody", {}, ...rows)), close);
    return this.dialog;
  }

  #key(event) {
    const { key } = event;
    const [target] = event.composedPath(); // event.target is the element around the shadow root
    if (event.defaultPrevented || this.dialog.open || this.share?.dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (OWN_KEYS.some(([elements, keys]) => target.closest?.(elements) && (!keys || keys.includes(key)))) return;
    const { jump } = this.steps;
    const acts = {
      ArrowRight: () => this.go(this.at + 1),
      ArrowLeft: () => this.go(this.at - 1),
      "]": () => this.go(this.timeline.nextTurn(this.at)),
      PageDown: () => this.go(this.timeline.nextTurn(this.at)),
      "[": () => this.go(this.timeline.turnBegan(this.at)),
      PageUp: () => this.go(this.timeline.turnBegan(this.at)),
      Home: () => this.go(0),
      End: () => this.go(this.end),
      " ": () => this.play(),
      ".": () => this.steps.paced(this.steps.speed + 1),
      ",": () => this.steps.paced(this.steps.speed - 1),
      m: () => goToMark(this, 1),
      M: () => goToMark(this, -1),
      j: () => (jump.focus(), jump.select()),
      c: () => this.position.copy(this.text(), "position"),
      l: () => this.position.copy(this.address(), "link"),
      "?": () => this.dialog.showModal(),
    };
    const known = this.board.key(event) || (Object.hasOwn(acts, key) && !(event.shiftKey && key.length > 1) && (acts[key](), true));
    if (known) event.preventDefault();
  }
}
