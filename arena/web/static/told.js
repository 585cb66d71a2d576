// The information at a table: the players with their points, the last decision in words, and what has happened so far.
"use strict";

(() => {
  const { chip, count, eventLine, html, isLarge, pegs, waitingPieces, who } = globalThis.arena;

  const tag = (words, classes = "") => html("span", { class: `tag ${classes}` }, words);

  /** One player: name, points, what is left of the supply, and in words whose turn it is. */
  function player(sight, number) {
    const { seats, columns, values, actor, supply, me, stage } = sight;
    const seat = seats[number];
    const turn = number === actor && stage === "playing";
    const name = who(seats, number);
    name.querySelector(".name").setAttribute("dir", "auto");
    const points = columns.length ? html("b", { class: "points", title: columns[0] }, values[0][number], html("span", { class: "sr" }, ` ${columns[0]}`)) : "";
    const left = supply ? html("span", { class: "left" }, count(values[supply.column][number], supply.word)) : "";
    const you = number === me && seat.name !== "You" && !turn ? tag("you") : ""; // "your turn" says it, too
    const more = html("span", { class: "under" }, supply ? pegs(supply, values[supply.column][number]) : "", left, you, turn ? html("span", { class: "turn" }, number === me ? "▶ your turn" : "▶ to move") : "");
    if (seat.fault) more.append(tag(`${seat.fault}: a substitute plays`, "bad"));
    if (seat.rank && seats.length > 1) more.append(tag(place(seat.rank), seat.rank === 1 ? "first" : ""));
    return html("li", { class: `${turn ? "active" : ""} ${number === me ? "me" : ""}` }, name, points, more);
  }

  const place = (rank) => (rank === 1 ? "★ 1st" : rank === 2 ? "2nd" : rank === 3 ? "3rd" : `${rank}th`);

  /** The strip of all players. */
  function playersPanel() {
    const element = html("ol", { class: "players", "aria-label": "Players" });
    return { element, show: (sight) => element.replaceChildren(...sight.seats.map((_, number) => player(sight, number))) };
  }

  /** The last decision in words, with its result; `hand` is a tile that waits to be laid, for the bar. */
  function lastPanel() {
    const hand = html("div");
    const element = html("section", { class: "last", "aria-live": "polite", "aria-label": "The last decision", hidden: true });
    let shown = "";

    function show({ at, log, seats, waiting, facts }) {
      const last = log.at(-1);
      const key = JSON.stringify([at, last, waiting.map(({ words }) => words)]);
      if (key === shown) return; // so that it is not read out again
      shown = key;
      const parts = last ? [html("p", { class: "move" }, who(seats, last.seat), " ", last.words)] : [];
      parts.push(...(last?.events ?? []).map(eventLine));
      if (facts.length) parts.push(html("p", { class: "facts" }, facts.join(" · ")));
      parts.push(...waitingPieces(waiting.filter((each) => !isLarge(each)), 0, 28));
      hand.replaceChildren(...waitingPieces(waiting.filter(isLarge), 52));
      element.replaceChildren(...parts);
      element.hidden = !parts.length;
    }
    return { element, hand, show };
  }

  /** All that has happened, the newest first. */
  function historyPanel() {
    const list = html("ol", { class: "told", tabindex: 0, "aria-label": "What has happened" });
    const element = html("section", { class: "card history" }, html("h2", {}, "What has happened"), list);

    function line(seats, { at, seat, words, events, note }) {
      const told = [words, ...(events ?? []).map((event) => event.words)].join("; ");
      const name = html("bdi", { class: "by" }, seats[seat].name);
      return html("li", { value: at + 1, class: note ? "noted" : "" }, chip(seats, seat), html("span", {}, name, " ", told, note ? html("em", {}, ` ${note}`) : ""));
    }

    function show({ log, seats }) {
      list.replaceChildren(...[...log].reverse().map((each) => line(seats, each)));
      if (!log.length) list.replaceChildren(html("li", {}, "Nothing yet."));
    }
    return { element, show };
  }

  /** Every number of every player, for those who want more than the strip. */
  function numbersPanel() {
    const table = html("table");
    const element = html("details", { class: "card standing" }, html("summary", {}, "All numbers"), table);

    function show({ seats, columns, values, facts }) {
      element.hidden = columns.length < 2 && !facts.length;
      const heads = columns.map((column) => html("th", { scope: "col" }, column));
      const rows = seats.map((_, number) => html("tr", {}, html("th", { scope: "row" }, who(seats, number)), ...values.map((column, index) => html("td", { class: index ? "" : "points" }, column[number]))));
      table.replaceChildren(html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "player"), ...heads)), html("tbody", {}, ...rows));
    }
    return { element, show };
  }

  globalThis.arena = { ...globalThis.arena, told: { playersPanel, lastPanel, historyPanel, numbersPanel, place } };
})();
