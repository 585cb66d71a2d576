// What stands around the board of a replay. Each is {element, show(at, seen)}: what to put on the page, and how to update it for a position;
// `seen` is the last position whose numbers may be told (docs/viewer.md, "Hide results").
"use strict";

(() => {
  const { analysis, count, eventLine, html, pegs, sign, waitingPieces, who } = globalThis.arena;

  /** The players, what they have, and who is to decide: above the board. */
  function playersPanel({ data, columns, end }) {
    const element = html("ol", { class: "strip", "aria-label": "Players" });
    element.dataset.seats = data.seats.length;

    function player(at, seat) {
      const { rank } = data.seats[seat];
      const active = data.frames[at].actor === seat;
      const values = columns[at].map((column) => column[seat]);
      const forfeit = (data.forfeits ?? []).find((each) => each.seat === seat && each.index < at);
      const name = who(data.seats, seat);
      const left = forfeit ? [html("span", { class: "tag bad", title: forfeit.reason }, "forfeited")] : [];
      const points = values.length ? [html("b", { class: "points" }, values[0], html("span", { class: "sr" }, ` ${data.columns[0]}`))] : [];
      const supply = data.supply ? [pegs(data.supply, values[data.supply.column])] : [];
      const place = rank === 1 ? "★ first" : `place ${rank}`;
      const state = at === end && rank ? place : active ? "▶ to move" : "";
      const parts = [html("p", {}, name, ...points), html("p", {}, ...supply, ...left, html("span", { class: "state" }, state))];
      return html("li", { "data-seat": seat, class: `${active ? "active" : ""} ${at === end && rank === 1 ? "winner" : ""}` }, ...parts);
    }
    return { element, show: (at) => element.replaceChildren(...data.seats.map((_, seat) => player(at, seat))) };
  }

  /** The decision that led here, its result, and what is next; after the last one `play()` shows the match from the start. */
  function decisionPanel(timeline, play) {
    const { data, turnOf, facts } = timeline;
    const element = html("section", { class: "now card", "aria-live": "polite", "aria-label": "This decision", tabindex: 0 });

    function show(at) {
      const frame = data.frames[at];
      const more = at ? `, turn ${turnOf[at - 1] + 1}` : data.seed === undefined ? "" : `; seed ${data.seed}`;
      const parts = [html("p", { class: "count" }, timeline.said(at) + more)];
      const forfeit = timeline.forfeit(at);
      if (forfeit) parts.push(html("p", { class: "bad" }, who(data.seats, forfeit.seat), ` forfeits: ${forfeit.reason}; a substitute plays on for it`));
      if (frame.move) {
        const { seat, notation, words } = frame.move;
        parts.push(html("p", { class: "move", title: notation }, who(data.seats, seat), " ", words));
        parts.push(...analysis.judged(timeline.marks.get(at)));
      }
      parts.push(...(frame.events ?? []).map(eventLine));
      if (at && at === timeline.end) parts.push(html("button", { type: "button", class: "begin", onclick: play }, "▶ Watch from the start"));
      parts.push(html("p", { class: "next" }, data.words[frame.status] + (frame.legal ? `, ${count(frame.legal, "legal move")}` : "")));
      if (facts[at].length) parts.push(html("p", { class: "facts" }, facts[at].map((fact) => data.words[fact]).join(" · ")));
      element.replaceChildren(...parts, ...waitingPieces((frame.waiting ?? []).map((index) => data.signs[index]), 92, 30));
    }
    return { element, show };
  }

  /** All numbers of all players, who forfeited, ranks at the end. */
  function standingPanel({ data, columns, end }) {
    const rows = html("tbody");
    const rankHead = html("th", { scope: "col" }, "place");
    const heads = data.columns.map((column) => html("th", { scope: "col" }, column));
    const head = html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "player"), ...heads, rankHead));

    function row(at, seat) {
      const { rank } = data.seats[seat];
      const over = at === end;
      const player = html("th", { scope: "row" }, who(data.seats, seat));
      const cells = columns[at].map((column, index) => html("td", { class: index ? "" : "points" }, column[seat]));
      const place = html("td", { class: "rank", hidden: !over }, rank === 1 ? "★ 1" : rank);
      const classes = `${data.frames[at].actor === seat ? "active" : ""} ${over && rank === 1 ? "winner" : ""}`;
      return html("tr", { "data-seat": seat, class: classes }, player, ...cells, place);
    }

    function show(at) {
      rankHead.hidden = at < end;
      rows.replaceChildren(...data.seats.map((_, seat) => row(at, seat)));
    }
    return { element: html("section", { class: "standing", "aria-label": "Numbers" }, html("table", {}, head, rows)), show };
  }

  /** The legend of the signs on the board, and a link to the rules. */
  function legendPanel({ data }, rules) {
    const signs = data.legend.map((each) => html("li", {}, sign(each, 26), html("span", {}, each.words)));
    const element = html("section", { "aria-label": "Legend" });
    if (rules) element.append(html("p", {}, html("a", { href: rules, class: "aim" }, `The rules of ${data.sheet.title}`)));
    if (signs.length) element.append(html("ul", { class: "legend" }, ...signs));
    if (!element.childNodes.length) element.append(html("p", { class: "dim" }, "This game has no signs that need explaining."));
    return { element, show() {} };
  }

  globalThis.arena = { ...globalThis.arena, panels: { playersPanel, decisionPanel, standingPanel, legendPanel } };
})();
