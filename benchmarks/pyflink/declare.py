"""Write `planner/frontends/pyflink/declared` from an installed PyFlink: its classes, methods and arguments, no code.

    python benchmarks/pyflink/declare.py SITE_PACKAGES/pyflink planner/frontends/pyflink/declared

Only names, arguments, defaults and what a method returns are taken. Modules that mean something to a plan (types,
streams, the environment) are written by hand and left out here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

BY_HAND = {
    "common.typeinfo", "common.types", "common.time", "common.watermark_strategy", "common.configuration",
    "common.utils", "common.constants", "common.serializer",
    "datastream.data_stream", "datastream.stream_execution_environment", "datastream.async_data_stream",
    "datastream.output_tag", "datastream.utils", "datastream.window",
    "datastream.async_retry_strategies", "datastream.async_retry_predicates",
}  # fmt: skip
BEHIND = {"datastream.async_retry_strategies", "datastream.data_stream"}  # they import what is declared here
ROOTS = {"object", "JavaFunctionWrapper", "JavaObjectWrapper"}
SKIPPED_CLASSES = ("Internal", "PassThrough", "JavaFunctionWrapper", "FunctionWrapper", "ReduceFunctionWrapper")
BUILTIN = {"str", "int", "float", "bool", "bytes", "list", "dict", "None", "Any"}


def main(package: Path, target: Path) -> None:
    """Write one declared module for every module of PyFlink's DataStream API that has no code of its own here."""
    sources = {
        ".".join(path.relative_to(package).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("common", "datastream", "metrics")
        for path in sorted((package / folder).rglob("*.py"))
        if path.name != "__init__.py"
    }
    homes = {name: module for module, tree in sources.items() for name in public_classes(tree)}
    target.mkdir(parents=True, exist_ok=True)
    for module, tree in sources.items():
        if module in BY_HAND:
            continue
        text = Declaration(module, tree, homes).text()
        path = target.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for folder in sorted({path.parent for path in target.rglob("*.py")} | {target}):
        name = "pyflink" if folder == target else "pyflink." + ".".join(folder.relative_to(target).parts)
        (folder / "__init__.py").write_text(f'"""`{name}` as PyFlink 2.3 declares it."""\n', encoding="utf-8")
    (target / "exports.py").write_text(exports(package, homes), encoding="utf-8")


def exports(package: Path, homes: dict[str, str]) -> str:
    """The table of names that can be imported from a module of PyFlink although another one defines them."""
    lines = ['"""Names that a module of PyFlink hands on from another one."""', "", "from typing import Final", "",
             "EXPORTS: Final[dict[str, dict[str, str]]] = {"]  # fmt: skip
    for folder in ("common", "datastream", "metrics"):
        for path in sorted((package / folder).rglob("*.py")):
            parts = path.relative_to(package).with_suffix("").parts
            name = ".".join(("pyflink", *(parts[:-1] if parts[-1] == "__init__" else parts)))
            found = handed_on(ast.parse(path.read_text(encoding="utf-8")), homes)
            lines += [f'    "{name}": {{', *(f'        "{key}": "{found[key]}",' for key in sorted(found)), "    },"]
    return "\n".join([*lines, "}", ""])


def handed_on(tree: ast.Module, homes: dict[str, str]) -> dict[str, str]:
    """The classes that a module imports, or sets by name, with the modules that define them."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {a.name: f"pyflink.{homes[a.name]}" for a in node.names if a.name in homes}
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
            named = ast.unparse(node.args[1]).strip("'")
            found |= {named: f"pyflink.{homes[named]}"} if named in homes else {}
    return found


def public_classes(tree: ast.Module) -> Iterator[str]:
    """The classes of a module that scripts may name."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith(("_", *SKIPPED_CLASSES)):
            yield node.name


class Declaration:
    """One module's text."""

    def __init__(self, module: str, tree: ast.Module, homes: dict[str, str]) -> None:
        self.module = module
        self.tree = tree
        self.homes = homes
        self.needed: set[str] = set()
        self.own = set(public_classes(tree))

    def text(self) -> str:
        """The module, ready to be written."""
        body = [line for node in self.tree.body for line in self.statement(node)]
        names = sorted(
            {line.split("(")[0].split(":")[0].removeprefix("class ").removeprefix("def ").split(" =")[0].strip()
             for line in body if line and not line.startswith((" ", "@", "#"))}
        )  # fmt: skip
        used = "\n".join(body)
        head = [
            f'"""`pyflink.{self.module}` as PyFlink 2.3 declares it.',
            "",
            "Written by benchmarks/pyflink/declare.py.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
        ]
        standard = []
        if "ABC" in used or "@abstractmethod" in used:
            standard.append("from abc import ABC, abstractmethod")
        if "(Enum)" in used:
            standard.append("from enum import Enum")
        standard.append("from typing import Any, Generic, Self, TypeVar")
        imports = [f"from planner.frontends.pyflink.{home(self.homes[name])} import {name}"
                   for name in sorted(self.needed)]  # fmt: skip
        imports.append("from planner.frontends.pyflink.recorded import Recorded")
        exported = ["", "__all__ = [", *(f'    "{name}",' for name in names), "]", ""]
        return "\n".join([*head, *standard, "", *imports, *exported, *body, ""])

    def statement(self, node: ast.stmt) -> list[str]:
        """One top-level statement."""
        if isinstance(node, ast.ClassDef) and node.name in self.own:
            return ["", "", *self.class_lines(node, "", root=True)]
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            return ["", "", *self.function_lines(node, "", recorded=False, name=node.name)]
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = ast.unparse(node)
            name = node.targets[0].id
            if name.startswith("_"):
                return []
            if "TypeVar(" in text or isinstance(node.value, ast.Constant):
                return ["", text]
        return []

    def class_lines(self, node: ast.ClassDef, indent: str, root: bool = False) -> list[str]:
        """A class with its members."""
        bases = [ast.unparse(base).removeprefix("abc.") for base in node.bases]
        enum = "Enum" in bases
        made = any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body)
        open_methods = "abstractmethod" in ast.unparse(node)
        if made and not open_methods:  # a class with values of its own is a record, even if it says ABC
            bases = [base for base in bases if base != "ABC"]
        abstract = any(base.startswith(("ABC", "Generic")) for base in bases)
        written = self.bases(bases, abstract, enum)
        if made and open_methods and all(base.startswith(("ABC", "Generic")) for base in written):
            written.insert(0, "Recorded")
        lines = [f"{indent}class {node.name}({', '.join(written)}):" if written else f"{indent}class {node.name}:"]
        members: list[str] = []
        for part in node.body:
            members += self.member(part, node, indent + "    ", enum)
        return [*lines, *(members or [f"{indent}    pass"])]

    def bases(self, bases: list[str], abstract: bool, enum: bool) -> list[str]:
        """The base classes: what only wraps Java becomes a record of calls."""
        kept: list[str] = []
        for base in bases:
            plain = base.split("[")[0]
            if plain in ROOTS or plain.startswith(SKIPPED_CLASSES):
                continue
            if plain in self.homes and plain not in self.own:
                self.needed.add(plain)
            kept.append(base if plain in ("Generic",) else plain)
        if enum or abstract:
            return kept
        return kept or ["Recorded"]

    def member(self, part: ast.stmt, owner: ast.ClassDef, indent: str, enum: bool) -> list[str]:
        """One member of a class."""
        if isinstance(part, ast.ClassDef) and not part.name.startswith("_"):
            return ["", *self.class_lines(part, indent)]
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            name = part.targets[0].id
            try:
                value = eval(ast.unparse(part.value), {"__builtins__": {}})
            except (NameError, TypeError):
                return []
            if name.startswith("_"):
                return []
            return [f"{indent}{name} = {value!r}"]
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            if part.name.startswith("_") and part.name != "__init__":
                return []
            if enum and part.name == "__init__":
                return []
            if any("overload" in ast.unparse(d) for d in part.decorator_list):
                return []
            return self.function_lines(part, indent, recorded=True, name=part.name)
        return []

    def function_lines(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, indent: str, recorded: bool, name: str
    ) -> list[str]:
        """A function's signature."""
        decorators = [ast.unparse(d) for d in node.decorator_list]
        decorators = [d.removeprefix("abc.") for d in decorators]
        kept = [d for d in decorators if d in ("staticmethod", "classmethod", "abstractmethod", "property")]
        lines = [f"{indent}@{d}" for d in kept]
        arguments = self.arguments(node.args, name)
        returned = "None" if name == "__init__" else self.returned(node)
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        lines.append(f"{indent}{word} {name}({arguments}) -> {returned}: ...")
        return lines

    def arguments(self, given: ast.arguments, name: str) -> str:
        """The arguments with their defaults, all of any type; Java objects are left out."""
        parts: list[str] = []
        positional = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
        for argument, default in zip(positional, defaults, strict=True):
            if name == "__init__" and argument.arg.startswith("j_"):
                continue
            parts.append(self.argument(argument.arg, default))
        if given.vararg:
            parts.append(f"*{given.vararg.arg}: Any")
        elif given.kwonlyargs:
            parts.append("*")
        parts += [self.argument(a.arg, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
        if given.kwarg:
            parts.append(f"**{given.kwarg.arg}: Any")
        return ", ".join(parts)

    def argument(self, name: str, default: ast.expr | None) -> str:
        if name in ("self", "cls"):
            return name
        if default is None:
            return f"{name}: Any"
        try:
            return f"{name}: Any = {ast.literal_eval(default)!r}"
        except ValueError:
            text = ast.unparse(default)
            return f"{name}: Any = {text}" if set(text) <= set("0123456789* ") else f"{name}: Any = None"

    def returned(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """Self, a class of PyFlink, a built-in type or Any."""
        found = [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value is not None]
        texts = {ast.unparse(value) for value in found}
        if texts == {"self"}:
            return "Self"
        if node.returns is not None:
            text = ast.unparse(node.returns).strip("'\"")
            if text in BUILTIN:
                return "Any" if text == "None" else text
            if self.known(text):
                return text
        made = {ast.unparse(value.func) for value in found if isinstance(value, ast.Call)}
        if len(made) == 1 and len(made) == len(texts) and self.known(text := made.pop()):
            return text
        return "Any"

    def known(self, text: str) -> bool:
        """Whether a name is a class that is declared or written by hand."""
        first = text.split(".")[0]
        if first in self.own:
            return True
        if text.isidentifier() and text in self.homes and self.homes[text] not in BEHIND:
            self.needed.add(text)
            return True
        return False


def home(module: str) -> str:
    """Where a class of a PyFlink module is found here."""
    by_hand = {"common.typeinfo": "values.types", "common.types": "values.rows", "common.time": "values.times",
               "common.watermark_strategy": "values.watermarks", "common.configuration": "values.configuration",
               "datastream.output_tag": "values.types", "datastream.utils": "values.types",
               "datastream.data_stream": "streams",
               "datastream.window": "values.assigners", "common.serializer": "values.serializers",
               "datastream.async_retry_strategies": "values.retries",
               "datastream.stream_execution_environment": "environment"}  # fmt: skip
    return by_hand.get(module, f"declared.{module}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
