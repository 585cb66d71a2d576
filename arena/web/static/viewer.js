// The viewer: walks through the replay of any game, a document arena-viewer/1 (docs/viewer.md). The board is in board.js.
"use strict";

(() => {
  const { Board, html, iconButton, panels, shelter } = globalThis.arena;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16]; // decisions a second
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
    ["c", "copy the position in notation"],
    ["l", "copy a link to the position"],
    ["?", "show these keys"],
  ];
  // Elements that use keys themselves, and which; without a list, all.
  const OWN_KEYS = [
    ["input:not([type=range]), select, textarea, [contenteditable]"],
    ["input[type=range]", ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]],
    ["button, summary, a", [" ", "Enter"]],
    ["pre", ["Home", "End", "PageUp", "PageDown"]],
  ];
  const ICONS = {
    start: "M5 4V20M20 4L8 12L20 20Z",
    turnBack: "M12 5L3 12L12 19ZM21 5L12 12L21 19Z",
    back: "M17 4L6 12L17 20Z",
    play: "M7 4L19 12L7 20Z",
    stop: "M6 4H10V20H6ZM14 4H18V20H14Z",
    on: "M7 4L18 12L7 20Z",
    turnOn: "M12 5L21 12L12 19ZM3 5L12 12L3 19Z",
    end: "M19 4V20M4 4L16 12L4 20Z",
  };

  /** A document with all that is left out of its frames filled in. */
  class Timeline {
    constructor(data) {
      this.data = data;
      this.end = data.frames.length - 1;
      this.boxes = [];
      this.columns = [];
      this.facts = [];
      this.turnOf = []; // by position: the turn it is in
      this.history = data.slots.map(() => []); // by slot: frame and shape in turn, ascending
      data.frames.forEach((frame, at) => {
        const changes = frame.board ?? [];
        for (let i = 0; i < changes.length; i += 2) this.history[changes[i]].push(at, changes[i + 1]);
        this.boxes.push(frame.box ?? this.boxes[at - 1]);
        this.columns.push(frame.columns ?? this.columns[at - 1] ?? []);
        this.facts.push(frame.facts ?? this.facts[at - 1] ?? []);
        const turn = this.turnOf[at - 1] ?? -1;
        this.turnOf.push(data.turns[turn + 1] === at ? turn + 1 : turn);
      });
    }

    /** Which slots differ between two positions, and the shapes they have in the second (-1: none). */
    changes(from, to) {
      const touched = new Map();
      for (let at = Math.min(from, to) + 1; at <= Math.max(from, to); at++) {
        const changes = this.data.frames[at].board ?? [];
        for (let i = 0; i < changes.length; i += 2) touched.set(changes[i], to > from ? changes[i + 1] : this.#shape(changes[i], to));
      }
      return touched;
    }

    #shape(slot, at) {
      const history = this.history[slot];
      let shape = -1;
      for (let i = 0; i < history.length && history[i] <= at; i += 2) shape = history[i + 1];
      return shape;
    }

    /** The position in notation. */
    text(at) {
      const lines = [];
      for (const { text } of this.data.frames.slice(0, at + 1)) for (const [line, gone, come] of text ?? []) lines.splice(line, gone, ...come);
      return `${lines.join("\n")}\n`;
    }

    nextTurn(at) {
      return this.data.turns.find((turn) => turn > at) ?? this.end;
    }

    turnBegan(at) {
      return this.data.turns.filter((turn) => turn < at).at(-1) ?? 0;
    }
  }

  /** A replay on a page, in the element `host`; its data-continue, if any, is an address in which {d} stands for the position. */
  class Viewer {
    constructor(host, data) {
      this.host = host;
      this.data = data;
      this.timeline = new Timeline(data);
      this.end = this.timeline.end;
      this.at = -1;
      this.speed = 2;
      this.timer = 0;
      this.#build();
      this.go(this.#linked() ?? 0);
    }

    /** Show the position after so many decisions. */
    go(to) {
      const at = Math.max(0, Math.min(Math.round(to), this.end));
      if (at === this.at || Number.isNaN(at)) return;
      for (const [slot, shape] of this.timeline.changes(this.at, at)) {
        const [key, parent, order] = this.data.slots[slot];
        this.board.put(key, parent, order, shape < 0 ? null : this.data.shapes[shape]);
      }
      const jumps = Math.abs(at - this.at) > 1;
      this.at = at;
      this.board.frame(this.timeline.boxes[at], jumps);
      for (const panel of this.panels) panel.show(at);
      this.#showSteps();
      if (this.notation.open) this.#write();
      clearTimeout(this.linking);
      this.linking = setTimeout(() => this.#link(), LINK_DELAY);
    }

    /** The position in notation. */
    text() {
      return this.timeline.text(this.at);
    }

    /** Play from here, from the start if this is the end; or stop. */
    play(playing = !this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
      if (playing) {
        if (this.at === this.end) this.go(0);
        this.timer = setInterval(() => (this.at < this.end ? this.go(this.at + 1) : this.play(false)), 1000 / SPEEDS[this.speed]);
      }
      this.panels[0].element.setAttribute("aria-live", playing ? "off" : "polite");
      const button = this.buttons.play;
      button.setAttribute("aria-label", playing ? "Stop" : "Play");
      button.title = playing ? "Stop (Space)" : "Play (Space)";
      button.querySelector("path").setAttribute("d", playing ? ICONS.stop : ICONS.play);
    }

    #build() {
      const { data, host, timeline } = this;
      const go = (at) => this.go(at);
      host.dataset.game = data.game;
      const place = html("div", { class: "place" });
      this.board = new Board(place, data.sheet, `The board of ${data.sheet.title}`);
      const half = (side) => Math.max(1, ...timeline.boxes.map((box) => box[side] / 2));
      this.board.least = [half(2), half(3)];
      const { decisionPanel, standingPanel, chartPanel, movesPanel, legendPanel } = panels;
      const chart = data.columns.length ? [chartPanel(timeline, go)] : [];
      this.panels = [decisionPanel(timeline), standingPanel(timeline), ...chart, movesPanel(timeline, go)];
      const legend = data.legend.length ? [legendPanel(timeline).element] : [];
      const beside = [...this.panels.map((panel) => panel.element), this.#positionCard(), ...legend];
      const stage = html("div", { class: "stage" }, place, this.#steps());
      shelter(host, "arena-viewer").append(stage, html("div", { class: "side" }, ...beside), this.#help());
      document.addEventListener("keydown", (event) => this.#key(event));
      // By now the address may be another: a step before may have been written into it.
      globalThis.addEventListener("hashchange", ({ newURL }) => this.go(this.#linked(new URL(newURL).hash) ?? this.at));
    }

    // Steps

    #steps() {
      this.buttons = {
        start: iconButton(ICONS.start, "To the start", "Home", () => this.go(0)),
        turnBack: iconButton(ICONS.turnBack, "Start of the turn", "[", () => this.go(this.timeline.turnBegan(this.at))),
        back: iconButton(ICONS.back, "One decision back", "←", () => this.go(this.at - 1)),
        play: iconButton(ICONS.play, "Play", "Space", () => this.play()),
        on: iconButton(ICONS.on, "One decision forward", "→", () => this.go(this.at + 1)),
        turnOn: iconButton(ICONS.turnOn, "The next turn", "]", () => this.go(this.timeline.nextTurn(this.at))),
        end: iconButton(ICONS.end, "To the end", "End", () => this.go(this.end)),
      };
      this.buttons.play.classList.add("play");
      const limits = { min: 0, max: this.end };
      const left = ({ key }) => key === "Enter" && this.jump.blur();
      const scrubbed = () => this.go(Number(this.scrub.value));
      const jumped = () => this.jump.value && this.go(Number(this.jump.value));
      this.scrub = html("input", { type: "range", ...limits, step: 1, class: "scrub", "aria-label": "Decision", oninput: scrubbed });
      this.jump = html("input", { type: "number", ...limits, "aria-label": "Jump to decision", onchange: jumped, onkeydown: left });
      this.turn = html("select", { "aria-label": "Jump to turn", class: "turn", onchange: () => this.go(Number(this.turn.value)) });
      const { turns, frames, seats } = this.data;
      this.turn.append(...turns.map((at, turn) => html("option", { value: at }, `turn ${turn + 1}: ${seats[frames[at].actor]?.name ?? ""}`)));
      const paced = () => this.#pace(Number(this.pace.value));
      this.pace = html("select", { "aria-label": "Decisions per second", title: "Speed ( , and . )", onchange: paced });
      this.pace.append(...SPEEDS.map((speed, index) => html("option", { value: index, selected: index === this.speed }, `${speed}/s`)));
      const keys = html("button", { type: "button", title: "Keys (?)", "aria-label": "Keys", onclick: () => this.dialog.showModal() }, "?");
      const buttons = html("div", { class: "buttons" }, ...Object.values(this.buttons));
      const fields = html("div", { class: "fields" }, html("label", {}, this.jump, ` of ${this.end}`), this.turn, this.pace, keys);
      return html("div", { class: "controls", role: "group", "aria-label": "Steps" }, this.scrub, buttons, fields);
    }

    #showSteps() {
      const { at, end, data, timeline, buttons } = this;
      const { move } = data.frames[at];
      this.scrub.value = this.jump.value = at;
      this.scrub.setAttribute("aria-valuetext", `${at} of ${end}${move ? `: ${data.seats[move.seat].name} ${move.words}` : ""}`);
      this.turn.value = data.turns[timeline.turnOf[at]] ?? 0;
      for (const button of [buttons.start, buttons.back, buttons.turnBack]) button.setAttribute("aria-disabled", at === 0);
      for (const button of [buttons.end, buttons.on, buttons.turnOn]) button.setAttribute("aria-disabled", at === end);
      const onward = this.host.dataset.continue;
      this.onward.hidden = !onward || at === end;
      if (onward) this.onward.href = onward.replaceAll("{d}", at);
    }

    #pace(speed) {
      this.speed = Math.max(0, Math.min(speed, SPEEDS.length - 1));
      this.pace.value = this.speed;
      if (this.timer) this.play(true);
    }

    // The position: its notation, links to it, playing on from it

    #positionCard() {
      this.said = html("span", { class: "said", role: "status" });
      this.onward = html("a", { class: "onward", hidden: true }, "Continue from here");
      this.position = html("pre", { tabindex: 0, "aria-label": "The position in notation" });
      this.notation = html("details", { ontoggle: () => this.#write() }, html("summary", {}, "The position in notation"), this.position);
      const copy = html("button", { type: "button", onclick: () => this.#copy(this.text(), "position") }, "Copy the position");
      const link = html("button", { type: "button", onclick: () => this.#copy(this.#address(), "link") }, "Copy a link to it");
      const actions = html("div", { class: "actions" }, copy, link, this.onward, this.said);
      return html("section", { class: "card", "aria-label": "The position" }, actions, this.notation);
    }

    #write(text = this.text()) {
      if (this.position.textContent !== text) this.position.textContent = text; // what is marked in it stays marked
    }

    #linked(hash = location.hash) {
      const found = /(?:^#|&)d=(\d{1,6})(?:&|$)/.exec(hash);
      return found && Number(found[1]);
    }

    #address() {
      return `${location.href.replace(/#.*$/, "")}#d=${this.at}`;
    }

    #link() {
      if (this.#linked() !== this.at && (this.at || location.hash)) history.replaceState(history.state, "", `#d=${this.at}`);
    }

    async #copy(text, what) {
      try {
        await navigator.clipboard.writeText(text);
        this.said.textContent = `${what} copied`;
      } catch {
        this.said.textContent = `this browser does not let the page copy; mark the ${what} and copy it:`;
        this.notation.open = true;
        this.#write(text);
        getSelection().selectAllChildren(this.position);
      }
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
      if (event.defaultPrevented || this.dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
      if (OWN_KEYS.some(([elements, keys]) => target.closest(elements) && (!keys || keys.includes(key)))) return;
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
        ".": () => this.#pace(this.speed + 1),
        ",": () => this.#pace(this.speed - 1),
        j: () => (this.jump.focus(), this.jump.select()),
        c: () => this.#copy(this.text(), "position"),
        l: () => this.#copy(this.#address(), "link"),
        "?": () => this.dialog.showModal(),
      };
      const known = this.board.key(event) || (Object.hasOwn(acts, key) && !(event.shiftKey && key.length > 1) && (acts[key](), true));
      if (known) event.preventDefault();
    }
  }

  /** Make viewers of all elements with data-arena-viewer, the id of the <script type="application/json"> that has the document. */
  function mount(root = document) {
    for (const host of root.querySelectorAll("[data-arena-viewer]")) {
      host.arenaViewer ??= new Viewer(host, JSON.parse(document.getElementById(host.dataset.arenaViewer).textContent));
    }
  }

  globalThis.arena = { ...globalThis.arena, Viewer, mount };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mount());
  else mount();
})();
