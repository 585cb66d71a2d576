"""The reference bots: their names, and the module and class of each."""

from typing import Final

REFERENCE_PACKAGE: Final = "bots.reference"
REFERENCE_BOTS: Final = {
    "random": "bots.reference.random:Random",
    "greedy": "bots.reference.greedy:Greedy",
    "spoiler": "bots.reference.spoiler:Spoiler",
    "expert": "bots.reference.expert:Expert",
    "learned": "bots.reference.learned:Learned",
    "planner": "bots.reference.planner:Planner",
    "flat": "bots.reference.flat:Flat",
    "mcts": "bots.reference.mcts:Mcts",
}
