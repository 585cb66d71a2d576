//! Uses all that arena.zig has, in a match of Tongiaki, and logs what is not as it should be.
const std = @import("std");
const arena = @import("arena.zig");

comptime {
    _ = arena;
}

var wrong = false;

fn check(holds: bool, what: []const u8) void {
    if (!holds) {
        arena.log(what);
        wrong = true;
    }
}

pub fn start(match: []const u8) void {
    check(std.mem.eql(u8, arena.value(match, "game").?, "\"tongiaki\""), "game");
    check(arena.value(match, "nowhere") == null, "a key that is missing");
    check(arena.integer(arena.value(match, "players")) == arena.players, "players");
    check(arena.integer(arena.value(arena.value(match, "clock").?, "bank")) == std.math.maxInt(i64), "null");
    arena.log("started");
}

var text_space: [60000]u8 = undefined;
var other_space: [60000]u8 = undefined;

pub fn choose(clock: arena.Clock) u32 {
    const now = arena.Position.now;
    const legal = now.legal();
    check(legal > 1 and now.actor().? == arena.seat, "the position");
    check(clock.nodes == std.math.maxInt(i64) and arena.fuel() <= clock.fuel, "the clock");
    var move_space: [200]u8 = undefined;
    for (0..legal) |index| check(now.find(now.move(@intCast(index), &move_space).?).? == index, "a move");
    check(now.find("swim 3") == null, "a move that is not legal");
    check(now.text(move_space[0..4]) == null, "a text that is too long");

    const first = arena.sample(7);
    const second = first.copy();
    const text = first.text(&text_space).?;
    check(std.mem.startsWith(u8, text, "tongiaki\n") and first.legal() == legal, "a sample");
    const actor = second.play(legal - 1);
    check(std.meta.eql(actor, second.actor()), "the actor");
    check(std.mem.eql(u8, text, first.text(&other_space).?), "a copy");
    const moves = second.playout(arena.random());
    check(second.actor() == null and (moves > 0) == (actor != null), "a playout");
    const lead = second.score(arena.seat) - second.score(1 - arena.seat);
    check(second.lead() == lead and (lead == 0 or (second.rank(arena.seat) == 1) == (lead > 0)), "the end");
    second.drop();
    first.drop();
    for (0..100) |_| check(arena.below(7) < 7, "chance");
    arena.log(if (wrong) "wrong" else "well");
    return legal - 1;
}
