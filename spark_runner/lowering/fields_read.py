"""Which fields of its records a function reads, where its source says so for certain.

A record that only ever stands in `record.field`, `record["field"]`, `record[0]` or `record is None` is read in these
fields alone. It may be kept in a value or list state that the class asked for in open(), and be handed to a method of
the same class: what comes out there is followed too. Wherever else a record goes, all of it counts as read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

from spark_runner.executor.rows import form_of, row_class
from spark_runner.lowering.function_sources import FunctionNode, UnknownSource, source_of

__all__ = ["fields_read"]

Positions = frozenset[int]
_NONE: Positions = frozenset()
# names through which a function sees its own variables, or code changes what a name means
_SEES_ALL = frozenset(
    ("locals", "vars", "eval", "exec", "dir", "globals", "breakpoint", "setattr", "delattr", "__import__", "super")
)
_PUTS, _GIVES_ONE, _GIVES_MANY = ("update", "add"), "value", "get"
_STATES = {"get_state": {"update", "value", "clear"}, "get_list_state": {"add", "get", "clear"}}


def fields_read(
    target: Any, methods: Sequence[str], names: Sequence[Sequence[str]]
) -> tuple[frozenset[str] | None, ...]:
    """By input, the fields that are read of its records; None: all. Each input's records are given to a method.

    `names` has the fields of each input's records.
    """
    everything = (None,) * len(methods)
    if isinstance(target, FunctionType):
        if len(methods) != 1 or callable(getattr(target, methods[0], None)):
            return everything
        return _followed({"": target}, ("",), names) or everything
    functions = _own_functions(target if isinstance(target, type) else type(target))
    if functions is None or not set(methods) <= set(functions):
        return everything
    if not isinstance(target, type) and not set(functions).isdisjoint(getattr(target, "__dict__", ())):
        return everything
    return _followed(functions, methods, names) or everything


def _followed(
    functions: dict[str, FunctionType], entries: Sequence[str], names: Sequence[Sequence[str]]
) -> tuple[frozenset[str] | None, ...] | None:
    try:
        nodes = {name: source_of(function) for name, function in functions.items()}
    except UnknownSource:
        return None
    return _Walk(nodes, names, bound="" not in functions).through(entries)


def _own_functions(kind: type) -> dict[str, FunctionType] | None:
    """The methods of a class, without those of the API's own base classes; None where attributes are made elsewhere."""
    found: dict[str, FunctionType] = {}
    for one in reversed(kind.__mro__):
        if one is object or one.__module__.split(".")[0] in ("planner", "pyflink", "abc", "typing"):
            continue
        for name, value in vars(one).items():
            if name in ("__getattribute__", "__getattr__", "__setattr__", "__reduce__", "__getstate__"):
                return None
            if isinstance(value, FunctionType):
                found[name] = value
            elif name in found or isinstance(value, classmethod | staticmethod | property):
                return None
    return found


