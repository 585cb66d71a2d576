// A bot in Go as a WebAssembly module, docs/wasm.md. The bot is this file and one with
//
//	func choose(clock Clock) int      which returns the index of a legal move
//
// It may set the variable start to a function that is called once, before the first decision, with the text of the message "match".
// A call with a position, index or seat that does not exist ends the bot, as a panic does. What is printed goes to the author's log.
package main

import (
	"math"
	"strconv"
	"unsafe"
)

// Clock says what is left for this decision; the greatest integer means no limit.
type Clock struct {
	Fuel  int64 // units
	Nodes int64 // positions that a search should look at
}

// Position is one that the host keeps until the end of the decision.
type Position int32

// Now is what the seat knows now: it can be looked at, but not played on. Take a Sample for that.
const Now Position = 0

// What the bot knows of its match.
var (
	Players, Seat int
	Message       string // the text of the message that is being answered, for Value
	start         func(match string)
)

// Sample returns a position that agrees with what the seat knows, with the rest filled in at random.
func Sample(seed uint64) Position { return callSample(int64(seed)) }

// Fuel returns what is left for this decision.
func Fuel() int64 { return callFuel() }

// Legal returns how many legal moves there are.
func (position Position) Legal() int { return int(callLegal(position)) }

// Actor returns the seat on turn, or -1 when the game is over.
func (position Position) Actor() int { return int(callActor(position)) }

// Copy returns another position that is the same.
func (position Position) Copy() Position { return callCopy(position) }

// Play plays a legal move, and returns the actor after it.
func (position Position) Play(index int) int { return int(callPlay(position, int32(index))) }

// Playout plays at random to the end, and returns how many moves that took.
func (position Position) Playout(seed uint64) int { return int(callPlayout(position, int64(seed))) }

// Score returns a seat's score, when the game is over.
func (position Position) Score(seat int) float64 { return callScore(position, int32(seat)) }

// Rank returns a seat's rank, when the game is over: 1 for the winner.
func (position Position) Rank(seat int) int { return int(callRank(position, int32(seat))) }

// Drop forgets the position.
func (position Position) Drop() { callDrop(position) }

// Lead returns the own score less that of the best other seat, when the game is over.
func (position Position) Lead() float64 {
	if Players == 1 {
		return position.Score(Seat)
	}
	best := math.Inf(-1)
	for seat := 0; seat < Players; seat++ {
		if seat != Seat {
			best = max(best, position.Score(seat))
		}
	}
	return position.Score(Seat) - best
}

// Move returns the notation of a legal move.
func (position Position) Move(index int) string {
	return read(func(to unsafe.Pointer, capacity int32) int32 { return callMove(position, int32(index), to, capacity) })
}

// Text returns the position as text.
func (position Position) Text() string {
	return read(func(to unsafe.Pointer, capacity int32) int32 { return callText(position, to, capacity) })
}

// Find returns the index of the legal move with this notation, or -1.
func (position Position) Find(notation string) int {
	return int(callFind(position, unsafe.Pointer(unsafe.StringData(notation)), int32(len(notation))))
}

// Log writes a line for the author.
func Log(line string) { callLog(unsafe.Pointer(unsafe.StringData(line)), int32(len(line))) }

var state uint64

// Random is splitmix64 from the bot's own seed, so that a match can be played again.
func Random() uint64 {
	state += 0x9e3779b97f4a7c15
	z := state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Below returns a number from 0 to n - 1.
func Below(n int) int { return int(Random() % uint64(n)) }

// Value returns the value of a key of a JSON object without blanks, as it stands in the text; "" if there is none.
func Value(object, key string) string {
	for at := 0; object[at] != '}' && object[at+1] == '"'; {
		from := at + 1 + skip(object[at+1:]) + 1
		end := from + skip(object[from:])
		if object[at+2:from-2] == key {
			return object[from:end]
		}
		at = end
	}
	return ""
}

// Integer returns what a value is; null and what is missing are the greatest integer.
func Integer(value string) int64 {
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return number
}

// skip returns how long the value, or the key, is that begins here.
func skip(text string) int {
	for at, depth := 0, 0; ; {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth <= 0 && (at == len(text) || text[at] == ',' || text[at] == ':' || text[at] == '}' || text[at] == ']') {
			return at
		}
	}
}

// read returns what a call writes, which is asked again with enough room if it was too long.
func read(ask func(to unsafe.Pointer, capacity int32) int32) string {
	room := make([]byte, 256)
	length := ask(unsafe.Pointer(&room[0]), 256)
	if int(length) > len(room) {
		room = make([]byte, length)
		ask(unsafe.Pointer(&room[0]), length)
	}
	return string(room[:length])
}

var buffer []byte

//go:wasmexport arena_buffer
func arenaBuffer(size int32) unsafe.Pointer {
	if int(size) > len(buffer) {
		buffer = make([]byte, size)
	}
	return unsafe.Pointer(&buffer[0])
}

//go:wasmexport arena_message
func arenaMessage(size int32) int32 {
	Message = string(buffer[:size])
	switch Value(Message, "type") {
	case `"match"`:
		Players, Seat = int(Integer(Value(Message, "players"))), int(Integer(Value(Message, "seat")))
		state = uint64(Integer(Value(Message, "seed")))
		if start != nil {
			start(Message)
		}
		return int32(copy(buffer, `{"type":"hello","protocol":1,"name":"","wants":[]}`))
	case `"decide"`:
		clock := Value(Message, "clock")
		index := choose(Clock{Integer(Value(clock, "fuel")), Integer(Value(clock, "nodes"))})
		return int32(copy(buffer, `{"type":"answer","token":`+Value(Message, "token")+`,"move":"`+Now.Move(index)+`"}`))
	}
	return 0 // finish, which this bot does not ask for
}

func main() {}

//go:wasmimport arena_v1 fuel
func callFuel() int64

//go:wasmimport arena_v1 legal
func callLegal(position Position) int32

//go:wasmimport arena_v1 actor
func callActor(position Position) int32

//go:wasmimport arena_v1 sample
func callSample(seed int64) Position

//go:wasmimport arena_v1 copy
func callCopy(position Position) Position

//go:wasmimport arena_v1 play
func callPlay(position Position, index int32) int32

//go:wasmimport arena_v1 playout
func callPlayout(position Position, seed int64) int32

//go:wasmimport arena_v1 score
func callScore(position Position, seat int32) float64

//go:wasmimport arena_v1 rank
func callRank(position Position, seat int32) int32

//go:wasmimport arena_v1 drop
func callDrop(position Position)

//go:wasmimport arena_v1 move
func callMove(position Position, index int32, to unsafe.Pointer, capacity int32) int32

//go:wasmimport arena_v1 text
func callText(position Position, to unsafe.Pointer, capacity int32) int32

//go:wasmimport arena_v1 find
func callFind(position Position, notation unsafe.Pointer, length int32) int32

//go:wasmimport arena_v1 log
func callLog(line unsafe.Pointer, length int32)
