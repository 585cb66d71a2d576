//! Interface for a bot in Rust that is compiled to a WebAssembly module; see docs/wasm.md.
//!
//! The bot contains `mod arena;` and `arena::bot!(choose);` with
//!
//!     fn choose(clock: Clock) -> u32      which returns the index of a legal move
//!
//! or `arena::bot!(choose, start);` with
//!
//!     fn start(info: &str)                called once, before the first decision, with the text of the message "match"
//!
//! A call with a position, index or seat that does not exist ends the bot. So does a panic, whose message is written to the log.
#![allow(dead_code)]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The limits for this decision; the largest integer means no limit.
#[derive(Clone, Copy)]
pub struct Clock {
    /// The fuel left, in units.
    pub fuel: i64,
    /// How many positions a search may look at.
    pub nodes: i64,
}

/// A position held by the host; dropping the value drops the position.
pub struct Position(i32);

/// The current position as the seat sees it. It is read-only: play moves on a sample.
pub const NOW: Position = Position(0);

/// A position consistent with what the seat knows, with the rest filled in at random.
pub fn sample(seed: u64) -> Position {
    Position(unsafe { call::sample(seed) })
}

impl Position {
    /// How many legal moves there are.
    pub fn legal(&self) -> u32 {
        unsafe { call::legal(self.0) }
    }

    /// The seat on turn, or None when the game is over.
    pub fn actor(&self) -> Option<u32> {
        unsafe { call::actor(self.0) }.try_into().ok()
    }

    pub fn copy(&self) -> Position {
        Position(unsafe { call::copy(self.0) })
    }

    /// Plays a legal move, and returns the actor after it.
    pub fn play(&self, index: u32) -> Option<u32> {
        unsafe { call::play(self.0, index) }.try_into().ok()
    }

    /// Plays at random to the end, and returns how many moves that took.
    pub fn playout(&self, seed: u64) -> u32 {
        unsafe { call::playout(self.0, seed) }
    }

    /// A seat's score, when the game is over.
    pub fn score(&self, seat: u32) -> f64 {
        unsafe { call::score(self.0, seat) }
    }

    /// A seat's rank, when the game is over: 1 for the winner.
    pub fn rank(&self, seat: u32) -> u32 {
        unsafe { call::rank(self.0, seat) }
    }

    /// The bot's score minus the best other seat's score, when the game is over.
    pub fn lead(&self) -> f64 {
        let others = (0..players()).filter(|&other| other != seat()).map(|other| self.score(other));
        self.score(seat()) - others.reduce(f64::max).unwrap_or(0.0)
    }

    /// The notation of a legal move.
    pub fn notation(&self, index: u32) -> String {
        read(|to, capacity| unsafe { call::notation(self.0, index, to, capacity) })
    }

    /// The index of the legal move with this notation.
    pub fn find(&self, notation: &str) -> Option<u32> {
        unsafe { call::find(self.0, notation.as_ptr(), notation.len()) }.try_into().ok()
    }

    /// The notation of the position.
    pub fn text(&self) -> String {
        read(|to, capacity| unsafe { call::text(self.0, to, capacity) })
    }
}

impl Drop for Position {
    fn drop(&mut self) {
        if self.0 != 0 {
            unsafe { call::drop(self.0) }
        }
    }
}

/// The fuel left for this decision.
pub fn fuel() -> i64 {
    unsafe { call::fuel() }
}

/// Writes a line to the author's log.
pub fn log(line: &str) {
    unsafe { call::log(line.as_ptr(), line.len()) }
}

pub fn players() -> u32 {
    PLAYERS.load(Relaxed)
}

/// The bot's own seat.
pub fn seat() -> u32 {
    SEAT.load(Relaxed)
}

/// A random number from splitmix64, seeded with the bot's seed so that a match can be replayed.
pub fn random() -> u64 {
    let mut z = STATE.load(Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.store(z, Relaxed);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number from 0 to n - 1.
pub fn below(n: u32) -> u32 {
    (random() % u64::from(n)) as u32
}

/// A key's value in a JSON object without spaces, as a slice of its JSON.
pub fn value<'a>(object: &'a str, key: &str) -> Option<&'a str> {
    let mut at = 0;
    while object[at + 1..].starts_with('"') {
        let from = at + 1 + skip(&object[at + 1..]) + 1;
        let end = from + skip(&object[from..]);
        if &object[at + 2..from - 2] == key {
            return Some(&object[from..end]);
        }
        at = end;
    }
    None
}

