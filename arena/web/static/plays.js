// A replay that plays by itself: the board, the players, a thin line for how far it is, and a button that pauses it (docs/viewer.md).
"use strict";

(() => {
  const { Board, GLIDE, ICONS, Timeline, html, iconButton, panels, shelter } = globalThis.arena;
  const PACE = 1400; // milliseconds a decision
  const REST = 6000; // milliseconds at the end, before it begins again
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  class Player {
    constructor(host, data) {
      this.host = host;
      this.data = data;
      this.timeline = new Timeline(data);
      this.end = this.timeline.end;
      this.at = -1;
      this.from = Number(host.dataset.from ?? 0);
      this.inSight = true;
      this.timer = 0;
      this.#build();
      this.go(this.from);
      this.play(!calm.matches);
    }

    /** Show the position after that many decisions. */
    go(to) {
      const at = Math.max(0, Math.min(Math.round(to), this.end));
      if (at === this.at || Number.isNaN(at)) return;
      const single = at === this.at + 1 && this.at >= 0;
      this.board.change(() => this.timeline.draw(this.board, this.at, at), { glide: single });
      this.at = at;
      const { move } = this.data.frames[at];
      this.players.show(at);
      this.line.value = at;
      this.line.setAttribute("aria-valuetext", this.timeline.said(at));
      this.words.textContent = move ? `${this.data.seats[move.seat].name} ${move.words}` : this.timeline.said(at);
    }

    /** Go on, from the start if this is the end; or pause. */
    play(playing = !this.timer) {
      clearTimeout(this.timer);
      this.timer = 0;
      if (playing) {
        if (this.at === this.end) this.go(0);
        this.timer = setTimeout(() => this.#next(), PACE);
      }
      this.button.setAttribute("aria-label", playing ? "Pause" : "Play");
      this.button.title = playing ? "Pause" : "Play";
      this.button.querySelector("path").setAttribute("d", playing ? ICONS.stop : ICONS.play);
    }

    close() {
      clearTimeout(this.timer);
      this.watcher.disconnect();
    }

    #build() {
      const { data, host } = this;
      host.dataset.game = data.game;
      const place = html("div", { class: "place" });
      this.board = new Board(place, data.sheet, `The board of ${data.sheet.title}`);
      this.board.least = this.timeline.least;
      this.players = panels.playersPanel(this.timeline);
      this.line = html("progress", { max: Math.max(this.end, 1), "aria-label": "How far the match is" });
      this.words = html("p", { class: "told", dir: "auto" });
      this.button = iconButton(ICONS.play, "Play", "", () => this.play());
      const bar = html("div", { class: "bar" }, this.button, this.words);
      shelter(host, "arena-viewer arena-plays").append(this.players.element, place, this.line, bar);
      this.watcher = new IntersectionObserver(([{ isIntersecting }]) => (this.inSight = isIntersecting));
      this.watcher.observe(host);
    }

    #next() {
      if (this.at === this.end) this.go(0);
      else if (this.inSight && !document.hidden) this.go(this.at + 1); // motion that nobody sees is not worth the work
      this.timer = setTimeout(() => this.#next(), this.at === this.end ? REST : PACE);
    }
  }

  globalThis.arena = { ...globalThis.arena, Player };
})();
