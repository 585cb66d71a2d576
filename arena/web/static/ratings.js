// The bots in the chart of ratings, chosen by a visitor: draws as arena/web/rendering/charts.py does for the best.
"use strict";

(async () => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST = 14;
  const APART = 17;
  const SETTLED = 0.12;
  const ROOM = 0.08;
  const LONGEST = 20;
  const figure = document.querySelector("[data-ratings]");
  const body = document.getElementById("numbers");
  const choice = document.getElementById("choice");
  const picture = figure?.querySelector("svg");
  const plot = picture?.querySelector("svg.curves");
  if (!plot) return;
  const [X, Y, WIDE, HIGH] = ["x", "y", "width", "height"].map((key) => Number(plot.getAttribute(key)));
  let bots;
  try {
    ({ bots } = await (await fetch(document.getElementById("data").href)).json());
  } catch {
    choice.hidden = true; // a page from disk can't read its neighbours: it keeps the best ones
    return;
  }
  const best = body.rows.length;
  let chosen = bots.slice(0, best);

  function make(parent, tag, attributes, words) {
    const node = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (words !== undefined) node.textContent = words;
    parent.append(node);
    return node;
  }

  const settledOf = ({ numbers, scores }) => scores.filter((_, at) => numbers[at] >= SETTLED * numbers.at(-1));

  function ticks(low, high, about) {
    const raw = Math.max(high - low, 1e-9) / about;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
    const marks = [];
    for (let at = Math.ceil(low / step); at <= Math.floor(high / step); at++) marks.push(Number((at * step).toFixed(9)));
    return marks.length ? marks : [Number((Math.ceil(low / step) * step).toFixed(9))];
  }

  function apart(wanted) {
    const order = wanted.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b] || a - b);
    const found = [...wanted];
    let edge = 0;
    for (const at of order) edge = (found[at] = Math.max(found[at], edge)) + APART;
    edge = HIGH;
    for (const at of order.reverse()) edge = (found[at] = Math.min(found[at], edge)) - APART;
    return found;
  }

  function draw() {
    for (const old of [...picture.children]) if (old !== plot) old.remove();
    plot.replaceChildren();
    picture.setAttribute("aria-label", `scores of ${chosen.length} bots over their matches; the table below has the numbers`);
    if (!chosen.length) return;
    const settled = chosen.flatMap(settledOf);
    const [least, greatest] = [Math.min(...settled), Math.max(...settled)];
    const room = Math.max(greatest - least, 1) * ROOM;
    const [low, high] = [least - room, greatest + room];
    const marks = ticks(low, high, 5);
    const most = Math.max(2, ...chosen.map(({ numbers }) => numbers.at(-1)));
    const up = (score) => HIGH * (1 - (score - low) / (high - low));
    const across = (many) => (WIDE * (many - 1)) / (most - 1);
    for (const mark of marks) {
      make(picture, "path", { class: "rule", d: `M${X} ${Y + up(mark)}H${X + WIDE}` });
      make(picture, "text", { x: X - 6, y: Y + up(mark) + 4, "font-size": 13, fill: "currentColor", "text-anchor": "end" }, mark);
    }
    for (const mark of ticks(1, most, 6)) {
      if (!Number.isInteger(mark)) continue;
      make(picture, "text", { x: X + across(mark), y: Y + HIGH + 20, "font-size": 13, fill: "currentColor", "text-anchor": "middle" }, mark);
    }
    picture.append(plot);
    const ends = chosen.map(({ numbers, scores }, at) => {
      const points = numbers.map((many, each) => `${across(many).toFixed(1)},${up(scores[each]).toFixed(1)}`);
      make(plot, "polyline", { class: `curve${at}`, points: points.join(" ") });
      return Math.min(Math.max(up(scores.at(-1)), 0), HIGH);
    });
    apart(ends).forEach((y, at) => {
      const { name } = chosen[at];
      make(picture, "path", { class: `curve${at}`, d: `M${X + WIDE} ${Y + ends[at]}L${X + WIDE + 14} ${Y + y}` });
      make(picture, "text", { class: "name", x: X + WIDE + 18, y: Y + y + 4 }, name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
    });
  }

  function tell() {
    body.replaceChildren(
      ...chosen.map((bot, at) => {
        const row = document.createElement("tr");
        make(make(row.insertCell(), "svg", { class: "curve-key", viewBox: "0 0 36 12", "aria-hidden": "true" }), "path", { class: `curve${at}`, d: "M0 6H36" });
        const head = document.createElement("th");
        head.scope = "row";
        const link = document.createElement("a");
        link.className = "bot";
        link.href = places.get(bot.name) ?? body.dataset.address + encodeURIComponent(bot.name);
        link.textContent = bot.name;
        head.append(link);
        row.append(head);
        const settled = settledOf(bot);
        const numbers = [bot.scores[Math.floor(bot.scores.length / 2)], Math.min(...settled), Math.max(...bot.scores), bot.scores.at(-1)];
        for (const words of [String(bot.numbers.at(-1)), ...numbers.map((score) => score.toFixed(2))]) {
          const cell = row.insertCell();
          cell.className = "number";
          cell.textContent = words;
        }
        return row;
      }),
    );
    body.dispatchEvent(new Event("arena:rows"));
  }

  const places = new Map([...body.querySelectorAll("a.bot")].map((link) => [link.textContent, link.href]));
  const list = choice.querySelector(".choices");
  const said = choice.querySelector("[role=status]");
  const boxes = bots.map((bot) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = chosen.includes(bot);
    const name = document.createElement("bdi");
    name.textContent = bot.name;
    label.append(box, name);
    list.append(label);
    box.addEventListener("change", () => {
      chosen = box.checked ? [...chosen, bot] : chosen.filter((each) => each !== bot);
      show();
    });
    return box;
  });

  function show() {
    boxes.forEach((box, at) => {
      box.checked = chosen.includes(bots[at]);
      box.disabled = !box.checked && chosen.length >= MOST;
    });
    said.textContent = `${chosen.length} bots in the chart`;
    draw();
    tell();
  }

  choice.querySelector("input[type=search]").addEventListener("input", ({ target }) => {
    const wanted = target.value.trim().toLocaleLowerCase();
    for (const label of list.children) label.hidden = !label.textContent.toLocaleLowerCase().includes(wanted);
  });
  choice.querySelector("[data-best]").addEventListener("click", () => {
    chosen = bots.slice(0, best);
    show();
  });
  choice.querySelector("[data-none]").addEventListener("click", () => {
    chosen = [];
    show();
  });
  choice.classList.remove("needs-script");
})();
