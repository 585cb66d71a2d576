// Uses all that arena.go has, in a match of Tongiaki, and logs what is not as it should be.
package main

import (
	"fmt"
	"math"
	"strings"
)

var wrong bool

func check(holds bool, what string) {
	if !holds {
		Log(what)
		wrong = true
	}
}

func init() {
	start = func(match string) {
		check(Value(match, "game") == `"tongiaki"`, "game")
		check(Value(match, "nowhere") == "", "a key that is missing")
		check(Integer(Value(match, "players")) == int64(Players), "players")
		check(Integer(Value(Value(match, "clock"), "bank")) == math.MaxInt64, "null")
		fmt.Println("started")
	}
}

func choose(clock Clock) int {
	legal := Now.Legal()
	check(legal > 1 && Now.Actor() == Seat, "the position")
	check(clock.Nodes == math.MaxInt64 && Fuel() <= clock.Fuel, "the clock")
	for index := range legal {
		check(Now.Find(Now.Move(index)) == index, "a move")
	}
	check(Now.Find("swim 3") == -1, "a move that is not legal")

	first := Sample(7)
	second, text := first.Copy(), first.Text()
	check(strings.HasPrefix(text, "tongiaki\n") && first.Legal() == legal, "a sample")
	actor := second.Play(legal - 1)
	check(actor == second.Actor(), "the actor")
	check(first.Text() == text, "a copy")
	moves := second.Playout(Random())
	check(second.Actor() == -1 && (moves > 0) == (actor != -1), "a playout")
	lead := second.Score(Seat) - second.Score(1-Seat)
	check(second.Lead() == lead && (lead == 0 || (second.Rank(Seat) == 1) == (lead > 0)), "the end")
	second.Drop()
	first.Drop()
	for range 100 {
		check(Below(7) < 7, "chance")
	}
	if wrong {
		Log("wrong")
	} else {
		Log("well")
	}
	return legal - 1
}
