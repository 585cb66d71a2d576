// Signals of a table: the countdown until a substitute plays, the page's title, and a sound or a notification for those who asked for it.
"use strict";

(() => {
  const { html, memory } = globalThis.arena;
  const SAID = [60, 30, 10]; // seconds at which the countdown is read out
  const QUIET = 120; // with more seconds than this the clock shows minutes, softly
  const NOTES = [660, 880];

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

  function chime() {
    const context = new AudioContext();
    NOTES.forEach((pitch, index) => {
      const [tone, loudness] = [context.createOscillator(), context.createGain()];
      const start = context.currentTime + 0.14 * index;
      tone.frequency.value = pitch;
      loudness.gain.setValueAtTime(0.12, start);
      loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.3);
      tone.connect(loudness).connect(context.destination);
      tone.start(start);
      tone.stop(start + 0.32);
    });
    setTimeout(() => context.close(), 1000);
  }

  /** Signals by the title, and by sound or notification if enabled, that it has become the visitor's turn. */
  class Caller {
    constructor() {
      this.title = document.title;
      this.mine = false;
    }

    show(mine, words) {
      document.title = mine ? `Your turn – ${this.title}` : words ? `${words} – ${this.title}` : this.title;
      if (mine && !this.mine && this.seen) this.#call();
      this.mine = mine;
      this.seen = true;
    }

    #call() {
      if (memory.get("sound") === "yes") chime();
      if (memory.get("notify") === "yes" && document.hidden && globalThis.Notification?.permission === "granted") {
        try {
          const note = new Notification("Your turn", { body: this.title, tag: location.pathname });
          note.addEventListener("click", () => (globalThis.focus(), note.close()));
        } catch {
          memory.set("notify", "no"); // some phones let only service workers notify
        }
      }
    }
  }

  globalThis.arena = { ...globalThis.arena, Caller, chime, countdown };
})();
