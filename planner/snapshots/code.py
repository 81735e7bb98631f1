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
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

__all__ = ["Codebase", "Piece", "fingerprint"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_DIGITS = 12
_LONGEST_VALUE = 60
_INSTALLED = ("site-packages", "dist-packages")


class Piece:
    """A function, a class or a value, and the module that it is in."""

    def __init__(self, module: Module, name: str, node: ast.AST) -> None:
        self.module, self.name, self.node = module, name, node

    @property
    def place(self) -> tuple[str, str]:
        """What tells it from other pieces."""
        return self.module.file, self.name

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
        self.defined: dict[str, ast.AST] = {}
        self.imported: dict[str, tuple[str, int, str | None]] = {}  # local name: module, level, name in it
        self.starred: list[tuple[str, int]] = []
        self.lambdas: dict[tuple[int, int], ast.Lambda] = {}
        for statement in _statements(tree.body):
            self._define(statement)
        for node in ast.walk(tree):  # imports inside functions too; outer lambdas first
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.Lambda):
                for inner in ast.walk(node.body):
                    if isinstance(inner, ast.expr):
                        self.lambdas[inner.lineno, inner.col_offset] = node

    def _define(self, statement: ast.stmt) -> None:
        if isinstance(statement, _Function | ast.ClassDef):
            self.defined[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, statement)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            self.defined[statement.target.id] = statement

    def _assign(self, target: ast.expr, statement: ast.Assign) -> None:
        value = statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for inner, part in zip(target.elts, value.elts, strict=True):
                self._assign(inner, ast.Assign(targets=[inner], value=part))
            return
        for name in ast.walk(target):
            if isinstance(name, ast.Name):
                self.defined[name.id] = statement

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


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under if, try, with and for included."""
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            parts = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
            parts += [handler.body for handler in getattr(statement, "handlers", [])]
            waiting.extend(reversed([inner for part in parts for inner in part]))


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

    def of_class(self, kind: type[Any]) -> Piece | None:
        """The piece that a class was made by."""
        codes = (getattr(member, "__code__", None) for member in vars(kind).values())
        code = next((code for code in codes if isinstance(code, CodeType)), None)
        file = code.co_filename if code else self.modules.get(kind.__module__)
        module = self.module(file) if file else None
        node = module.class_named(kind.__qualname__, code.co_firstlineno if code else None) if module else None
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

    def states(self, piece: Piece) -> Iterator[tuple[str, str]]:
        """The states that code declares: the name, and the kind with its types. `time to live` is one of them.

        Values that are written elsewhere in the job stand in the place of their names: `LAST` is `Types.LONG()`.
        """
        for node in (call for call in ast.walk(piece.node) if isinstance(call, ast.Call)):
            kind = _called(node)
            if kind.endswith("StateDescriptor") and (node.args or node.keywords):
                given = [self._settled(piece, one) for one in (*node.args, *(word.value for word in node.keywords))]
                name = given[0].value if isinstance(given[0], ast.Constant) else ast.unparse(given[0])
                yield str(name), ", ".join([kind.removesuffix("Descriptor"), *map(ast.unparse, given[1:])])
            elif _declares_state(node):
                yield "time to live", ast.unparse(self._settled(piece, node)).removesuffix(".build()")

    def _settled(self, piece: Piece, expression: ast.expr) -> ast.expr:
        """An expression in which the job's own values stand instead of their names."""
        settled: ast.expr = _Settled(self, piece, ()).visit(copy.deepcopy(expression))
        return settled

    def value(self, piece: Piece, node: ast.Name | ast.Attribute) -> tuple[Piece, ast.expr] | None:
        """The value that a name has, and the piece it is written in: assigned in the piece itself, or in a module."""
        if isinstance(node, ast.Name):
            inside = [one for one in ast.walk(piece.node) if isinstance(one, ast.Assign) and _assigns(one, node.id)]
            if len(inside) == 1 and inside[0] is not piece.node:
                return piece, inside[0].value
            found = self._named(piece.module, node.id)
        else:
            found = self._attribute(piece.module, node)
        if found is None or not isinstance(found.node, ast.Assign | ast.AnnAssign) or found.node.value is None:
            return None
        return found, found.node.value

    def _used(self, piece: Piece) -> Iterator[Piece]:
        module = piece.module
        for node in ast.walk(piece.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found = self._named(module, node.id)
            elif isinstance(node, ast.Attribute):
                found = self._attribute(module, node)
            else:
                continue
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

    def __init__(self, code: Codebase, piece: Piece, seen: tuple[ast.expr, ...]) -> None:
        self.code, self.piece, self.seen = code, piece, seen

    def _put(self, node: ast.Name | ast.Attribute) -> ast.AST:
        found = self.code.value(self.piece, node)
        if found is None or found[1] in self.seen:
            return self.generic_visit(node)
        piece, value = found
        settled: ast.AST = _Settled(self.code, piece, (*self.seen, value)).visit(copy.deepcopy(value))
        return settled

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._put(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._put(node)


def _assigns(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)


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
    """A short hash of what code does: of its tree without places, docstrings, annotations and declared states."""
    written: list[str] = []
    waiting: list[Any] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.AST):
            if isinstance(item, ast.Call) and _declares_state(item):
                written.append("state")  # compared by `Codebase.states`
                continue
            written.append(type(item).__name__)
            fields = [(name, _field(item, name, value)) for name, value in ast.iter_fields(item)]
            waiting.extend(
                part for name, value in reversed(fields) if value not in (None, []) for part in (value, name)
            )
        elif isinstance(item, list):
            written.append(f"[{len(item)}")
            waiting.extend(reversed(item))
        else:
            written.append(repr(item))
    return hashlib.sha256("\0".join(written).encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]


def _field(node: ast.AST, name: str, value: Any) -> Any:
    if name in ("type_comment", "returns", "kind", "type_params", "ctx"):
        return None
    if name == "annotation" and isinstance(node, ast.arg):
        return None
    documented = isinstance(node, _Function | ast.ClassDef) and name == "body"
    if documented and isinstance(value[0], ast.Expr) and isinstance(value[0].value, ast.Constant):
        return value[1:] if isinstance(value[0].value.value, str) else value
    return value
