"""Why Flink gave no job, as one message: what is wrong, where, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planner.errors import JobDefinitionError, OptionError, PlanError
from planner.frontends.flink_compiler.connectors import advice
from planner.frontends.flink_compiler.process import Outcome
from planner.frontends.flink_compiler.programs import Asked
from planner.frontends.flink_compiler.request import FlinkRequest
from planner.frontends.flink_compiler.sql_script import Statement, table_definitions
from planner.job import Location

__all__ = ["MissingFactory", "failure_of", "shortly"]

_AT = re.compile(r"(?:at|from) line ([1-9]\d*), column (\d+)", re.IGNORECASE)  # line 0: Flink does not know it
# A place in a statement is of no use beside the place in the file.
_PLACE_WORDS = re.compile(
    r"^SQL (?:parse|validation) failed\. |^Lexical error at line \d+, column \d+\.\s*"
    r"|From line \d+, column \d+ to line \d+, column \d+: |At line \d+, column \d+: "
    r"| at line \d+, column \d+(?=\.?$)",
    re.MULTILINE,
)
_FACTORY = re.compile(r"Could not find any factor(?:y|ies) for identifier '([^']*)' that implements? '([\w.$]+)'")
_AVAILABLE = re.compile(r"Available factory identifiers are:\s*((?:[\w.-]+\s*)+)")
_FORMAT = re.compile(r"Could not find any format factory for identifier '([^']*)'")
_OF_TABLE = re.compile(r"Unable to create a (?:source|sink) for (?:reading|writing) table '([^']*)'")
_OPTIONS_HINT = re.compile(r"/\*\+.*?\bOPTIONS\s*\(", re.DOTALL | re.IGNORECASE)
_CONNECTOR = re.compile(r"Cannot discover a connector using option: '[^']*'='([^']*)'")
_FUNCTION = re.compile(r"No match found for function signature ([\w.$`]+)\(")
_VALUE = re.compile(r"Could not parse value '.*' for key '([^']*)'", re.DOTALL)
_CLASS_ERRORS = ("java.lang.NoClassDefFoundError", "java.lang.ClassNotFoundException")
_LINK_ERRORS = (
    "java.lang.NoSuchMethodError", "java.lang.NoSuchFieldError", "java.lang.AbstractMethodError",
    "java.lang.IncompatibleClassChangeError", "java.lang.IllegalAccessError", "java.lang.VerifyError",
)  # fmt: skip
_NO_MEMORY = re.compile(r"OutOfMemoryError|insufficient memory|Could not reserve enough space|Too small .*heap")
_ENDED_FOR_MEMORY = re.compile(
    r"Terminating due to java\.lang\.OutOfMemoryError(?:: (.+))?|insufficient memory for the Java"
)
_LACKING = re.compile(r"(org\.apache\.flink\.[\w.$]+) does not exist in the JVM")
_PYTHON_FUNCTIONS = "org.apache.flink.client.python.PythonFunctionFactory"
# Flink's wrappers around what went wrong; their own messages say nothing.
_WRAPPERS = (
    "ProgramInvocationException", "InvocationTargetException", "FlinkRuntimeException", "UndeclaredThrowableException",
    "CompletionException", "ExecutionException", "RuntimeException", "WrappingRuntimeException",
)  # fmt: skip
_LONGEST = 600  # characters of a message of Flink
Causes = Sequence[Sequence[str]]


class MissingFactory(JobDefinitionError):
    """A connector, format, catalog or module that is not on the class path."""

    def __init__(self, message: str, *, location: Location | None, hint: str | None, name: str, kind: str) -> None:
        super().__init__(message, location=location, hint=hint)
        self.name, self.kind = name, kind


def failure_of(
    outcome: Outcome, asked: Asked, statements: Sequence[Statement], request: FlinkRequest
) -> PlanError | None:
    """The error of an outcome; None where there are jobs and nothing else went wrong in the program itself."""
    context = _Context(outcome, asked, statements, request)
    failures, ends = outcome.of("failure"), _ends(outcome, asked)
    jobs = bool(outcome.of("job"))
    if failures:  # what follows the failure may be jobs that are missing, unless only our empty results made it fail
        return None if jobs and outcome.of("read") else context.failed(failures[0])
    if outcome.exit_code is None:
        return context.too_long()
    if not ends or context.was_killed:
        return context.broke_off()
    return None if jobs else context.no_job(ends[-1])


def _ends(outcome: Outcome, asked: Asked) -> list[Any]:
    """How the program ended; a script that leaves by `os._exit` takes the process that would say so with it."""
    ends = outcome.of("end")
    left = asked.way == "script" and not ends and not outcome.of("failure") and bool(outcome.of("started"))
    return [{"exit": outcome.exit_code}] if left and (outcome.exit_code or 0) >= 0 else ends


def shortly(failure: Mapping[str, Any]) -> str:
    """A failure in one line."""
    if failure["kind"] == "java":
        return _plain(failure["causes"])
    return str(failure.get("text") or failure["kind"]).splitlines()[-1]


class _Context:
    """One outcome, and what its messages are made of."""

    def __init__(self, outcome: Outcome, asked: Asked, statements: Sequence[Statement], request: FlinkRequest) -> None:
        self.outcome, self.asked, self.statements, self.request = outcome, asked, statements, request
        self.file = str(asked.path)
        self.what = f"main of {self.file}" if asked.way == "jar" else "the script"
        self.whole = None if asked.way == "jar" else Location(self.file, 1)  # a jar has no lines

    @property
    def was_killed(self) -> bool:
        """Whether Java ended, and the program did not ask for it."""
        ends = self.outcome.of("end")
        code = ends[-1].get("exit") if ends else None
        if code is None:
            return False
        return code < 0 or self.asked.way == "sql" or bool(_ENDED_FOR_MEMORY.search(self.outcome.said))

    def failed(self, failure: Mapping[str, Any]) -> PlanError:
        kind = failure["kind"]
        if kind == "no jvm" or (kind == "python" and failure["type"].startswith("Py4J")):
            if _NO_MEMORY.search(self.outcome.said):
                return OptionError(
                    "there is not enough memory for Java",
                    hint=f"free some, or change -Xmx in JAVA_TOOL_OPTIONS\n{self.printed()}",
                )
            if kind == "python" and failure["type"] == "Py4JNetworkError":
                return self.broke_off()
        if kind == "java":
            return self.java(failure)
        if kind == "python":
            return self.python(failure)
        if kind == "no jvm":
            return self.no_jvm(failure)
        if kind == "no py4j":
            return OptionError(
                f"asking Flink needs py4j, which {failure['python']} does not have",
                hint="pip install 'plan-inspector[flink]'",
            )
        if kind == "no pyflink":
            return OptionError(
                f"{failure['python']} cannot import PyFlink: {failure['text']}",
                hint="name a Python that has apache-flink installed with --python",
            )
        if kind == "unfinished statement set":
            return self.at_statement(
                "BEGIN STATEMENT SET has no END", len(self.statements) - 1, "add END; after its last INSERT"
            )
        if kind == "no plan":
            return self.at_statement(
                f"there is no compiled plan {failure['file']}", failure["place"], "COMPILE PLAN ... writes one"
            )
        if kind == "not an insert":
            return self.at_statement(
                "a statement set takes INSERT only", failure["place"], "close it with END; before this statement"
            )
        if kind == "no statement set":
            return self.at_statement(
                "END without BEGIN STATEMENT SET", failure["place"], "begin with BEGIN STATEMENT SET;"
            )
        if kind == "changes a catalog":
            return self.at_statement(
                f"this would change {failure['catalog']}, which is outside of the script's memory",
                failure["place"],
                "CREATE TEMPORARY ... changes nothing there; --change-catalogs lets it happen",
            )
        if kind == "deletes at once":
            return self.at_statement(
                "this connector deletes at once, without a job: it was not run", failure["place"], "leave it out"
            )
        if kind == "not a stream graph":
            return JobDefinitionError(
                f"{self.what} executes a DataSet program ({failure['name']})",
                location=self.whole,
                hint="only DataStream, Table API and SQL jobs have a stream graph",
            )
        return self.broke_off()

    def java(self, failure: Mapping[str, Any]) -> PlanError:
        causes: Causes = failure["causes"]
        location = self.table_place(failure, causes) or self.location(failure, causes)
        missing = self.missing(causes, location)
        if missing is not None:
            return missing
        value = next((found for _, message in causes if (found := _VALUE.search(message))), None)
        if value is not None:
            return JobDefinitionError(value[0], location=self.option_place(value[1]) or location)
        names = [name for name, _ in causes]
        if any(_PYTHON_FUNCTIONS in message for _, message in causes):
            return JobDefinitionError(
                "a Python function needs PyFlink, which SQL scripts are compiled without",
                location=location,
                hint="run the statements in a Table API script: plan explain script.py --python PATH",
            )
        if names[-1] == "java.lang.OutOfMemoryError" or "java.lang.OutOfMemoryError" in names:
            return self.needs_memory(causes[-1][1], location)
        text = "\n".join(message for _, message in causes)
        if "java.util.zip.ZipException" in names:
            return JobDefinitionError(f"{self.file} is no jar: {causes[-1][1]}", hint="build it again")
        if "'Main-Class'" in text:
            return JobDefinitionError(
                f"{self.file} does not say which class has its main", hint="name the class: --class jobs.Main"
            )
        if "does not have a main(String[]) method" in text:
            named = f"the class {self.request.main_class}" if self.request.main_class else "the class that it names"
            return JobDefinitionError(
                f"{self.file}: {named} has no public static main(String[])",
                hint="name the class that has it: --class jobs.Main",
            )
        if "entry point class" in text and names[-1] in _CLASS_ERRORS:
            return JobDefinitionError(
                f"{self.file} has no class {causes[-1][1]}", hint="check --class; a nested class is Outer$Inner"
            )
        for name, message in causes:
            if name in (*_CLASS_ERRORS, *_LINK_ERRORS):
                return self.other_classes(name, message, location)
        function = _FUNCTION.search(text)
        if function is not None:
            return JobDefinitionError(
                f"there is no function {function[1]} that takes these arguments",
                location=location,
                hint=f"define it: CREATE FUNCTION {function[1]} AS 'CLASS'; with its jar by --classpath or ADD JAR",
            )
        said = _plain(causes)
        if self.asked.way == "jar":
            said = f"{self.what} failed: {said}"
        return JobDefinitionError(said, location=location, hint=self.hint(failure))

    def missing(self, causes: Causes, location: Location | None) -> MissingFactory | None:
        """A connector, a format or a catalog whose jar is not there."""
        text = "\n".join(message for _, message in causes)
        if found := _FACTORY.search(text):
            name, kind = found[1], _kind(found[2])
        elif found := _FORMAT.search(text):
            name, kind = found[1], "format"
        elif found := _CONNECTOR.search(text):
            name, kind = found[1], "connector"
        else:
            return None
        listed = _AVAILABLE.search(text)
        return MissingFactory(
            f"the {kind} {name!r} is not on the class path of Flink {self.asked.flink}",
            location=location,
            hint=advice(kind, name, self.asked.flink, listed[1].split() if listed else ()),
            name=name,
            kind=kind,
        )

    def other_classes(self, name: str, message: str, location: Location | None) -> PlanError:
        shown = message.strip().replace("/", ".").split("\n")[0]
        if name in _LINK_ERRORS or "org.apache.flink" in shown or "org.apache.flink" in message.replace("/", "."):
            return JobDefinitionError(
                f"{self.what} was built for another Flink than {self.asked.flink}: {name.rsplit('.', 1)[-1]} {shown}",
                location=location,
                hint="plan with the version that it was built for: --flink 1.20, or --flink-home DIR",
            )
        return JobDefinitionError(
            f"the class {shown} is not on the class path",
            location=location,
            hint="add its jar with --classpath, or build a jar that contains it",
        )

    def python(self, failure: Mapping[str, Any]) -> PlanError:
        lacking = _LACKING.search(failure["text"])
        if lacking is not None:
            return OptionError(
                f"Java cannot load {lacking[1]} of Flink {self.asked.flink}",
                hint="it needs more memory (JAVA_TOOL_OPTIONS=-Xmx2g), or jars are missing in Flink's lib",
            )
        frames = self.own_frames(failure)
        location = Location(frames[-1][0], frames[-1][1]) if frames else self.whole
        return JobDefinitionError(failure["text"], location=location, hint=self.hint(failure))

    def own_frames(self, failure: Mapping[str, Any]) -> list[tuple[str, int, str]]:
        """The frames of the user's own files, outermost first."""
        folder = self.asked.path.absolute().parent
        found = []
        for file, line, text in failure.get("frames", ()):
            path = Path(file)
            inside = not file.startswith("<") and path.absolute().is_relative_to(folder)  # <frozen runpy> is no file
            if inside and "site-packages" not in path.parts:
                shown = self.file if path.absolute() == self.asked.path.absolute() else file
                found.append((shown, line, text))
        return found

    def location(self, failure: Mapping[str, Any], causes: Causes) -> Location | None:
        place = failure.get("place")
        if self.asked.way == "sql" and isinstance(place, int):
            at = next((found for _, message in reversed(causes) if (found := _AT.search(message))), None)
            return self.statements[place].place(self.file, *((int(at[1]), int(at[2])) if at else (1, 1)))
        frames = self.own_frames(failure)
        return Location(frames[-1][0], frames[-1][1]) if frames else self.whole

    def table_place(self, failure: Mapping[str, Any], causes: Causes) -> Location | None:
        """Where the table is defined that could not be opened; None where the statement gives it other options."""
        place = failure.get("place")
        if self.asked.way == "sql" and isinstance(place, int) and _OPTIONS_HINT.search(self.statements[place].text):
            return None
        found = next((one for _, message in causes if (one := _OF_TABLE.search(message))), None)
        defined = table_definitions(list(self.statements)).get(found[1].split(".")[-1]) if found else None
        return defined.place(self.file) if defined is not None else None

    def option_place(self, key: str) -> Location | None:
        """Where a script sets an option."""
        found = [one for one in self.statements if one.kind == "set" and one.to_dict().get("key") == key]
        return found[-1].place(self.file) if found else None

    def hint(self, failure: Mapping[str, Any]) -> str | None:
        """The way to the error in the user's own code, and what a main printed before."""
        lines = [f"{file}:{line}: {text}" for file, line, text in self.own_frames(failure)[-8:]]
        if self.asked.way == "jar":
            lines = [f"at {frame}" for frame in failure["java_frames"]]
            lines += [self.printed()] if self.printed() else []
        return "\n".join(lines) or None

    def at_statement(self, message: str, number: int, hint: str) -> PlanError:
        return JobDefinitionError(message, location=self.statements[number].place(self.file), hint=hint)

    def no_jvm(self, failure: Mapping[str, Any]) -> PlanError:
        return OptionError(
            f"Java did not start: {failure['text']}",
            hint=self.printed() or f"see whether {failure['java']} -version works",
        )

    def too_long(self) -> PlanError:
        limit = f"{self.request.time_limit:g} s"
        said = self.outcome.of("started") and self.asked.way != "sql"
        message = f"{self.what} did not end within {limit}" if said else f"Flink did not answer within {limit}"
        hint = "give it more time with --time-limit 5min"
        return JobDefinitionError(message, location=self.whole, hint=self.with_printed(hint))

    def needs_memory(self, what: str, location: Location | None) -> PlanError:
        return OptionError(
            f"{self.what} needs more memory than Java may take{f': {what}' if what else ''}",
            location=location,
            hint="give Java more: JAVA_TOOL_OPTIONS=-Xmx4g plan ...",
        )

    def broke_off(self) -> PlanError:
        memory = _ENDED_FOR_MEMORY.search(self.outcome.said)
        if memory is not None:
            return self.needs_memory(memory[1] or "", self.whole)
        ends = self.outcome.of("end")
        code = ends[-1].get("exit") if ends else self.outcome.exit_code
        what = "Java" if ends or self.asked.way != "script" else "the script's Python"
        how = f"{what} is gone" if not code else f"{what} ended with exit code {code}"
        if code is not None and code < 0:
            how = f"signal {-code} ended {what}"
            how += ", perhaps since the machine has no memory left" if code == -9 else ""
        return OptionError(
            f"asking Flink broke off: {how}",
            location=self.whole,
            hint=self.with_printed("run it again; if it happens again, report it with what is printed above"),
        )

    def no_job(self, end: Mapping[str, Any]) -> PlanError:
        """A program that ended, and executed nothing."""
        if self.asked.way == "sql":
            return JobDefinitionError(
                "the script executes no job",
                location=self.whole,
                hint="an INSERT, a SELECT, a statement set or CREATE TABLE AS is a job",
            )
        code = end.get("exit")
        if code:
            message = f"{self.what} ended itself with exit code {code} before it executed a job"
            hint = "give it the arguments that it asks for after --"
        else:
            message, hint = f"{self.what} ended without executing a job", "it must call execute()"
        return JobDefinitionError(message, location=self.whole, hint=self.with_printed(hint))

    def with_printed(self, hint: str) -> str:
        printed = self.printed()
        return f"{hint}\n{printed}" if printed else hint

    def printed(self) -> str:
        """The last lines that a program printed."""
        lines = [line[:200] for line in self.outcome.last_lines]
        return "\n".join(["it printed:", *(f"  {line}" for line in lines)]) if lines else ""


