"""Reads Java's DataOutput format (big endian) out of bytes. Every length is checked against what is left."""

from __future__ import annotations

import struct

__all__ = ["BrokenFile", "Cursor"]

_INT = struct.Struct(">i")
_LONG = struct.Struct(">q")
_SHORT = struct.Struct(">H")


class BrokenFile(Exception):
    """The bytes are not what the format says. Has the position in the file where that was seen."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class Cursor:
    """A position in bytes that only moves forward."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return self.end - self.at

    def skip(self, length: int, what: str) -> int:
        """Move over `length` bytes and return the position where they begin."""
        start = self.at
        if length < 0:
            raise BrokenFile(f"the length of {what} is {length}", start)
        if length > self.end - start:
            raise BrokenFile(f"the file ends inside {what}: {length} bytes are needed, {self.left} are left", start)
        self.at = start + length
        return start

    def take(self, length: int, what: str) -> bytes:
        """The next `length` bytes."""
        start = self.skip(length, what)
        return self.data[start : start + length]

    def byte(self, what: str) -> int:
        """One byte, without a sign."""
        return self.data[self.skip(1, what)]

    def uint16(self, what: str) -> int:
        """Two bytes, without a sign."""
        value: int = _SHORT.unpack_from(self.data, self.skip(2, what))[0]
        return value

    def int32(self, what: str) -> int:
        """Four bytes, with a sign."""
        value: int = _INT.unpack_from(self.data, self.skip(4, what))[0]
        return value

    def int64(self, what: str) -> int:
        """Eight bytes, with a sign."""
        value: int = _LONG.unpack_from(self.data, self.skip(8, what))[0]
        return value

    def count(self, what: str, smallest: int) -> int:
        """A number of entries of at least `smallest` bytes each, so that it cannot be more than the file can hold."""
        start = self.at
        number = self.int32(f"the number of {what}")
        if number < 0:
            raise BrokenFile(f"the number of {what} is {number}", start)
        if number * smallest > self.left:
            raise BrokenFile(f"the file is too short for {number} {what}", start)
        return number

    def text(self, what: str) -> str:
        """A string as Java's writeUTF writes it: its length in bytes, then modified UTF-8."""
        length = self.uint16(f"the length of {what}")
        start = self.at
        try:
            return decode_modified_utf8(self.take(length, what))
        except UnicodeDecodeError:
            raise BrokenFile(f"{what} is not text", start) from None


def decode_modified_utf8(raw: bytes) -> str:
    """Java's modified UTF-8: NUL takes two bytes, and letters beyond U+FFFF are pairs of surrogates."""
    if raw.isascii():
        return raw.decode("ascii")
    text = raw.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
