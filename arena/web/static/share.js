// How to share a position of a replay: its address, a line that puts the viewer on another page, and the picture that other sites show.
"use strict";

(() => {
  const { html } = globalThis.arena;
  const PAUSE = 400; // milliseconds for which a position is shown before its picture is fetched

  /** {element, show(at)} for a viewer; data-share of its host is the address below which the match has its card and its page for frames. */
  function sharePanel(viewer) {
    const base = `${location.origin}${viewer.host.dataset.share}`;
    const said = html("p", { class: "said", role: "status" });
    const link = html("input", { type: "text", readonly: true, id: "share-link" });
    const frame = html("textarea", { readonly: true, rows: 4, id: "share-frame", spellcheck: "false" });
    const card = html("img", { width: 600, height: 315, alt: "", class: "share-card" });
    const whole = html("a", { class: "aim", target: "_blank" }, "The picture alone");
    let timer = 0;

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
        said.textContent = `this browser does not let the page copy; the ${what} is marked, copy it`;
      }
    }

    function show(at) {
      const place = at === viewer.end ? "" : `?at=${at}`;
      link.value = `${location.origin}${location.pathname}${place}`;
      const title = document.title.replace(/[^\p{L}\p{N}_ ,.:\u2013-]/gu, "");
      frame.value = `<iframe src="${base}/embed${place}" title="${title}" width="960" height="720" loading="lazy"></iframe>`;
      whole.href = `${base}/card${place}`;
      clearTimeout(timer);
      timer = setTimeout(() => (card.src = whole.href), card.src ? PAUSE : 0);
    }
    const picture = [html("h2", {}, "What other sites show"), card, html("p", {}, whole)];
    return { element: html("section", { "aria-label": "Share" }, ...part("Link", link, "link"), ...part("On your page", frame, "line"), said, ...picture), show };
  }

  globalThis.arena = { ...globalThis.arena, sharePanel };
})();
