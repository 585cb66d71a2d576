"""Oh Hell, a card game. A card is a rank and a suit: ``TH`` is the ten of hearts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.simple import Chance, Position, simple_game

RANKS = "23456789TJQKA"
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
DECK = [rank + suit for suit in SUITS for rank in RANKS]
HIDDEN = "??"
SIGNS = str.maketrans("CDHS", "♣♦♥♠")
NAMES = {"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


class OhHell(Position):
    """Say how many tricks you will take, and take exactly that many. For 2 to 4 players."""

    size: int = 0  # how many cards each seat was dealt: one less in each deal, down to one
    trump: str = ""  # the card that was turned up
    hands: list[list[str]] = []
    bids: list[int | None] = []
    tricks: list[int] = []
    leader: int = 0
    table: list[str] = []  # the trick so far
    played: list[str] = []  # the cards of this deal's earlier tricks
    lacking: list[str] = []  # for each seat, the suits that it could not follow in this deal
    points: list[int] = []

    def setup(self, options: Mapping[str, int], chance: Chance) -> None:
        """Deal the first hands; seat 0 leads."""
        self.points = [0] * self.players
        self.size = options["cards"]
        self.deal(0, chance)

    def deal(self, leader: int, chance: Chance) -> None:
        """Give each seat its cards, turn one up, and ask for bids."""
        deck = DECK.copy()
        chance.shuffle(deck)
        self.hands = [sorted(deck[seat * self.size :][: self.size], key=DECK.index) for seat in range(self.players)]
        self.trump = deck[-1]
        self.bids, self.tricks = [None] * self.players, [0] * self.players
        self.table, self.played, self.lacking = [], [], [""] * self.players
        self.actor = self.leader = leader
        chance.tell(f"trump {self.trump}")
        for seat, hand in enumerate(self.hands):
            chance.tell(f"hand {' '.join(hand)}", seat)

    def moves(self) -> list[str]:
        """Return the bids (the last must not make them add up to the tricks) or, later, the cards (of the suit led, if there are any)."""
        assert self.actor is not None, "the game is not over"
        if None in self.bids:
            left = self.size - sum(bid or 0 for bid in self.bids)
            return [f"bid {number}" for number in range(self.size + 1) if number != left or self.bids.count(None) > 1]
        hand = [card for card in self.hands[self.actor] if card != HIDDEN]
        return [card for card in hand if self.table and card[1] == self.table[0][1]] or hand

    def play(self, move: str, chance: Chance) -> None:
        """Bid, or play a card; after the last card of a trick, the best card takes it."""
        assert self.actor is not None, "the game is not over"
        if move.startswith("bid "):
            self.bids[self.actor] = int(move[4:])
            self.next()
            return
        self.hands[self.actor].remove(move)
        self.table.append(move)
        suit = self.table[0][1]
        if move[1] != suit and suit not in self.lacking[self.actor]:
            self.lacking[self.actor] += suit
        if len(self.table) < self.players:
            self.next()
            return
        best = max(self.table, key=lambda card: (card[1] == self.trump[1], card[1] == suit, RANKS.index(card[0])))
        self.actor = self.leader = (self.leader + self.table.index(best)) % self.players
        self.tricks[self.leader] += 1
        self.played += self.table
        self.table = []
        chance.tell(f"trick {self.leader}")
        if not self.hands[self.leader]:
            self.count(chance)

    def count(self, chance: Chance) -> None:
        """Score a point for each trick and ten for a right bid; continue with one card fewer."""
        for seat, (bid, tricks) in enumerate(zip(self.bids, self.tricks, strict=True)):
            self.points[seat] += tricks + 10 * (bid == tricks)
        self.size -= 1
        if self.size:
            self.deal((self.leader + 1) % self.players, chance)
        else:
            self.end(self.points, "last-deal")

    def hide(self, seat: int) -> None:
        """Hide the hands of the other seats; cards that were not dealt are not stored at all."""
        self.hands = [hand if other == seat else [HIDDEN] * len(hand) for other, hand in enumerate(self.hands)]

    def fill(self, chance: Chance) -> None:
        """Deal unseen cards to the hidden hands, but deal no seat a card of a suit that it could not follow."""
        seen = {self.trump, *self.played, *self.table, *(card for hand in self.hands for card in hand)}
        unseen = [card for card in DECK if card not in seen]
        hidden = [seat for seat, hand in enumerate(self.hands) if HIDDEN in hand]
        hidden.sort(key=lambda seat: -len(self.lacking[seat]))
        for _ in range(1000):  # hands that leave too few cards for the next one are dealt again
            chance.shuffle(unseen)
            rest, dealt = unseen, dict[int, list[str]]()
            for seat in hidden:
                dealt[seat] = [card for card in rest if card[1] not in self.lacking[seat]][: len(self.hands[seat])]
                rest = [card for card in rest if card not in dealt[seat]]
            if all(len(dealt[seat]) == len(self.hands[seat]) for seat in hidden):
                self.hands = [sorted(dealt.get(seat, hand), key=DECK.index) for seat, hand in enumerate(self.hands)]
                return
        raise ValueError("no cards agree with the suits that seats could not follow")

    def tally(self) -> dict[str, Sequence[int]]:
        """Return each seat's points, its bid and the tricks that it has taken."""
        return {"points": self.points, "bid": [bid or 0 for bid in self.bids], "tricks": self.tricks}

    def show(self) -> str:
        """Return a line for each seat: its bid, its card in this trick, and its hand."""
        lines = [f"trump {self.trump}, {self.size} cards each, seat {self.leader} leads"]
        for seat, hand in enumerate(self.hands):
            place = (seat - self.leader) % self.players
            card = f"[{self.table[place]}]" if place < len(self.table) else "    "
            bid = "-" if self.bids[seat] is None else self.bids[seat]
            lines.append(f"{'>' if seat == self.actor else ' '} seat {seat}  took {self.tricks[seat]} of {bid}  {card}  {' '.join(hand)}")
        return "\n".join(line.translate(SIGNS) for line in lines)

    @staticmethod
    def explain(move: str) -> str:
        """Return the bid, or the card's name, in words."""
        if move.startswith("bid "):
            return f"bids {move[4:]}"
        return f"plays the {NAMES.get(move[0], move[0])} of {SUITS[move[1]]}" if move in DECK else move


PLUGIN = simple_game(OhHell, "oh-hell", title="Oh Hell", players=(2, 4), options={"cards": (5, range(1, 9))})
