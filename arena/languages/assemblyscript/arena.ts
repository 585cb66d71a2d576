// A bot in AssemblyScript as a WebAssembly module, docs/wasm.md. The bot has
//
//     export { arena_buffer, arena_message } from "./arena";
//     bot((clock: Clock): i32 => ...);      a function that returns the index of a legal move
//
// and optionally, as a second argument of bot, a function that is called once, before the first decision, with the text of the message
// "match". A call with a position, index or seat that does not exist ends the bot, as an error does, of which the log has the message.

/** What is left for this decision; the greatest integer means no limit. */
export class Clock {
  constructor(
    /** Units. */
    public fuel: i64,
    /** Positions that a search should look at. */
    public nodes: i64,
  ) {}
}

/** What the bot knows of its match. */
export let players: i32 = 0;
export let seat: i32 = 0;
/** The text of the message that is being answered, for `value`. */
export let message: string = "";

/** A position of the host. All but `NOW` are dropped at the end of each decision. */
export class Position {
  constructor(private handle: i32) {}

  /** A position that agrees with what the seat knows, with the rest filled in at random. */
  static sample(seed: u64): Position {
    return new Position(callSample(seed));
  }

  /** How many legal moves there are. */
  legal(): i32 {
    return callLegal(this.handle);
  }

  /** The seat on turn, or -1 when the game is over. */
  actor(): i32 {
    return callActor(this.handle);
  }

  copy(): Position {
    return new Position(callCopy(this.handle));
  }

  /** Plays a legal move, and returns the actor after it. */
  play(index: i32): i32 {
    return callPlay(this.handle, index);
  }

  /** Plays at random to the end, and returns how many moves that took. */
  playout(seed: u64): i32 {
    return callPlayout(this.handle, seed);
  }

  /** A seat's score, when the game is over. */
  score(other: i32): f64 {
    return callScore(this.handle, other);
  }

  /** A seat's rank, when the game is over: 1 for the winner. */
  rank(other: i32): i32 {
    return callRank(this.handle, other);
  }

  /** The own score less that of the best other seat, when the game is over. */
  lead(): f64 {
    if (players == 1) return this.score(seat);
    let best = -Infinity;
    for (let other = 0; other < players; other++) {
      if (other != seat) best = Math.max(best, this.score(other));
    }
    return this.score(seat) - best;
  }

  drop(): void {
    callDrop(this.handle);
  }

  /** The notation of a legal move. */
  move(index: i32): string {
    const length = callMove(this.handle, index, changetype<usize>(room), room.byteLength);
    if (enlarged(length)) callMove(this.handle, index, changetype<usize>(room), length);
    return String.UTF8.decodeUnsafe(changetype<usize>(room), length);
  }

  /** The index of the legal move with this notation, or -1. */
  find(notation: string): i32 {
    const bytes = String.UTF8.encode(notation);
    return callFind(this.handle, changetype<usize>(bytes), bytes.byteLength);
  }

  /** The position as text. */
  text(): string {
    const length = callText(this.handle, changetype<usize>(room), room.byteLength);
    if (enlarged(length)) callText(this.handle, changetype<usize>(room), length);
    return String.UTF8.decodeUnsafe(changetype<usize>(room), length);
  }
}

/** What the seat knows now: it can be looked at, but not played on. Take a sample for that. */
export const NOW = new Position(0);

/** What is left for this decision. */
export function fuel(): i64 {
  return callFuel();
}

/** A line for the author's log. */
export function log(line: string): void {
  const bytes = String.UTF8.encode(line);
  callLog(changetype<usize>(bytes), bytes.byteLength);
}

let state: u64 = 0;

