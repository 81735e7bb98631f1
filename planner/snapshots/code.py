"""The code of a job's functions, with everything that it calls in the job's own modules, as one fingerprint per piece.

Code is read from its files and never run. A piece is a function, a class, or a value at the top of a module. Names that
a piece uses are looked up in its module, then in the modules of the job that it imports. What is installed is not the
job's own. Comments, blank lines, docstrings, type annotations and the order of pieces change no fingerprint. Neither
does another version of Python.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from planner.snapshots.scopes import COMPREHENSIONS, FUNCTIONS, arguments_of, own_names, taken_names, variables_of

__all__ = ["Codebase", "Piece", "fingerprint"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Outer = tuple[_Function | ast.Lambda, ...]
_DIGITS = 12
_LONGEST_VALUE = 60
_OURS = tuple(f"{Path(__file__).parents[2] / name}{os.sep}" for name in ("planner", "spark_runner"))
_INSTALLED = ("site-packages", "dist-packages", str(Path(os.__file__).parent), *_OURS)
_FUNCTION_SECOND = ("ReducingStateDescriptor", "AggregatingStateDescriptor")
_MIRRORS = frozenset({"locals", "vars", "eval", "exec", "dir"})  # code that calls these sees how variables are named


class Piece:
    """A function, a class or a value, and the module that it is in."""

    def __init__(self, module: Module, name: str, node: ast.AST) -> None:
        self.module, self.name, self.node = module, name, node

    @property
    def is_value(self) -> bool:
        """Whether it is a value of the module, and neither a function nor a class."""
        first = self.node.body[0] if isinstance(self.node, ast.Module) else self.node
        return not isinstance(first, (*FUNCTIONS, ast.ClassDef))

    @property
    def place(self) -> tuple[str, str]:
        """What tells it from other pieces."""
        return self.module.file, self.name

    @property
    def is_state(self) -> bool:
        """Whether it is the descriptor of a state: compared by `Codebase.states`."""
        value = self.node.value if isinstance(self.node, ast.Assign | ast.AnnAssign) else None
        return isinstance(value, ast.Call) and _declares_state(value)

    def shown(self) -> str:
        """A short value as it is written; everything else by its fingerprint."""
        if isinstance(self.node, ast.Assign | ast.AnnAssign) and self.node.value is not None:
            text = ast.unparse(self.node.value)
            if len(text) <= _LONGEST_VALUE:
                return text
        return fingerprint(self.node)


class Module:
    """One file of the job: what it defines, and which other files it imports."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file, self.tree = file, tree
        self.imported: dict[str, tuple[str, int, str | None]] = {}  # local name: module, level, name in it
        self.starred: list[tuple[str, int]] = []
        self.lambdas: dict[tuple[int, int], ast.Lambda] = {}
        self._parts: dict[str, list[ast.AST]] = {}
        for statement, around in _statements(tree.body):
            self._define(statement, around)
        self.defined = {name: _whole(parts) for name, parts in self._parts.items()}
        self._around: dict[int, _Outer] = {}  # by function or class, the functions around it
        self._own: dict[int, frozenset[str]] = {}
        self._place(tree)
        for node in ast.walk(tree):  # imports inside functions too; outer lambdas first
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.Lambda):
                for inner in ast.walk(node.body):
                    if isinstance(inner, ast.expr):
                        self.lambdas[inner.lineno, inner.col_offset] = node

    def _define(self, statement: ast.stmt, around: tuple[ast.expr, ...]) -> None:
        if isinstance(statement, _Function | ast.ClassDef):
            self._put(statement.name, statement, around)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, statement, around)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            self._put(statement.target.id, statement, around)
        elif isinstance(statement, ast.AugAssign):
            self._change(statement.target, statement, around)
        elif isinstance(statement, ast.For | ast.AsyncFor):
            for name in _stored(statement.target):
                self._put(name, statement.iter, around)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            for item in statement.items:
                for name in _stored(item.optional_vars) if item.optional_vars is not None else ():
                    self._put(name, item.context_expr, around)
        elif isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "func", None), ast.Attribute):
            self._change(statement.value, statement, around)  # `table.update(...)`

    def _assign(self, target: ast.expr, statement: ast.Assign, around: tuple[ast.expr, ...]) -> None:
        value = statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for inner, part in zip(target.elts, value.elts, strict=True):
                self._assign(inner, ast.Assign(targets=[inner], value=part), around)
            return
        for name in _stored(target):
            self._put(name, statement, around)
        if isinstance(target, ast.Subscript | ast.Attribute):
            self._change(target, statement, around)

    def _put(self, name: str, statement: ast.AST, around: tuple[ast.expr, ...]) -> None:
        parts = self._parts.setdefault(name, [])
        parts.extend(one for one in (*around, statement) if one not in parts)

    def _change(self, target: ast.expr, statement: ast.AST, around: tuple[ast.expr, ...]) -> None:
        """A statement that changes the value of a name: it counts where the file defines the name."""
        while isinstance(target, ast.Subscript | ast.Attribute | ast.Call):
            target = target.func if isinstance(target, ast.Call) else target.value
        if isinstance(target, ast.Name) and target.id in self._parts:
            self._put(target.id, statement, around)

    def _place(self, tree: ast.Module) -> None:
        waiting: list[tuple[ast.AST, _Outer]] = [(tree, ())]
        while waiting:
            node, outer = waiting.pop()
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self._around[id(node)] = outer
            inner = (*outer, node) if isinstance(node, FUNCTIONS) else outer
            waiting.extend((one, inner) for one in ast.iter_child_nodes(node))

    def bound_around(self, node: ast.AST) -> frozenset[str]:
        """The names that the functions around a node bind: their values are walked as what the function carries."""
        found: frozenset[str] = frozenset()
        for outer in self._around.get(id(node), ()):
            if id(outer) not in self._own:
                self._own[id(outer)] = own_names(outer)
            found |= self._own[id(outer)]
        return found

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                local = alias.asname or alias.name.split(".")[0]
                self.imported[local] = (alias.name if alias.asname else local, 0, None)
            elif alias.name == "*":
                self.starred.append((node.module or "", node.level))
            else:
                self.imported[alias.asname or alias.name] = (node.module or "", node.level, alias.name)

    def function_at(self, code: CodeType) -> ast.AST | None:
        """The function or lambda that a code object was compiled from."""
        if code.co_name == "<lambda>":
            places = ((line, column) for line, _, column, _ in code.co_positions())
            return next((self.lambdas[place] for place in places if place in self.lambdas), None)
        for node in ast.walk(self.tree):
            if isinstance(node, _Function) and node.name == code.co_name:
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                if first == code.co_firstlineno:
                    return node
        return None

    def class_named(self, qualified: str, line: int | None) -> ast.ClassDef | None:
        """A class by its qualified name, classes inside functions included; `line` is one inside it, if known."""
        name = qualified.rpartition(".")[2]
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef) and node.name == name]
        around = [node for node in found if line is not None and node.lineno <= line <= (node.end_lineno or line)]
        return next(reversed(around or found), None)


