// What an analysis says of a match (docs/viewer.md): the panel with chances, key moments and where the result came from, and the marks of decisions.
"use strict";

(() => {
  const { chancesChart, chip, count, html, svg, who } = globalThis.arena;
  const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" }; // as chess writes them
  const PAUSE = 700; // milliseconds between two looks for an analysis that is being computed
  const PARTS = [
    ["start", "start", "the same for every seat"],
    ["setup", "position", "the starting position"],
    ["own", "own", "changed by own decisions"],
    ["others", "others", "changed by the others' decisions"],
    ["luck", "luck", "draws and dice"],
    ["rest", "rest", "a forfeit, or decisions not analysed in time"],
    ["result", "end", "the sum of these"],
  ];
  const SELDOM = ["rest"]; // columns that are left out where nobody has anything in them
  const GRADES = Object.keys(SIGNS);
  const ONWARD = "Shown up to the position that you have seen, so that it does not give away the end.";

  const COMPARED = "?! is an inaccuracy, ? a mistake, ?? a blunder. A mark compares the move with the best one found; a key moment is what a turn changed.";

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
    const drawn = sketch ? html("span", { class: "drawn" }, ", drawn on the board in green") : "";
    return [said, html("p", { class: "better", title: notation }, `Better: ${words}`, drawn)];
  }

  const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
  const signed = (number) => (number.startsWith("-") ? `\u2212${number.slice(1)}` : `+${number}`);

  /** {element, show(at, seen)} as in panels.js. */
  function analysisPanel(viewer) {
    const { data, end } = viewer.timeline;
    const { analysis, evaluation, seats } = data;
    const marks = analysis.marks ?? [];
    const sentence = html("p", { class: "why" });
    const moments = html("ol", { class: "moments" });
    const mistakes = html("ul", { class: "mistakes" });
    const before = html("button", { type: "button", title: "the marked decision before (M)", onclick: () => step(viewer, -1) }, "Previous");
    const next = html("button", { type: "button", title: "the next marked decision (m)", onclick: () => step(viewer, 1) }, "Next");
    const sums = (analysis.accounts ?? []).length ? [barsList(data), accountsTable(data)] : [];
    const graph = evaluation?.length ? chancesChart(viewer.timeline, (at) => viewer.go(at, { glide: false })) : null;
    const parts = [
      html("section", { "aria-label": "The result in a sentence" }, sentence),
      html("section", { "aria-label": "Key moments" }, moments),
      ...sums.slice(0, 1),
      ...(graph ? [graph.element] : []),
      html("section", { "aria-label": "Marked decisions" }, html("h2", {}, "Marked decisions"), mistakes, html("p", { class: "dim" }, COMPARED), html("p", { class: "actions" }, before, next)),
      ...sums.slice(1),
      html("p", { class: "dim" }, analysis.method),
    ];

    function counted(seat, seen) {
      const own = marks.filter(({ index }) => index < seen && data.frames[index + 1].move.seat === seat);
      const told = GRADES.map((name) => [name, own.filter((mark) => mark.grade === name).length]).filter(([, number]) => number);
      const words = told.map(([name, number]) => (name === "inaccuracy" && number > 1 ? `${number} inaccuracies` : count(number, name)));
      return html("li", {}, who(seats, seat), html("span", {}, words.join(", ") || "none"));
    }

    let told = -1;
    function show(at, seen) {
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
      sentence.replaceChildren(...(over ? linked(analysis.sentence, viewer) : [ONWARD]));
      sentence.classList.toggle("dim", !over);
      moments.replaceChildren(...analysis.moments.filter((moment) => moment.turn[1] <= seen).map((moment) => momentItem(moment, viewer)));
      mistakes.replaceChildren(...seats.map((_, seat) => counted(seat, seen)));
      for (const sum of sums) sum.hidden = !over;
    }
    return { element: html("section", { class: "analysed", "aria-label": "Analysis" }, ...parts), show };
  }

  /** A link to the position after that many decisions. */
  function placeLink(at, words, viewer) {
    const link = html("a", { href: `#d=${at}` }, words);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault(); // a frame in a notebook has no address of its own
      viewer.go(at);
    });
    return link;
  }

  /** A sentence in which the numbers of decisions are links. */
  function linked(sentence, viewer) {
    return sentence.split(/\b(decisions? \d+(?: to \d+)?)/).map((part, index) => (index % 2 ? placeLink(Number(/\d+/.exec(part)), part, viewer) : part));
  }

  /** A key moment as a card: the turn, its name, the chance (points) that changed most, and what happened. */
  function momentItem({ at, kind, words, turn: [first, last], before, after }, viewer) {
    const { seats, analysis } = viewer.data;
    const scale = analysis.unit === "chance" ? 100 : 1;
    const link = placeLink(at, last - first > 1 ? `Decisions ${first + 1}–${last}` : `Decision ${last}`, viewer);
    link.dataset.at = at;
    const size = (seat) => Math.abs(after[seat] - before[seat]);
    const seat = seats.map((_, each) => each).toSorted((one, other) => size(other) - size(one) || one - other)[0];
    const shown = (values) => Number((scale * values[seat]).toFixed(scale === 1 ? 1 : 0));
    const change = html("b", { class: "change" }, chip(seats, seat), html("span", { class: "sr" }, `${seats[seat].name} `), `${shown(before)} to ${shown(after)}${scale === 1 ? "" : "\u00a0%"}`);
    const sign = SIGNS[kind] ? [html("span", { class: `grade ${kind}`, "aria-hidden": "true" }, SIGNS[kind])] : [];
    return html("li", {}, html("p", {}, html("span", {}, link, `: ${kind} `, ...sign), change), html("p", { class: "did" }, words));
  }

  /** What own decisions and luck changed for each player, as a bar to both sides of zero, the winner's first. */
  function barsList({ seats, analysis: { accounts, unit } }) {
    const scale = unit === "chance" ? 100 : 1;
    const most = Math.max(1, ...accounts.flatMap(({ own, luck }) => [own, luck, own + luck].map((part) => scale * Math.abs(part))));
    const rows = seats.map((_, seat) => seat).toSorted((one, other) => seats[one].rank - seats[other].rank).map((seat) => {
      const ends = { "-1": 0, "1": 0 };
      const drawn = ["own", "luck"].map((kind) => {
        const part = (100 * scale * accounts[seat][kind]) / most;
        const from = ends[part < 0 ? -1 : 1];
        ends[part < 0 ? -1 : 1] += part;
        return svg("path", { class: kind, d: `M${from.toFixed(1)} 1h${part.toFixed(1)}v8h${(-part).toFixed(1)}Z` });
      });
      const bar = svg("svg", { viewBox: "-100 0 200 10", preserveAspectRatio: "none", "aria-hidden": "true" }, ...drawn, svg("path", { class: "zero", d: "M0 0V10" }));
      const words = ["own", "luck"].map((kind) => `${kind} ${signed((scale * accounts[seat][kind]).toFixed(0).replace("-0", "0"))}`).join(", ");
      return html("li", {}, who(seats, seat), bar, html("span", {}, words));
    });
    const what = html("h2", {}, html("span", { class: "own" }, "Own decisions"), " and ", html("span", { class: "luck" }, "luck"), `, in ${scale === 1 ? "points" : "percentage points of winning chance"}`);
    return html("section", { "aria-label": "Skill and luck" }, what, html("ul", { class: "bars" }, ...rows));
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
    const note = `${parts.slice(0, -1).map(([, name, title]) => `${name}: ${title}`).join("; ")}. The end is their sum.`;
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

  /**
   * The panel of a match that can be analysed: progress until the analysis is there, then `viewer.analysed(parts)`. It is requested when the panel
   * is first in sight; where the server has no time for that, or it failed, by a button.
   */
  function askingPanel(viewer, address) {
    const said = html("p", { role: "status", class: "dim" });
    const button = html("button", { type: "button", onclick: () => ask(), hidden: true }, "Analyse this match");
    const words = "Computes in a few seconds: the chances of winning by decision, better moves, key moments, and what was luck or skill.";

    let isAsked = false;
    async function ask(first = address) {
      isAsked = true;
      button.setAttribute("aria-disabled", true);
      said.textContent = "Analysing…";
      try {
        viewer.analysed(await fetched(first, address, () => viewer.listening.signal.aborted));
        viewer.host.dispatchEvent(new CustomEvent("arena-analysed", { bubbles: true })); // renew.js fetches what the page says of it
      } catch (error) {
        said.textContent = first === address ? error.message : "";
        button.hidden = false;
        button.removeAttribute("aria-disabled");
      }
    }
    const element = html("section", { "aria-label": "Analysis" }, html("p", {}, words), html("p", { class: "actions" }, button), said);
    const show = () => isAsked || ask(viewer.host.dataset.analysed === undefined ? `${address}?unasked=true` : address);
    return { element, show };
  }

  /** The analysis, requested at one address, and then at the other one until it is there. */
  async function fetched(first, address, isGone) {
    const headers = { accept: "application/json" };
    let answer = await reached(first, { method: "POST", headers });
    while (answer.status === 202 && !isGone()) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      answer = await reached(address, { method: "POST", headers }); // another server may answer, which has to begin, too
    }
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(told.error ?? `The server answered with status ${answer.status}.`);
    return told;
  }

  async function reached(address, how) {
    const answer = await fetch(address, how).catch(() => null);
    if (!answer) throw new Error("The server can't be reached.");
    return answer;
  }

  globalThis.arena = { ...globalThis.arena, analysis: { SIGNS, analysisPanel, askingPanel, grade, judged, step } };
})();
