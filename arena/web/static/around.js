// What stands around the board of a table: the chat, the clock, the result and what comes next, ways out with a question first, settings.
"use strict";

(() => {
  const { count, html, memory, siteUrl, told, who } = globalThis.arena;
  const LONGEST = 200;

  /** `say(text)` sends a line, and throws an error message. */
  function talkPanel(say) {
    const list = html("ol", { class: "said", tabindex: 0, "aria-label": "What was said", "aria-live": "polite" });
    const field = html("input", { type: "text", maxlength: LONGEST, "aria-label": "Say something", placeholder: "say something", autocomplete: "off", dir: "auto" });
    const problem = html("p", { class: "bad", role: "alert", hidden: true });
    const form = html("form", { class: "speak", onsubmit: speak }, field, html("button", { type: "submit" }, "Say"));
    const off = html("input", { type: "checkbox", checked: memory.get("chat") === "off", onchange: () => (memory.set("chat", off.checked ? "off" : "on"), draw()) });
    const heading = html("summary", {}, "Chat");
    const wide = matchMedia("(min-width: 60rem)").matches;
    const element = html("details", { class: "card chat", hidden: true, open: wide && memory.get("chat") !== "off", ontoggle: () => draw() }, heading, list, form, problem, html("label", { class: "switch" }, off, "Switch the chat off for me"));
    let lines = [];
    let read = 0;
    let may = false;

    async function speak(event) {
      event.preventDefault();
      const text = field.value.trim();
      if (!text) return;
      problem.hidden = true;
      try {
        await say(text);
        field.value = "";
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = !error.message;
      }
    }

    function draw() {
      const muted = off.checked;
      const shown = muted ? [] : lines;
      if (list.childElementCount > shown.length) list.replaceChildren();
      for (const { name, text } of shown.slice(list.childElementCount)) {
        list.append(html("li", {}, html("b", { dir: "auto" }, name), " ", html("span", { dir: "auto" }, text)));
        list.scrollTop = list.scrollHeight;
      }
      list.hidden = !shown.length;
      form.hidden = muted || !may;
      if (element.open || muted) read = lines.length;
      const fresh = lines.length - read;
      heading.textContent = muted ? "Chat (off)" : fresh > 0 ? `Chat (${fresh} new)` : "Chat";
    }

    function show({ chat = [], chat_on: on = false, can = [], seats }) {
      const people = seats.filter(({ person }) => person).length;
      element.hidden = !chat.length && !(on && people > 1); // somebody alone with bots has nobody to talk to
      may = can.includes("chat");
      if (chat.length < lines.length || chat[0]?.at !== lines[0]?.at) list.replaceChildren(); // the oldest lines went
      lines = chat;
      draw();
    }
    return { element, show };
  }

  const SAID = [60, 30, 10]; // seconds at which the countdown is read out
  const QUIET = 120; // with more seconds than this the clock shows minutes, softly

  /** A clock that counts down by itself; `show(seconds, words)` sets it, null hides it. */
  function countdown() {
    const face = html("span", { class: "clock", hidden: true });
    const voice = html("span", { class: "sr", "aria-live": "polite" });
    const element = html("span", { class: "clocks" }, face, voice);
    let until = null;
    let words = "";
    let said = Infinity;

    function tick() {
      if (until === null) return;
      const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      const told = left > QUIET ? `${Math.ceil(left / 60)} min` : `${left} s`;
      const whole = `${told} ${words}`;
      if (face.textContent !== whole) face.textContent = whole;
      face.classList.toggle("soon", left <= SAID[0]);
      const passed = SAID.findLast((each) => left <= each);
      if (passed !== undefined && passed < said) {
        said = passed;
        voice.textContent = `${left} seconds ${words}`;
      }
    }

    function show(seconds, meaning = "") {
      face.hidden = seconds == null;
      words = meaning;
      if (seconds == null) {
        until = null;
        said = Infinity;
        voice.textContent = "";
        return;
      }
      if (seconds > SAID[0]) said = Infinity;
      until = performance.now() + 1000 * seconds;
      tick();
    }
    setInterval(tick, 1000);
    return { element, show };
  }

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

  function box(words, name) {
    const field = html("input", { type: "checkbox", checked: memory.get(name) === "yes", onchange: () => memory.set(name, field.checked ? "yes" : "no") });
    return html("label", { class: "switch" }, field, words);
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
    const settings = html("details", {}, html("summary", {}, "Settings"), box("Send moves without asking, except those that can't be undone", "send-at-once"), html("label", { class: "switch" }, "Show others' moves ", pace));
    const keys = html("details", {}, html("summary", {}, "Keys"), html("dl", { class: "keys" }, ...KEYS.flatMap(([key, words]) => [html("dt", {}, key), html("dd", {}, words)])));
    const element = html("section", { class: "card menu", "aria-label": "This table" }, html("div", { class: "actions" }, guide, rules, resign, leave), settings, keys);

    function show({ can }) {
      resign.hidden = !can.includes("resign");
      leave.hidden = !can.includes("leave");
    }
    return { element, show };
  }

  globalThis.arena = { ...globalThis.arena, talkPanel, countdown, leaving: { menuPanel, resultPanel, sure } };
})();