/// The value as an integer; the largest integer if it is null or missing.
pub fn integer(value: Option<&str>) -> i64 {
    value.and_then(|digits| digits.parse().ok()).unwrap_or(i64::MAX)
}

/// The length of the value or key that begins here.
fn skip(text: &str) -> usize {
    let (bytes, mut at, mut depth) = (text.as_bytes(), 0, 0);
    loop {
        match bytes[at] {
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth <= 0 && matches!(bytes.get(at), None | Some(b',' | b':' | b'}' | b']')) {
            return at;
        }
    }
}

mod call {
    #[link(wasm_import_module = "arena_v1")]
    extern "C" {
        pub fn fuel() -> i64;
        pub fn legal(position: i32) -> u32;
        pub fn actor(position: i32) -> i32;
        pub fn sample(seed: u64) -> i32;
        pub fn copy(position: i32) -> i32;
        pub fn play(position: i32, index: u32) -> i32;
        pub fn playout(position: i32, seed: u64) -> u32;
        pub fn score(position: i32, seat: u32) -> f64;
        pub fn rank(position: i32, seat: u32) -> u32;
        pub fn drop(position: i32);
        #[link_name = "move"]
        pub fn notation(position: i32, index: u32, to: *mut u8, capacity: usize) -> usize;
        pub fn text(position: i32, to: *mut u8, capacity: usize) -> usize;
        pub fn find(position: i32, notation: *const u8, length: usize) -> i32;
        pub fn log(line: *const u8, length: usize);
    }
}

/// The text that a call writes; if it doesn't fit, the call is repeated with a larger buffer.
fn read(ask: impl Fn(*mut u8, usize) -> usize) -> String {
    let mut bytes = vec![0; 256];
    let length = ask(bytes.as_mut_ptr(), bytes.len());
    if length > bytes.len() {
        bytes.resize(length, 0);
        ask(bytes.as_mut_ptr(), length);
    }
    bytes.truncate(length);
    String::from_utf8(bytes).unwrap()
}

static PLAYERS: AtomicU32 = AtomicU32::new(0);
static SEAT: AtomicU32 = AtomicU32::new(0);
static STATE: AtomicU64 = AtomicU64::new(0);

/// Exports the functions that the host calls. The answer to a message is written to the buffer that held the message.
#[macro_export]
macro_rules! bot {
    ($choose:expr) => {
        arena::bot!($choose, |_: &str| {});
    };
    ($choose:expr, $start:expr) => {
        static mut BUFFER: Vec<u8> = Vec::new();

        #[no_mangle]
        pub unsafe extern "C" fn arena_buffer(size: usize) -> *mut u8 {
            let buffer = &mut *std::ptr::addr_of_mut!(BUFFER);
            buffer.resize(size.max(buffer.len()), 0);
            buffer.as_mut_ptr()
        }

        #[no_mangle]
        pub unsafe extern "C" fn arena_message(size: usize) -> usize {
            let buffer = &mut *std::ptr::addr_of_mut!(BUFFER);
            let answer = arena::answer(std::str::from_utf8(&buffer[..size]).unwrap(), $choose, $start);
            buffer[..answer.len()].copy_from_slice(answer.as_bytes());
            answer.len()
        }
    };
}
pub(crate) use bot;

/// The answer to a message; empty for "finish", which this bot does not request.
pub fn answer(message: &str, choose: fn(Clock) -> u32, start: fn(&str)) -> String {
    match value(message, "type") {
        Some("\"match\"") => {
            std::panic::set_hook(Box::new(|info| log(&info.to_string())));
            PLAYERS.store(integer(value(message, "players")) as u32, Relaxed);
            SEAT.store(integer(value(message, "seat")) as u32, Relaxed);
            STATE.store(integer(value(message, "seed")) as u64, Relaxed);
            start(message);
            r#"{"type":"hello","protocol":1,"name":"","wants":[]}"#.to_string()
        }
        Some("\"decide\"") => {
            let clock = value(message, "clock").unwrap();
            let index = choose(Clock { fuel: integer(value(clock, "fuel")), nodes: integer(value(clock, "nodes")) });
            let token = value(message, "token").unwrap();
            [r#"{"type":"answer","token":"#, token, r#","move":""#, &NOW.notation(index), r#""}"#].concat()
        }
        _ => String::new(),
    }
}