/** splitmix64 from the bot's own seed, so that a match can be played again. */
export function random(): u64 {
  state += 0x9e3779b97f4a7c15;
  let z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/** A number from 0 to n - 1. */
export function below(n: i32): i32 {
  return <i32>(random() % <u64>n);
}

/** The value of a key of a JSON object without blanks, as it stands in the text; "" if there is none. */
export function value(object: string, key: string): string {
  let at = 0;
  while (object.charAt(at) != "}" && object.charAt(at + 1) == '"') {
    const from = skip(object, at + 1) + 1;
    const end = skip(object, from);
    if (object.substring(at + 2, from - 2) == key) return object.substring(from, end);
    at = end;
  }
  return "";
}

/** The integer that a value is; null and what is missing are the greatest one. */
export function integer(text: string): i64 {
  return text == "" || text == "null" ? i64.MAX_VALUE : I64.parseInt(text);
}

/** Where the value, or the key, that begins here ends. */
function skip(text: string, from: i32): i32 {
  let at = from;
  let depth = 0;
  while (true) {
    const first = text.charAt(at);
    if (first == '"') {
      at++;
      while (text.charAt(at) != '"') at += text.charAt(at) == "\\" ? 2 : 1;
    } else if (first == "{" || first == "[") {
      depth++;
    } else if (first == "}" || first == "]") {
      depth--;
    }
    at++;
    if (depth <= 0 && (at >= text.length || ",:}]".includes(text.charAt(at)))) return at;
  }
}

let room = new ArrayBuffer(256);

function enlarged(length: i32): bool {
  if (length <= room.byteLength) return false;
  room = new ArrayBuffer(length);
  return true;
}

let choose: (clock: Clock) => i32 = (clock: Clock): i32 => 0;
let start: (match: string) => void = (match: string): void => {};

/** Says which functions the bot is made of. */
export function bot(chooser: (clock: Clock) => i32, starter: (match: string) => void = start): void {
  choose = chooser;
  start = starter;
}

let buffer = new ArrayBuffer(65536);

export function arena_buffer(size: i32): usize {
  if (size > buffer.byteLength) buffer = new ArrayBuffer(size);
  return changetype<usize>(buffer);
}

export function arena_message(size: i32): i32 {
  message = String.UTF8.decodeUnsafe(changetype<usize>(buffer), size);
  const kind = value(message, "type");
  if (kind == '"decide"') {
    const clock = value(message, "clock");
    const index = choose(new Clock(integer(value(clock, "fuel")), integer(value(clock, "nodes"))));
    return answer('{"type":"answer","token":' + value(message, "token") + ',"move":"' + NOW.move(index) + '"}');
  }
  if (kind != '"match"') return 0; // finish, which this bot does not ask for
  players = <i32>integer(value(message, "players"));
  seat = <i32>integer(value(message, "seat"));
  state = integer(value(message, "seed"));
  start(message);
  return answer('{"type":"hello","protocol":1,"name":"","wants":[]}');
}

function answer(text: string): i32 {
  return <i32>String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, changetype<usize>(buffer));
}

/** What the compiler calls when the program is at fault. */
export function abort(text: string | null, file: string | null, line: u32, column: u32): void {
  log(`${text ? text : "abort"} in ${file ? file : "?"}, line ${line}`);
  unreachable();
}

// @ts-ignore: decorator
@external("arena_v1", "fuel")
declare function callFuel(): i64;
// @ts-ignore: decorator
@external("arena_v1", "legal")
declare function callLegal(position: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "actor")
declare function callActor(position: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "sample")
declare function callSample(seed: u64): i32;
// @ts-ignore: decorator
@external("arena_v1", "copy")
declare function callCopy(position: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "play")
declare function callPlay(position: i32, index: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "playout")
declare function callPlayout(position: i32, seed: u64): i32;
// @ts-ignore: decorator
@external("arena_v1", "score")
declare function callScore(position: i32, seat: i32): f64;
// @ts-ignore: decorator
@external("arena_v1", "rank")
declare function callRank(position: i32, seat: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "drop")
declare function callDrop(position: i32): void;
// @ts-ignore: decorator
@external("arena_v1", "move")
declare function callMove(position: i32, index: i32, to: usize, capacity: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "text")
declare function callText(position: i32, to: usize, capacity: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "find")
declare function callFind(position: i32, notation: usize, length: i32): i32;
// @ts-ignore: decorator
@external("arena_v1", "log")
declare function callLog(line: usize, length: i32): void;