class _Walk:
    """Follows records, by their input, through the functions of one object until nothing new is found."""

    def __init__(self, nodes: dict[str, FunctionNode], names: Sequence[Sequence[str]], *, bound: bool) -> None:
        self.nodes, self.names, self.bound = nodes, names, bound
        self.fields: list[set[str]] = [set() for _ in names]
        self.all: set[int] = {at for at, one in enumerate(names) if form_of(one) not in ("tuple", "row")}
        self.variables: dict[tuple[str, str], Positions] = {}
        self.states: dict[str, Positions] = {}
        self.changed = False
        self.kinds = _states_of(nodes) if bound else {}

    def through(self, entries: Sequence[str]) -> tuple[frozenset[str] | None, ...]:
        """What is read of the records that these functions get."""
        for at, name in enumerate(entries):
            self.hand_to(name, int(self.bound), frozenset({at}))
        self.changed = True
        while self.changed:
            self.changed = False
            for name, node in self.nodes.items():
                _Function(self, name, node).walk()
        return tuple(None if at in self.all else frozenset(found) for at, found in enumerate(self.fields))

    def hand_to(self, function: str, at: int, records: Positions) -> None:
        parameters = self.parameters(function)
        if parameters is None or at >= len(parameters):
            self.lose(records)
        else:
            self.hold((function, parameters[at]), records)

    def parameters(self, function: str) -> list[str] | None:
        """The names of a function's parameters; None where it takes any number."""
        arguments = self.nodes[function].args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            return None
        return [one.arg for one in (*arguments.posonlyargs, *arguments.args)]

    def hold(self, variable: tuple[str, str], records: Positions) -> None:
        """A variable may stand for records."""
        self._grow(self.variables, variable, records)

    def keep(self, state: str, records: Positions) -> None:
        """A state may have records."""
        self._grow(self.states, state, records)

    def _grow(self, found: dict[Any, Positions], name: Any, records: Positions) -> None:
        before = found.get(name, _NONE)
        if not records <= before:
            found[name] = before | records
            self.changed = True

    def lose(self, records: Positions) -> None:
        """Records go where they cannot be followed."""
        self.all |= records

    def read(self, records: Positions, field: object, *, attribute: bool) -> None:
        """A field is read."""
        for at in records - self.all:
            names = tuple(self.names[at])
            if not attribute and type(field) is int and -len(names) <= field < len(names):
                self.fields[at].add(names[field])
            elif isinstance(field, str) and form_of(names) == "row" and names.count(field) == 1:
                if attribute and field not in vars(row_class(names)):
                    self.lose(frozenset({at}))
                self.fields[at].add(field)
            else:
                self.lose(frozenset({at}))


def _states_of(nodes: dict[str, FunctionNode]) -> dict[str, set[str]]:
    """The attributes of an object that are value or list states and nothing else, with what may be called on them."""
    found: dict[str, set[str]] = {}
    other: set[str] = set()
    for name, node in nodes.items():
        me = _me(node)
        for one in ast.walk(node):
            if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load) and _named(one.value, me):
                other.add(one.attr)
            if not isinstance(one, ast.Assign) or name != "open" or len(one.targets) != 1:
                continue
            target, value = one.targets[0], one.value
            if isinstance(target, ast.Attribute) and isinstance(value, ast.Call):
                method = value.func.attr if isinstance(value.func, ast.Attribute) else ""
                if method in _STATES and _named(target.value, me) and target.attr not in found:
                    found[target.attr] = _STATES[method]
    stored = [one.attr for node in nodes.values() for one in _stores(node) if one.attr in found]
    return {name: calls for name, calls in found.items() if stored.count(name) == 1}


def _stores(node: FunctionNode) -> Iterator[ast.Attribute]:
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load):
            yield one


def _me(node: FunctionNode) -> str:
    arguments = (*node.args.posonlyargs, *node.args.args)
    return arguments[0].arg if arguments else ""


def _named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


