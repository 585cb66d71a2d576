// Follows a table: requests the seat's view after each change, and passes the positions on one by one at a readable pace.

const AGAIN = 3000; // milliseconds between requests to the server
const PACE = 1100; // milliseconds for which a decision of others, or the result of one's own, is shown before the next
const MOST = 60; // up to this many decisions are shown one by one; if there are more, only the outcome
const COUNTED = 5000; // milliseconds between updates of how long the server has been away
const LOST = "The server can't be reached; your match is kept. Trying again…";
const GONE = "This table no longer exists: its match is over, or nobody was there for too long.";

export class PositionFeed {
  /** `show(sight, step)` shows a position, and `step` is whether it is one decision after the last; `heard(sight)` gets the newest view at once; `lost(words, gone)` is called when the connection is lost. */
  constructor(address, { show, heard, lost }) {
    this.address = address;
    this.show = show;
    this.heard = heard;
    this.lost = lost;
    this.shown = null;
    this.latest = null;
    this.away = "";
    this.pace = PACE;
    const first = document.getElementById("arena-position"); // what the page has already
    if (first) queueMicrotask(() => this.#take(JSON.parse(first.textContent)));
    this.#listen();
  }

  #take(sight) {
    this.latest = filled(sight);
    this.#play();
    this.heard(this.latest);
  }

  #listen() {
    const events = new EventSource(`${this.address}/events`);
    events.addEventListener("changed", ({ data }) => {
      if (/closed/.test(data)) events.close();
      this.refresh();
    });
    events.addEventListener("open", () => this.away && this.refresh());
    events.addEventListener("error", async () => {
      if (events.readyState !== EventSource.CLOSED) return this.latest?.stage !== "over" && this.#leave(LOST); // the browser connects again by itself
      await this.refresh();
      if (this.away !== GONE && !["over", "closed"].includes(this.latest?.stage)) setTimeout(() => this.#listen(), AGAIN);
    });
  }

  #leave(words) {
    if (this.away === words) return;
    this.away = words;
    clearInterval(this.counting);
    if (words === LOST) this.counting = setInterval(count, COUNTED, this.lost, Date.now());
    this.lost(words, words === GONE);
  }

  /** The answer to a request about the table; throws an error message, empty if the server can't be reached. */
  async ask(path, request = {}) {
    const headers = { accept: "application/json", ...request.headers };
    const answer = await fetch(`${this.address}${path}`, { ...request, headers }).catch(() => null);
    const error = answer && !answer.ok ? ((await answer.json().catch(() => ({}))).error ?? "The server could not answer.") : "";
    const gone = answer?.status === 404 && path === "/state";
    this.#leave(!answer || answer.status >= 502 ? LOST : gone ? GONE : "");
    if (this.away || error) throw new Error(this.away ? "" : error);
    return answer;
  }

  /** Send JSON to the table; returns the response, if it is JSON. */
  async post(path, body = {}) {
    const answer = await this.ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return answer.status === 204 ? {} : answer.json().catch(() => ({}));
  }

  /** Request the seat's view; a call during a request makes one more request afterwards. */
  async refresh() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      do {
        this.again = false;
        this.#take(await (await this.ask("/state")).json());
      } while (this.again);
    } catch (error) {
      if (error.message) this.lost(error.message, false);
    } finally {
      this.asking = false;
    }
  }

  /** Show all that is known at once. */
  skip() {
    this.skipping = true;
    this.wake?.();
  }

  /** Whether decisions are still to be shown. */
  get isBehind() {
    return Boolean(this.latest && this.shown && this.shown.at < this.latest.at);
  }

  async #play() {
    if (this.playing) return;
    this.playing = true;
    while (this.isBehind) {
      const many = this.latest.at - this.shown.at > MOST;
      if (many || this.skipping || document.hidden) break;
      const last = this.shown.log.at(-1);
      if (this.stepped && last && (last.seat !== this.shown.me || last.events?.length)) await this.#wait(this.stepped + this.pace - performance.now());
      if (this.skipping) break;
      const at = this.shown.at + 1;
      const sight = at < this.latest.at ? await this.#past(at) : this.latest;
      this.#put(sight ?? this.latest, Boolean(sight));
    }
    this.playing = this.skipping = false;
    if (this.shown !== this.latest) this.#put(this.latest, false);
  }

  #put(sight, step) {
    this.shown = sight;
    this.stepped = step ? performance.now() : 0;
    this.show(sight, step);
  }

  /** The seat's view after that many decisions; null if it is not kept. */
  async #past(at) {
    const answer = await fetch(`${this.address}/state?at=${at}`, { headers: { accept: "application/json" } }).catch(() => null);
    return answer?.status === 200 ? { ...filled(await answer.json()), past: true } : null;
  }

  #wait(milliseconds) {
    return new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, Math.max(0, milliseconds));
    });
  }
}

/** Say how long the server has been away. */
function count(lost, since) {
  const seconds = Math.round((Date.now() - since) / 1000);
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`;
  lost(`The server has not answered for ${time}; your match is kept. Trying again…`, false);
}

/** Fill in defaults, which the JSON leaves out. */
function filled(sight) {
  const { me = null, seats } = sight;
  if (me !== null && seats[me].name === "Guest") seats[me].name = "You"; // the visitor gave no name
  return { actor: -1, can: [], asked: [], ...sight, me };
}
