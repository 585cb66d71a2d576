// The chat at a table. Lines of others are plain text; a person can switch the chat off.
"use strict";

(() => {
  const { html, memory } = globalThis.arena;
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

  globalThis.arena = { ...globalThis.arena, talkPanel };
})();
