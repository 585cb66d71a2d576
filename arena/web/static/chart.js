// Charts of points and chances over time; a click on a chart goes to a position.

import { chip, memo } from "./ui.js";
import { html, nothing, svg } from "./vendor/lit-html.js";

const DASHES = ["", "9 5", "6 2.5", "14 4 3 4", "3 2", "18 5"]; // by seat
const STEPS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [400, 200, 30, 138, 8, 20]; // the names are on the right
const NAMES = WIDTH - RIGHT + 14;
const LONGEST = 12; // characters of a name

/**
 * A chart of the seats' `values` (by default, their points) by position, as a function like those in viewer_panels.js. Nothing is drawn beyond `seen`
 * or the last value. `title(at)` is the heading.
 */
export function chartPanel(timeline, go, options = {}) {
  const { data, end } = timeline;
  const { title = () => `${data.columns[0]} over time`, values = timeline.columns.map((each) => each[0]), high = HEIGHT } = options;
  const x = (at) => Number((LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(end, 1)).toFixed(1));

  const upTo = memo((seen) => {
    const points = values.slice(0, seen + 1);
    const last = points.length - 1;
    const all = points.flat();
    const [least, most] = [Math.min(0, ...all), Math.max(1, ...all)];
    const y = (value) => Number((high - BOTTOM - ((high - TOP - BOTTOM) * (value - least)) / (most - least)).toFixed(1));
    const label = `${last === end ? "at the end" : timeline.said(last)}: ${data.seats.map(({ name }, seat) => `${name} ${points[last][seat]}`).join(", ")}`;
    const known = (data.forfeits ?? []).filter(({ index }) => index < seen);
    const lines = svg`${scale(least, most, y)}
      ${known.map(({ index }) => svg`<path class="forfeit" d="M${x(index)} ${TOP}V${high - BOTTOM}"></path>`)}
      ${data.seats.map(({ color }, seat) => {
        let line = `M${x(0)} ${y(points[0][seat])}`;
        for (let at = 1; at <= last; at++) if (points[at][seat] !== points[at - 1][seat]) line += `H${x(at)}V${y(points[at][seat])}`;
        return ["rim", "line"].map((kind) => svg`<path class=${kind} d="${line}H${x(last)}" stroke-dasharray=${DASHES[seat % DASHES.length]}
          stroke=${kind === "line" ? color : nothing}></path>`);
      })}`;
    return { y, lines, label: `${title(seen)}; ${label}` };
  });

  function seek({ currentTarget, clientX, clientY }) {
    const spot = new DOMPoint(clientX, clientY).matrixTransform(currentTarget.getScreenCTM().inverse());
    go(((spot.x - LEFT) / (WIDTH - LEFT - RIGHT)) * end);
  }

  function pressed(event) {
    event.currentTarget.setPointerCapture(event.pointerId);
    seek(event);
  }

  /** Names stand in the order of the values at the cursor. */
  return (at, seen) => {
    const { y, lines, label } = upTo(seen);
    const known = Math.min(at, seen, values.length - 1);
    const order = values[known].map((_, seat) => seat).sort((a, b) => values[known][b] - values[known][a]);
    const heights = apart(order.map((seat) => y(values[known][seat])), high - BOTTOM);
    const named = ({ name }, seat) => {
      const height = heights[order.indexOf(seat)];
      const short = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
      return svg`<svg x=${NAMES} y=${height - 8} width="16" height="16" viewBox="0 0 16 16">${chip(data.seats, seat)}</svg>
        <text x=${NAMES + 20} y=${height + 4} class="named"
          ><tspan class="value">${known < Math.min(at, seen) ? "" : values[known][seat]}</tspan> ${short}</text>`;
    };
    const spot = ({ color }, seat) => svg`<circle class="spot" r="3.5" fill=${color} cx=${x(known)} cy=${y(values[known][seat])}></circle>`;
    return html`<section class="scores">
      <h2>${title(at)}</h2>
      <svg viewBox="0 0 ${WIDTH} ${high}" class="chart" role="img" aria-label=${label}
        @pointerdown=${pressed} @pointermove=${(event) => event.buttons && seek(event)}>
        ${lines}
        <text x=${(LEFT + WIDTH - RIGHT) / 2} y=${high - 4} class="scale across">decisions →</text>
        ${data.seats.map(named)}
        <path class="cursor" d="M${x(at)} ${TOP - 4}V${high - BOTTOM + 4}"></path>
        ${data.seats.map(spot)}
      </svg>
    </section>`;
  };
}

