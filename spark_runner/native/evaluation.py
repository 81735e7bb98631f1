"""Reads a function's source as what it computes of a record: each expression becomes a value in SQL.

There are no loops and no effects here, only expressions, names for them, and branches. A statement behind a branch is
read once for each way to it, so that every way ends in one value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Any

from spark_runner.executor.rows import row_class
from spark_runner.native.calls import called
from spark_runner.native.comparisons import both, compare, either, inverse
from spark_runner.native.numbers import ARITHMETIC, negative
from spark_runner.native.sources import FunctionNode, source_of, surroundings
from spark_runner.native.texts import METHODS, as_text, character, concatenated, element, part
from spark_runner.native.values import (
    NEVER,
    UNKNOWN,
    NotNative,
    Parts,
    Scalar,
    Texts,
    Value,
    checked,
    conditional,
    constant,
    known,
    truth,
    with_checks,
)

__all__ = ["Evaluation", "bound", "called_with"]

_DEEPEST = 8  # functions that call functions
_MOST_WAYS = 64  # through the branches of a function
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "FloorDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
}
Names = Mapping[str, Value]


@dataclass(slots=True)
class _Ways:
    """How many ways through branches were read already."""

    count: int = 0


def called_with(function: Any, arguments: Sequence[Value], depth: int = 0) -> Value:
    """What a function gives for these arguments. Raises NotNative where that cannot be said in SQL."""
    made = called(function, arguments)
    if made is not None:
        return made
    if not isinstance(function, FunctionType):
        raise NotNative(f"it calls {_shown(function)}")
    if depth > _DEEPEST:
        raise NotNative("its functions call each other too deeply")
    node = source_of(function)
    evaluation = Evaluation(function, depth)
    names = bound(function, node, arguments)
    body = node.body
    made = evaluation.value(body, names) if isinstance(body, ast.expr) else evaluation.block(body, names)
    return with_checks(made, tuple(check for one in arguments for check in checked(one)))


def _shown(function: Any) -> str:
    if isinstance(function, BuiltinFunctionType | MethodDescriptorType | type):
        return f"{function.__name__}()"
    return f"a {type(function).__name__} object"


def bound(function: FunctionType, node: FunctionNode, arguments: Sequence[Value]) -> dict[str, Value]:
    """The parameters with their values."""
    given = node.args
    if given.vararg or given.kwarg or given.kwonlyargs:
        raise NotNative("it has parameters with * or **")
    parameters = [one.arg for one in (*given.posonlyargs, *given.args)]
    missing = len(parameters) - len(arguments)
    defaults = function.__defaults__ or ()
    if missing < 0 or missing > len(defaults):
        raise NotNative(f"it takes {len(parameters)} arguments")
    rest = [constant(one) for one in defaults[len(defaults) - missing :]] if missing else []
    return dict(zip(parameters, [*arguments, *rest], strict=True))


class Evaluation:
    """One function's source, read for certain arguments."""

    def __init__(self, function: FunctionType, depth: int = 0) -> None:
        self._function, self._depth, self._ways = function, depth, _Ways()

    # --- statements

    def block(self, statements: Sequence[ast.stmt], names: Names) -> Value:
        """What statements return."""
        names = dict(names)
        checks: tuple[str, ...] = ()  # of what was assigned: it is computed, whether it is used or not
        for at, statement in enumerate(statements):
            match statement:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    continue
                case ast.Return(value=None):
                    return with_checks(constant(None), checks)
                case ast.Return(value=given) if given is not None:
                    return with_checks(self.value(given, names), checks)
                case ast.Raise():
                    return NEVER
                case ast.If():
                    return with_checks(self._branches(statement, statements[at + 1 :], names), checks)
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                    assigned = self._assigned(statement, names)
                    names |= assigned
                    checks += tuple(check for one in assigned.values() for check in checked(one))
                case _:
                    raise NotNative(f"it has a statement that only Python can run: line {statement.lineno}")
        return with_checks(constant(None), checks)

    def _branches(self, statement: ast.If, rest: Sequence[ast.stmt], names: Names) -> Value:
        self._ways.count += 1
        if self._ways.count > _MOST_WAYS:
            raise NotNative("it has too many branches")
        condition = self.truth(statement.test, names)
        yes = self.block([*statement.body, *rest], names)
        no = self.block([*statement.orelse, *rest], names)
        return conditional(condition, yes, no)

    def _assigned(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, names: Names) -> dict[str, Value]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=given):
                return {name: self.value(given, names)}
            case ast.AnnAssign(target=ast.Name(id=name), value=given) if given is not None:
                return {name: self.value(given, names)}
            case ast.AugAssign(target=ast.Name(id=name), op=sign, value=given):
                return {name: self._arithmetic(sign, self._name(name, names), self.value(given, names))}
            case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=given):
                return self.unpacked(target, self.value(given, names))
        raise NotNative(f"it assigns to something else than a name: line {statement.lineno}")

    def unpacked(self, target: ast.expr, value: Value) -> dict[str, Value]:
        """Names that take a record, a tuple or a list apart."""
        if isinstance(target, ast.Name):
            return {target.id: value}
        if not isinstance(target, ast.Tuple | ast.List) or not all(isinstance(one, ast.Name) for one in target.elts):
            raise NotNative(f"it assigns to something else than a name: line {target.lineno}")
        wanted = [one.id for one in target.elts if isinstance(one, ast.Name)]
        if isinstance(value, Parts) and value.form != "dict" and len(value.items) == len(wanted):
            items: Sequence[Value] = [with_checks(item, value.checks) for item in value.items]
        elif isinstance(value, Texts):
            fits = f"(size({value.sql}) = {len(wanted)})"
            items = [with_checks(element(value, at), (fits,)) for at in range(len(wanted))]
        else:
            raise NotNative(f"it takes something apart that has not {len(wanted)} parts")
        return dict(zip(wanted, items, strict=True))

    # --- expressions

    def truth(self, node: ast.expr, names: Names) -> Scalar:
        """Whether an expression is true."""
        match node:
            case ast.BoolOp(op=sign, values=values):
                join = both if isinstance(sign, ast.And) else either
                found = self.truth(values[0], names)
                for other in values[1:]:
                    found = join(found, self.truth(other, names))
                return found
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return inverse(self.truth(operand, names))
        return truth(self.value(node, names))

    def value(self, node: ast.expr, names: Names) -> Value:
        """What an expression gives."""
        match node:
            case ast.Constant(value=value):
                return constant(value)
            case ast.Name(id=name):
                return self._name(name, names)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                form: Any = "tuple" if isinstance(node, ast.Tuple) else "list"
                return Parts(form=form, items=tuple(self.value(one, names) for one in elements))
            case ast.Dict(keys=keys, values=values):
                return self._dict(keys, values, names)
            case ast.BinOp(left=left, op=sign, right=right):
                return self._arithmetic(sign, self.value(left, names), self.value(right, names))
            case ast.UnaryOp():
                return self._unary(node, names)
            case ast.BoolOp(op=sign, values=values):
                return self._chosen(isinstance(sign, ast.And), values, names)
            case ast.Compare():
                return self._compared(node, names)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return conditional(self.truth(test, names), self.value(body, names), self.value(orelse, names))
            case ast.Subscript(value=inner, slice=at):
                return self._item(self.value(inner, names), at, names)
            case ast.Attribute(value=inner, attr=attribute):
                return _attribute(self.value(inner, names), attribute)
            case ast.JoinedStr(values=parts):
                return self._formatted(parts, names)
            case ast.Call():
                return self._called(node, names)
        raise NotNative(f"it has an expression that only Python can compute: {ast.unparse(node)[:60]}")

    def _name(self, name: str, names: Names) -> Value:
        if name in names:
            return names[name]
        value = self._outside(name)
        if type(value) in (tuple, frozenset) and all(type(one) in (int, str, bool, float) for one in value):
            ordered = sorted(value, key=repr) if isinstance(value, frozenset) else value
            return Parts(form="tuple", items=tuple(map(constant, ordered)))
        try:
            return constant(value)
        except NotNative:
            raise NotNative(f"it reads {name}, a {type(value).__name__} that might change") from None

    def _outside(self, name: str) -> Any:
        if name in self._function.__code__.co_varnames:
            raise NotNative(f"it reads {name} before it has a value")
        return surroundings(self._function, name)

    def _dict(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], names: Names) -> Value:
        found = [known(self.value(key, names)) if key is not None else UNKNOWN for key in keys]
        if not all(isinstance(key, str) for key in found) or len(set(found)) < len(found):
            raise NotNative("it makes a dict whose keys are not constant texts")
        return Parts(form="dict", items=tuple(self.value(one, names) for one in values), names=tuple(found))

    def _arithmetic(self, sign: ast.operator, left: Value, right: Value) -> Value:
        name = type(sign).__name__
        one, other = known(left), known(right)
        if one is not UNKNOWN and other is not UNKNOWN and name in _OPERATORS:
            try:
                return constant(_OPERATORS[name](one, other))
            except (ArithmeticError, TypeError, ValueError):
                return NEVER
        if (
            name == "Add"
            and isinstance(left, Scalar)
            and isinstance(right, Scalar)
            and left.kind == right.kind == "str"
        ):
            return concatenated(left, right)
        if name not in ARITHMETIC:
            raise NotNative(f"it uses an operator that only Python has: {name}")
        return ARITHMETIC[name](left, right)

    def _unary(self, node: ast.UnaryOp, names: Names) -> Value:
        if isinstance(node.op, ast.Not):
            return self.truth(node, names)
        value = self.value(node.operand, names)
        if isinstance(node.op, ast.USub):
            number = known(value)
            return constant(-number) if type(number) in (int, float) else negative(value)
        raise NotNative(f"it uses an operator that only Python has: {type(node.op).__name__}")

    def _chosen(self, every: bool, nodes: Sequence[ast.expr], names: Names) -> Value:
        """`a and b` and `a or b`, which give one of their operands."""
        values = [self.value(one, names) for one in nodes]
        if all(isinstance(one, Scalar) and one.kind == "bool" and not one.nullable for one in values):
            return self.truth(ast.BoolOp(op=ast.And() if every else ast.Or(), values=list(nodes)), names)
        found = values[-1]
        for before in reversed(values[:-1]):
            test = truth(before)
            found = conditional(test, found, before) if every else conditional(test, before, found)
        return found

    def _compared(self, node: ast.Compare, names: Names) -> Scalar:
        values = [self.value(one, names) for one in (node.left, *node.comparators)]
        found: Scalar | None = None
        for at, sign in enumerate(node.ops):
            one = compare(type(sign).__name__, values[at], values[at + 1])
            found = one if found is None else both(found, one)
        assert found is not None
        return found

    def _item(self, value: Value, at: ast.expr, names: Names) -> Value:
        if isinstance(at, ast.Slice):
            return self._slice(value, at, names)
        index = known(self.value(at, names))
        if isinstance(value, Parts):
            return _part(value, index)
        if type(index) is not int or abs(index) > 1_000_000:
            raise NotNative("it takes an item by something else than a constant")
        if isinstance(value, Texts):
            return element(value, index)
        if value.kind != "str":
            raise NotNative(f"it takes an item of a {value.kind}")
        return character(value, index)

    def _slice(self, value: Value, at: ast.Slice, names: Names) -> Value:
        ends = [None if one is None else known(self.value(one, names)) for one in (at.lower, at.upper)]
        numbers = all(one is None or (type(one) is int and abs(one) <= 1_000_000) for one in ends)
        if at.step is not None or not numbers or not isinstance(value, Scalar) or value.kind != "str":
            raise NotNative("it takes a part of something else than a text, or not by constants")
        return part(value, ends[0], ends[1])

    def _formatted(self, parts: Sequence[ast.expr], names: Names) -> Value:
        texts = [constant("")]
        for one in parts:
            if isinstance(one, ast.FormattedValue):
                if one.format_spec is not None or one.conversion not in (-1, ord("s")):
                    raise NotNative("it formats a value in a way of its own")
                texts.append(as_text(self.value(one.value, names)))
            else:
                found = self.value(one, names)
                assert isinstance(found, Scalar)
                texts.append(found)
        return concatenated(*texts)

    def _called(self, node: ast.Call, names: Names) -> Value:
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise NotNative("it calls a function with keywords or with *")
        arguments = [self.value(one, names) for one in node.args]
        match node.func:
            case ast.Name(id=name) if name not in names:
                return called_with(self._outside(name), arguments, self._depth + 1)
            case ast.Attribute(value=ast.Name(id="str"), attr=method) if (
                "str" not in names and self._outside("str") is str and method in METHODS
            ):
                return called_with(getattr(str, method), arguments, self._depth + 1)
            case ast.Attribute(value=inner, attr=method):
                return self._method(self.value(inner, names), method, arguments)
        raise NotNative(f"it calls something that only Python can compute: {ast.unparse(node.func)[:60]}")

    def _method(self, value: Value, method: str, arguments: Sequence[Value]) -> Value:
        if not isinstance(value, Scalar) or value.kind != "str":
            raise NotNative(f"it calls .{method}() of something else than a text")
        if method not in METHODS:
            raise NotNative(f"it calls .{method}() of a text, which is not the same in Spark")
        return METHODS[method](value, arguments)


def _part(value: Parts, index: Any) -> Value:
    if value.form in ("row", "dict") and isinstance(index, str) and index in value.names:
        found = value.items[value.names.index(index)]
    elif value.form != "dict" and type(index) is int and -len(value.items) <= index < len(value.items):
        found = value.items[index]
    else:
        raise NotNative("it takes an item that the record has not, or not by a constant")
    others = tuple(check for item in value.items if item is not found for check in checked(item))
    return with_checks(found, (*value.checks, *others))


def _attribute(value: Value, name: str) -> Value:
    if not isinstance(value, Parts) or value.form != "row" or name not in value.names:
        raise NotNative(f"it reads the attribute {name}")
    if name not in vars(row_class(value.names)):
        raise NotNative(f"it reads the attribute {name}, which is not the field of that name")
    return _part(value, name)
