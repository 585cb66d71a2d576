"""Tongiaki once more, slow and plain: a second implementation written from docs/rules/tongiaki.md alone, to doubt the engine with.

It shares nothing with the engine but the tiles file, and deals in notation only: ``legal()`` lists texts, ``play(text)`` plays one.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations, combinations_with_replacement
from pathlib import Path

Cell = tuple[int, int]

TILES = json.loads((Path(__file__).parents[3] / "docs/rules/tongiaki-tiles.json").read_text(encoding="utf-8"))
ISLANDS = {island["name"].replace(" ", "_"): island for island in TILES["islands"]}
WATERS = {water["id"]: water["routes"] for water in TILES["waters"]}
DIRECTIONS = [(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)]


def step(cell: Cell, direction: int) -> Cell:
    dq, dr = DIRECTIONS[direction]
    return (cell[0] + dq, cell[1] + dr)


def numbers(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))


class Plain:
    def __init__(self, players: int, seed: int) -> None:
        self.n = players
        self.deck = [name for name in ISLANDS if name != "Tonga"] + list(WATERS)
        random.Random(seed).shuffle(self.deck)
        self.tiles: dict[Cell, tuple[str, int]] = {(0, 0): ("Tonga", 0)}  # in the order laid
        self.ships: dict[Cell, list[list[int]]] = {(0, 0): [[] for _ in range(6)]}  # the seats on each beach of an island
        self.royal: dict[Cell, int] = {}
        self.stranded: dict[Cell, list[int]] = {}
        self.supply = [15] * players
        self.crowned = [0] * players
        self.seat = 0
        self.phase = "place"
        self.placed = 0
        self.taken: tuple[Cell, int] | None = None
        self.hand: str | None = None
        self.purpose = ""
        self.settle_cell: Cell = (0, 0)
        self.landing: tuple[Cell, list[int]] | None = None
        self.departures = 0
        self.returned: Counter[Cell] = Counter()
        self.laid_this_turn = False
        self.quiet_turns = 0
        self.end: str | None = None

    def copy(self) -> Plain:
        other = Plain.__new__(Plain)
        other.__dict__.update(self.__dict__)
        other.deck = list(self.deck)
        other.tiles = dict(self.tiles)
        other.ships = {cell: [list(beach) for beach in beaches] for cell, beaches in self.ships.items()}
        other.royal = dict(self.royal)
        other.stranded = {cell: list(ships) for cell, ships in self.stranded.items()}
        other.supply = list(self.supply)
        other.crowned = list(self.crowned)
        other.returned = Counter(self.returned)
        return other

    @property
    def actor(self) -> int | None:
        return None if self.phase == "over" else self.seat

    def board(self) -> dict[str, object]:
        """All there is to see, to be compared with the engine's."""
        return {
            "tiles": sorted((cell, name, orientation) for cell, (name, orientation) in self.tiles.items()),
            "ships": sorted((cell, [sorted(beach) for beach in beaches]) for cell, beaches in self.ships.items()),
            "royal": sorted(self.royal.items()),
            "waters": sorted((cell, sorted(ships)) for cell, ships in self.stranded.items()),
            "supply": self.supply,
            "deck": self.deck,
            "hand": self.hand,
        }

    # Small questions

    def is_island(self, cell: Cell) -> bool:
        return self.tiles[cell][0] in ISLANDS

    def islands(self) -> list[Cell]:
        return [cell for cell in self.tiles if self.is_island(cell)]

    def cell_of(self, name: str) -> Cell:
        return next(cell for cell, tile in self.tiles.items() if tile[0] == name)

    def beaches(self, cell: Cell) -> list[dict]:
        return ISLANDS[self.tiles[cell][0]]["beaches"]

    def piers(self, cell: Cell, beach: int) -> list[int]:
        return self.beaches(cell)[beach]["piers"]

    def free(self, cell: Cell, beach: int) -> int:
        return self.beaches(cell)[beach]["berths"] - len(self.ships[cell][beach])

    def own(self, cell: Cell, seat: int) -> int:
        return sum(beach.count(seat) for beach in self.ships[cell])

    def own_on_beaches(self, seat: int) -> int:
        return sum(self.own(cell, seat) for cell in self.islands())

    def own_on_board(self, seat: int) -> int:
        at_sea = sum(ships.count(seat) for ships in self.stranded.values())
        return self.own_on_beaches(seat) + list(self.royal.values()).count(seat) + at_sea

    def full_beaches(self) -> list[tuple[Cell, int]]:
        return [(cell, beach) for cell in self.islands() for beach in range(len(self.beaches(cell))) if self.free(cell, beach) == 0]

    def put(self, cell: Cell, beach: int, seat: int) -> None:
        assert self.free(cell, beach) > 0
        assert self.supply[seat] > 0
        assert cell not in self.royal
        self.ships[cell][beach].append(seat)
        self.supply[seat] -= 1

    # Voyages (section 1, 4, 5)

    def route(self, cell: Cell, direction: int) -> tuple[int, int]:
        """For a group that enters the water in that direction: the colours asked for, the direction in which it leaves."""
        name, orientation = self.tiles[cell]
        entered = (direction + 3 - orientation) % 6
        taken = next(route for route in WATERS[name] if entered in route["sides"])
        other = sum(taken["sides"]) - entered
        return taken["colors"], (orientation + other) % 6

    def heading(self, cell: Cell, side: int) -> int:
        return (self.tiles[cell][1] + side) % 6

    def returns(self, cell: Cell, side: int, colors: int) -> bool:
        direction = self.heading(cell, side)
        at = step(cell, direction)
        while at in self.tiles:
            if at in self.royal or at == cell:
                return True
            if self.is_island(at):
                return False
            asked, direction = self.route(at, direction)
            if colors < asked:
                return False
            at = step(at, direction)
        return False

    def lay(self, tile: str, cell: Cell, orientation: int) -> None:
        assert cell not in self.tiles
        self.tiles[cell] = (tile, orientation)
        self.laid_this_turn = True
        if tile in ISLANDS:
            self.ships[cell] = [[] for _ in self.beaches(cell)]
        kind = ISLANDS if tile in ISLANDS else WATERS
        if not any(left in kind for left in self.deck):
            self.end = self.end or ("islands" if kind is ISLANDS else "waters")

    # Legal moves (section 3 to 5, 7)

    def legal(self) -> list[str]:
        return getattr(self, "legal_" + self.phase)()

    def legal_over(self) -> list[str]:
        return []

    def legal_place(self) -> list[str]:
        return [f"place {beach}" for beach in range(6) if self.free((0, 0), beach) >= 2]

    def expansions(self) -> list[tuple[Cell, tuple[int, ...]]]:
        listed = []
        for cell in self.islands():
            count = len(self.beaches(cell))
            size = min(self.own(cell, self.seat), count, self.supply[self.seat])
            if cell not in self.royal and size >= 1:
                listed += [(cell, beaches) for beaches in combinations(range(count), size) if (cell, beaches[0]) != self.taken]
        return listed

    def expansions_listed(self) -> list[str]:
        return [f"expand {self.tiles[cell][0]} {numbers(beaches)}" for cell, beaches in self.expansions()]

    legal_taken = expansions_listed

    def legal_turn(self) -> list[str]:
        if self.own_on_beaches(self.seat) == 0:
            return self.enters() or ["recolonise"]
        moves = self.expansions_listed()
        if self.supply[self.seat] == 0:
            moves += self.takes()
            moves.append("pass")
        if self.crowned[self.seat] < 2:
            moves += self.crowns()
        return [*moves, "recolonise"]

    def takes(self) -> list[str]:
        listed = []
        for cell in self.islands():
            for beach, ships in enumerate(self.ships[cell]):
                if self.seat in ships:
                    after = self.copy()
                    after.take(cell, beach)
                    if after.expansions():
                        listed.append(f"take {self.tiles[cell][0]}:{beach}")
        return listed

    def crowns(self) -> list[str]:
        listed = []
        for cell in self.islands():
            name = self.tiles[cell][0]
            if name != "Tonga" and cell not in self.royal and {ship for beach in self.ships[cell] for ship in beach} == {self.seat}:
                listed.append(f"crown {name}")
        return listed

    def enters(self) -> list[str]:
        listed = []
        for cell in self.islands():
            if cell in self.royal:
                continue
            name = self.tiles[cell][0]
            for beaches in combinations_with_replacement(range(len(self.beaches(cell))), 2 if name == "Tonga" else 1):
                if all(self.free(cell, beach) >= beaches.count(beach) for beach in beaches):
                    listed.append(f"enter {name} {numbers(beaches)}")
        return listed

    def legal_lay(self) -> list[str]:
        if not self.tiles:
            return ["lay 0,0 0"]
        empty = {step(cell, direction) for cell in self.tiles for direction in range(6)} - set(self.tiles)
        return [f"lay {q},{r} {crest}" for q, r in sorted(empty) for crest in range(6) if step((q, r), crest) in self.tiles]

    def legal_settle(self) -> list[str]:
        return [f"settle {beach}" for beach in range(len(self.beaches(self.settle_cell)))]

    def open_departures(self, cell: Cell) -> list[int]:
        returning: list[int] = []
        others: list[int] = []
        for _, beach in [full for full in self.full_beaches() if full[0] == cell]:
            for side in self.piers(cell, beach):
                if self.end and step(cell, self.heading(cell, side)) not in self.tiles:
                    continue
                back = self.returns(cell, side, len(set(self.ships[cell][beach])))
                (returning if back else others).append(side)
        return sorted(others or returning)

    def legal_sail(self) -> list[str]:
        return [f"sail {self.tiles[cell][0]} {side}" for cell in self.islands() for side in self.open_departures(cell)]

    def legal_land(self) -> list[str]:
        assert self.landing is not None
        cell, group = self.landing
        open_beaches = [beach for beach in range(len(self.beaches(cell))) if self.free(cell, beach) > 0]
        total = min(len(group), sum(self.free(cell, beach) for beach in open_beaches))
        every = len(group) >= len(open_beaches)
        listed = []

        def fill(left: list[int], chosen: list[tuple[int, list[int]]]) -> None:
            if len(chosen) == len(open_beaches):
                if sum(len(ships) for _, ships in chosen) == total:
                    listed.append([part for part in chosen if part[1]])
                return
            beach = open_beaches[len(chosen)]
            for size in range(1, self.free(cell, beach) + 1) if every else range(2):
                for seats in set(combinations(left, size)):
                    rest = list(left)
                    for seat in seats:
                        rest.remove(seat)
                    fill(rest, [*chosen, (beach, list(seats))])

        fill(sorted(group), [])
        return [" ".join(["land", *(f"{beach}:{''.join(map(str, seats))}" for beach, seats in parts)]) for parts in sorted(listed)]

    # Playing (section 2, 3)

    def play(self, text: str) -> None:
        assert text in self.legal(), text
        word, *rest = text.split(" ")
        getattr(self, "play_" + word)(*rest)
        for seat in range(self.n):
            flying = self.landing[1].count(seat) if self.landing else 0
            assert self.supply[seat] + self.own_on_board(seat) + flying == 15

    def play_place(self, beach: str) -> None:
        self.put((0, 0), int(beach), self.seat)
        self.placed += 1
        self.seat = self.placed % self.n
        if self.placed == 2 * self.n:
            self.start_turn(0)

    def start_turn(self, seat: int) -> None:
        self.seat = seat
        self.phase = "turn"
        self.departures = 0
        self.returned = Counter()
        self.laid_this_turn = False
        self.taken = None

    def end_turn(self) -> None:
        self.quiet_turns = 0 if self.laid_this_turn else self.quiet_turns + 1
        if not self.end and self.quiet_turns >= 10 * self.n:
            self.end = "idle"
        if self.end:
            self.phase = "over"
            return
        assert not self.full_beaches()
        self.start_turn((self.seat + 1) % self.n)

    def play_expand(self, name: str, beaches: str) -> None:
        for beach in beaches.split(","):
            self.put(self.cell_of(name), int(beach), self.seat)
        self.chain()

    play_enter = play_expand

    def take(self, cell: Cell, beach: int) -> None:
        self.ships[cell][beach].remove(self.seat)
        self.supply[self.seat] += 1
        self.taken = (cell, beach)

    def play_take(self, place: str) -> None:
        name, beach = place.split(":")
        self.take(self.cell_of(name), int(beach))
        self.phase = "taken"

    def play_pass(self) -> None:
        self.end_turn()

    def play_crown(self, name: str) -> None:
        cell = self.cell_of(name)
        self.supply[self.seat] += self.own(cell, self.seat) - 1
        self.ships[cell] = [[] for _ in self.beaches(cell)]
        self.royal[cell] = self.seat
        self.crowned[self.seat] += 1
        self.end_turn()

    def play_recolonise(self) -> None:
        for cell in self.islands():
            for beach in self.ships[cell]:
                self.supply[self.seat] += beach.count(self.seat)
                beach[:] = [seat for seat in beach if seat != self.seat]
        self.draw_to_lay("recolonise")

    def draw_to_lay(self, purpose: str) -> None:
        self.purpose = purpose
        self.hand = self.deck.pop(0)
        self.phase = "lay"

    def play_lay(self, place: str, orientation: str) -> None:
        q, r = map(int, place.split(","))
        tile, self.hand = self.hand, None
        assert tile is not None
        self.lay(tile, (q, r), int(orientation))
        if tile in WATERS:
            self.draw_to_lay(self.purpose)
        elif self.purpose == "recolonise":
            self.settle_cell = (q, r)
            self.phase = "settle"
        else:
            self.chain()

    def play_settle(self, beach: str) -> None:
        self.put(self.settle_cell, int(beach), self.seat)
        self.end_turn()

    # The chain (section 4 to 6)

    def chain(self) -> None:
        """Between two departures: collapses, then a departure or the end of the turn."""
        self.phase = "sail"
        if self.end:
            if self.departures >= 200 or not self.legal_sail():
                self.end_turn()
            return
        collapsing = [cell for cell in self.islands() if self.collapses(cell)]
        for cell in collapsing:
            for beach in self.ships.pop(cell):
                for seat in beach:
                    self.supply[seat] += 1
            del self.tiles[cell]
            del self.returned[cell]
        if collapsing and (not self.islands() or self.own_on_board(self.seat) == 0):
            self.draw_to_lay("collapse")
        elif not self.full_beaches():
            self.end_turn()

    def collapses(self, cell: Cell) -> bool:
        if not any(full[0] == cell for full in self.full_beaches()):
            return False
        beaches = self.beaches(cell)
        held = sum(map(len, self.ships[cell]))
        trapped = all(self.returns(cell, side, 1) for beach in beaches for side in beach["piers"])
        too_many = held > sum(beach["berths"] for beach in beaches) - len(beaches)
        return self.departures >= 200 or (trapped and too_many) or self.returned[cell] >= 20

    def play_sail(self, name: str, side_text: str) -> None:
        home = self.cell_of(name)
        side = int(side_text)
        beach = next(beach for beach in range(len(self.beaches(home))) if side in self.piers(home, beach))
        group = sorted(self.ships[home][beach])
        colors = len(set(group))
        self.departures += 1
        if self.returns(home, side, colors):
            self.returned[home] += 1
        self.ships[home][beach] = []
        direction = self.heading(home, side)
        before, at = home, step(home, direction)
        while True:
            drawn = at not in self.tiles
            if drawn:
                if self.end:
                    self.strand(before, group)
                    return
                self.lay(self.deck.pop(0), at, (direction + 3) % 6)
            if self.is_island(at):
                self.landing = (home if at in self.royal else at, group)
                self.phase = "land"
                return
            asked, direction = self.route(at, direction)
            if colors < asked:
                self.give_back(group)
                self.chain()
                return
            if drawn and self.end:
                self.strand(at, group)
                return
            before, at = at, step(at, direction)

    def give_back(self, group: list[int]) -> None:
        for seat in group:
            self.supply[seat] += 1

    def strand(self, cell: Cell, group: list[int]) -> None:
        self.stranded[cell] = self.stranded.get(cell, []) + group
        self.chain()

    def play_land(self, *parts: str) -> None:
        assert self.landing is not None
        cell, left = self.landing
        left = list(left)
        self.landing = None
        for part in parts:
            beach, seats = part.split(":")
            for seat in map(int, seats):
                left.remove(seat)
                self.ships[cell][int(beach)].append(seat)
        self.give_back(left)
        self.chain()

    # Score (section 6)

    def outcome(self) -> tuple[list[int], list[int], str | None] | None:
        if self.phase != "over":
            return None
        keys = []
        for seat in range(self.n):
            held = [cell for cell in self.islands() if self.own(cell, seat) or self.royal.get(cell) == seat]
            points = sum(ISLANDS[self.tiles[cell][0]]["points"] for cell in held)
            keys.append((-points, -len(held), self.own_on_board(seat)))
        return [-key[0] for key in keys], [1 + sum(other < key for other in keys) for key in keys], self.end