def _statements(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, tuple[ast.expr, ...]]]:
    """The statements of a module, those under if, try, with and for included, each with the conditions around it."""
    waiting: list[tuple[ast.stmt, tuple[ast.expr, ...]]] = [(one, ()) for one in reversed(body)]
    while waiting:
        statement, around = waiting.pop()
        yield statement, around
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            inner = around
            if isinstance(statement, ast.If | ast.While) and "__name__" not in ast.unparse(statement.test):
                inner = (*around, statement.test)
            elif isinstance(statement, ast.For):
                inner = (*around, statement.iter)
            parts = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
            parts += [handler.body for handler in getattr(statement, "handlers", [])]
            waiting.extend(reversed([(one, inner) for part in parts for one in part]))


def _stored(target: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _whole(parts: list[ast.AST]) -> ast.AST:
    """What defines a name: its only statement, or all that assign and change it, with the conditions around them."""
    return parts[0] if len(parts) == 1 else ast.Module(body=parts, type_ignores=[])  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def _parsed(file: str, changed: int, size: int) -> Module | None:
    try:
        return Module(file, ast.parse(Path(file).read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


class Codebase:
    """The files of one job; `modules` are those that it imported by a name, wherever they were found."""

    def __init__(self, folder: str, modules: Mapping[str, str]) -> None:
        self.folder = os.path.abspath(folder or ".")  # noqa: PTH100 (no links are followed)
        self.modules = modules

    def module(self, file: str) -> Module | None:
        """A file of the job; None for what is installed, gone, or no Python."""
        path = os.path.abspath(file)  # noqa: PTH100
        if any(part in path for part in _INSTALLED):
            return None
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            return None
        return _parsed(path, status.st_mtime_ns, status.st_size)

    def of_code(self, code: CodeType) -> Piece | None:
        """The piece that a function's code was compiled from."""
        module = self.module(code.co_filename)
        node = module.function_at(code) if module else None
        return Piece(module, code.co_qualname, node) if module and node else None

    def constant_defaults(self, code: CodeType) -> frozenset[str]:
        """The arguments of a function whose defaults are written in its code, so that its fingerprint has them."""
        piece = self.of_code(code)
        if piece is None or not isinstance(piece.node, FUNCTIONS):
            return frozenset()
        given = piece.node.args
        named = [*given.posonlyargs, *given.args]
        pairs = [
            *zip(reversed(named), reversed(given.defaults), strict=False),
            *zip(given.kwonlyargs, given.kw_defaults, strict=True),
        ]
        return frozenset(
            argument.arg for argument, default in pairs if default is not None and not any(taken_names(default))
        )

    def of_class(self, kind: type[Any]) -> Piece | None:
        """The piece that a class was made by."""
        codes = [code for each in vars(kind).values() if isinstance(code := getattr(each, "__code__", None), CodeType)]
        written = next((code for code in codes if self.module(code.co_filename) is not None), None)
        file = written.co_filename if written else self.modules.get(kind.__module__)  # a dataclass has code of no file
        module = self.module(file) if file else None
        node = module.class_named(kind.__qualname__, written.co_firstlineno if written else None) if module else None
        return Piece(module, kind.__qualname__, node) if module and node else None

    def of_reference(self, reference: str) -> Piece | None:
        """The piece that `./file.py:name` or `package.module:name` means."""
        where, _, name = reference.rpartition(":")
        file = str(Path(self.folder) / where) if where.endswith(".py") else self._file(where, 0, self.folder)
        module = self.module(file) if file else None
        node = module.defined.get(name.split(".")[0]) if module else None
        if module and node:
            return Piece(module, name.split(".")[0], node)
        return self._imported(module, name) if module else None

    def reached(self, first: Piece) -> Iterator[Piece]:
        """A piece, and every piece of the job that it uses, each once."""
        known = {first.place}
        waiting = [first]
        for piece in waiting:  # grows while it is walked
            yield piece
            for used in self._used(piece):
                if used.place not in known:
                    known.add(used.place)
                    waiting.append(used)

    def states(self, first: Piece, holder: object = None) -> Iterator[tuple[str, str]]:
        """The states that a piece and what it uses declare: the name, and the kind with its types, or `time to live`.

        Values stand in the place of their names: those written elsewhere in the job (`LAST` is `Types.LONG()`), the
        attributes of `holder` (`self.name`), and the arguments that a function which declares a state is called with.
        """
        reached = list(self.reached(first))
        for piece in reached:
            for call, function in _calls_of(piece.node):
                if _declares_state(call):
                    for given in self._given(call, function, reached, holder):
                        yield from self._declared(call, _Settled(self, piece, (), given, holder))

    def _declared(self, call: ast.Call, settled: _Settled) -> Iterator[tuple[str, str]]:
        if not _called(call).endswith("StateDescriptor"):
            yield "time to live", ast.unparse(settled.of(call)).removesuffix(".build()")
            return
        words = sorted(call.keywords, key=lambda word: word.arg != "name")
        given = [settled.of(one) for one in (*call.args, *(word.value for word in words))]
        name = str(given[0].value) if isinstance(given[0], ast.Constant) else ast.unparse(given[0])
        if _called(call) in _FUNCTION_SECOND and len(given) > 1:  # state is not saved in what computes it
            yield f"function of {name}", ast.unparse(given.pop(1))
        yield name, ", ".join([_called(call).removesuffix("Descriptor"), *map(ast.unparse, given[1:])])

    def _given(
        self, call: ast.Call, function: _Function | None, reached: Iterable[Piece], holder: object
    ) -> Iterator[dict[str, ast.expr]]:
        """What the arguments of a function that declares a state are, once per call; nothing where none matter."""
        names = [] if function is None else [argument.arg for argument in arguments_of(function)]
        read = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
        found = False
        if function is not None and read & set(names) - {"self", "cls"}:
            placed = names[1:] if names[:1] in (["self"], ["cls"]) else names
            for piece in reached:
                for other, _ in _calls_of(piece.node):
                    if _called(other) == function.name:
                        settled = _Settled(self, piece, (), {}, holder)
                        found = True
                        yield {
                            **{name: settled.of(one) for name, one in zip(placed, other.args, strict=False)},
                            **{word.arg: settled.of(word.value) for word in other.keywords if word.arg is not None},
                        }
        if not found:
            yield {}

    def value(self, piece: Piece, node: ast.Name | ast.Attribute) -> tuple[Piece, ast.expr] | None:
        """The value that a name has, and the piece it is written in: assigned in the piece itself, or in a module."""
        if isinstance(node, ast.Name):
            inside = [one for one in ast.walk(piece.node) if isinstance(one, ast.Assign) and _assigns(one, node.id)]
            if len(inside) == 1 and inside[0] is not piece.node:
                return piece, inside[0].value
            found = self._named(piece.module, node.id)
        else:
            found = self._attribute(piece.module, node)
            mine = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            values = list(_attribute_values(piece.node, node.attr)) if mine else []
            if len(values) == 1:
                return piece, values[0]
        if found is None or not isinstance(found.node, ast.Assign | ast.AnnAssign) or found.node.value is None:
            return None
        return found, found.node.value

    def _used(self, piece: Piece) -> Iterator[Piece]:
        module = piece.module
        for node in taken_names(piece.node, module.bound_around(piece.node)):
            found = self._named(module, node.id) if isinstance(node, ast.Name) else self._attribute(module, node)
            if found is not None and found.node is not piece.node:
                yield found

    def _named(self, module: Module, name: str) -> Piece | None:
        if name in module.defined:
            return Piece(module, name, module.defined[name])
        return self._imported(module, name)

    def _imported(self, module: Module, name: str) -> Piece | None:
        if name in module.imported:
            source, level, inner = module.imported[name]
            if inner is None:
                return None
            found = self._module_of(module, source, level)
            return self._named(found, inner) if found and found is not module else None
        for source, level in module.starred:
            found = self._module_of(module, source, level)
            if found and found is not module and name in found.defined:
                return Piece(found, name, found.defined[name])
        return None

    def _attribute(self, module: Module, node: ast.Attribute) -> Piece | None:
        """`helpers.convert`, `package.helpers.convert`."""
        parts = [node.attr]
        inner: ast.expr = node.value
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id not in module.imported:
            return None
        source, level, name = module.imported[inner.id]
        dotted = [source, *([name] if name else []), *reversed(parts[1:])]
        found = self._module_of(module, ".".join(part for part in dotted if part), level)
        return self._named(found, node.attr) if found and found is not module and node.attr in found.defined else None

    def _module_of(self, module: Module, name: str, level: int) -> Module | None:
        file = self._file(name, level, str(Path(module.file).parent))
        return self.module(file) if file else None

    def _file(self, name: str, level: int, folder: str) -> str | None:
        """The file of a module: in the folder that a relative import means, else as Python found it, else above."""
        path = name.replace(".", os.sep)
        if level:
            return _module_file(Path(folder).joinpath(*[".."] * (level - 1), path))
        if name in self.modules:
            return self.modules[name]
        for start in dict.fromkeys((folder, self.folder)):
            for above in (Path(start), *Path(start).parents[:5]):
                found = _module_file(above / path)
                if found is not None:
                    return found
        return None


class _Settled(ast.NodeTransformer):
    """Puts values in the place of their names; a value that is made of itself is left as it is."""

    def __init__(
        self,
        code: Codebase,
        piece: Piece,
        seen: tuple[ast.expr, ...],
        given: Mapping[str, ast.expr] | None = None,
        holder: object = None,
    ) -> None:
        self.code, self.piece, self.seen, self.given = code, piece, seen, given or {}
        classes = {each.__qualname__ for each in type(holder).__mro__}
        self.holder = holder if piece.name in classes else None

    def of(self, expression: ast.expr) -> ast.expr:
        """An expression in which the job's own values stand instead of their names."""
        settled: ast.expr = self.visit(copy.deepcopy(expression))
        return settled

    def _put(self, node: ast.Name | ast.Attribute) -> ast.AST:
        found = self.code.value(self.piece, node)
        if found is None or found[1] in self.seen:
            return self.generic_visit(node)
        piece, value = found
        return _Settled(self.code, piece, (*self.seen, value), self.given, self.holder).of(value)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.given[node.id] if node.id in self.given else self._put(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            value = getattr(self.holder, node.attr, None)
            if isinstance(value, str | int | float):
                return ast.Constant(value)
            if value is not None and not callable(value):
                return ast.Name(repr(value) if hasattr(type(value), "get_java_type_info") else type(value).__qualname__)
        return self._put(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts = [self.visit(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values]
        if all(isinstance(part, ast.Constant) for part in parts):
            return ast.Constant("".join(str(part.value) for part in parts))
        return node


def _assigns(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)


def _attribute_values(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """The values that a class gives an attribute: `NAME = ...` in its body, `self.name = ...` in its methods."""
    for one in ast.walk(node):
        if isinstance(one, ast.ClassDef):
            statements = [each for each in one.body if isinstance(each, ast.Assign | ast.AnnAssign)]
            targets = [(each, each.targets if isinstance(each, ast.Assign) else [each.target]) for each in statements]
            yield from (
                each.value
                for each, names in targets
                if each.value is not None
                and any(isinstance(target, ast.Name) and target.id == name for target in names)
            )
        elif isinstance(one, ast.Assign) and any(
            isinstance(target, ast.Attribute) and target.attr == name for target in one.targets
        ):
            yield one.value


def _calls_of(node: ast.AST) -> Iterator[tuple[ast.Call, _Function | None]]:
    """The calls in a piece of code, each with the function that it stands in."""
    waiting: list[tuple[ast.AST, _Function | None]] = [(node, None)]
    while waiting:
        item, function = waiting.pop()
        if isinstance(item, ast.Call):
            yield item, function
        inner = item if isinstance(item, _Function) else function
        waiting.extend((one, inner) for one in reversed(list(ast.iter_child_nodes(item))))


def _module_file(path: Path) -> str | None:
    return next((str(file) for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _declares_state(node: ast.Call) -> bool:
    """Whether a call makes the descriptor of a state, or says how long states live."""
    name = _called(node)
    return name.endswith("StateDescriptor") or (name == "build" and "StateTtlConfig" in ast.unparse(node))


def fingerprint(node: ast.AST) -> str:
    """A short hash of what code does: of its tree without places, docstrings, annotations and declared states.

    The variables of a function are numbered, so that another name for one is no change.
    """
    written: list[str] = []
    waiting: list[tuple[Any, Mapping[str, str]]] = [(node, {})]
    while waiting:
        item, names = waiting.pop()
        if isinstance(item, ast.AST):
            if isinstance(item, ast.Call) and _declares_state(item):
                written.append("state")  # compared by `Codebase.states`
                continue
            if isinstance(item, FUNCTIONS):
                names = _numbered(item, names)
            elif isinstance(item, ast.ClassDef):
                attributes = set(variables_of(item))
                names = {name: number for name, number in names.items() if name not in attributes}
            elif isinstance(item, COMPREHENSIONS):
                places = dict.fromkeys(stored for each in item.generators for stored in _stored(each.target))
                names = {**names, **{name: f"%{len(names)}.{number}" for number, name in enumerate(places)}}
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and item.target.id in names:
                if item.value is None:
                    continue
                item = ast.Assign(targets=[item.target], value=item.value)
            written.append(type(item).__name__)
            fields = [(name, _field(item, name, value, names)) for name, value in ast.iter_fields(item)]
            waiting.extend(
                (part, names) for name, value in reversed(fields) if value not in (None, []) for part in (value, name)
            )
        elif isinstance(item, list):
            written.append(f"[{len(item)}")
            waiting.extend((part, names) for part in reversed(item))
        else:
            written.append(repr(item))
    return hashlib.sha256("\0".join(written).encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]


def _numbered(function: _Function | ast.Lambda, names: Mapping[str, str]) -> Mapping[str, str]:
    """The numbers of the variables that code in a function sees; its arguments keep their names."""
    if any(isinstance(one, ast.Name) and one.id in _MIRRORS for one in ast.walk(function)):
        return {}
    own = own_names(function)
    kept = {name: number for name, number in names.items() if name not in own}
    arguments = {argument.arg for argument in arguments_of(function)}
    mine = [name for name in variables_of(function) if name not in arguments]
    return {**kept, **{name: f"%{len(kept)}.{number}" for number, name in enumerate(mine)}}


def _field(node: ast.AST, name: str, value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, ast.Name) and name == "id":
        return names.get(value, value)
    if name in ("type_comment", "returns", "kind", "type_params", "ctx"):
        return None
    if name == "annotation" and isinstance(node, ast.arg):
        return None
    if isinstance(node, _Function | ast.ClassDef) and name == "body":
        first = value[0].value if isinstance(value[0], ast.Expr) else None
        documented = isinstance(first, ast.Constant) and isinstance(first.value, str)
        body = value[1:] if documented else value
        return _in_one_order(body) if isinstance(node, ast.ClassDef) else body
    return value


def _in_one_order(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a class with its methods last and by name, where their order means nothing."""
    kept = [one for one in body if not isinstance(one, _Function)]
    methods = sorted((one for one in body if isinstance(one, _Function)), key=lambda one: one.name)
    names = {one.name for one in methods}
    used = {name for one in kept for name in _names_in(one)}  # read, or given a value
    evaluated = {name for method in methods for one in _evaluated(method) for name in _names_in(one)}
    given = {name for one in kept for name in _stored(one)}
    if len(names) < len(methods) or names & (used | evaluated) or given & evaluated:
        return body
    return [*kept, *methods]


def _names_in(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _evaluated(method: _Function) -> Iterator[ast.expr]:
    """What Python evaluates where a method is defined."""
    yield from method.decorator_list
    yield from method.args.defaults
    yield from (one for one in method.args.kw_defaults if one is not None)
