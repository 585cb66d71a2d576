//! The search of search.c in Zig: random games after each move, more of them after the moves that look best (UCB1), as fuel allows.
//!
//! Build it: zig build-exe -target wasm32-freestanding -O ReleaseSmall -fstrip --dep arena -Mroot=search.zig -Marena=../../arena/languages/zig/arena.zig -fno-entry -rdynamic -femit-bin=search_zig.wasm
const arena = @import("arena");

comptime {
    _ = arena; // what the host calls
}

const Tried = struct {
    move: u32,
    games: u32 = 0,
    total: f64 = 0,

    /// A bound that the mean is under with some confidence; a move that has not been tried comes first.
    fn bound(tried: Tried, games: u64) f64 {
        if (tried.games == 0) return 1e9;
        const bits: f64 = @floatFromInt(64 - @clz(games)); // a logarithm
        const own: f64 = @floatFromInt(tried.games);
        return tried.total / own + 0.3 * @sqrt(bits / own);
    }
};

const most_games = 400;
var space: [64]Tried = undefined;

pub fn choose(clock: arena.Clock) u32 {
    const legal = arena.Position.now.legal();
    const moves = space[0..@min(legal, space.len)];
    for (moves, 0..) |*each, number| { // of many moves, some from everywhere in the list
        each.* = .{ .move = @intCast(number * legal / moves.len) };
    }
    var games: u64 = 1;
    while (games <= most_games and arena.fuel() > @divTrunc(clock.fuel, 2)) : (games += 1) {
        var next = &moves[0];
        for (moves[1..]) |*each| {
            if (each.bound(games) > next.bound(games)) next = each;
        }
        const position = arena.sample(arena.random());
        _ = position.play(next.move);
        _ = position.playout(arena.random());
        next.total += worth(position);
        next.games += 1;
        position.drop();
    }
    var best = moves[0];
    for (moves[1..]) |each| {
        if (each.games > best.games) best = each;
    }
    return best.move;
}

/// What a finished game is worth, from 0 to 1: most of it for winning, the rest for the lead.
fn worth(end: arena.Position) f64 {
    const lead = end.lead();
    const won: f64 = if (end.rank(arena.seat) == 1) 0.75 else 0;
    return won + 0.125 * (1 + lead / (10 + @abs(lead)));
}
