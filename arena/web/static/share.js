// How to share a position of a replay: its address, a line that puts the viewer on another page, and the picture that other sites show.
"use strict";

(() => {
  const { html } = globalThis.arena;
  const PAUSE = 400; // milliseconds for which a position is shown before its picture is fetched

  /** Fields with the address of a page and with a line for other pages, each with a button that copies it: {link, frame, said, parts}. */
  function sharing() {
    const said = html("p", { class: "said", role: "status" });
    const link = html("input", { type: "text", readonly: true, id: "share-link" });
    const frame = html("textarea", { readonly: true, rows: 4, id: "share-frame", spellcheck: "false" });

    const part = (words, field, what) => [
      html("h2", {}, html("label", { for: field.id }, words)),
      field,
      html("p", { class: "actions" }, html("button", { type: "button", onclick: () => copy(field, what) }, `Copy the ${what}`)),
    ];

    async function copy(field, what) {
      try {
        await navigator.clipboard.writeText(field.value);
        said.textContent = `${what} copied`;
      } catch {
        field.focus();
        field.select();
        said.textContent = `this browser does not let the page copy; the ${what} is selected, copy it`;
      }
    }
    return { link, frame, said, parts: [...part("Link", link, "link"), ...part("On your page", frame, "line")] };
  }

  /** The line that puts the page at an address on another page. */
  function frameLine(address) {
    const title = document.title.replace(/[^\p{L}\p{N}_ ,.:\u2013-]/gu, "");
    return `<iframe src="${address}" title="${title}" width="960" height="720" loading="lazy"></iframe>`;
  }

  /** {element, show(at)} for a viewer; data-share of its host is the address below which the match has its card and its page for frames. */
  function sharePanel(viewer) {
    const base = `${location.origin}${viewer.host.dataset.share}`;
    const { link, frame, said, parts } = sharing();
    const card = html("img", { width: 600, height: 315, alt: "", class: "share-card" });
    const whole = html("a", { class: "aim", target: "_blank" }, "The picture alone");
    let timer = 0;

    function show(at) {
      const place = at === viewer.end ? "" : `?at=${at}`;
      link.value = `${location.origin}${location.pathname}${place}`;
      frame.value = frameLine(`${base}/embed${place}`);
      whole.href = `${base}/card${place}`;
      clearTimeout(timer);
      timer = setTimeout(() => (card.src = whole.href), card.src ? PAUSE : 0);
    }
    const picture = [html("h2", {}, "What other sites show"), card, html("p", {}, whole)];
    return { element: html("section", { "aria-label": "Share" }, ...parts, said, ...picture), show };
  }

  globalThis.arena = { ...globalThis.arena, frameLine, sharePanel, sharing };
})();
