// The position of a replay to take along: in notation, as a link, the files of the match, a match that goes on from it.
"use strict";

(() => {
  const { html } = globalThis.arena;

  /** {element, show(at), copy(text, what)} for a viewer; addresses come from data-* of its host. */
  function positionPanel(viewer) {
    const { dataset } = viewer.host;
    const said = html("span", { class: "said", role: "status" });
    const onward = html("a", { class: "onward", hidden: true }, "Continue from here");
    const text = html("pre", { tabindex: 0, "aria-label": "The position in notation" });
    const button = (words, act) => html("button", { type: "button", onclick: act }, words);
    const copyPosition = button("Copy the position", () => copy(viewer.text(), "position"));
    const copyLink = button("Copy a link to it", () => copy(viewer.address(), "link"));
    const files = [];
    if (dataset.replay) files.push(html("a", { class: "aim", href: dataset.replay, download: "" }, "The replay as JSON"));
    if (dataset.page) files.push(html("a", { class: "aim", href: dataset.page, download: "" }, "This page as one file"));
    const downloads = files.length ? [html("h2", {}, "Download"), html("p", { class: "files" }, ...files)] : [];
    const actions = html("div", { class: "actions" }, copyPosition, copyLink, onward, said);
    const element = html("section", { "aria-label": "The position" }, actions, ...downloads, html("h2", {}, "In notation"), text);

    function write(words) {
      if (text.textContent !== words) text.textContent = words; // what is marked in it stays marked
    }

    async function copy(words, what) {
      try {
        await navigator.clipboard.writeText(words);
        said.textContent = `${what} copied`;
      } catch {
        viewer.open("Position");
        said.textContent = `this browser does not let the page copy; select the ${what} and copy it:`;
        write(words);
        getSelection().selectAllChildren(text);
      }
    }

    function show(at) {
      write(viewer.text());
      onward.hidden = !dataset.continue || at === viewer.end;
      if (dataset.continue) onward.href = dataset.continue.replaceAll("{d}", at);
    }
    return { element, show, copy };
  }

  /** {element, show(at)}: a link to the page where every seat can be moved from the position, if the match has one. */
  function exploreLink({ host: { dataset } }) {
    const element = html("a", { class: "onward quiet", hidden: dataset.explore === undefined, title: "Move every seat from here" }, "Explore");
    return { element, show: (at) => element.setAttribute("href", `${dataset.explore}?at=${at}`) };
  }

  globalThis.arena = { ...globalThis.arena, exploreLink, positionPanel };
})();
