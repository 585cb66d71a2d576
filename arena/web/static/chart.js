// Points over time and chances over time, as pictures in which a click goes to a position.

import { svg } from "./board.js";
import { chip, html } from "./ui.js";

const DASHES = ["", "9 5", "6 2.5", "14 4 3 4", "3 2", "18 5"]; // by seat
const STEPS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [400, 200, 30, 138, 8, 20]; // the names are on the right
const NAMES = WIDTH - RIGHT + 14;
const LONGEST = 12; // characters of a name

/** Numbers of the seats by position (the points) over time, {element, show(at, seen)} as in viewer_panels.js; nothing is drawn beyond `seen` and the last number. */
export function chartPanel(timeline, go, { title = `${timeline.data.columns[0]} over time`, values = timeline.columns.map((each) => each[0]), high = HEIGHT } = {}) {
  const { data, end } = timeline;
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${high}`, class: "chart", role: "img" });
  const cursor = svg("path", { class: "cursor" });
  const element = html("section", { class: "scores" }, html("h2", {}, title), chart);
  const x = (at) => Number((LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(end, 1)).toFixed(1));
  let drawn = -1;
  let heights; // of values
  let labels = [];

  function draw(seen) {
    const points = values.slice(0, seen + 1);
    const last = points.length - 1;
    const all = points.flat();
    const [least, most] = [Math.min(0, ...all), Math.max(1, ...all)];
    const y = (heights = (value) => Number((high - BOTTOM - ((high - TOP - BOTTOM) * (value - least)) / (most - least)).toFixed(1)));
    const said = data.seats.map((seat, index) => `${seat.name} ${points[last][index]}`).join(", ");
    chart.setAttribute("aria-label", `${title}; ${last === end ? "at the end" : timeline.said(last)}: ${said}`);
    chart.replaceChildren(...scale(least, most, y), ...across(high));
    for (const { index } of data.forfeits ?? []) if (index < seen) chart.append(svg("path", { d: `M${x(index)} ${TOP}V${high - BOTTOM}`, class: "forfeit" }));
    labels = data.seats.map(({ color, name }, seat) => {
      let line = `M${x(0)} ${y(points[0][seat])}`;
      for (let at = 1; at <= last; at++) if (points[at][seat] !== points[at - 1][seat]) line += `H${x(at)}V${y(points[at][seat])}`;
      const way = { d: `${line}H${x(last)}`, "stroke-dasharray": DASHES[seat % DASHES.length] };
      const spot = svg("circle", { class: "spot", r: 3.5, fill: color });
      chart.append(svg("path", { ...way, class: "rim" }), svg("path", { ...way, class: "line", stroke: color }));
      const mark = chip(data.seats, seat);
      for (const [key, value] of Object.entries({ x: NAMES, width: 16, height: 16 })) mark.setAttribute(key, value);
      const value = svg("tspan", { class: "value" });
      const label = svg("text", { x: NAMES + 20, class: "named" }, value, name.length > LONGEST ? ` ${name.slice(0, LONGEST - 1)}…` : ` ${name}`);
      chart.append(mark, label);
      return { spot, mark, label, value };
    });
    chart.append(cursor, ...labels.map(({ spot }) => spot));
    drawn = seen;
  }

  function seek(event) {
    const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    go(((spot.x - LEFT) / (WIDTH - LEFT - RIGHT)) * end);
  }
  chart.addEventListener("pointerdown", (event) => {
    chart.setPointerCapture(event.pointerId);
    seek(event);
  });
  chart.addEventListener("pointermove", (event) => event.buttons && seek(event));

  /** Names stand in the order of the values at the cursor. */
  function show(at, seen) {
    if (drawn !== seen) draw(seen);
    cursor.setAttribute("d", `M${x(at)} ${TOP - 4}V${high - BOTTOM + 4}`);
    const known = Math.min(at, seen, values.length - 1);
    const order = values[known].map((_, seat) => seat).sort((a, b) => values[known][b] - values[known][a]);
    const wanted = order.map((seat) => heights(values[known][seat]));
    apart(wanted, high - BOTTOM).forEach((y, place) => {
      const { spot, mark, label, value } = labels[order[place]];
      value.textContent = known < Math.min(at, seen) ? "" : values[known][order[place]];
      spot.setAttribute("cx", x(known));
      spot.setAttribute("cy", wanted[place]);
      mark.setAttribute("y", y - 8);
      label.setAttribute("y", y + 4);
    });
  }
  return { element, show };
}

/** What the other axis counts. */
function across(high) {
  const label = svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: high - 4, class: "scale across" });
  label.textContent = "decisions →";
  return [label];
}

function scale(least, most, y) {
  const step = STEPS.find((each) => (most - least) / each <= 4) ?? 10 ** Math.ceil(Math.log10((most - least) / 4));
  const parts = [];
  for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
    const label = svg("text", { x: LEFT - 5, y: y(value) + 4, class: "scale" });
    label.textContent = value;
    parts.push(svg("path", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}`, class: "grid" }), label);
  }
  return parts;
}

