// Uses all that arena.ts has, in a match of Tongiaki, and logs what is not as it should be.
import { below, bot, Clock, fuel, integer, log, NOW, players, Position, random, seat, value } from "./arena";
export { arena_buffer, arena_message } from "./arena";

let wrong = false;

function check(holds: bool, what: string): void {
  if (!holds) {
    log(what);
    wrong = true;
  }
}

function start(match: string): void {
  check(value(match, "game") == '"tongiaki"', "game");
  check(value(match, "nowhere") == "", "a key that is missing");
  check(integer(value(match, "players")) == players, "players");
  check(integer(value(value(match, "clock"), "bank")) == i64.MAX_VALUE, "null");
  log("started");
}

function choose(clock: Clock): i32 {
  const legal = NOW.legal();
  check(legal > 1 && NOW.actor() == seat, "the position");
  check(clock.nodes == i64.MAX_VALUE && fuel() <= clock.fuel, "the clock");
  for (let index = 0; index < legal; index++) check(NOW.find(NOW.move(index)) == index, "a move");
  check(NOW.find("swim 3") == -1, "a move that is not legal");

  const first = Position.sample(7);
  const second = first.copy();
  const text = first.text();
  check(text.startsWith("tongiaki\n") && first.legal() == legal, "a sample");
  const actor = second.play(legal - 1);
  check(actor == second.actor(), "the actor");
  check(first.text() == text, "a copy");
  const moves = second.playout(random());
  check(second.actor() == -1 && (moves > 0) == (actor != -1), "a playout");
  const lead = second.score(seat) - second.score(1 - seat);
  check(second.lead() == lead && (lead == 0 || (second.rank(seat) == 1) == (lead > 0)), "the end");
  second.drop();
  first.drop();
  for (let number = 0; number < 100; number++) check(below(7) < 7, "chance");
  log(wrong ? "wrong" : "well");
  return legal - 1;
}

bot(choose, start);
