// What an analysis says of a match (docs/viewer.md): the panel with chances, key moments and where the result came from, and the marks of decisions.
"use strict";

(() => {
  const { chancesChart, count, html, who } = globalThis.arena;
  const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" }; // as chess writes them
  const PAUSE = 700; // milliseconds between two looks for an analysis that is being computed
  const PARTS = [
    ["start", "start", "what every seat has"],
    ["setup", "position", "the starting position"],
    ["own", "own", "what own decisions changed"],
    ["others", "others", "what those of the others changed"],
    ["substitute", "substitute", "decisions of substitutes"],
    ["luck", "luck", "draws and dice"],
    ["rest", "rest", "forfeits, and what there was no time for"],
    ["result", "end", "the sum of all that"],
  ];
  const SELDOM = ["substitute", "rest"]; // columns that are left out where nobody has anything in them
  const GRADES = Object.keys(SIGNS);
  const ONWARD = "Only as far as you have seen: the rest would tell how it ends.";

  const COMPARED = "?! is an inaccuracy, ? a mistake, ?? a blunder. A mark compares with the best move found, a key moment with the position before the turn.";

  /** The sign of a mark, with its words for those who do not see it. */
  function grade({ grade: name, words }) {
    return html("span", { class: `grade ${name}`, title: words }, html("span", { "aria-hidden": "true" }, SIGNS[name]), html("span", { class: "sr" }, ` ${words}`));
  }

  /** What the decision that led to a position lost, and the better move; nothing for one without a mark. */
  function judged(mark) {
    if (!mark) return [];
    const said = html("p", { class: "judged" }, html("span", { class: `grade ${mark.grade}`, "aria-hidden": "true" }, SIGNS[mark.grade]), ` ${capital(mark.words)}`);
    if (!mark.better) return [said];
    const { notation, words, sketch } = mark.better;
    const meant = words === notation ? "" : `: ${words}`;
    const drawn = sketch ? html("span", { class: "drawn" }, ", drawn on the board in green") : "";
    return [said, html("p", { class: "better" }, "Better ", html("code", {}, notation), meant, drawn)];
  }

  const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
  const signed = (number) => (number.startsWith("-") ? `\u2212${number.slice(1)}` : `+${number}`);

  /** {element, show(at, seen)} as in panels.js. */
  function analysisPanel(viewer) {
    const { data, end } = viewer.timeline;
    const { analysis, evaluation, seats } = data;
    const marks = analysis.marks ?? [];
    const sentence = html("p", { class: "why" });
    const parts = [html("section", { "aria-label": "The result in a sentence" }, sentence)];
    const chances = chancesTable(data);
    const moments = html("ol", { class: "moments" });
    const mistakes = html("ul", { class: "mistakes" });
    const before = html("button", { type: "button", title: "the marked decision before (M)", onclick: () => step(viewer, -1) }, "Previous");
    const next = html("button", { type: "button", title: "the next marked decision (m)", onclick: () => step(viewer, 1) }, "Next");
    const accounts = (analysis.accounts ?? []).length ? accountsTable(data) : null;
    const graph = evaluation?.length ? chancesChart(viewer.timeline, (at) => viewer.go(at, { glide: false })) : null;
    if (graph) parts.push(html("section", { "aria-label": "Chances of winning" }, html("h2", {}, "Chances of winning in this position"), chances.element), graph.element);
    parts.push(html("section", { "aria-label": "Key moments" }, html("h2", {}, analysis.unit === "chance" ? "Key moments: chances before and after a turn" : "Key moments"), moments));
    parts.push(html("section", { "aria-label": "Marked decisions" }, html("h2", {}, "Marked decisions"), mistakes, html("p", { class: "dim" }, COMPARED), html("p", { class: "actions" }, before, next)));
    if (accounts) parts.push(accounts);
    parts.push(html("p", { class: "dim" }, analysis.method));

    function counted(seat, seen) {
      const own = marks.filter(({ index }) => index < seen && data.frames[index + 1].move.seat === seat);
      const told = GRADES.map((name) => [name, own.filter((mark) => mark.grade === name).length]).filter(([, number]) => number);
      const words = told.map(([name, number]) => (name === "inaccuracy" && number > 1 ? `${number} inaccuracies` : count(number, name)));
      return html("li", {}, who(seats, seat), html("span", {}, words.join(", ") || "none"));
    }

    let told = -1;
    function show(at, seen) {
      if (graph) chances.show(at);
      graph?.show(at, seen);
      for (const [button, way] of [[before, -1], [next, 1]]) button.setAttribute("aria-disabled", nextMark(data, at, way, seen) === undefined);
      if (told !== seen) tell(seen);
      told = seen;
      for (const link of moments.querySelectorAll("a")) {
        if (Number(link.dataset.at) === at) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      }
    }

    /** Say everything that may be shown about the first positions. */
    function tell(seen) {
      const over = seen === end;
      sentence.textContent = over ? analysis.sentence : ONWARD;
      sentence.classList.toggle("dim", !over);
      moments.replaceChildren(...analysis.moments.filter((moment) => moment.turn[1] <= seen).map((moment) => momentItem(moment, viewer)));
      mistakes.replaceChildren(...seats.map((_, seat) => counted(seat, seen)));
      if (accounts) accounts.hidden = !over;
    }
    return { element: html("section", { class: "analysed", "aria-label": "Analysis" }, ...parts), show };
  }

  /** A key moment: the turn, its name, the changed chances (points), and the event. */
  function momentItem({ at, kind, words, turn: [first, last], before, after }, viewer) {
    const { seats, analysis } = viewer.data;
    const chance = analysis.unit === "chance";
    const link = html("a", { href: `#d=${at}`, "data-at": at }, last - first > 1 ? `Decisions ${first + 1} to ${last}` : `Decision ${last}`);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault(); // a frame in a notebook has no address of its own
      viewer.go(at);
    });
    const shown = (value) => (chance ? `${Math.round(100 * value)}\u00a0%` : value.toFixed(1).replace(".0", ""));
    const size = (seat) => Math.abs(after[seat] - before[seat]);
    const changed = seats.map((_, seat) => seat).filter((seat) => shown(before[seat]) !== shown(after[seat]));
    changed.sort((one, other) => size(other) - size(one) || one - other);
    const changes = changed.map((seat) => html("li", {}, who(seats, seat), html("b", {}, `${shown(before[seat])} to ${shown(after[seat])}`)));
    const where = last - first > 1 ? ` ${kind === "luck" ? "after" : "at"} ${at}` : "";
    return html("li", {}, link, `: ${kind}${where}`, html("ul", { class: "changes", "aria-label": "What it changed" }, ...changes), html("span", { class: "did" }, words));
  }

  /** Each seat's chance in the position shown, as a bar and a number. */
  function chancesTable({ seats, evaluation }) {
    const rows = seats.map((seat, index) => {
      const bar = html("span", { class: "bar" });
      bar.style.setProperty("background", seat.color);
      const number = html("td", { class: "number" });
      return { row: html("tr", {}, html("th", { scope: "row" }, who(seats, index)), html("td", { class: "bars", "aria-hidden": "true" }, bar), number), bar, number };
    });
    const element = html("table", { class: "chances" }, html("tbody", {}, ...rows.map(({ row }) => row)));

    function show(at) {
      rows.forEach(({ bar, number }, seat) => {
        const chance = evaluation[at]?.[seat]; // missing if the analysis ran out of time
        bar.style.setProperty("width", `${100 * (chance ?? 0)}%`);
        number.textContent = chance === undefined ? "?" : `${Math.round(100 * chance)}\u00a0%`;
      });
    }
    return { element, show };
  }

  /** Where each seat's result came from; the parts of a row add up to its end. */
  function accountsTable({ seats, analysis }) {
    const chance = analysis.unit === "chance";
    const shown = (value) => (chance ? 100 * value : value).toFixed(1).replace(/^-0\.0$/, "0.0");
    const parts = PARTS.filter(([key]) => !SELDOM.includes(key) || analysis.accounts.some((account) => account[key]));
    const head = html("tr", {}, html("th", { scope: "col" }, "player"), ...parts.map(([, name, title]) => html("th", { scope: "col", title }, name)));
    const rows = analysis.accounts.map((account, seat) => {
      const cells = parts.map(([key]) => html("td", {}, key === "start" || key === "result" ? shown(account[key]).replace(".0", "") : signed(shown(account[key] ?? 0))));
      return html("tr", {}, html("th", { scope: "row" }, who(seats, seat)), ...cells);
    });
    const words = chance ? "Skill and luck, in percentage points of winning chance" : "Skill and luck, in points";
    const table = html("table", {}, html("thead", {}, head), html("tbody", {}, ...rows));
    const note = `${parts.slice(0, -1).map(([, name, title]) => `${name}: ${title}`).join("; ")}. Together they are the end.`;
    return html("section", { class: "accounts" }, html("h2", {}, words), html("div", { class: "wide", tabindex: 0, role: "region", "aria-label": words }, table), html("p", { class: "dim" }, note));
  }

  /** The position after the next marked decision (way 1), or after the one before (-1). */
  function nextMark({ analysis }, at, way, seen) {
    const places = (analysis?.marks ?? []).map(({ index }) => index + 1).filter((place) => place <= seen);
    return way > 0 ? places.find((place) => place > at) : places.findLast((place) => place < at);
  }

  /** Go to the next marked decision that the visitor may know of. */
  function step(viewer, way) {
    const place = nextMark(viewer.data, viewer.at, way, viewer.seen);
    if (place !== undefined) viewer.go(place);
  }

  /** The panel of a match that can be analysed: a button, and progress until the analysis is there; then `viewer.analysed(parts)`. */
  function askingPanel(viewer, address) {
    const said = html("p", { role: "status", class: "dim" });
    const button = html("button", { type: "button", onclick: ask }, "Analyse this match");
    const words = "Chances of winning by decision, better moves, luck apart from skill, and the key moments: computed when you ask for it, in a few seconds.";

    async function ask() {
      button.setAttribute("aria-disabled", true);
      said.textContent = "Analysing…";
      try {
        viewer.analysed(await fetched(address, () => viewer.listening.signal.aborted));
      } catch (error) {
        said.textContent = error.message;
        button.removeAttribute("aria-disabled");
      }
    }
    const element = html("section", { "aria-label": "Analysis" }, html("p", {}, words), html("p", { class: "actions" }, button), said);
    return { element, show() {} };
  }

  /** The analysis at an address, polled until it is there. */
  async function fetched(address, isGone) {
    const headers = { accept: "application/json" };
    let answer = await reached(address, { method: "POST", headers });
    while (answer.status === 202 && !isGone()) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      answer = await reached(address, { method: "POST", headers }); // another server may answer, which has to begin, too
    }
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(told.error ?? `The server answers ${answer.status}.`);
    return told;
  }

  async function reached(address, how) {
    const answer = await fetch(address, how).catch(() => null);
    if (!answer) throw new Error("The server can't be reached.");
    return answer;
  }

  globalThis.arena = { ...globalThis.arena, analysis: { SIGNS, analysisPanel, askingPanel, grade, judged, step } };
})();
