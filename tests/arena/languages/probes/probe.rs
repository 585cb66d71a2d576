//! Uses all that arena.rs has, in a match of Tongiaki, and logs what is not as it should be.
mod arena;
use arena::{below, fuel, integer, log, players, random, sample, seat, value, Clock, NOW};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

arena::bot!(choose, start);

static WRONG: AtomicBool = AtomicBool::new(false);

fn check(holds: bool, what: &str) {
    if !holds {
        log(what);
        WRONG.store(true, Relaxed);
    }
}

fn start(info: &str) {
    check(value(info, "game") == Some("\"tongiaki\""), "game");
    check(value(info, "nowhere").is_none(), "a key that is missing");
    check(integer(value(info, "players")) == i64::from(players()), "players");
    check(integer(value(value(info, "clock").unwrap(), "bank")) == i64::MAX, "null");
    log("started");
}

fn choose(clock: Clock) -> u32 {
    let legal = NOW.legal();
    check(legal > 1 && NOW.actor() == Some(seat()), "the position");
    check(clock.nodes == i64::MAX && fuel() <= clock.fuel, "the clock");
    for index in 0..legal {
        check(NOW.find(&NOW.notation(index)) == Some(index), "a move");
    }
    check(NOW.find("swim 3").is_none(), "a move that is not legal");

    let first = sample(7);
    let text = first.text();
    let second = first.copy();
    check(text.starts_with("tongiaki\n") && first.legal() == legal, "a sample");
    let actor = second.play(legal - 1);
    check(actor == second.actor(), "the actor");
    check(first.text() == text, "a copy");
    let moves = second.playout(random());
    check(second.actor().is_none() && (moves > 0) == actor.is_some(), "a playout");
    let lead = second.score(seat()) - second.score(1 - seat());
    check(second.lead() == lead && (lead == 0.0 || (second.rank(seat()) == 1) == (lead > 0.0)), "the end");
    for _ in 0..100 {
        check(below(7) < 7, "chance");
    }
    log(if WRONG.load(Relaxed) { "wrong" } else { "well" });
    legal - 1
}