/** Heights at least a mark apart, in the order of the wanted ones and near them. */
function apart(wanted, lowest) {
  const spots = [];
  for (const each of wanted) spots.push(Math.max(each, 8, (spots.at(-1) ?? 0) + 13));
  for (let index = spots.length - 1; index >= 0; index--) spots[index] = Math.min(spots[index], lowest - 13 * (spots.length - 1 - index));
  return spots;
}

/** The last position at or before this one in which a turn is over: chances in the middle of one say little. */
function settled(data, k) {
  return k > 0 && k < data.evaluation.length - 1 && data.frames[k].move.seat === data.frames[k + 1].move.seat ? settled(data, k - 1) : k;
}

/** Each seat's chance of winning over time, in per cent, as `chartPanel` has it. */
export function chancesChart(timeline, go) {
  const { evaluation } = timeline.data;
  const values = evaluation.map((_, k) => evaluation[settled(timeline.data, k)].map((chance) => Math.round(100 * chance)));
  const { element, show } = chartPanel(timeline, go, { title: "Chances of winning after each turn, %", values, high: 140 });
  const title = (at) => `Chances of winning ${settled(timeline.data, at) < at ? "before this turn" : "after each turn"}, %`;
  return { element, show: (at, seen) => ((element.firstChild.textContent = title(at)), show(at, seen)) };
}

/** Each seat's chance of winning as bands of its colour, over the scrubber; only if the document has an evaluation. */
export function ribbon({ data, end }, go) {
  const picture = svg("svg", { viewBox: `0 0 ${Math.max(end, 1)} 1`, preserveAspectRatio: "none", class: "ribbon", role: "img" });
  picture.addEventListener("pointerdown", (event) => {
    const { left, width } = picture.getBoundingClientRect();
    go(((event.clientX - left) / width) * end);
  });

  function show(at, seen) {
    const known = data.evaluation.slice(0, seen + 1);
    const shares = known.map((_, k) => known[settled(data, k)]);
    const bands = data.seats.map(({ color }, seat) => {
      const edge = (chances, upTo) => Number(chances.slice(0, upTo).reduce((sum, chance) => sum + chance, 0).toFixed(3));
      const [upper, lower] = [seat, seat + 1].map((upTo) => shares.map((chances, k) => [Math.max(k - 0.5, 0), edge(chances, upTo), Math.min(k + 0.5, seen)]));
      const there = upper.map(([from, y, to]) => `${from} ${y} ${to} ${y}`).join(" ");
      const back = lower.reverse().map(([from, y, to]) => `${to} ${y} ${from} ${y}`).join(" ");
      return svg("path", { d: `M${there} ${back}Z`, fill: color });
    });
    const cursor = svg("path", { d: `M${Math.min(at, seen)} 0V1`, class: "here" });
    picture.replaceChildren(...bands, cursor);
    const now = (known[Math.min(at, seen)] ?? []).map((chance, seat) => `${data.seats[seat].name} ${Math.round(100 * chance)} %`);
    picture.setAttribute("aria-label", `Chances of winning: ${now.join(", ")}`);
  }
  return { element: picture, show };
}
