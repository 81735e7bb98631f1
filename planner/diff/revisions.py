"""A revision of the git repository here: what changed since, and its files in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from planner.errors import OptionError
from planner.records import record

__all__ = ["ChangedFile", "Revision"]

# What a job may be made of wherever it lies in the repository. Of the job's own folder everything is taken.
_SOURCES: Final = (".py", ".pyi", ".yaml", ".yml", ".json", ".toml", ".sql", ".txt", ".properties", ".cfg", ".ini")


@record
class ChangedFile:
    """A file that differs from a revision, by its paths from the top of the repository; None: not there."""

    before: str | None
    after: str | None


class Revision:
    """One revision. Its files are written out when the first one is asked for, into a folder that ends with it."""

    def __init__(self, name: str, commit: str, top: Path, prefix: str) -> None:
        self.name = name  # as the user wrote it
        self.commit = commit
        self.top = top
        self.prefix = prefix  # from the top to the current folder
        self._folder: str | None = None
        self._written: set[str] = set()

    @staticmethod
    @contextmanager
    def find(name: str, *, forked: bool = False) -> Iterator[Revision]:
        """A revision of the repository here; with `forked`, where the current branch left it."""
        if git("rev-parse", "--is-inside-work-tree", may_fail=True).strip() != b"true":
            raise OptionError(
                f"{name}: there is no git repository here", hint="name two files instead: plan diff OLD NEW"
            )
        commit = git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", may_fail=True).decode().strip()
        if not commit:
            raise OptionError(
                f"there is no revision {name!r} in this repository",
                hint="`git log --oneline` lists the revisions of this branch, `git branch -a` the branches;"
                " in CI, check out with the whole history (fetch-depth: 0)",
            )
        if forked:
            commit = git("merge-base", commit, "HEAD", may_fail=True).decode().strip() or commit
        top = Path(os.fsdecode(git("rev-parse", "--show-toplevel").removesuffix(b"\n")))
        prefix = os.fsdecode(git("rev-parse", "--show-prefix").removesuffix(b"\n"))
        revision = Revision(name, commit, top, prefix)
        with tempfile.TemporaryDirectory(prefix="plan-diff-") as folder:
            revision._folder = folder
            yield revision

    @cached_property
    def files(self) -> frozenset[str]:
        """All files of the revision, from the top of the repository."""
        listed = git("ls-tree", "-r", "-z", "--name-only", "--full-tree", self.commit)
        return frozenset(os.fsdecode(path) for path in listed.split(b"\0") if path)

    def changed(self) -> list[ChangedFile]:
        """The files here that differ from the revision, those that git does not know yet among them."""
        words = [os.fsdecode(word) for word in git("diff", "--name-status", "-z", "-M", self.commit).split(b"\0")]
        found: list[ChangedFile] = []
        at = 0
        while at < len(words) - 1:
            status, path = words[at], words[at + 1]
            if status[0] in "RC":
                found.append(ChangedFile(before=path, after=words[at + 2]))
                at += 3
                continue
            before, after = (None if status == "A" else path), (None if status == "D" else path)
            found.append(ChangedFile(before=before, after=after))
            at += 2
        others = git("-C", str(self.top), "ls-files", "-z", "--others", "--exclude-standard").split(b"\0")
        return [*found, *(ChangedFile(before=None, after=os.fsdecode(path)) for path in others if path)]

    def file(self, path: str) -> Path | None:
        """A file as it was, with the sources of the whole repository around it; by its path from here, or the top."""
        inside = os.path.normpath(PurePosixPath(self.prefix) / path)
        known = next((one for one in (inside, os.path.normpath(path)) if one in self.files), None)
        return None if known is None else self.written(known)

    def written(self, known: str) -> Path:
        """A file of the revision, by its path from the top."""
        beside = f"{PurePosixPath(known).parent}/" if "/" in known else ""
        wanted = {one for one in self.files if one.endswith(_SOURCES) or (beside and one.startswith(beside))}
        self._write({known, *wanted} - self._written)
        assert self._folder is not None
        return Path(self._folder) / known

    def _write(self, paths: set[str]) -> None:
        """Write files as a checkout would, through an index of their own: the repository's stays as it is."""
        if not paths:
            return
        assert self._folder is not None
        index = Path(self._folder) / ".git"  # also the top of a repository, to what looks for one
        index.mkdir(exist_ok=True)
        surroundings = {**os.environ, "GIT_INDEX_FILE": str(index / "index")}
        git("-C", str(self.top), "read-tree", self.commit, env=surroundings)
        listed = b"".join(os.fsencode(path) + b"\0" for path in sorted(paths))
        prefix = f"--prefix={self._folder}/"
        git("-C", str(self.top), "checkout-index", "-q", "-f", "-z", "--stdin", prefix, env=surroundings, given=listed)
        self._written |= paths


def git(
    *arguments: str, may_fail: bool = False, env: dict[str, str] | None = None, given: bytes | None = None
) -> bytes:
    """What git prints."""
    command: Sequence[str] = ["git", "-c", "diff.relative=false", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=env, input=given)
    except FileNotFoundError:
        raise OptionError("git is not on the PATH", hint="install git, or name two files: plan diff OLD NEW") from None
    if done.returncode and not may_fail:
        complaint = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise OptionError(f"git {arguments[0]}: {complaint[-1].removeprefix('fatal: ')}")
    return done.stdout if not done.returncode else b""