def _kind(factory: str) -> str:
    """What a factory of Flink makes, in a user's word."""
    name = factory.rsplit(".", 1)[-1]
    for part, kind in (("Catalog", "catalog"), ("Format", "format"), ("Module", "module")):
        if part in name:
            return kind
    return "connector"


def _one_line(lines: Sequence[str]) -> str:
    """Lines as one; where Flink lists words below each other, commas part them."""
    text, last = "", ""
    for line in lines:
        listed = last and " " not in last and last[-1] not in ".:,;"
        text += (", " if " " not in line else "; ") if listed else " " if text else ""
        text, last = text + line, line
    return text


def _plain(causes: Causes) -> str:
    """What is wrong, in Flink's words: the innermost message that says something, without its place."""
    said = [(name, message) for name, message in causes if message.strip()]
    if not said:
        return causes[-1][0].rsplit(".", 1)[-1]
    name, message = said[-1]
    short = name.rsplit(".", 1)[-1]
    text = _PLACE_WORDS.sub("", message.strip())
    text = text.split("\nWas expecting")[0].strip()
    text = _one_line([line.strip() for line in text.splitlines() if line.strip()])
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    if short in ("TokenMgrError", "ParseException", "SqlParseException"):
        return f"syntax error: {text[:1].lower()}{text[1:]}"
    informative = short.endswith(
        ("ValidationException", "ValidatorException", "ValidateException", "TableException", "CalciteException")
    )
    return text if informative or short in _WRAPPERS else f"{short}: {text}"
