//! A bot that plays random games after each move and picks the move with the best average result.
mod arena;
use arena::{below, fuel, random, sample, Clock, NOW};

arena::bot!(choose);

fn choose(clock: Clock) -> u32 {
    let (legal, mut best, mut most) = (NOW.legal(), 0, f64::NEG_INFINITY);
    let step = 1 + legal / 20;
    let mut number = below(step);
    while number < legal {
        let mut total = 0.0;
        for _ in 0..5 {
            if fuel() < clock.fuel / 2 {
                return best;
            }
            let position = sample(random()); // consistent with what the seat knows
            position.play(number);
            position.playout(random());
            total += position.lead();
        }
        if total > most {
            (best, most) = (number, total);
        }
        number += step;
    }
    best
}