class _Function(ast.NodeVisitor):
    """One function: where its records go."""

    def __init__(self, walk: _Walk, name: str, node: FunctionNode) -> None:
        self.whole, self.name, self.node = walk, name, node
        self.me = _me(node) if walk.bound else ""

    def walk(self) -> None:
        for one in self.node.body if isinstance(self.node.body, list) else [self.node.body]:
            self.visit(one)

    # --- what an expression may stand for

    def records(self, node: ast.expr) -> Positions:
        """The inputs whose records an expression may be."""
        if isinstance(node, ast.Name):
            return self.whole.variables.get((self.name, node.id), _NONE)
        state = self._state_call(node, _GIVES_ONE)
        return _NONE if state is None else self.whole.states.get(state, _NONE)

    def _many(self, node: ast.expr) -> Positions:
        """The inputs whose records may be in what an expression gives one by one."""
        state = self._state_call(node, _GIVES_MANY)
        return _NONE if state is None else self.whole.states.get(state, _NONE)

    def _state_call(self, node: ast.expr, *methods: str) -> str | None:
        """The state that a method is called on."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
            return None
        state = self._state(node.func.value)
        return state if state is not None and node.func.attr in methods else None

    def _state(self, node: ast.expr) -> str | None:
        own = isinstance(node, ast.Attribute) and self.me and _named(node.value, self.me)
        return node.attr if own and isinstance(node, ast.Attribute) and node.attr in self.whole.kinds else None

    # --- where it goes

    def _inside(self, node: ast.expr) -> None:
        """Visit what an expression is made of, when the record that it may be goes nowhere."""
        for one in node.args if isinstance(node, ast.Call) else ():
            self.visit(one)

    def _put(self, variable: str, node: ast.expr) -> None:
        found = self.records(node)
        self.whole.hold((self.name, variable), found)
        if found:
            self._inside(node)
        else:
            self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in _SEES_ALL or (self.me and node.id == self.me):
            self._lose_all()
        if isinstance(node.ctx, ast.Load):
            self.whole.lose(self.records(node))

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self._lose_all()

    visit_Nonlocal = visit_Global

    def _lose_all(self) -> None:
        self.whole.lose(frozenset(range(len(self.whole.names))))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.me and _named(node.value, self.me):
            if not isinstance(node.ctx, ast.Load) and node.attr in self.whole.nodes:
                self._lose_all()  # another function stands in the place of this method
            if self._state(node) is not None:  # a state by itself: whoever gets it may do anything with it
                self.whole.lose(self.whole.states.get(node.attr, _NONE))
                self.whole.kinds.pop(node.attr)
                self.whole.changed = True
            return
        found = self.records(node.value)
        if found:
            self.whole.read(found, node.attr, attribute=True)
            self._inside(node.value)
            return
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        found = self.records(node.value)
        at = node.slice
        if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.USub) and isinstance(at.operand, ast.Constant):
            field: object = -at.operand.value if isinstance(at.operand.value, int) else None
        else:
            field = at.value if isinstance(at, ast.Constant) else None
        if found and isinstance(node.ctx, ast.Load):
            self.whole.read(found, field, attribute=False)
            self._inside(node.value)
            self.visit(at)
            return
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        with_none = [isinstance(one, ast.Constant) and one.value is None for one in node.comparators]
        if self.records(node.left) and all(with_none) and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            self._inside(node.left)
            return
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._put(node.targets[0].id, node.value)
            return
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Attribute) and self._state(target) is not None:
            self.visit(node.value)  # where open() asks for a state
            return
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        # what it gives is the variable, which its own place would have to be asked for
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._each(node.target, node.iter)
        for one in (*node.body, *node.orelse):
            self.visit(one)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._each(node.target, node.iter)
        for one in node.ifs:
            self.visit(one)

    def _each(self, target: ast.expr, source: ast.expr) -> None:
        found = self._many(source)
        if found and isinstance(target, ast.Name):
            self.whole.hold((self.name, target.id), found)
            return
        self.visit(target)
        self.visit(source)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        state = self._state(function.value) if isinstance(function, ast.Attribute) else None
        if state is not None and isinstance(function, ast.Attribute):
            self._use_state(state, function.attr, node)
            return
        own = isinstance(function, ast.Attribute) and self.me and _named(function.value, self.me)
        if own and isinstance(function, ast.Attribute) and function.attr in self.whole.nodes and not node.keywords:
            for at, one in enumerate(node.args):
                found = self.records(one)
                if isinstance(one, ast.Starred) or not found:
                    self.visit(one)
                    continue
                self.whole.hand_to(function.attr, at + 1, found)
                self._inside(one)
            return
        self.generic_visit(node)

    def _use_state(self, state: str, method: str, node: ast.Call) -> None:
        kept = self.whole.states.get(state, _NONE)
        if method not in self.whole.kinds[state] or method == _GIVES_MANY:  # a loop over it asks elsewhere
            self.whole.lose(kept)
        if method == _GIVES_ONE:
            self.whole.lose(kept)
        for one in node.args:
            if method in _PUTS and self.records(one):
                self.whole.keep(state, self.records(one))
                self._inside(one)
            else:
                self.visit(one)
        for keyword in node.keywords:
            self.visit(keyword.value)

    def _nested(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef) -> None:
        """A function inside has variables of its own, of which some may be ours."""
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                self.whole.lose(self.records(one))
                if self.me and one.id == self.me:
                    self._lose_all()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _nested

    def visit_If(self, node: ast.If) -> None:
        self._test(node.test)
        for one in (*node.body, *node.orelse):
            self.visit(one)

    def _test(self, node: ast.expr) -> None:
        if self.records(node):  # a record is never empty: whether there is one does not depend on its fields
            self._inside(node)
        else:
            self.visit(node)
