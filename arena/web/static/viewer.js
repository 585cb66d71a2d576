// The viewer: walks through a replay, document arena-viewer/1 (docs/viewer.md). The board itself is board.js; this knows no single game.
"use strict";

(() => {
  const { Board, sign, svg } = globalThis.arena;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16]; // decisions a second
  const HELP = [
    ["→ ←", "one decision on, back"],
    ["] [  or  PageDown PageUp", "the next turn, where the turn began"],
    ["Home End", "the start, the end"],
    ["Space", "play, and stop"],
    [". ,", "play faster, slower"],
    ["j", "jump to a decision by its number"],
    ["+ − 0", "zoom in, out, the whole board"],
    ["Shift and arrows", "move over the board"],
    ["c", "copy the position's text"],
    ["l", "copy a link to the position"],
    ["?", "these keys"],
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
  // By seat: a shape, so that nothing hangs on colour, and dashes for the chart's lines.
  const SHAPES = ["M0-11A11 11 0 1 1 0 11A11 11 0 1 1 0-11Z", "M-10-10H10V10H-10Z", "M0-13L13 0L0 13L-13 0Z",
    "M-6.5-11.5H6.5L13 0L6.5 11.5H-6.5L-13 0Z", "M0-13.5L13 11H-13Z", "M0-12.5L12.5-3L7.5 11.5H-7.5L-12.5-3Z"];
  const DASHES = ["", "9 5", "6 2.5", "14 4 3 4", "3 2", "18 5"];

  /** An HTML element; text from replays goes in as text only, never as markup. */
  function html(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

  class Viewer {
    constructor(host, data) {
      this.host = host;
      this.data = data;
      this.end = data.frames.length - 1;
      this.at = -1;
      this.speed = 2;
      this.timer = 0;
      this.#unfold();
      this.#build();
      this.board.least = this.data.frames.reduce(([w, h], { box }) => (box ? [Math.max(w, box[2] / 2), Math.max(h, box[3] / 2)] : [w, h]), [1, 1]);
      this.go(this.#linked() ?? 0);
    }

    /** Show the position after so many decisions. */
    go(to) {
      const at = Math.max(0, Math.min(Math.round(to), this.end));
      if (at === this.at) return;
      for (const [slot, shape] of this.#changes(this.at, at)) {
        const [key, parent, order] = this.data.slots[slot];
        this.board.put(key, parent, order, shape < 0 ? null : this.data.shapes[shape]);
      }
      const jumps = Math.abs(at - this.at) > 1;
      this.at = at;
      this.board.frame(this.boxes[at], jumps);
      this.#tell();
      clearTimeout(this.linking);
      this.linking = setTimeout(() => this.#link(), 150);
    }

    /** The position as text, in notation. */
    text(at = this.at) {
      const lines = [];
      for (const { text } of this.data.frames.slice(0, at + 1)) for (const [line, gone, come] of text ?? []) lines.splice(line, gone, ...come);
      return `${lines.join("\n")}\n`;
    }

    /** Play from here, from the start if this is the end; or stop. */
    play(playing = !this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
      if (playing) {
        if (this.at === this.end) this.go(0);
        this.timer = setInterval(() => (this.at < this.end ? this.go(this.at + 1) : this.play(false)), 1000 / SPEEDS[this.speed]);
      }
      this.now.setAttribute("aria-live", playing ? "off" : "polite");
      const button = this.buttons.play;
      button.setAttribute("aria-label", playing ? "Stop" : "Play");
      button.title = playing ? "Stop (Space)" : "Play (Space)";
      button.firstChild.firstChild.setAttribute("d", playing ? ICONS.stop : ICONS.play);
    }

    nextTurn() {
      this.go(this.data.turns.find((turn) => turn > this.at) ?? this.end);
    }

    turnBegan() {
      this.go(this.data.turns.findLast((turn) => turn < this.at) ?? 0);
    }

    // From the document to what every frame shows

    #unfold() {
      const { frames, slots } = this.data;
      this.history = slots.map(() => []); // by slot: frame and shape in turn, ascending
      this.boxes = [];
      this.columns = [];
      this.facts = [];
      frames.forEach((frame, at) => {
        const changes = frame.board ?? [];
        for (let i = 0; i < changes.length; i += 2) this.history[changes[i]].push(at, changes[i + 1]);
        this.boxes.push(frame.box ?? this.boxes[at - 1]);
        this.columns.push(frame.columns ?? this.columns[at - 1]);
        this.facts.push(frame.facts ?? this.facts[at - 1]);
      });
      this.turnOf = [];
      let turn = -1;
      for (let at = 0; at <= this.end; at++) this.turnOf.push(this.data.turns[turn + 1] === at ? ++turn : turn);
    }

    /** Which slots differ between two frames, and what they show in the second. */
    #changes(from, to) {
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

    // The page

    #build() {
      const { data, host } = this;
      host.classList.add("arena-viewer");
      host.dataset.game = data.game;
      const place = html("div", { class: "place" });
      this.board = new Board(place, data.sheet, `The board of ${data.sheet.title}`);
      this.now = html("section", { class: "now card", "aria-live": "polite", "aria-label": "This decision" });
      this.seats = html("tbody");
      this.moves = this.#moves();
      this.tip = html("div", { class: "tip", role: "tooltip", id: "arena-tip", hidden: true });
      this.position = html("pre", { tabindex: "0", "aria-label": "The position in notation" });
      this.said = html("span", { class: "said", role: "status" });
      const side = html("div", { class: "side" }, this.now, this.#table(), this.#chart(), this.#list(), this.#more());
      host.replaceChildren(html("div", { class: "stage" }, place, this.#controls()), side, this.tip, this.#help());
      document.addEventListener("keydown", (event) => this.#key(event));
      globalThis.addEventListener("hashchange", () => this.go(this.#linked() ?? this.at));
    }

    #chip(seat) {
      const { color, ink } = this.data.seats[seat];
      const chip = svg("svg", { viewBox: "-14 -14 28 28", class: "chip", "aria-hidden": "true" });
      const number = svg("text", { y: seat === 4 ? "9" : "5", fill: ink });
      number.textContent = seat;
      chip.append(svg("path", { d: SHAPES[seat], fill: color }), number);
      return chip;
    }

    #who(seat) {
      const name = html("span", { class: "name" });
      name.textContent = this.data.seats[seat].name;
      return html("span", { class: "who" }, this.#chip(seat), html("span", { class: "sr" }, `seat ${seat} `), name);
    }

    #button(icon, label, key, act) {
      const picture = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] }));
      return html("button", { type: "button", "aria-label": label, title: `${label} (${key})`, onclick: act, class: icon }, picture);
    }

    #controls() {
      this.buttons = {
        start: this.#button("start", "To the start", "Home", () => this.go(0)),
        turnBack: this.#button("turnBack", "Where the turn began", "[", () => this.turnBegan()),
        back: this.#button("back", "One decision back", "←", () => this.go(this.at - 1)),
        play: this.#button("play", "Play", "Space", () => this.play()),
        on: this.#button("on", "One decision on", "→", () => this.go(this.at + 1)),
        turnOn: this.#button("turnOn", "The next turn", "]", () => this.nextTurn()),
        end: this.#button("end", "To the end", "End", () => this.go(this.end)),
      };
      const limits = { min: "0", max: this.end };
      this.scrub = html("input", { type: "range", ...limits, step: "1", class: "scrub", "aria-label": "Decision", oninput: () => this.go(Number(this.scrub.value)) });
      this.jump = html("input", { type: "number", ...limits, inputmode: "numeric", "aria-label": "Jump to decision", onchange: () => this.jump.value && this.go(Number(this.jump.value)) });
      const turns = this.data.turns.map((at, turn) => {
        const option = html("option", { value: at });
        option.textContent = `turn ${turn + 1}: ${this.data.seats[this.data.frames[at].actor]?.name ?? ""}`;
        return option;
      });
      this.turn = html("select", { "aria-label": "Jump to turn", class: "turn", onchange: () => this.go(Number(this.turn.value)) }, ...turns);
      const speeds = SPEEDS.map((speed, index) => html("option", { value: index, selected: index === this.speed }, `${speed}/s`));
      this.pace = html("select", { "aria-label": "Decisions a second when playing", title: "Speed ( , and . )", onchange: () => this.#faster(Number(this.pace.value) - this.speed) }, ...speeds);
      const questions = html("button", { type: "button", class: "what", title: "Keys (?)", "aria-label": "Keys", onclick: () => this.dialog.showModal() }, "?");
      const bar = html("div", { class: "buttons" }, ...Object.values(this.buttons));
      const fields = html("div", { class: "fields" }, html("label", {}, this.jump, ` of ${this.end}`), this.turn, this.pace, questions);
      return html("div", { class: "controls", role: "group", "aria-label": "Steps" }, this.scrub, bar, fields);
    }

    #table() {
      const { columns } = this.data;
      const head = columns.map((column) => html("th", { scope: "col" }, column));
      this.ranks = html("th", { scope: "col" }, "rank");
      const table = html("table", {}, html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "player"), ...head, this.ranks)), this.seats);
      return html("section", { class: "standing card", "aria-label": "How everyone stands" }, table);
    }

    #row(seat, values) {
      const { data, at } = this;
      const { rank } = data.seats[seat];
      const over = at === this.end;
      const player = html("th", { scope: "row" }, this.#who(seat));
      const given = (data.forfeits ?? []).find((forfeit) => forfeit.seat === seat && forfeit.index < at);
      if (given) player.firstChild.append(html("span", { class: "tag bad", title: given.reason }, "forfeited"));
      if (data.frames[at].actor === seat) player.firstChild.append(html("span", { class: "turns", title: "to move", role: "img", "aria-label": "to move" }, "◀"));
      if (data.supply) player.append(this.#pegs(values[data.supply.column]));
      const cells = values.map((value, column) => html("td", { class: column ? "" : "points" }, value));
      const place = html("td", { class: "rank" }, over ? (rank === 1 ? "★ 1" : `${rank}`) : "");
      place.hidden = !over;
      const classes = [data.frames[at].actor === seat ? "active" : "", over && rank === 1 ? "winner" : ""].join(" ");
      return html("tr", { "data-seat": seat, class: classes }, player, ...cells, place);
    }

    #pegs(left) {
      const { full, word } = this.data.supply;
      const pegs = (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => `M${7 * (from + i) + 0.5} .5h5v9h-5Z`).join("");
      const words = { role: "img", "aria-label": `${count(left, word)} left` };
      const here = svg("path", { class: "full", d: pegs(0, left) });
      return svg("svg", { viewBox: `0 0 ${full * 7} 10`, class: "pegs", ...words }, here, svg("path", { d: pegs(left, full) }));
    }

    #chart() {
      const [width, height, left, right, top, bottom] = [400, 128, 30, 22, 8, 8];
      const points = this.columns.map((columns) => columns[0]);
      const most = Math.max(1, ...points.flat());
      const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((each) => most / each <= 4) ?? 1000;
      const x = (at) => left + ((width - left - right) * at) / Math.max(this.end, 1);
      const y = (value) => height - bottom - ((height - top - bottom) * value) / most;
      const said = this.data.seats.map((seat) => `${seat.name} ${seat.score}`).join(", ");
      const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `Points over time; at the end: ${said}` });
      for (let value = 0; value <= most; value += step) {
        const label = svg("text", { x: left - 5, y: y(value) + 4, class: "scale" });
        label.textContent = value;
        chart.append(svg("path", { d: `M${left} ${y(value)}H${width - right}`, class: "grid" }), label);
      }
      for (const forfeit of this.data.forfeits ?? []) chart.append(svg("path", { d: `M${x(forfeit.index)} ${top}V${height - bottom}`, class: "forfeit" }));
      const ends = [];
      this.data.seats.forEach(({ color }, seat) => {
        let path = `M${x(0)} ${y(points[0][seat])}`;
        for (let at = 1; at <= this.end; at++) if (points[at][seat] !== points[at - 1][seat]) path += `H${x(at).toFixed(1)}V${y(points[at][seat]).toFixed(1)}`;
        path += `H${x(this.end)}`;
        chart.append(svg("path", { d: path, class: "rim", "stroke-dasharray": DASHES[seat] }), svg("path", { d: path, class: "line", stroke: color, "stroke-dasharray": DASHES[seat] }));
        const at = ends.reduce((spot, taken) => (Math.abs(taken - spot) < 12 ? taken - 13 : spot), y(points[this.end][seat]));
        ends.push(at);
        const chip = this.#chip(seat);
        for (const [key, value] of Object.entries({ x: width - right + 3, y: at - 8, width: 16, height: 16 })) chip.setAttribute(key, value);
        chart.append(chip);
      });
      this.cursor = svg("path", { class: "cursor" });
      this.cursorAt = (at) => this.cursor.setAttribute("d", `M${x(at).toFixed(1)} ${top - 4}V${height - bottom + 4}`);
      chart.append(this.cursor);
      const seek = (event) => {
        const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
        this.go(((spot.x - left) / (width - left - right)) * this.end);
      };
      chart.addEventListener("pointerdown", (event) => {
        chart.setPointerCapture(event.pointerId);
        seek(event);
      });
      chart.addEventListener("pointermove", (event) => event.buttons && seek(event));
      return html("section", { class: "scores card", "aria-label": "Points over time" }, html("h2", {}, `${this.data.columns[0]} over time`), chart);
    }

    // The list of moves

    #moves() {
      const begins = new Set(this.data.turns);
      const forfeits = new Map((this.data.forfeits ?? []).map((forfeit) => [forfeit.index, forfeit]));
      return this.data.frames.slice(1).map(({ move, events }, decision) => {
        const notation = html("code");
        notation.textContent = move.notation;
        const button = html("button", { type: "button", tabindex: "-1", "aria-describedby": "arena-tip" }, html("span", { class: "number" }, decision), this.#chip(move.seat), notation);
        if (events) button.append(html("span", { class: "event" }, events.some((event) => event.dice) ? "⚂" : "•"));
        if (forfeits.has(decision)) button.append(html("span", { class: "tag bad" }, "forfeit"));
        button.arenaAt = decision + 1;
        return html("li", { class: begins.has(decision) ? "first" : "" }, button);
      });
    }

    #list() {
      const list = html("ol", { class: "moves", start: "0" }, ...this.moves);
      const shown = (event) => event.target.closest("button");
      list.addEventListener("click", (event) => shown(event) && this.go(shown(event).arenaAt));
      list.addEventListener("keydown", (event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        this.go(this.at + by);
        this.moves[this.at - 1]?.firstChild.focus();
      });
      for (const come of ["mouseover", "focusin"]) list.addEventListener(come, (event) => shown(event) && this.#explain(shown(event)));
      for (const leave of ["mouseout", "focusout"]) list.addEventListener(leave, () => (this.tip.hidden = true));
      list.addEventListener("scroll", () => (this.tip.hidden = true));
      return html("section", { class: "list card", "aria-label": "Moves" }, html("h2", {}, "moves"), list);
    }

    /** What the notation of a move means, beside it. */
    #explain(button) {
      const { move, events } = this.data.frames[button.arenaAt];
      const title = html("b");
      title.textContent = `${this.data.seats[move.seat].name} ${move.words}`;
      const more = (events ?? []).map(({ words }) => html("span", {}, words));
      this.tip.replaceChildren(title, ...more);
      this.tip.hidden = false;
      const spot = button.getBoundingClientRect();
      const { width, height } = this.tip.getBoundingClientRect();
      const above = spot.bottom + height + 8 > innerHeight;
      this.tip.style.left = `${Math.max(6, Math.min(spot.left + 24, innerWidth - width - 6))}px`;
      this.tip.style.top = `${above ? spot.top - height - 4 : spot.bottom + 4}px`;
    }

    #more() {
      const signs = this.data.legend.map((each) => html("li", {}, sign(each, 26), html("span", {}, each.words)));
      const legend = html("details", { class: "card", open: matchMedia("(min-width: 60rem)").matches }, html("summary", {}, "Legend"), html("ul", { class: "legend" }, ...signs));
      const copy = html("button", { type: "button", onclick: () => this.#copy(this.text(), "position") }, "Copy the position");
      const link = html("button", { type: "button", onclick: () => this.#copy(this.#address(), "link") }, "Copy a link to it");
      this.onward = html("a", { class: "onward", hidden: true }, "Continue from here");
      const buttons = html("p", { class: "actions" }, copy, link, this.onward, this.said);
      this.notation = html("details", { ontoggle: () => this.#write() }, html("summary", {}, "The position in notation"), this.position);
      return html("div", { class: "more" }, html("section", { class: "card", "aria-label": "The position" }, buttons, this.notation), legend);
    }

    #help() {
      const rows = HELP.map(([keys, words]) => html("tr", {}, html("th", { scope: "row" }, keys), html("td", {}, words)));
      this.dialog = html("dialog", { "aria-label": "Keys" }, html("table", {}, ...rows), html("form", { method: "dialog" }, html("button", {}, "Close")));
      return this.dialog;
    }

    // What changes with every step

    #tell() {
      const { at, data } = this;
      this.scrub.value = this.jump.value = at;
      const frame = data.frames[at];
      this.scrub.setAttribute("aria-valuetext", `${at} of ${this.end}${frame.move ? `: ${data.seats[frame.move.seat].name} ${frame.move.words}` : ""}`);
      this.turn.value = data.turns[this.turnOf[at]] ?? 0;
      this.buttons.start.disabled = this.buttons.back.disabled = this.buttons.turnBack.disabled = at === 0;
      this.buttons.end.disabled = this.buttons.on.disabled = this.buttons.turnOn.disabled = at === this.end;
      this.cursorAt(at);
      this.#decision(frame);
      this.ranks.hidden = at < this.end;
      this.seats.replaceChildren(...data.seats.map((_, seat) => this.#row(seat, this.columns[at].map((column) => column[seat]))));
      this.#mark();
      if (this.notation.open) this.#write();
      const onward = this.host.dataset.continue;
      this.onward.hidden = !onward || at === this.end;
      if (onward) this.onward.href = onward.replaceAll("{d}", at);
    }

    /** What was decided, what came of it, what is next. */
    #decision(frame) {
      const { data, at } = this;
      const parts = [html("p", { class: "count" }, at ? `decision ${at - 1}, turn ${this.turnOf[at - 1] + 1}` : `the start; seed ${data.seed}`)];
      const forfeit = (data.forfeits ?? []).find(({ index }) => index === at - 1);
      if (forfeit) parts.push(html("p", { class: "bad" }, this.#who(forfeit.seat), ` forfeits: ${forfeit.reason}; a substitute plays on for it`));
      if (frame.move) {
        const notation = html("code");
        notation.textContent = frame.move.notation;
        parts.push(html("p", { class: "move" }, this.#who(frame.move.seat), " ", notation), html("p", {}, frame.move.words));
      }
      for (const { words, dice } of frame.events ?? []) {
        const line = html("p", { class: "event" }, words);
        for (const [who, rolls] of dice ?? []) line.append(html("span", { class: "dice" }, `${who} `, ...rolls.map((roll) => this.#die(roll))));
        parts.push(line);
      }
      const next = data.words[frame.status] + (frame.legal ? `, ${count(frame.legal, "legal move")}` : "");
      parts.push(html("p", { class: "next" }, next), html("p", { class: "facts" }, this.facts[at].map((fact) => data.words[fact]).join(" · ")));
      const waiting = (frame.waiting ?? []).map((index) => data.signs[index]);
      const pictures = waiting.map((each) => html("figure", {}, sign(each, each.box[3] > 60 ? 92 : 30), html("figcaption", {}, each.words)));
      if (pictures.length) parts.push(html("div", { class: "waiting" }, ...pictures));
      this.now.replaceChildren(...parts);
    }

    #die(roll) {
      const spots = { 1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568" }[roll];
      const die = svg("svg", { viewBox: "0 0 20 20", class: "die", role: "img", "aria-label": String(roll) }, svg("rect", { x: 1, y: 1, width: 18, height: 18, rx: 4 }));
      for (const spot of spots ?? "") die.append(svg("circle", { cx: 5 + 5 * (spot % 3), cy: 5 + 5 * Math.floor(spot / 3), r: 1.9 }));
      return die;
    }

    /** Mark the move that led here in the list, and bring it into sight without moving the page. */
    #mark() {
      this.marked?.removeAttribute("aria-current");
      if (this.marked) this.marked.tabIndex = -1;
      const item = this.moves[Math.max(this.at - 1, 0)];
      if (!item) return;
      this.marked = item.firstChild;
      this.marked.tabIndex = 0;
      const list = item.parentNode;
      if (this.at) this.marked.setAttribute("aria-current", "step");
      const top = item.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
    }

    #write() {
      this.position.textContent = this.text();
    }

    #faster(by) {
      this.speed = Math.max(0, Math.min(this.speed + by, SPEEDS.length - 1));
      this.pace.value = this.speed;
      if (this.timer) this.play(true);
    }

    // Links, copies, keys

    #linked() {
      const found = /(?:^#|&)d=(\d{1,6})(?:&|$)/.exec(location.hash);
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
      } catch {
        const field = html("textarea", { class: "sr" });
        field.value = text;
        document.body.append(field);
        field.select();
        const copied = document.execCommand("copy");
        field.remove();
        if (!copied) {
          this.said.textContent = `this browser does not let a page copy; the ${what} is: ${text.slice(0, 200)}`;
          return;
        }
      }
      this.said.textContent = `${what} copied`;
    }

    #key(event) {
      const { target, key } = event;
      if (event.defaultPrevented || this.dialog.open || target.closest("input, select, textarea, [contenteditable]")) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key === " " && target.closest("button, summary, a")) return;
      const acts = {
        ArrowRight: () => this.go(this.at + 1),
        ArrowLeft: () => this.go(this.at - 1),
        "]": () => this.nextTurn(),
        PageDown: () => this.nextTurn(),
        "[": () => this.turnBegan(),
        PageUp: () => this.turnBegan(),
        Home: () => this.go(0),
        End: () => this.go(this.end),
        " ": () => this.play(),
        ".": () => this.#faster(1),
        ",": () => this.#faster(-1),
        j: () => (this.jump.focus(), this.jump.select()),
        c: () => this.#copy(this.text(), "position"),
        l: () => this.#copy(this.#address(), "link"),
        "?": () => this.dialog.showModal(),
      };
      if (this.board.key(event)) event.preventDefault();
      else if (acts[key] && !(event.shiftKey && key.length > 1)) {
        event.preventDefault();
        acts[key]();
      }
    }
  }

  /** Make viewers of all elements with data-arena-viewer, the id of the <script type="application/json"> that has the document. */
  function mount(root = document) {
    for (const host of root.querySelectorAll("[data-arena-viewer]")) {
      if (host.arenaViewer) continue;
      host.arenaViewer = new Viewer(host, JSON.parse(document.getElementById(host.dataset.arenaViewer).textContent));
    }
  }

  globalThis.arena = { ...globalThis.arena, Viewer, mount };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mount());
  else mount();
})();
