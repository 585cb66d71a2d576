"""Islands and bodies of water, kept up to date as vertices and edges come and go (RULES 2).

Every vertex carries the name of its body, which is one of its vertices, and the vertices of a body form a ring; so two bodies are joined by
renaming the smaller one and swapping two links of the rings.
"""

from __future__ import annotations

from typing import final


@final
class Islands:
    """The bodies of land and water on the table.

    ``name`` maps a vertex to its body, ``ring`` to the next vertex of the body; ``size`` and ``open`` map a body to the number of its
    vertices and of those still open.
    """

    def __init__(self, origin: Islands | None = None) -> None:
        if origin is None:
            self.name: dict[int, int] = {}
            self.ring: dict[int, int] = {}
            self.size: dict[int, int] = {}
            self.open: dict[int, int] = {}
        else:
            self.name = origin.name.copy()
            self.ring = origin.ring.copy()
            self.size = origin.size.copy()
            self.open = origin.open.copy()

    def add(self, vertex: int) -> None:
        """Add a new open vertex as a body of its own."""
        self.name[vertex] = vertex
        self.ring[vertex] = vertex
        self.size[vertex] = 1
        self.open[vertex] = 1

    def close(self, vertex: int) -> None:
        """Note that an open vertex is now closed."""
        self.open[self.name[vertex]] -= 1

    def join(self, a: int, b: int) -> None:
        """Merge the bodies of two vertices."""
        name = self.name
        one = name[a]
        other = name[b]
        if one == other:
            return
        size = self.size
        if size[one] < size[other]:
            one, other = other, one
        ring = self.ring
        vertex = other
        while True:
            name[vertex] = one
            vertex = ring[vertex]
            if vertex == other:
                break
        ring[one], ring[other] = ring[other], ring[one]
        size[one] += size.pop(other)
        self.open[one] += self.open.pop(other)

    def remove(self, vertex: int) -> None:
        """Remove an open vertex, which must not be the name of its body."""
        body = self.name.pop(vertex)
        before = body
        while self.ring[before] != vertex:
            before = self.ring[before]
        self.ring[before] = self.ring.pop(vertex)
        self.size[body] -= 1
        self.open[body] -= 1

    def members(self, body: int) -> list[int]:
        """Return the vertices of the body with this name, in no particular order."""
        vertices = [body]
        vertex = self.ring[body]
        while vertex != body:
            vertices.append(vertex)
            vertex = self.ring[vertex]
        return vertices

    def smallest(self, body: int) -> int:
        """Return the smallest vertex of the body with this name, by which the notation names a lake."""
        least = body
        vertex = self.ring[body]
        while vertex != body:
            least = min(least, vertex)
            vertex = self.ring[vertex]
        return least

    def replace(self, body: int, parts: list[list[int]], n_open: list[int]) -> None:
        """Replace a body by its parts, each with its number of open vertices; vertices in no part are removed."""
        for vertex in self.members(body):
            del self.name[vertex]
            del self.ring[vertex]
        del self.size[body]
        del self.open[body]
        for part, still_open in zip(parts, n_open, strict=True):
            head = part[0]
            before = part[-1]
            for vertex in part:
                self.name[vertex] = head
                self.ring[before] = vertex
                before = vertex
            self.size[head] = len(part)
            self.open[head] = still_open
