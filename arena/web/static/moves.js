// The list of moves in a replay, grouped by turn; what the notation means is told in words, all of it on hover and on focus.
"use strict";

(() => {
  const { analysis, chip, html } = globalThis.arena;
  const LINE = 30; // pixels of a line, before it has been drawn

  /** {element, show(at, seen)} as in panels.js; `go(at)` shows a position. */
  function movesPanel(timeline, go) {
    const { data } = timeline;
    const tip = html("div", { class: "tip", role: "tooltip", id: "arena-tip", hidden: true });
    const buttons = data.frames.slice(1).map((_, decision) => moveButton(timeline, decision + 1, tip));
    const list = html("ol", { class: "moves" }, ...turns(timeline, buttons));
    let marked = null;
    let explained = null;
    let told = timeline.end; // the last position whose numbers may be told

    function explain(button) {
      const { move, events } = data.frames[button.arenaAt];
      const more = (events ?? []).map(({ words }) => html("span", {}, words));
      const notation = move.words === move.notation ? [] : [html("code", {}, move.notation)];
      const judged = button.arenaAt <= told ? analysis.judged(timeline.marks.get(button.arenaAt)) : [];
      tip.replaceChildren(html("b", {}, `${data.seats[move.seat].name} ${move.words}`), ...notation, ...more, ...judged);
      tip.hidden = false;
      explained = button;
      const spot = button.getBoundingClientRect();
      const { width, height } = tip.getBoundingClientRect();
      const above = spot.bottom + height + 8 > innerHeight;
      tip.style.left = `${Math.max(6, Math.min(spot.left + 24, innerWidth - width - 6))}px`;
      tip.style.top = `${above ? spot.top - height - 4 : spot.bottom + 4}px`;
    }

    /** Mark the move that led here, and bring it into sight without moving the page. */
    function show(at, seen) {
      if (!buttons.length) return;
      if (marked) marked.tabIndex = -1;
      marked?.removeAttribute("aria-current");
      marked = buttons[Math.max(at - 1, 0)];
      marked.tabIndex = 0;
      if (at) marked.setAttribute("aria-current", "step");
      list.classList.toggle("hushed", seen < timeline.end);
      if (told !== seen) for (const [place] of timeline.marks) buttons[place - 1].classList.toggle("untold", place > seen);
      told = seen;
      bring();
      requestAnimationFrame(() => (bring(), requestAnimationFrame(bring))); // what has come into sight may be higher than was thought
    }

    function bring() {
      const [window, spot] = [list.getBoundingClientRect(), marked.getBoundingClientRect()];
      const top = spot.top - window.top;
      if (spot.height && (top < 0 || top + spot.height > window.height)) list.scrollTop += top - window.height / 2;
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
      const at = Math.max(1, Math.min(aimed(event).arenaAt + by, buttons.length));
      go(at);
      buttons[at - 1].focus();
    });
    for (const come of ["mouseover", "focusin"]) list.addEventListener(come, (event) => aimed(event) && explain(aimed(event)));
    for (const leave of ["mouseout", "focusout"]) list.addEventListener(leave, hide);
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    return { element: html("section", { class: "list", "aria-label": "Moves" }, list, tip), show };
  }

  function moveButton(timeline, at, tip) {
    const { move, events } = timeline.data.frames[at];
    const gain = timeline.gain(at, move.seat);
    const parts = [html("span", { class: "number" }, at), html("span", { class: "words" }, move.words)];
    if (events) parts.push(html("span", { class: "event" }, events.some((event) => event.dice) ? "⚂" : "•"));
    if (timeline.forfeit(at)) parts.push(html("span", { class: "tag bad" }, "forfeit"));
    if (gain) parts.push(html("span", { class: "gain", title: timeline.data.columns[0] }, gain > 0 ? `+${gain}` : `\u2212${-gain}`));
    const mark = timeline.marks.get(at);
    if (mark) parts.push(analysis.grade(mark));
    const button = html("button", { type: "button", tabindex: -1, "aria-describedby": tip.id }, ...parts);
    button.arenaAt = at;
    return button;
  }

  /** One item for each turn: whose it is, and its moves; what is not in sight is not laid out. */
  function turns({ data, end }, buttons) {
    const begins = data.turns.filter((turn) => turn < end);
    if (begins[0] !== 0) begins.unshift(0);
    return begins.map((from, turn) => {
      const mine = buttons.slice(from, begins[turn + 1] ?? end);
      const { seat } = data.frames[from + 1].move;
      const name = html("span", { class: "name", dir: "auto" }, data.seats[seat].name);
      const head = html("p", { class: "turn-of" }, chip(data.seats, seat), name, html("span", { class: "dim" }, `turn ${turn + 1}`));
      const items = mine.map((button) => {
        const other = data.frames[button.arenaAt].move.seat; // in a turn of one seat another may have to answer
        if (other !== seat) button.firstChild.after(chip(data.seats, other), html("span", { class: "sr" }, `${data.seats[other].name} `));
        return html("li", {}, button);
      });
      const item = html("li", { class: "turn" }, head, html("ol", {}, ...items));
      item.style.containIntrinsicSize = `auto ${LINE * (mine.length + 1)}px`;
      return item;
    });
  }

  globalThis.arena = { ...globalThis.arena, movesPanel };
})();
