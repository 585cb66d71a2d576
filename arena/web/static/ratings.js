// The bots in the chart of ratings, chosen by a visitor: draws as arena/web/rendering/charts.py does for the best.
"use strict";

(async () => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST = 14;
  const SETTLED = 0.12;
  const ROOM = 0.08;
  const figure = document.querySelector("[data-ratings]");
  const body = document.getElementById("numbers");
  const choice = document.getElementById("choice");
  const all = figure?.querySelector(".multiples");
  const rest = document.getElementById("rest");
  if (!rest) return;
  const [X, Y, WIDE, HIGH] = ["x", "y", "width", "height"].map((key) => Number(rest.querySelector("svg").getAttribute(key)));
  let bots;
  try {
    ({ bots } = await (await fetch(document.getElementById("data").href)).json());
  } catch {
    choice.hidden = true; // a page from disk can't read its neighbours: it keeps the best ones
    return;
  }
  const best = body.rows.length;
  const wanted = new URLSearchParams(location.search).getAll("bot"); // whom the visitor chose before
  let chosen = wanted.length ? bots.filter(({ name }) => wanted.includes(name)).slice(0, MOST) : bots.slice(0, best);

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

  function draw() {
    all.setAttribute("aria-label", `scores of ${chosen.length} bots over their matches; the table below has the numbers`);
    all.replaceChildren();
    rest.replaceChildren();
    if (!chosen.length) return;
    const settled = chosen.flatMap(settledOf);
    const [least, greatest] = [Math.min(...settled), Math.max(...settled)];
    const room = Math.max(greatest - least, 1) * ROOM;
    const [low, high] = [least - room, greatest + room];
    const most = Math.max(2, ...chosen.map(({ numbers }) => numbers.at(-1)));
    const up = (score) => HIGH * (1 - (score - low) / (high - low));
    const across = (many) => (WIDE * (many - 1)) / (most - 1);
    const text = (x, y, anchor, words) => make(rest, "text", { x, y, "font-size": 10, fill: "currentColor", "text-anchor": anchor }, words);
    for (const mark of ticks(low, high, 3)) {
      make(rest, "path", { class: "rule", d: `M${X} ${Y + up(mark)}H${X + WIDE}` });
      text(X - 6, Y + up(mark) + 4, "end", mark);
    }
    for (const mark of ticks(1, most, 6).filter(Number.isInteger)) text(X + across(mark), Y + HIGH + 13, "middle", mark);
    const window = { x: X, y: Y, width: WIDE, height: HIGH };
    const behind = make(rest, "svg", window);
    for (const { name, numbers, scores } of chosen) {
      const points = numbers.map((many, each) => `${across(many).toFixed(1)},${up(scores[each]).toFixed(1)}`).join(" ");
      make(behind, "polyline", { class: "pale", points });
      const [item, title, now] = ["li", "bdi", "b"].map((tag) => document.createElement(tag));
      title.textContent = title.title = name;
      now.textContent = scores.at(-1).toFixed(2);
      item.append(title, " ", now);
      const small = make(item, "svg", { class: "chart", viewBox: "0 0 200 116", "aria-hidden": "true" });
      make(small, "use", { href: "#rest" });
      make(make(small, "svg", window), "polyline", { class: "line", points });
      all.append(item);
    }
  }

  function tell() {
    body.replaceChildren(
      ...chosen.map((bot) => {
        const row = document.createElement("tr");
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
    history.replaceState(history.state, "", `?${new URLSearchParams(chosen.map(({ name }) => ["bot", name]))}`);
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
  if (wanted.length) show();
  choice.classList.remove("needs-script");
})();
