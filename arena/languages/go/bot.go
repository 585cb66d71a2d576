// A bot that tries moves in random games and plays the one after which they went best.
package main

import "math"

func choose(clock Clock) int {
	legal, best, most := Now.Legal(), 0, math.Inf(-1)
	step := 1 + legal/20
	for move := Below(step); move < legal; move += step {
		total := 0.0
		for range 5 {
			if Fuel() < clock.Fuel/2 {
				return best
			}
			position := Sample(Random()) // agrees with what the seat knows
			position.Play(move)
			position.Playout(Random())
			total += position.Lead()
			position.Drop()
		}
		if total > most {
			best, most = move, total
		}
	}
	return best
}
