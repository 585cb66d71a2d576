// The controls under the board of a replay: the scrubber with its ticks, the buttons, jumps to a decision and to a turn, the speed.

import { svg } from "./board.js";
import { ribbon } from "./chart.js";
import { html, iconButton } from "./ui.js";
import { exploreLink } from "./viewer_panels.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16]; // decisions a second
const CROWD = 3; // ticks of turns are drawn if a turn has at least as many decisions as that, on average
const HEIGHTS = { inaccuracy: -0.25, mistake: -0.5, blunder: -0.8 }; // of marks over the ticks
export const ICONS = {
  start: "M5 4V20M20 4L8 12L20 20Z",
  turnBack: "M12 5L3 12L12 19ZM21 5L12 12L21 19Z",
  back: "M17 4L6 12L17 20Z",
  play: "M7 4L19 12L7 20Z",
  stop: "M6 4H10V20H6ZM14 4H18V20H14Z",
  on: "M7 4L18 12L7 20Z",
  turnOn: "M12 5L21 12L12 19ZM3 5L12 12L3 19Z",
  end: "M19 4V20M4 4L16 12L4 20Z",
};

/** The controls of a viewer: `element`, and show(at, seen) as panels have it. */
export class Steps {
  constructor(viewer) {
    this.viewer = viewer;
    this.timeline = viewer.timeline;
    this.speed = 2;
    this.ribbon = viewer.data.evaluation?.length ? ribbon(this.timeline, (at) => viewer.go(at, { glide: false })) : null;
    const rows = this.timeline.marks.size ? 2 : 1;
    this.ticks = svg("svg", { viewBox: `0 ${1 - rows} ${Math.max(viewer.end, 1)} ${rows}`, preserveAspectRatio: "none", class: `ticks rows-${rows}`, "aria-hidden": "true" });
    const scrubbed = () => viewer.go(Number(this.scrub.value), { glide: false });
    this.scrub = html("input", { type: "range", min: 0, max: viewer.end, step: 1, class: "scrub", "aria-label": "Decision", oninput: scrubbed });
    const track = html("div", { class: "track" }, ...(this.ribbon ? [this.ribbon.element] : []), this.ticks, this.scrub);
    const others = html("button", { type: "button", class: "more-steps", "aria-expanded": "false", onclick: () => this.#open(others) }, "More");
    const row = html("div", { class: "row" }, this.#buttons(), others, this.#fields());
    this.element = html("div", { class: "controls", role: "group", "aria-label": "Steps" }, track, row);
    this.told = -1;
  }

  /** On a phone: show the other controls, or hide them again. */
  #open(button) {
    button.setAttribute("aria-expanded", this.element.classList.toggle("opened"));
    this.element.scrollIntoView({ block: "nearest" });
  }

  #buttons() {
    const { viewer, timeline } = this;
    this.buttons = {
      start: iconButton(ICONS.start, "To the start", "Home", () => viewer.go(0)),
      turnBack: iconButton(ICONS.turnBack, "Start of the turn", "[", () => viewer.go(timeline.turnBegan(viewer.at))),
      back: iconButton(ICONS.back, "One decision back", "←", () => viewer.go(viewer.at - 1)),
      play: iconButton(ICONS.play, "Play", "Space", () => viewer.play()),
      on: iconButton(ICONS.on, "One decision forward", "→", () => viewer.go(viewer.at + 1)),
      turnOn: iconButton(ICONS.turnOn, "The next turn", "]", () => viewer.go(timeline.nextTurn(viewer.at))),
      end: iconButton(ICONS.end, "To the end", "End", () => viewer.go(viewer.end)),
    };
    this.buttons.play.classList.add("play");
    return html("div", { class: "buttons" }, ...Object.values(this.buttons));
  }

  #fields() {
    const { viewer } = this;
    const { data, end } = viewer;
    const jumped = () => this.jump.value && viewer.go(Number(this.jump.value));
    const left = ({ key }) => key === "Enter" && this.jump.blur();
    this.jump = html("input", { type: "number", min: 0, max: end, "aria-label": "Jump to decision", onchange: jumped, onkeydown: left });
    this.turn = html("select", { "aria-label": "Jump to turn", class: "turn", onchange: () => viewer.go(Number(this.turn.value)) });
    this.turn.append(...data.turns.map((at, turn) => html("option", { value: at }, `turn ${turn + 1}: ${data.seats[data.frames[at].actor]?.name ?? ""}`)));
    this.pace = html("select", { "aria-label": "Decisions per second", title: "Speed ( , and . )", onchange: () => this.paced(Number(this.pace.value)) });
    this.pace.append(...SPEEDS.map((speed, index) => html("option", { value: index, selected: index === this.speed }, `${speed}/s`)));
    this.hide = html("button", { type: "button", class: "hide", onclick: () => viewer.hide(!viewer.hiding) }, "Hide results");
    this.reveal = html("button", { type: "button", class: "reveal", onclick: () => viewer.reveal() }, "Show the result");
    const keys = html("button", { type: "button", title: "Keys (?)", "aria-label": "Keys", onclick: () => viewer.dialog.showModal() }, "?");
    const label = html("label", {}, this.jump, ` of ${end}`);
    this.explore = exploreLink(viewer);
    const share = viewer.share ? [viewer.share.element] : [];
    return html("div", { class: "fields" }, label, this.explore.element, ...share, this.turn, this.pace, this.reveal, this.hide, keys);
  }

