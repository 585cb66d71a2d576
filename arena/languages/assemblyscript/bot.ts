// A bot that tries moves in random games and plays the one after which they went best.
import { below, bot, Clock, fuel, NOW, Position, random } from "./arena";
export { arena_buffer, arena_message } from "./arena";

bot((clock: Clock): i32 => {
  const legal = NOW.legal();
  const step = 1 + legal / 20;
  let best = 0;
  let most = -Infinity;
  for (let move = below(step); move < legal; move += step) {
    let total = 0.0;
    for (let game = 0; game < 5; game++) {
      if (fuel() < clock.fuel / 2) return best;
      const position = Position.sample(random()); // agrees with what the seat knows
      position.play(move);
      position.playout(random());
      total += position.lead();
      position.drop();
    }
    if (total > most) {
      best = move;
      most = total;
    }
  }
  return best;
});