function scale(least, most, y) {
  const step = STEPS.find((each) => (most - least) / each <= 4) ?? 10 ** Math.ceil(Math.log10((most - least) / 4));
  const parts = [];
  for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
    parts.push(svg`<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" class="grid"></path>
      <text x=${LEFT - 5} y=${y(value) + 4} class="scale">${value}</text>`);
  }
  return parts;
}

/** Heights near the wanted ones and in the same order, but at least the height of a label apart. */
function apart(wanted, lowest) {
  const spots = [];
  for (const each of wanted) spots.push(Math.max(each, 8, (spots.at(-1) ?? 0) + 13));
  for (let index = spots.length - 1; index >= 0; index--) spots[index] = Math.min(spots[index], lowest - 13 * (spots.length - 1 - index));
  return spots;
}

/** The last position at or before this one in which a turn is over, because chances in the middle of a turn mean little. */
function settled(data, k) {
  return k > 0 && k < data.evaluation.length - 1 && data.frames[k].move.seat === data.frames[k + 1].move.seat ? settled(data, k - 1) : k;
}

/** A `chartPanel` of each seat's chance of winning, in percent. */
export function chancesChart(timeline, go) {
  const { evaluation } = timeline.data;
  const values = evaluation.map((_, k) => evaluation[settled(timeline.data, k)].map((chance) => Math.round(100 * chance)));
  const title = (at) => `Chances of winning ${settled(timeline.data, at) < at ? "before this turn" : "after each turn"}, %`;
  return chartPanel(timeline, go, { title, values, high: timeline.data.seats.length > 2 ? HEIGHT : 140 });
}

/** Each seat's chance of winning as a band in its colour, above the scrubber; only for documents with an evaluation. */
export function ribbon({ data, end }, go, at, seen) {
  const pressed = ({ currentTarget, clientX }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    go(((clientX - left) / width) * end);
  };
  const known = data.evaluation.slice(0, seen + 1);
  const shares = known.map((_, k) => known[settled(data, k)]);
  const band = ({ color }, seat) => {
    const edge = (chances, upTo) => Number(chances.slice(0, upTo).reduce((sum, chance) => sum + chance, 0).toFixed(3));
    const [upper, lower] = [seat, seat + 1].map((upTo) => shares.map((chances, k) => [Math.max(k - 0.5, 0), edge(chances, upTo), Math.min(k + 0.5, seen)]));
    const there = upper.map(([from, y, to]) => `${from} ${y} ${to} ${y}`).join(" ");
    const back = lower.reverse().map(([from, y, to]) => `${to} ${y} ${from} ${y}`).join(" ");
    return svg`<path d="M${there} ${back}Z" fill=${color}></path>`;
  };
  const now = (known[Math.min(at, seen)] ?? []).map((chance, seat) => `${data.seats[seat].name} ${Math.round(100 * chance)}%`);
  return html`<svg viewBox="0 0 ${Math.max(end, 1)} 1" preserveAspectRatio="none" class="ribbon" role="img"
    aria-label="Chances of winning: ${now.join(", ")}" @pointerdown=${pressed}
    >${data.seats.map(band)}<path d="M${Math.min(at, seen)} 0V1" class="here"></path></svg>`;
}