  show(at, seen) {
    const { timeline, buttons, viewer } = this;
    const { data, end } = viewer;
    const { move } = data.frames[at];
    this.scrub.value = this.jump.value = at;
    this.scrub.style.setProperty("--done", `${(100 * at) / Math.max(end, 1)}%`);
    const mark = timeline.marks.get(at);
    const said = move ? `: ${data.seats[move.seat].name} ${move.words}${mark ? `; ${mark.words}` : ""}` : "";
    this.scrub.setAttribute("aria-valuetext", timeline.said(at) + said);
    this.turn.value = data.turns[timeline.turnOf[at]] ?? 0;
    for (const button of [buttons.start, buttons.back, buttons.turnBack]) button.setAttribute("aria-disabled", at === 0);
    for (const button of [buttons.end, buttons.on, buttons.turnOn]) button.setAttribute("aria-disabled", at === end);
    this.hide.setAttribute("aria-pressed", viewer.hiding);
    this.reveal.hidden = seen === end;
    if (this.told !== seen) this.#tick(seen);
    this.told = seen;
    this.ribbon?.show(at, seen);
    this.explore.show(at);
  }

  /** Ticks: marked decisions, the worse the taller; below them turns, what was revealed, changes of points in the player's colour, forfeits. */
  #tick(seen) {
    const { data, end } = this.viewer;
    const lines = { turn: "", event: "", forfeit: "", inaccuracy: "", mistake: "", blunder: "" };
    const gains = data.seats.map(() => "");
    for (let at = 1; at <= seen; at++) {
      if (data.frames[at].events) lines.event += `M${at} 1V.6`;
      const { grade } = this.timeline.marks.get(at) ?? {};
      if (grade) lines[grade] += `M${at} -.2v${HEIGHTS[grade]}`;
      if (this.timeline.forfeit(at)) lines.forfeit += `M${at} 1V0`;
      data.seats.forEach((_, seat) => this.timeline.gain(at, seat) && (gains[seat] += `M${at} .5V0`));
    }
    if (end / data.turns.length >= CROWD) lines.turn = data.turns.map((at) => `M${at} 1V.8`).join("");
    const kinds = Object.entries(lines).map(([kind, d]) => svg("path", { class: kind, d }));
    const colored = gains.map((d, seat) => svg("path", { class: "gains", d, stroke: data.seats[seat].color }));
    this.ticks.replaceChildren(...kinds, ...colored);
  }

  playing(on) {
    const { play } = this.buttons;
    play.setAttribute("aria-label", on ? "Stop" : "Play");
    play.title = on ? "Stop (Space)" : "Play (Space)";
    play.querySelector("path").setAttribute("d", on ? ICONS.stop : ICONS.play);
  }

  /** Milliseconds for a decision. */
  get interval() {
    return 1000 / SPEEDS[this.speed];
  }

  paced(speed) {
    this.speed = Math.max(0, Math.min(speed, SPEEDS.length - 1));
    this.pace.value = this.speed;
    if (this.viewer.timer) this.viewer.play(true);
  }
}
