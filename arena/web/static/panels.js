// The panels next to the board of a replay. Each is {element, show(at)}: what to put on the page, and how to update it for a position.
"use strict";

(() => {
  const { chip, count, die, html, pegs, sign, svg, who } = globalThis.arena;
  const DASHES = ["", "9 5", "6 2.5", "14 4 3 4", "3 2", "18 5"]; // by seat, for the chart's lines
  const LARGE = 60; // a sign higher than that, in units of its board, is shown large

  /** The decision that led here, what came of it, and what is next. */
  function decisionPanel({ data, turnOf, facts }) {
    const element = html("section", { class: "now card", "aria-live": "polite", "aria-label": "This decision" });

    function eventLine({ words, dice }) {
      const rolls = (dice ?? []).map(([roller, numbers]) => html("span", { class: "dice" }, `${roller} `, ...numbers.map(die)));
      return html("p", { class: "event" }, words, ...rolls);
    }

    function show(at) {
      const frame = data.frames[at];
      const parts = [html("p", { class: "count" }, at ? `decision ${at}, turn ${turnOf[at - 1] + 1}` : data.seed === undefined ? "the start" : `the start; seed ${data.seed}`)];
      const forfeit = (data.forfeits ?? []).find(({ index }) => index === at - 1);
      if (forfeit) parts.push(html("p", { class: "bad" }, who(data.seats, forfeit.seat), ` forfeits: ${forfeit.reason}; a substitute plays on for it`));
      if (frame.move) {
        const { seat, notation, words } = frame.move;
        parts.push(html("p", { class: "move" }, who(data.seats, seat), " ", html("code", {}, notation)));
        if (words !== notation) parts.push(html("p", {}, words));
      }
      parts.push(...(frame.events ?? []).map(eventLine));
      parts.push(html("p", { class: "next" }, data.words[frame.status] + (frame.legal ? `, ${count(frame.legal, "legal move")}` : "")));
      if (facts[at].length) parts.push(html("p", { class: "facts" }, facts[at].map((fact) => data.words[fact]).join(" · ")));
      const waiting = (frame.waiting ?? []).map((index) => data.signs[index]);
      const pictures = waiting.map((each) => html("figure", {}, sign(each, each.box[3] > LARGE ? 92 : 30), html("figcaption", {}, each.words)));
      if (pictures.length) parts.push(html("div", { class: "waiting" }, ...pictures));
      element.replaceChildren(...parts);
    }
    return { element, show };
  }

  /** The standings: points, supplies, who is to move, who forfeited, ranks at the end. */
  function standingPanel({ data, columns, end }) {
    const rows = html("tbody");
    const rankHead = html("th", { scope: "col" }, "rank");
    const heads = data.columns.map((column) => html("th", { scope: "col" }, column));
    const head = html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "player"), ...heads, rankHead));

    function row(at, seat) {
      const { rank } = data.seats[seat];
      const over = at === end;
      const player = html("th", { scope: "row" }, who(data.seats, seat));
      const forfeit = (data.forfeits ?? []).find((each) => each.seat === seat && each.index < at);
      const active = data.frames[at].actor === seat;
      if (forfeit) player.firstChild.append(html("span", { class: "tag bad", title: forfeit.reason }, "forfeited"));
      if (active) player.firstChild.append(html("span", { class: "turns", title: "to move", role: "img", "aria-label": "to move" }, "◀"));
      const values = columns[at].map((column) => column[seat]);
      if (data.supply) player.append(pegs(data.supply, values[data.supply.column]));
      const cells = values.map((value, column) => html("td", { class: column ? "" : "points" }, value));
      const place = html("td", { class: "rank", hidden: !over }, rank === 1 ? "★ 1" : rank);
      return html("tr", { "data-seat": seat, class: `${active ? "active" : ""} ${over && rank === 1 ? "winner" : ""}` }, player, ...cells, place);
    }

    function show(at) {
      rankHead.hidden = at < end;
      rows.replaceChildren(...data.seats.map((_, seat) => row(at, seat)));
    }
    return { element: html("section", { class: "standing card", "aria-label": "Standings" }, html("table", {}, head, rows)), show };
  }

  /** The first column (the points) over time; a click goes there. */
  function chartPanel({ data, columns, end }, go) {
    const [width, height, left, right, top, bottom] = [400, 128, 30, 22, 8, 8];
    const points = columns.map((each) => each[0]);
    const most = Math.max(1, ...points.flat());
    const least = Math.min(0, ...points.flat());
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((each) => (most - least) / each <= 4) ?? 10 ** Math.ceil(Math.log10((most - least) / 4));
    const x = (at) => Number((left + ((width - left - right) * at) / Math.max(end, 1)).toFixed(1));
    const y = (value) => Number((height - bottom - ((height - top - bottom) * (value - least)) / (most - least)).toFixed(1));
    const said = data.seats.map((seat) => `${seat.name} ${seat.score}`).join(", ");
    const words = `${data.columns[0]} over time; at the end: ${said}`;
    const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": words });
    for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
      const label = svg("text", { x: left - 5, y: y(value) + 4, class: "scale" });
      label.textContent = value;
      chart.append(svg("path", { d: `M${left} ${y(value)}H${width - right}`, class: "grid" }), label);
    }
    for (const { index } of data.forfeits ?? []) chart.append(svg("path", { d: `M${x(index)} ${top}V${height - bottom}`, class: "forfeit" }));
    const ends = [];
    data.seats.forEach(({ color }, seat) => {
      let line = `M${x(0)} ${y(points[0][seat])}`;
      for (let at = 1; at <= end; at++) if (points[at][seat] !== points[at - 1][seat]) line += `H${x(at)}V${y(points[at][seat])}`;
      const way = { d: `${line}H${x(end)}`, "stroke-dasharray": DASHES[seat % DASHES.length] };
      chart.append(svg("path", { ...way, class: "rim" }), svg("path", { ...way, class: "line", stroke: color }));
      const spot = freeSpot(y(points[end][seat]), ends, height - bottom);
      ends.push(spot);
      const mark = chip(data.seats, seat);
      for (const [key, value] of Object.entries({ x: width - right + 3, y: spot - 8, width: 16, height: 16 })) mark.setAttribute(key, value);
      chart.append(mark);
    });
    const cursor = svg("path", { class: "cursor" });
    chart.append(cursor);

    function seek(event) {
      const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
      go(((spot.x - left) / (width - left - right)) * end);
    }
    chart.addEventListener("pointerdown", (event) => {
      chart.setPointerCapture(event.pointerId);
      seek(event);
    });
    chart.addEventListener("pointermove", (event) => event.buttons && seek(event));
    const element = html("section", { class: "scores card", "aria-label": words }, html("h2", {}, `${data.columns[0]} over time`), chart);
    return { element, show: (at) => cursor.setAttribute("d", `M${x(at)} ${top - 4}V${height - bottom + 4}`) };
  }

  /** The height nearest to the wanted one at which a mark covers none of those that are taken. */
  function freeSpot(wanted, taken, lowest) {
    for (let away = 0; away < 200; away++) {
      for (const spot of [wanted + away, wanted - away]) {
        if (spot >= 8 && spot <= lowest && taken.every((other) => Math.abs(other - spot) >= 13)) return spot;
      }
    }
    return wanted;
  }

  /** The list of moves; what the notation means is told on hover and on focus. */
  function movesPanel({ data }, go) {
    const begins = new Set(data.turns);
    const forfeits = new Set((data.forfeits ?? []).map(({ index }) => index));
    const tip = html("div", { class: "tip", role: "tooltip", id: "arena-tip", hidden: true });
    const items = data.frames.slice(1).map(({ move, events }, decision) => {
      const parts = [html("span", { class: "number" }, decision + 1), chip(data.seats, move.seat), html("code", {}, move.notation)];
      if (events) parts.push(html("span", { class: "event" }, events.some((event) => event.dice) ? "⚂" : "•"));
      if (forfeits.has(decision)) parts.push(html("span", { class: "tag bad" }, "forfeit"));
      const button = html("button", { type: "button", tabindex: -1, "aria-describedby": tip.id }, ...parts);
      button.arenaAt = decision + 1;
      return html("li", { class: begins.has(decision) ? "first" : "" }, button);
    });
    const list = html("ol", { class: "moves" }, ...items);
    let marked = null;
    let explained = null;

    function explain(button) {
      const { move, events } = data.frames[button.arenaAt];
      const more = (events ?? []).map(({ words }) => html("span", {}, words));
      tip.replaceChildren(html("b", {}, `${data.seats[move.seat].name} ${move.words}`), ...more);
      tip.hidden = false;
      explained = button;
      const spot = button.getBoundingClientRect();
      const { width, height } = tip.getBoundingClientRect();
      const above = spot.bottom + height + 8 > innerHeight;
      tip.style.left = `${Math.max(6, Math.min(spot.left + 24, innerWidth - width - 6))}px`;
      tip.style.top = `${above ? spot.top - height - 4 : spot.bottom + 4}px`;
    }

    /** Mark the move that led here, and bring it into sight without moving the page. */
    function show(at) {
      if (!items.length) return;
      if (marked) marked.tabIndex = -1;
      marked?.removeAttribute("aria-current");
      const item = items[Math.max(at - 1, 0)];
      marked = item.firstChild;
      marked.tabIndex = 0;
      if (at) marked.setAttribute("aria-current", "step");
      const top = item.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
    }

    const aimed = (event) => event.target.closest("button");
    const hide = () => (tip.hidden = true);
    const follow = () => tip.hidden || explain(explained);
    list.addEventListener("click", (event) => aimed(event) && go(aimed(event).arenaAt));
    list.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!by || !aimed(event)) return;
      event.preventDefault();
      const at = Math.max(1, Math.min(aimed(event).arenaAt + by, items.length));
      go(at);
      items[at - 1].firstChild.focus();
    });
    for (const come of ["mouseover", "focusin"]) list.addEventListener(come, (event) => aimed(event) && explain(aimed(event)));
    for (const leave of ["mouseout", "focusout"]) list.addEventListener(leave, hide);
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    return { element: html("section", { class: "list card", "aria-label": "Moves" }, html("h2", {}, "moves"), list, tip), show };
  }

  /** What the signs on the board mean. */
  function legendPanel({ data }) {
    const signs = data.legend.map((each) => html("li", {}, sign(each, 26), html("span", {}, each.words)));
    const open = matchMedia("(min-width: 60rem)").matches;
    return { element: html("details", { class: "card", open }, html("summary", {}, "Legend"), html("ul", { class: "legend" }, ...signs)), show() {} };
  }

  globalThis.arena = { ...globalThis.arena, panels: { decisionPanel, standingPanel, chartPanel, movesPanel, legendPanel } };
})();
