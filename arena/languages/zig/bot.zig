//! A bot that tries moves in random games and plays the one after which they went best.
const arena = @import("arena.zig");

comptime {
    _ = arena; // what the host calls
}

pub fn choose(clock: arena.Clock) u32 {
    const legal = arena.Position.now.legal();
    const step = 1 + legal / 20;
    var best: u32 = 0;
    var most: f64 = -1e300;
    var move = arena.below(step);
    while (move < legal) : (move += step) {
        var total: f64 = 0;
        for (0..5) |_| {
            if (arena.fuel() < @divTrunc(clock.fuel, 2)) return best;
            const position = arena.sample(arena.random()); // agrees with what the seat knows
            _ = position.play(move);
            _ = position.playout(arena.random());
            total += position.lead();
            position.drop();
        }
        if (total > most) {
            most = total;
            best = move;
        }
    }
    return best;
}
