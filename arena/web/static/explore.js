// A position of a match that is explored: the visitor moves for every seat, and the server answers with the next page. The tree of moves,
// the chances and the best moves are on the page already; they are shown beside the board.
"use strict";

(() => {
  const { Deciding, frameLine, html, sharing } = globalThis.arena;

  class Explore extends Deciding {
    constructor(host, sight) {
      super(host);
      this.address = host.dataset.arenaExplore;
      this.side.prepend(html("slot", { name: "chances" }));
      this.side.append(html("slot"));
      if (sight.offers) this.side.append(html("details", { class: "card" }, html("summary", {}, "Share"), ...this.#share()));
      this.show(sight);
      this.bar.hidden = !sight.offers && sight.actor >= 0; // a frame only shows
      this.players.show({ ...sight, me: null });
      const here = host.querySelector("[aria-current]");
      here.closest("ol").scrollTop = here.offsetTop - 100;
    }

    #share() {
      const { link, frame, said, parts } = sharing();
      const here = `${location.origin}${this.address}`;
      link.value = here;
      frame.value = frameLine(here.replace("/explore?", "/explore/embed?"));
      return [...parts, said];
    }

    send(move) {
      this.choosing.pause(true);
      this.going = true;
      this.say();
      location.assign(`${this.address}&move=${encodeURIComponent(move)}`);
    }

    say() {
      if (!this.sight) return;
      const { actor, offers, seats } = this.sight;
      if (this.going) return this.tell({ words: "The move is being made\u2026", more: "" }, false);
      if (!offers) return this.tell({ words: "The game is over.", more: "" }, false);
      const { words, more } = this.choosing.prompt();
      this.tell({ words, more: more || `You move for ${seats[actor].name}.` }, true);
    }

    /** Arrows go back and forward in the tree. */
    keyed({ key }) {
      const link = this.host.querySelector({ ArrowLeft: "[rel~=prev]", ArrowRight: "[rel~=next]" }[key] ?? "none");
      link?.click();
      return Boolean(link);
    }
  }

  for (const host of document.querySelectorAll("[data-arena-explore]")) {
    host.arenaExplore = new Explore(host, JSON.parse(document.getElementById("arena-position").textContent));
  }
})();
