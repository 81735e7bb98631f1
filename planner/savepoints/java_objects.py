"""Walks over one object that Java serialised, and notes the classes and enum constants in it.

`_metadata` ends with such an object (CheckpointProperties). It is read as data: nothing is created from it. Java's
protocol gives no length for an object, so that only a walk over its parts tells whether the file is whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.records import record
from planner.savepoints.cursor import BrokenFile, Cursor, decode_modified_utf8

__all__ = ["JavaNames", "read_java_object"]

_MAGIC = b"\xac\xed\x00\x05"
_NULL, _REFERENCE, _CLASS_DESCRIPTION = 0x70, 0x71, 0x72
_BLOCK, _END_OF_BLOCK, _LONG_BLOCK, _LONG_STRING = 0x77, 0x78, 0x7A, 0x7C
_WRITES_ITSELF, _SERIALIZABLE = 0x01, 0x02  # flags of a class
_PRIMITIVES = {"B": 1, "C": 2, "D": 8, "F": 4, "I": 4, "J": 8, "S": 2, "Z": 1}
_FIRST_REFERENCE = 0x7E0000
_DEEPEST = 64


@record
class JavaNames:
    """The classes and the enum constants that an object is made of."""

    classes: tuple[str, ...]
    constants: tuple[str, ...]


@record(kw_only=False)
class _Description:
    """A class: the types of its own fields, and its super class."""

    name: str
    fields: tuple[str, ...]
    flags: int
    parent: _Description | None


def read_java_object(cursor: Cursor) -> JavaNames:
    """Walk over the one object at the cursor."""
    start = cursor.at
    if cursor.take(4, "the properties") != _MAGIC:
        raise BrokenFile("the properties are no Java object", start)
    walk = _Walk(cursor)
    walk.value(0)
    return JavaNames(classes=tuple(dict.fromkeys(walk.classes)), constants=tuple(walk.constants))


@dataclass(slots=True)
class _Walk:
    cursor: Cursor
    references: list[object] = field(default_factory=list)  # what later parts may refer back to, in order
    classes: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)

    def value(self, depth: int) -> object:
        """Any value: null, a reference, a string, an object, an enum constant, an array, a class."""
        start = self.cursor.at
        if depth > _DEEPEST:
            raise BrokenFile("the properties lie in each other too deep", start)
        match self.cursor.byte("the properties"):
            case 0x70:  # null
                return None
            case 0x71:  # something that was met before
                return self.reference(start)
            case 0x74 | 0x7C as tag:  # a string, a long string
                return self.string(long=tag == _LONG_STRING)
            case 0x73:  # an object
                self.instance(depth)
            case 0x7E:  # a constant of an enum
                self.constant(depth)
            case 0x75:  # an array
                self.array(depth)
            case 0x76:  # a class itself
                self.references.append(self.description(depth + 1))
            case tag:
                raise BrokenFile(f"the properties have an unknown part {tag:#04x}", start)
        return None

    def reference(self, start: int) -> object:
        number = self.cursor.int32("a reference") - _FIRST_REFERENCE
        if not 0 <= number < len(self.references):
            raise BrokenFile("the properties refer to nothing", start)
        return self.references[number]

    def string(self, *, long: bool) -> str:
        start = self.cursor.at
        length = self.cursor.int64("a string") if long else self.cursor.uint16("a string")
        try:
            text = decode_modified_utf8(self.cursor.take(length, "a string"))
        except UnicodeDecodeError:
            raise BrokenFile("a string of the properties is not text", start) from None
        self.references.append(text)
        return text

    def constant(self, depth: int) -> None:
        self.described(depth)
        self.references.append(None)
        name = self.value(depth + 1)
        if isinstance(name, str):
            self.constants.append(name)

    def array(self, depth: int) -> None:
        start = self.cursor.at
        described = self.described(depth)
        self.references.append(None)
        element = described.name[1:2]
        size = _PRIMITIVES.get(element)
        number = self.cursor.count("elements", smallest=size or 1)
        if not described.name.startswith("["):
            raise BrokenFile("the properties have an array of no type", start)
        for _ in range(0 if size else number):
            self.value(depth + 1)
        self.cursor.skip((size or 0) * number, "an array")

    def instance(self, depth: int) -> None:
        described: _Description | None = self.described(depth)
        self.references.append(None)
        line: list[_Description] = []
        while described is not None:
            line.append(described)
            described = described.parent
        for each in reversed(line):  # the fields of a super class come first
            self.fields(each, depth)

    def fields(self, described: _Description, depth: int) -> None:
        if not described.flags & _SERIALIZABLE:
            raise BrokenFile("the properties have an object that writes itself", self.cursor.at)
        for kind in described.fields:
            if kind in _PRIMITIVES:
                self.cursor.skip(_PRIMITIVES[kind], "a field")
            else:
                self.value(depth + 1)
        if described.flags & _WRITES_ITSELF:
            self.annotations(depth)

    def described(self, depth: int) -> _Description:
        start = self.cursor.at
        found = self.description(depth + 1)
        if found is None:
            raise BrokenFile("the properties have an object of no class", start)
        return found

    def description(self, depth: int) -> _Description | None:
        start = self.cursor.at
        if depth > _DEEPEST:
            raise BrokenFile("the properties lie in each other too deep", start)
        tag = self.cursor.byte("a class")
        if tag == _NULL:
            return None
        if tag == _REFERENCE:
            known = self.reference(start)
            if isinstance(known, _Description):
                return known
            raise BrokenFile("the properties refer to a class that is none", start)
        if tag != _CLASS_DESCRIPTION:
            raise BrokenFile(f"the properties have an unknown class {tag:#04x}", start)
        return self.new_description(depth)

    def new_description(self, depth: int) -> _Description:
        name = self.cursor.text("the name of a class")
        self.cursor.skip(8, "the version of a class")
        place = len(self.references)
        self.references.append(None)  # its number is given before its parts get theirs
        flags = self.cursor.byte("the flags of a class")
        fields = tuple(self.field(depth) for _ in range(self.cursor.uint16("the number of fields")))
        self.annotations(depth)
        found = _Description(name, fields, flags, self.description(depth + 1))
        self.references[place] = found
        self.classes.append(name)
        return found

    def field(self, depth: int) -> str:
        start = self.cursor.at
        kind = chr(self.cursor.byte("the type of a field"))
        self.cursor.text("the name of a field")
        if kind in "L[":
            self.value(depth + 1)
        elif kind not in _PRIMITIVES:
            raise BrokenFile("the properties have a field of an unknown type", start)
        return kind

    def annotations(self, depth: int) -> None:
        """What a class wrote beside its fields, up to its end mark."""
        while True:
            tag = self.cursor.byte("the properties")
            if tag == _END_OF_BLOCK:
                return
            if tag == _BLOCK:
                self.cursor.skip(self.cursor.byte("a block"), "a block")
            elif tag == _LONG_BLOCK:
                self.cursor.skip(self.cursor.int32("a block"), "a block")
            else:
                self.cursor.at -= 1
                self.value(depth + 1)
