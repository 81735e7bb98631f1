"""Connected and strongly connected components, without recursion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


class Components:
    """Numbers 0..size-1 joined into components; a component is named by its smallest number."""

    __slots__ = ("_parent",)

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, number: int) -> int:
        """The smallest number of the component."""
        parent = self._parent
        root = number
        while parent[root] != root:
            root = parent[root]
        while parent[number] != root:
            parent[number], number = root, parent[number]
        return root

    def join(self, first: int, second: int) -> None:
        """Make two components one."""
        parent = self._parent
        if parent[first] != first:
            first = self.find(first)
        if parent[second] != second:
            second = self.find(second)
        if first < second:
            parent[second] = first
        else:
            parent[first] = second

    def join_range(self, first: int, end: int) -> None:
        """Make all numbers from `first` up to `end` one component."""
        parent = self._parent
        root = self.find(first)
        for number in range(first + 1, end):
            if parent[number] == number and number > root:
                parent[number] = root
            else:
                self.join(root, number)
                root = self.find(root)

    def names(self) -> list[int]:
        """The component of every number."""
        parent = self._parent
        for number, above in enumerate(parent):  # a parent is smaller, so it has its final name already
            parent[number] = parent[above]
        return list(parent)

    def members(self) -> dict[int, list[int]]:
        """The components by their smallest number, in ascending order."""
        found: dict[int, list[int]] = {}
        for number, component in enumerate(self.names()):
            if component == number:
                found[number] = [number]
            else:
                found[component].append(number)
        return found


def strongly_connected(nodes: Iterable[int], successors: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """The strongly connected components (Tarjan's algorithm on a stack of its own)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for start in nodes:
        if start in index:
            continue
        work = [(start, iter(successors.get(start, ())))]
        index[start] = low[start] = len(index)
        open_nodes.append(start)
        is_open.add(start)
        while work:
            node, following = work[-1]
            for successor in following:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    open_nodes.append(successor)
                    is_open.add(successor)
                    work.append((successor, iter(successors.get(successor, ()))))
                    break
                if successor in is_open:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found.append(_close(node, open_nodes, is_open))
    return found


def _close(root: int, open_nodes: list[int], is_open: set[int]) -> list[int]:
    component = []
    while True:
        node = open_nodes.pop()
        is_open.discard(node)
        component.append(node)
        if node == root:
            return component
