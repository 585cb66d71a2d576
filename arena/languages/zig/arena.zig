//! A bot in Zig as a WebAssembly module, docs/wasm.md.
//!
//! The root file of the bot imports this, names it in a block `comptime { _ = arena; }`, so that its exports are compiled, and has
//!
//!     pub fn choose(clock: arena.Clock) u32     which returns the index of a legal move
//!     pub fn start(match: []const u8) void      optional: called once, before the first decision, with the text of the message "match"
//!
//! A call with a position, index or seat that does not exist ends the bot.

const std = @import("std");
const bot = @import("root");

/// What is left for this decision; the greatest integer means no limit.
pub const Clock = struct {
    /// Units.
    fuel: i64,
    /// Positions that a search should look at.
    nodes: i64,
};

/// What the bot knows of its match.
pub var players: u32 = 0;
pub var seat: u32 = 0;
/// The text of the message that is being answered, for `value`.
pub var message: []const u8 = "";

/// A position of the host. All but `now` are dropped at the end of each decision.
pub const Position = enum(i32) {
    /// What the seat knows now: it can be looked at, but not played on. Take a sample for that.
    now = 0,
    _,

    /// How many legal moves there are.
    pub fn legal(position: Position) u32 {
        return call.legal(position);
    }

    /// The seat on turn, or null when the game is over.
    pub fn actor(position: Position) ?u32 {
        return seatOf(call.actor(position));
    }

    pub fn copy(position: Position) Position {
        return call.copy(position);
    }

    /// Plays a legal move, and returns the actor after it.
    pub fn play(position: Position, index: u32) ?u32 {
        return seatOf(call.play(position, index));
    }

    /// Plays at random to the end, and returns how many moves that took.
    pub fn playout(position: Position, seed: u64) u32 {
        return call.playout(position, seed);
    }

    /// A seat's score, when the game is over.
    pub fn score(position: Position, of: u32) f64 {
        return call.score(position, of);
    }

    /// A seat's rank, when the game is over: 1 for the winner.
    pub fn rank(position: Position, of: u32) u32 {
        return call.rank(position, of);
    }

    /// The own score less that of the best other seat, when the game is over.
    pub fn lead(position: Position) f64 {
        var best: f64 = if (players > 1) -std.math.inf(f64) else 0;
        for (0..players) |other| {
            if (other != seat) best = @max(best, position.score(@intCast(other)));
        }
        return position.score(seat) - best;
    }

    pub fn drop(position: Position) void {
        call.drop(position);
    }

    /// The notation of a legal move, written to the buffer; null if it is longer.
    pub fn move(position: Position, index: u32, buffer: []u8) ?[]u8 {
        const length = call.move(position, index, buffer.ptr, buffer.len);
        return if (length <= buffer.len) buffer[0..length] else null;
    }

    /// The index of the legal move with this notation.
    pub fn find(position: Position, notation: []const u8) ?u32 {
        return seatOf(call.find(position, notation.ptr, notation.len));
    }

    /// The position as text, written to the buffer; null if it is longer.
    pub fn text(position: Position, buffer: []u8) ?[]u8 {
        const length = call.text(position, buffer.ptr, buffer.len);
        return if (length <= buffer.len) buffer[0..length] else null;
    }
};

/// A position that agrees with what the seat knows, with the rest filled in at random.
pub fn sample(seed: u64) Position {
    return call.sample(seed);
}

/// What is left for this decision.
pub fn fuel() i64 {
    return call.fuel();
}

/// A line for the author's log.
pub fn log(line: []const u8) void {
    call.log(line.ptr, line.len);
}

/// splitmix64 from the bot's own seed, so that a match can be played again.
pub fn random() u64 {
    state +%= 0x9e3779b97f4a7c15;
    var z = state;
    z = (z ^ (z >> 30)) *% 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) *% 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// A number from 0 to n - 1.
pub fn below(n: u32) u32 {
    return @intCast(random() % n);
}

