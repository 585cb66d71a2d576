"""The heuristics of the games for the reference bots: expert moves, quick scores for moves, and evaluations of positions."""
