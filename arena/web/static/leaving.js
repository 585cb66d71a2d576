// The end of a match and ways out of it: the result, rematch, resigning and leaving with a question first; and the visitor's settings.
"use strict";

(() => {
  const { chime, count, html, memory, siteUrl, told, who } = globalThis.arena;

  /** Who won, with places and scores, why it ended, and what to do next. `rematch()` asks for another match. */
  function resultPanel(rematch) {
    const element = html("section", { class: "result", "aria-label": "The result", hidden: true });
    let shown = "";

    function show({ at, stage, seats, me, status, match, can, rematch: address, problem, notice = "" }) {
      const over = stage === "over" && seats.every(({ rank }) => rank);
      element.hidden = !over;
      const key = JSON.stringify([stage, seats, match, can, address, notice]);
      if (!over || key === shown) return;
      shown = key;
      const first = seats.filter(({ rank }) => rank === 1);
      const order = seats.map((_, seat) => seat).sort((a, b) => seats[a].rank - seats[b].rank);
      const places = order.map((seat) => html("li", { class: seat === me ? "me" : "" }, html("b", {}, told.place(seats[seat].rank)), who(seats, seat), html("span", { class: "points" }, seats[seat].score)));
      const next = [];
      if (address) next.push(html("a", { class: "onward", href: address }, "To the rematch"));
      else if (can.includes("rematch")) next.push(html("button", { type: "button", class: "main", onclick: rematch }, "Rematch"));
      if (match) next.push(html("a", { class: "onward quiet", href: siteUrl(`/m/${match}`) }, "Watch the replay"));
      next.push(html("a", { class: "onward quiet", href: siteUrl("/play") }, "Another table"));
      element.replaceChildren(html("h2", {}, html("span", { role: "status" }, headline(seats, me, first))), html("p", {}, problem || why(status)), html("p", { hidden: !notice }, notice), html("ol", { hidden: seats.length === 1 }, ...places), html("div", { class: "actions" }, ...next));
    }
    return { element, show };
  }

  function headline(seats, me, first) {
    if (seats.length === 1) return count(seats[0].score, "point"); // nobody to be better than
    if (first.length === seats.length && seats.length > 1) return "A draw";
    if (me !== null && seats[me].rank === 1) return first.length > 1 ? "You share the first place" : "You won!";
    const names = first.map(({ name }) => name).join(" and ");
    return `${names} ${first.length > 1 ? "share the first place" : "won"}`;
  }

  /** The last status of a game says why it is over: "Over: the last island is laid". */
  const why = (status) => status.replace(/^over:?\s*/i, "").replace(/^\w/, (letter) => letter.toUpperCase()) || "The match is over.";

  /** Ask before something that can't be undone; resolves to whether it was confirmed. */
  function sure(root, words, act) {
    return new Promise((resolve) => {
      const dialog = html("dialog", { class: "sure", "aria-label": act }, html("p", {}, words), html("div", { class: "actions" }, html("button", { type: "button", class: "main", onclick: () => dialog.close("yes") }, act), html("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Go on playing")));
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(dialog.returnValue === "yes");
      });
      root.append(dialog);
      dialog.showModal();
    });
  }

  const KEYS = [
    ["1 to 9", "choose the move with that number in the list"],
    ["↑ ↓", "go to the pieces or the list, and through them; on the board, Tab goes to a choice and the arrows to the others"],
    ["Enter", "choose, confirm; a piece that is chosen already is confirmed"],
    ["Esc", "take back the last pick"],
    ["H", "a hint, where there is one"],
    ["R", "turn the piece"],
    ["Space", "skip to the current position"],
    ["+ − 0", "on the board: zoom in, out, all of it; Shift and arrows move it"],
  ];

  function box(words, name, changed = () => {}) {
    const field = html("input", { type: "checkbox", checked: memory.get(name) === "yes", onchange: () => (memory.set(name, field.checked ? "yes" : "no"), changed(field)) });
    return html("label", { class: "switch" }, field, words);
  }

  async function allowed(field) {
    if (!field.checked) return;
    const answer = await globalThis.Notification?.requestPermission();
    if (answer === "granted") return;
    field.checked = false;
    memory.set("notify", "no");
  }

  /** Ways out and settings. `out(act)` resigns or leaves; `help()` shows the guide again. */
  function menuPanel(game, out, help) {
    const resign = html("button", { type: "button", hidden: true, onclick: () => out("resign") }, "Resign…");
    const leave = html("button", { type: "button", hidden: true, onclick: () => out("leave") }, "Leave the table…");
    const guide = html("button", { type: "button", onclick: help }, "How to play");
    const rules = html("a", { class: "onward quiet", href: siteUrl(`/rules/${encodeURIComponent(game)}`), target: "_blank" }, "Rules");
    const pace = html("select", { onchange: () => memory.set("pace", pace.value) });
    const paces = [["2200", "slowly"], ["1100", "at a readable pace"], ["500", "fast"], ["0", "all at once"]];
    pace.append(...paces.map(([value, words]) => html("option", { value, selected: value === memory.get("pace", "1100") }, words)));
    const settings = html("details", {}, html("summary", {}, "Settings"), box("Send moves without asking, except those that can't be undone", "send-at-once"), html("label", { class: "switch" }, "Show others' moves ", pace), box("A sound when it is my turn", "sound", (field) => field.checked && chime()), box("A notification when it is my turn", "notify", allowed));
    const keys = html("details", {}, html("summary", {}, "Keys"), html("dl", { class: "keys" }, ...KEYS.flatMap(([key, words]) => [html("dt", {}, key), html("dd", {}, words)])));
    const element = html("section", { class: "card menu", "aria-label": "This table" }, html("div", { class: "actions" }, guide, rules, resign, leave), settings, keys);

    function show({ can }) {
      resign.hidden = !can.includes("resign");
      leave.hidden = !can.includes("leave");
    }
    return { element, show };
  }

  globalThis.arena = { ...globalThis.arena, leaving: { menuPanel, resultPanel, sure } };
})();