/// The value of a key of a JSON object without blanks, as it stands in the text.
pub fn value(object: []const u8, key: []const u8) ?[]const u8 {
    var at: usize = 0;
    while (object[at] != '}' and object[at + 1] == '"') {
        const from = at + 1 + skip(object[at + 1 ..]) + 1;
        const end = from + skip(object[from..]);
        if (std.mem.eql(u8, object[at + 2 .. from - 2], key)) return object[from..end];
        at = end;
    }
    return null;
}

/// The integer that a value is; null and what is missing are the greatest one.
pub fn integer(text: ?[]const u8) i64 {
    return std.fmt.parseInt(i64, text orelse "", 10) catch std.math.maxInt(i64);
}

const call = struct {
    extern "arena_v1" fn fuel() i64;
    extern "arena_v1" fn legal(Position) u32;
    extern "arena_v1" fn actor(Position) i32;
    extern "arena_v1" fn sample(seed: u64) Position;
    extern "arena_v1" fn copy(Position) Position;
    extern "arena_v1" fn play(Position, index: u32) i32;
    extern "arena_v1" fn playout(Position, seed: u64) u32;
    extern "arena_v1" fn score(Position, seat: u32) f64;
    extern "arena_v1" fn rank(Position, seat: u32) u32;
    extern "arena_v1" fn drop(Position) void;
    extern "arena_v1" fn move(Position, index: u32, to: [*]u8, capacity: usize) usize;
    extern "arena_v1" fn text(Position, to: [*]u8, capacity: usize) usize;
    extern "arena_v1" fn find(Position, notation: [*]const u8, length: usize) i32;
    extern "arena_v1" fn log(line: [*]const u8, length: usize) void;
};

var state: u64 = 0;
var first: [65536]u8 = undefined;
var space: []u8 = &first;

fn seatOf(number: i32) ?u32 {
    return if (number < 0) null else @intCast(number);
}

/// How long the value, or the key, is that begins here.
fn skip(text: []const u8) usize {
    var at: usize = 0;
    var depth: i32 = 0;
    while (true) {
        switch (text[at]) {
            '"' => {
                at += 1;
                while (text[at] != '"') at += if (text[at] == '\\') 2 else 1;
            },
            '{', '[' => depth += 1,
            '}', ']' => depth -= 1,
            else => {},
        }
        at += 1;
        if (depth <= 0 and (at == text.len or std.mem.indexOfScalar(u8, ",:}]", text[at]) != null)) return at;
    }
}

export fn arena_buffer(size: usize) [*]u8 {
    if (size > space.len) {
        const pages = (size + 65535) / 65536;
        const old = @wasmMemoryGrow(0, pages);
        if (old < 0) @trap();
        const at: [*]u8 = @ptrFromInt(@as(usize, @intCast(old)) * 65536);
        space = at[0 .. pages * 65536];
    }
    return space.ptr;
}

export fn arena_message(size: usize) usize {
    message = space[0..size];
    switch (value(message, "type").?[1]) {
        'd' => return answer(),
        'm' => {
            players = @intCast(integer(value(message, "players")));
            seat = @intCast(integer(value(message, "seat")));
            state = @intCast(integer(value(message, "seed")));
            if (@hasDecl(bot, "start")) bot.start(message);
            return put(0, "{\"type\":\"hello\",\"protocol\":1,\"name\":\"\",\"wants\":[]}");
        },
        else => return 0, // finish, which this bot does not ask for
    }
}

fn answer() usize {
    const clock = value(message, "clock").?;
    const index = bot.choose(.{ .fuel = integer(value(clock, "fuel")), .nodes = integer(value(clock, "nodes")) });
    const said = value(message, "token").?;
    var token: [34]u8 = undefined; // the answer is written over the message
    @memcpy(token[0..said.len], said);
    var length = put(0, "{\"type\":\"answer\",\"token\":");
    length = put(length, token[0..said.len]);
    length = put(length, ",\"move\":\"");
    length += Position.now.move(index, space[length..60000]).?.len;
    return put(length, "\"}");
}

fn put(at: usize, text: []const u8) usize {
    @memcpy(space[at..][0..text.len], text);
    return at + text.len;
}
