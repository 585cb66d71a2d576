// The controls under the board of a replay: the scrubber with its ticks, the buttons, jumps to a decision and to a turn, the speed.

import { ribbon } from "./chart.js";
import { iconButton, memo } from "./ui.js";
import { html, nothing, svg } from "./vendor/lit-html.js";
import { exploreLink } from "./viewer_panels.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16]; // decisions a second
const CROWD = 3; // ticks of turns are drawn if turns have at least this many decisions on average
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

/** The controls of a viewer. */
export class Controls {
  constructor(viewer) {
    this.viewer = viewer;
    this.timeline = viewer.timeline;
    this.speed = 2;
    this.interval = 1000 / SPEEDS[2]; // milliseconds per decision
    this.isOpen = false; // on a phone: whether the other controls are also shown
    this.ticks = memo((seen) => this.#ticksUpTo(seen));
  }

  content(at, seen) {
    const { viewer, timeline, isOpen } = this;
    const { end, data } = viewer;
    const sought = (to) => viewer.go(to, { glide: false });
    return html`<div class="controls ${isOpen ? "opened" : ""}" role="group" aria-label="Steps">
      <div class="track">${data.evaluation?.length ? ribbon(timeline, sought, at, seen) : nothing}${this.ticks(seen)}<input type="range" min="0"
        max=${end} step="1" class="scrub" aria-label="Decision" aria-valuetext=${this.#said(at)} .value=${String(at)}
        .style=${`--done: ${(100 * at) / Math.max(end, 1)}%`} @input=${({ target }) => sought(Number(target.value))}></div>
      <div class="row">
        <div class="buttons">${this.#buttons(at, end, timeline)}</div>
        <button type="button" class="more-steps" aria-expanded=${isOpen} @click=${() => this.#toggle()}>More</button>
        <div class="fields">${this.#fields(at)}</div>
      </div>
    </div>`;
  }

  /** The field for the number of a decision. */
  get jump() {
    return this.viewer.inside.querySelector(".fields [type=number]");
  }

  #said(at) {
    const { seats, frames } = this.viewer.data;
    const { move } = frames[at];
    const mark = this.timeline.marks.get(at);
    return this.timeline.said(at) + (move ? `: ${seats[move.seat].name} ${move.words}${mark ? `; ${mark.words}` : ""}` : "");
  }

  #toggle() {
    this.isOpen = !this.isOpen;
    this.viewer.show();
    this.viewer.inside.querySelector(".controls").scrollIntoView({ block: "nearest" });
  }

  #buttons(at, end, timeline) {
    const { viewer } = this;
    const button = (name, label, key, to, disabled) => iconButton({ path: ICONS[name], label, key, act: () => viewer.go(to()), disabled });
    const [path, label] = viewer.timer ? [ICONS.stop, "Stop"] : [ICONS.play, "Play"];
    return [
      button("start", "To the start", "Home", () => 0, at === 0),
      button("turnBack", "Start of the turn", "[", () => timeline.turnBegan(viewer.at), at === 0),
      button("back", "One decision back", "←", () => viewer.at - 1, at === 0),
      iconButton({ path, label, key: "Space", act: () => viewer.play(), classes: "play" }),
      button("on", "One decision forward", "→", () => viewer.at + 1, at === end),
      button("turnOn", "The next turn", "]", () => timeline.nextTurn(viewer.at), at === end),
      button("end", "To the end", "End", () => end, at === end),
    ];
  }

  #fields(at) {
    const { viewer } = this;
    const { data: { turns, seats, frames }, end, share, hiding } = viewer;
    const turn = this.timeline.turnOf[at];
    const jumped = ({ target }) => target.value && viewer.go(Number(target.value));
    const left = ({ key, target }) => key === "Enter" && target.blur();
    const named = (from, index) => `turn ${index + 1}: ${seats[frames[from].actor]?.name ?? ""}`;
    return html`
      <label><input type="number" min="0" max=${end} aria-label="Jump to decision" .value=${String(at)} @change=${jumped} @keydown=${left}
        > of ${end}</label>
      ${exploreLink(viewer, at)}${share?.element ?? nothing}
      <select aria-label="Jump to turn" class="turn" @change=${({ target }) => viewer.go(Number(target.value))}>
        ${turns.map((from, index) => html`<option value=${from} .selected=${index === turn}>${named(from, index)}</option>`)}
      </select>
      <select aria-label="Decisions per second" title="Speed ( , and . )" @change=${({ target }) => this.paced(Number(target.value))}>
        ${SPEEDS.map((speed, index) => html`<option value=${index} .selected=${index === this.speed}>${speed}/s</option>`)}
      </select>
      <button type="button" class="hide" @click=${() => viewer.hide(!hiding)}>${hiding ? "Show results" : "Hide results"}</button>
      <button type="button" class="keys" title="Keys (?)" aria-label="Keys" @click=${() => viewer.dialog.showModal()}>?</button>`;
  }

  /** Ticks for marked decisions (the worse, the taller); below these, ticks for turns, revelations, changes of points in the player's colour, and forfeits. */
  #ticksUpTo(seen) {
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
    const kinds = Object.entries(lines).map(([kind, d]) => svg`<path class=${kind} d=${d}></path>`);
    const colored = gains.map((d, seat) => svg`<path class="gains" d=${d} stroke=${data.seats[seat].color}></path>`);
    const rows = this.timeline.marks.size ? 2 : 1;
    return html`<svg viewBox="0 ${1 - rows} ${Math.max(end, 1)} ${rows}" preserveAspectRatio="none" class="ticks rows-${rows}" aria-hidden="true"
      >${kinds}${colored}</svg>`;
  }

  paced(speed) {
    this.speed = Math.max(0, Math.min(speed, SPEEDS.length - 1));
    this.interval = 1000 / SPEEDS[this.speed];
    if (this.viewer.timer) this.viewer.play(true);
    else this.viewer.show();
  }
}
