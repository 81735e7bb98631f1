"""Runs beside Flink: starts its JVM, lets Flink compile a program, and writes down every job that it would submit.

This file is run as a program of its own, by an interpreter that may be the owner's: it needs Python 3.8 and py4j, and
imports nothing of ours. Every way to execute a Flink job ends in one call, `PipelineExecutor.execute(graph, ...)`. Here
a Python object is that executor. It reads the graph and answers with a job that has already finished and found nothing,
so nothing is submitted, and a program that waits for a result goes on.

    python in_flink.py REQUEST.json       # answers are appended to the file that the request names, one JSON line each

The answers: `flink` with its version once it is there, `started` before user code, `job` with an export for each job,
`read` once the program looks into a result, `failure` with what went wrong, `end` with how the program ended.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_STREAM_GRAPH = "org.apache.flink.streaming.api.graph.StreamGraph"
_OPENED = (
    "java.lang", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.text", "java.time", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks", "java.util.function",
    "java.util.stream", "sun.nio.ch",
)  # fmt: skip
_NOT_THE_USERS = (
    "java.", "javax.", "jdk.", "sun.", "com.sun.", "py4j.", "app//", "scala.", "org.apache.flink.",
    "org.apache.calcite.",
)  # fmt: skip
_UNLIMITED = 2147483647
# What a client of Flink must find in its configuration to hand a job to an executor, and not to wait for it.
_DETACHED = {"execution.target": "plan", "execution.attached": "false"}
# A program waits for its jobs, as with `flink run`: it may go on to read what execute() gives it.
_ATTACHED = {**_DETACHED, "execution.attached": "true"}
# Where execute() asks for the result of its job, in a Java stack.
_EXECUTE = (
    "org.apache.flink.client.program.StreamContextEnvironment.",
    "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment.",
)


class Answers:
    """The file for the answers: each is one line, written at once, so that it stands if the process is killed."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._lock = threading.Lock()

    def add(self, **answer: Any) -> None:
        """Add one answer."""
        line = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._file, line) :]


# --- Flink's JVM ------------------------------------------------------------------------------------------------------


class NoJvm(Exception):
    """The JVM ended before it could be used."""


class Jvm:
    """A JVM with Flink's jars on its class path, reached through py4j: on loopback, with a token, both ways."""

    def __init__(self, request: dict[str, Any]) -> None:
        from py4j.java_gateway import CallbackServerParameters, GatewayParameters, JavaGateway

        self.process = self._start(request)
        port, token = self._address()
        self._output = threading.Thread(target=self._pass_on_output, daemon=True)
        self._output.start()
        self.gateway = JavaGateway(
            gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True),
            callback_server_parameters=CallbackServerParameters(
                port=0, daemonize=True, daemonize_connections=True, auth_token=token
            ),
        )
        self._point_callbacks_here(token)

    def _start(self, request: dict[str, Any]) -> Any:
        from py4j.java_gateway import find_jar_path

        command = [
            request["java"],
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+DisplayVMOutputToStderr", "-Xshare:auto",
            "-XX:+ExitOnOutOfMemoryError",  # py4j's threads would die of it, and leave this side waiting
            "-Xlog:disable", "-Xlog:all=error:stderr",
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            f"-Djava.io.tmpdir={request['temporary']}", f"-XX:ErrorFile={request['temporary']}/crash.log",
            f"-Dlog4j.configurationFile={request['logging']}", f"-Dlog4j2.configurationFile={request['logging']}",
            *request["java_options"],
            "-classpath", os.pathsep.join([find_jar_path(), *request["class_path"]]),
            "py4j.GatewayServer", "--enable-auth", "0",
        ]  # fmt: skip
        # Without input: a main that reads some finds its end, and none of ours.
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def _address(self) -> tuple[int, str]:
        """The port and the token, which py4j prints first; a JVM may complain before."""
        for line in self.process.stdout:
            if line.strip().isdigit():
                return int(line), self.process.stdout.readline().decode().strip()
            sys.stderr.buffer.write(line)
        sys.stderr.flush()
        raise NoJvm(f"Java ended with exit code {self.process.wait()}")

    def _pass_on_output(self) -> None:
        while piece := os.read(self.process.stdout.fileno(), 65536):
            os.write(2, piece)

    def _point_callbacks_here(self, token: str) -> None:
        """The JVM calls back with the token: py4j's own reset keeps a client that has none."""
        server = self.gateway.java_gateway_server
        client = self.gateway.jvm.py4j.CallbackClient(
            self.gateway.get_callback_server().get_listening_port(), server.getCallbackClient().getAddress(), token
        )
        field = self.gateway.jvm.java.lang.Class.forName("py4j.Gateway").getDeclaredField("cbClient")
        field.setAccessible(True)
        field.set(server.getGateway(), client)

    def end(self) -> None:
        """End the JVM, and pass on what is left of its output."""
        self.process.kill()
        self.process.wait()
        self._output.join(2)


# --- the executor that submits nothing --------------------------------------------------------------------------------


class Executor:
    """Flink's loader of executors, their factory and the executor in one: it writes each graph down."""

    def __init__(self, gateway: Any, answers: Answers) -> None:
        self.gateway, self.jvm, self.answers = gateway, gateway.jvm, answers
        self.asked = False  # for the result of a job
        self.read = False  # whether records of a result were looked for, of which there are none
        self.place: Any = None  # what the program is at: the number of a statement, or a function that finds the line
        self.jobs = 0
        self.renamed: dict[str, str] = {}  # files of our own folder, and how the program calls them

    def getExecutorFactory(self, configuration: Any) -> Executor:
        return self

    def getExecutorNames(self) -> Any:
        return self.jvm.java.util.stream.Stream.empty()

    def getName(self) -> str:
        return "plan"

    def isCompatibleWith(self, configuration: Any) -> bool:
        return True

    def getExecutor(self, configuration: Any) -> Executor:
        return self

    def execute(self, graph: Any, configuration: Any, loader: Any) -> Any:
        """Write the graph down now: the JVM may be gone in a moment."""
        kind = graph.getClass().getName()
        if kind != _STREAM_GRAPH:
            self.answers.add(failure={"kind": "not a stream graph", "name": kind})
        else:
            place = self.place() if callable(self.place) else self.place
            document = GraphReader(self.gateway).read(graph)
            self.answers.add(job=document, place=place, after_result=self.asked, **self.beside(graph, loader))
            self.jobs += 1
        return completed(self.jvm, FinishedJob(self))

    def note_reading(self) -> None:
        """The program meets an empty result. Write that down, once: it may be why the program fails later."""
        self.asked = True
        if not self.read:
            self.read = True
            self.answers.add(read=self.jobs)

    def beside(self, graph: Any, loader: Any) -> dict[str, Any]:
        """What else is written down of a job; tests compare with Flink's own job graph."""
        return {}

    class Java:
        implements = [
            "org.apache.flink.core.execution.PipelineExecutorServiceLoader",
            "org.apache.flink.core.execution.PipelineExecutorFactory",
            "org.apache.flink.core.execution.PipelineExecutor",
        ]


def completed(jvm: Any, value: Any) -> Any:
    """A future with its value."""
    return jvm.java.util.concurrent.CompletableFuture.completedFuture(value)


class FinishedJob:
    """Flink's client of a job: it has finished, and its result is empty."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.jvm = executor, executor.jvm
        self.id = self.jvm.org.apache.flink.api.common.JobID.generate()

    def getJobID(self) -> Any:
        return self.id

    def getJobStatus(self) -> Any:
        return completed(self.jvm, self.jvm.org.apache.flink.api.common.JobStatus.FINISHED)

    def getJobExecutionResult(self, *_: Any) -> Any:
        if not self._only_waits():
            self.executor.asked = True
        made = self.jvm.org.apache.flink.api.common.JobExecutionResult(self.id, 0, NoRecords(self.executor))
        return completed(self.jvm, made)

    def _only_waits(self) -> bool:
        """Whether execute() itself asks, to wait for the end of the job; who reads what it gives is seen later."""
        for stack in list(self.jvm.java.lang.Thread.getAllStackTraces().values()):
            if not len(stack) or "read" not in str(stack[0]):  # who asked waits for our answer
                continue
            frames = [str(frame) for frame in stack]
            for at, frame in enumerate(frames[:-1]):
                if ".getJobExecutionResult(" in frame and "Proxy" in frame:
                    return frames[at + 1].split("/")[-1].startswith(_EXECUTE)
        return False

    def getAccumulators(self, *_: Any) -> Any:
        self.executor.note_reading()
        return completed(self.jvm, self.jvm.java.util.HashMap())

    def cancel(self) -> Any:
        return completed(self.jvm, None)

    def stopWithSavepoint(self, *_: Any) -> Any:
        return self._refused("there is no savepoint of a job that was not run")

    def triggerSavepoint(self, *_: Any) -> Any:
        return self._refused("there is no savepoint of a job that was not run")

    def sendCoordinationRequest(self, *_: Any) -> Any:
        return self._refused("the job was not run")

    def reportHeartbeat(self, *_: Any) -> None:
        return None

    def _refused(self, why: str) -> Any:
        future = self.jvm.java.util.concurrent.CompletableFuture()
        future.completeExceptionally(self.jvm.java.lang.UnsupportedOperationException(f"plan: {why}"))
        return future

    class Java:
        implements = [
            "org.apache.flink.core.execution.JobClient",
            "org.apache.flink.runtime.operators.coordination.CoordinationRequestGateway",
        ]


class NoRecords:
    """The accumulators of a finished job: whichever a program collects, it has no records."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.jvm = executor, executor.jvm

    def get(self, name: Any) -> Any:
        self.executor.note_reading()
        flink = self.jvm.org.apache.flink
        empty = flink.streaming.api.operators.collect.CollectSinkFunction.serializeAccumulatorResult(
            0, "", 0, self.jvm.java.util.ArrayList()
        )
        collected = flink.api.common.accumulators.SerializedListAccumulator()
        collected.add(empty, flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer.INSTANCE)
        return flink.util.OptionalFailure.of(collected.getLocalValue())

    def isEmpty(self) -> bool:
        return True

    def size(self) -> int:
        return 0

    def containsKey(self, key: Any) -> bool:
        return False

    def entrySet(self) -> Any:
        self.executor.note_reading()
        return self.jvm.java.util.HashSet()

    keySet = values = entrySet

    def toString(self) -> str:
        return "{}"

    class Java:
        implements = ["java.util.Map"]


class GraphReader:
    """Reads a stream graph through its getters: the facts that docs/java/StreamGraphExport.java prints."""

    def __init__(self, gateway: Any) -> None:
        self.jvm = gateway.jvm
        self._kinds: dict[str, tuple[bool, bool]] = {}
        self._hidden: dict[str, Any] = {}
        self._no_types = gateway.new_array(self.jvm.java.lang.Class, 0)
        self._no_values = gateway.new_array(self.jvm.java.lang.Object, 0)

    def read(self, graph: Any) -> dict[str, Any]:
        """The export of a graph."""
        nodes = sorted(self.jvm.java.util.ArrayList(graph.getStreamNodes()), key=lambda node: node.getId())
        position = self.jvm.java.util.HashMap()  # in the JVM: which edges are equal is for Flink to say
        edges: list[Any] = []
        for node in nodes:
            for edge in node.getOutEdges():
                position.put(edge, len(edges))
                edges.append(edge)
        different = graph.isChainingOfOperatorsWithDifferentMaxParallelismEnabled()
        return {
            "format": "plan-stream-graph/1",
            "flink": flink_version(self.jvm),
            "name": graph.getJobName(),
            "type": graph.getJobType().name(),
            "chaining": graph.isChainingEnabled(),
            "chain_different_max_parallelism": different,
            "exchanges": graph.getGlobalStreamExchangeMode().name(),
            "nodes": [self._node(node, position) for node in nodes],
            "edges": [self._edge(edge) for edge in edges],
        }

    def _node(self, node: Any, position: Any) -> dict[str, Any]:
        factory = node.getOperatorFactory()
        is_source, is_yielding = (False, False) if factory is None else self._kind(factory)
        legacy = factory is not None and factory.isLegacySource()
        return {
            "id": node.getId(),
            "name": node.getOperatorName(),
            "description": node.getOperatorDescription(),
            "parallelism": node.getParallelism(),
            "parallelism_configured": self._call(node, "isParallelismConfigured"),
            "max_parallelism": self._call(node, "getMaxParallelism"),
            "slot_sharing_group": node.getSlotSharingGroup(),
            "co_location_group": node.getCoLocationGroup(),
            "chaining_strategy": None if factory is None else factory.getChainingStrategy().name(),
            "source": "new" if is_source else "legacy" if legacy else None,
            "yielding": is_yielding,
            "keyed": node.getStateKeySerializer() is not None,
            "output_type": self._row_type(node.getTypeSerializerOut()),
            "buffer_timeout": node.getBufferTimeout(),
            "uid": node.getTransformationUID(),
            "user_hash": node.getUserHash(),
            "inputs": [position.get(edge) for edge in node.getInEdges()],
        }

    def _edge(self, edge: Any) -> dict[str, Any]:
        partitioner, tag = edge.getPartitioner(), edge.getOutputTag()
        return {
            "source": edge.getSourceId(),
            "target": edge.getTargetId(),
            "partitioner": partitioner.toString(),
            "partitioner_class": partitioner.getClass().getSimpleName(),
            "exchange_mode": edge.getExchangeMode().name(),
            "type_number": edge.getTypeNumber(),
            "side_output": None if tag is None else tag.getId(),
        }

    def _kind(self, factory: Any) -> tuple[bool, bool]:
        """Of an operator's factory: whether it makes a source, and whether its operator yields to a mailbox."""
        factory_class = factory.getClass()
        name = factory_class.getName()
        if name not in self._kinds:
            names: set[str] = set()
            waiting = [factory_class]
            while waiting:
                one = waiting.pop()
                if one is not None and one.getName() not in names:
                    names.add(one.getName())
                    waiting += [one.getSuperclass(), *one.getInterfaces()]
            yields = any(one.rsplit(".", 1)[-1] == "YieldingOperatorFactory" for one in names)
            self._kinds[name] = ("org.apache.flink.streaming.api.operators.SourceOperatorFactory" in names, yields)
        return self._kinds[name]

    def _row_type(self, serializer: Any) -> str | None:
        """The types of the columns that SQL operators exchange: in a graph only their serializer has them."""
        if serializer is None or serializer.getClass().getSimpleName() != "RowDataSerializer":
            return None
        types = serializer.getClass().getDeclaredField("types")
        types.setAccessible(True)
        return ", ".join(str(one.toString()) for one in types.get(serializer))

    def _call(self, node: Any, getter: str) -> Any:
        """Call a getter of a stream node that is not public in every version."""
        if getter not in self._hidden:
            node_class = self.jvm.java.lang.Class.forName("org.apache.flink.streaming.api.graph.StreamNode")
            self._hidden[getter] = node_class.getDeclaredMethod(getter, self._no_types)
            self._hidden[getter].setAccessible(True)
        return self._hidden[getter].invoke(node, self._no_values)


def flink_version(jvm: Any) -> str:
    """The version of Flink in a JVM."""
    return str(jvm.org.apache.flink.runtime.util.EnvironmentInformation.getVersion())


def configuration(jvm: Any, values: dict[str, Any]) -> Any:
    """A configuration of Flink."""
    made = jvm.org.apache.flink.configuration.Configuration()
    for key, value in values.items():
        made.setString(key, str(value))
    return made


# --- the three ways ---------------------------------------------------------------------------------------------------


class SqlScript:
    """Runs the statements of a SQL script one after the other, as Flink's SQL client does with `-f`."""

    def __init__(self, jvm: Any, executor: Executor, request: dict[str, Any]) -> None:
        self.jvm, self.executor = jvm, executor
        self.given: dict[str, str] = request["configuration"]
        self.temporary: str = request["temporary"]
        self.guarded: bool = request.get("guard_catalogs", False)
        self.options = dict(self.given)
        self.first: Any = None  # the first environment: its catalogs, functions, modules and jars serve all later ones
        self.environment: Any = None  # the one for the options as they are now
        self.together: Any = None  # the statement set that is open
        self.inserts = 0  # of that set
        self.plans: dict[str, str] = {}  # compiled plans: the file that a script names, and the one they are in

    def run(self, statements: list[dict[str, str]]) -> None:
        """Run all of them; an error says at which statement it was."""
        for number, statement in enumerate(statements):
            self.executor.place = number
            self.executor.asked = False  # no statement depends on what an earlier one found
            if self.together is not None and statement["kind"] not in ("job", "end"):
                raise Refusal("not an insert")
            getattr(self, f"_{statement['kind']}")(statement)
        if self.together is not None:
            raise Refusal("unfinished statement set")

    def _tables(self) -> Any:
        """The environment: made when a statement needs it, and again when options have changed since."""
        if self.environment is None:
            flink = self.jvm.org.apache.flink
            made = configuration(self.jvm, {**self.options, **_DETACHED})
            loader = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
            stream = flink.streaming.api.environment.StreamExecutionEnvironment(self.executor, made, loader)
            settings = flink.table.api.EnvironmentSettings.newInstance().withConfiguration(made).build()
            if self.first is None:
                self.first = flink.table.api.bridge.java.StreamTableEnvironment.create(stream, settings)
                self.environment = self.first
            else:
                self.environment = self._next(stream, settings)
        return self.environment

    def _next(self, stream: Any, settings: Any) -> Any:
        """An environment with other options and all that the script has defined, made as Flink's SQL gateway does."""
        table, bridge = self.jvm.org.apache.flink.table, self.jvm.org.apache.flink.table.api.bridge
        resources, functions = self._of_first("resourceManager"), self._of_first("functionCatalog")
        catalogs, modules = self._of_first("catalogManager"), self._of_first("moduleManager")
        loader = resources.getUserClassLoader()
        executor = bridge.internal.AbstractStreamTableEnvironmentImpl.lookupExecutor(loader, stream)
        config = table.api.TableConfig.getDefault()
        config.setRootConfiguration(executor.getConfiguration())
        config.addConfiguration(settings.getConfiguration())
        make = table.factories.PlannerFactoryUtil.createPlanner
        planner = make(executor, config, loader, modules, catalogs, functions)
        return bridge.java.internal.StreamTableEnvironmentImpl(
            catalogs, modules, resources, functions, config, stream, planner, executor, settings.isStreamingMode()
        )

    def _of_first(self, name: str) -> Any:
        """A field of the first environment that is not public."""
        holder = self.jvm.java.lang.Class.forName("org.apache.flink.table.api.internal.TableEnvironmentImpl")
        field = holder.getDeclaredField(name)
        field.setAccessible(True)
        return field.get(self.first)

    def _set(self, statement: dict[str, str]) -> None:
        self.options[statement["key"]] = statement["value"]
        self.environment = None

    def _reset(self, statement: dict[str, str]) -> None:
        key = statement.get("key")
        if key is None:
            self.options = dict(self.given)
        elif key in self.given:
            self.options[key] = self.given[key]
        else:
            self.options.pop(key, None)
        self.environment = None

    def _begin(self, statement: dict[str, str]) -> None:
        self.together, self.inserts = self._tables().createStatementSet(), 0

    def _end(self, statement: dict[str, str]) -> None:
        if self.together is None:
            raise Refusal("no statement set")
        done, self.together = self.together, None
        if self.inserts:
            done.execute()

    def _definition(self, statement: dict[str, str]) -> None:
        tables = self._tables()
        if self.guarded:
            guard = CatalogGuard(tables, self.options.get("table.catalog-store.kind", "generic_in_memory"))
            for operation in tables.getParser().parse(statement["text"]):
                guard.check(operation)
        tables.executeSql(statement["text"])

    def _job(self, statement: dict[str, str]) -> None:
        if self.together is not None:
            self.together.addInsertSql(statement["text"])
            self.inserts += 1
            return
        tables = self._tables()
        if statement["text"][:6].upper() == "DELETE":
            for operation in tables.getParser().parse(statement["text"]):
                if operation.getClass().getSimpleName() == "DeleteFromFilterOperation":
                    raise Refusal("deletes at once")
        tables.executeSql(statement["text"])

    def _compile(self, statement: dict[str, str]) -> None:
        """A compiled plan is written beside, not where the script says: explaining changes no files."""
        self._tables().executeSql(self._in_own_folder(statement))

    _execute_plan = _compile

    def _in_own_folder(self, statement: dict[str, str]) -> str:
        file, text = statement["file"], statement["text"]
        if file not in self.plans:
            path = os.path.join(self.temporary, f"plan-{len(self.plans) + 1}.json")
            written = file[len("file://") :] if file.startswith("file:///") else file
            if os.path.isfile(written):
                shutil.copyfile(written, path)
            elif statement["kind"] == "execute_plan":
                raise Refusal("no plan", file=file)
            self.plans[file] = path
            self.executor.renamed[path] = file
        begin = int(statement["file_begin"])
        return f"{text[:begin]}'{self.plans[file]}'{text[int(statement['file_end']) :]}"

    def _skip(self, statement: dict[str, str]) -> None:
        return None


class CatalogGuard:
    """Refuses what would change a catalog outside of this JVM's memory: explaining changes nothing there."""

    def __init__(self, tables: Any, store: str) -> None:
        self.tables, self.store = tables, store

    def check(self, operation: Any) -> None:
        """Refuse an operation that would change such a catalog."""
        kind = operation.getClass().getSimpleName()
        if not kind.startswith(("Create", "Alter", "Drop", "Replace")):
            return None
        getters = {one.getName(): one.getReturnType().getSimpleName() for one in operation.getClass().getMethods()}
        if "getCreateTableOperation" in getters:  # CREATE TABLE AS
            return self.check(operation.getCreateTableOperation())
        if "isTemporary" in getters and operation.isTemporary():
            return None
        identifying = next((name for name, gives in getters.items() if gives == "ObjectIdentifier"), None)
        if kind in ("CreateCatalogOperation", "DropCatalogOperation") or kind.startswith("AlterCatalog"):
            if self.store == "generic_in_memory":
                return None
            raise Refusal("changes a catalog", catalog="the store of catalogs")
        identifier = getattr(operation, identifying)() if identifying else None
        if identifier is None and "getCatalogName" not in getters:
            return None  # a system function, a module
        name = operation.getCatalogName() if identifier is None else identifier.getCatalogName()
        catalog = self.tables.getCatalog(name).orElse(None)
        if catalog is None or catalog.getClass().getName() == "org.apache.flink.table.catalog.GenericInMemoryCatalog":
            return None
        if not self._without_effect(operation, kind, getters, identifier, catalog):
            raise Refusal("changes a catalog", catalog=f"the catalog {name!r}")
        return None

    def _without_effect(self, operation: Any, kind: str, getters: Any, identifier: Any, catalog: Any) -> bool:
        """Whether IF NOT EXISTS meets what exists, or IF EXISTS what does not."""
        if kind in ("CreateTableOperation", "CreateViewOperation", "DropTableOperation", "DropViewOperation"):
            exists = catalog.tableExists(identifier.toObjectPath())
        elif kind in ("CreateDatabaseOperation", "DropDatabaseOperation"):
            exists = catalog.databaseExists(operation.getDatabaseName())
        else:
            return False
        if kind.startswith("Create"):
            return bool(exists and operation.isIgnoreIfExists())
        return not exists and "isIfExists" in getters and bool(operation.isIfExists())


class Refusal(Exception):
    """What a program does wrong; the message is a word that the other side knows."""

    def __init__(self, kind: str, **more: str) -> None:
        super().__init__(kind)
        self.more = more


def run_sql(request: dict[str, Any], answers: Answers, executor_class: type[Executor]) -> Jvm:
    """Compile a SQL script."""
    jvm = Jvm(request)
    executor = executor_class(jvm.gateway, answers)
    answers.add(flink=flink_version(jvm.gateway.jvm))
    script = SqlScript(jvm.gateway.jvm, executor, request)
    _guarded(lambda: script.run(request["statements"]), jvm.gateway, answers, executor, jvm.process)
    return jvm


def run_training(request: dict[str, Any], answers: Answers, executor_class: type[Executor]) -> None:
    """Compile statements, or else a small stream, in a JVM that writes an archive of its classes when it ends."""
    jvm = Jvm(request)
    java = jvm.gateway.jvm
    executor = executor_class(jvm.gateway, answers)
    if request["statements"]:
        SqlScript(java, executor, request).run(request["statements"])
    else:
        loader = java.java.lang.Thread.currentThread().getContextClassLoader()
        for name in ("client.program.PackagedProgram", "client.program.StreamContextEnvironment", "client.ClientUtils"):
            java.java.lang.Class.forName(f"org.apache.flink.{name}")
        environment = java.org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
        stream = environment(executor, configuration(java, _DETACHED), loader)
        stream.fromSequence(1, 2).rebalance().print()
        stream.execute("training")
    jvm.process.terminate()
    answers.add(end={"exit": jvm.process.wait()})


def run_jar(request: dict[str, Any], answers: Answers, executor_class: type[Executor]) -> Jvm:
    """Compile the jobs of a jar's main, as `flink run` does."""
    jvm = Jvm(request)
    gateway, java = jvm.gateway, jvm.gateway.jvm
    executor = executor_class(gateway, answers)
    answers.add(flink=flink_version(java))

    def run() -> None:
        made = configuration(java, {**request["configuration"], **_ATTACHED})
        arguments = gateway.new_array(java.java.lang.String, len(request["arguments"]))
        for position, argument in enumerate(request["arguments"]):
            arguments[position] = argument
        more = java.java.util.ArrayList()
        for path in request["user_class_path"]:
            more.add(java.java.io.File(path).toURI().toURL())
        builder = java.org.apache.flink.client.program.PackagedProgram.newBuilder()
        builder.setJarFile(java.java.io.File(request["jar"])).setArguments(arguments).setConfiguration(made)
        builder.setUserClassPaths(more)
        if request["main_class"]:
            builder.setEntryPointClassName(request["main_class"])
        program = builder.build()
        answers.add(started=True)
        java.org.apache.flink.client.ClientUtils.executeProgram(executor, made, program, False, True)

    _guarded(run, gateway, answers, executor, jvm.process)
    return jvm


def run_script(request: dict[str, Any], answers: Answers, executor_class: type[Executor]) -> None:
    """Run a PyFlink script with real PyFlink, whose environments then find our executor."""
    try:
        from pyflink.java_gateway import get_gateway
    except ImportError as error:
        answers.add(failure={"kind": "no pyflink", "text": str(error), "python": sys.executable})
        return
    gateway = get_gateway()
    jvm = gateway.jvm
    executor = executor_class(gateway, answers)
    answers.add(flink=flink_version(jvm), python=sys.version.split()[0])
    made = configuration(jvm, {**request["configuration"], **_ATTACHED})
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    context = jvm.org.apache.flink.client.program.StreamContextEnvironment
    if _parameters(jvm, context, "setAsContext") == 5:
        context.setAsContext(executor, made, loader, False, True)
    else:  # since 2.3 it counts jobs
        nothing = jvm.java.util.ArrayList()
        context.setAsContext(executor, made, loader, _UNLIMITED, _UNLIMITED, True, None, None, nothing)
    script = request["script"]
    folder = os.path.dirname(os.path.abspath(script))
    sys.argv = [script, *request["arguments"]]
    sys.path.insert(0, folder)
    executor.place = lambda: _line_of(script)
    if request["user_class_path"]:
        from pyflink.util.java_utils import add_jars_to_context_class_loader

        add_jars_to_context_class_loader([f"file://{path}" for path in request["user_class_path"]])
    answers.add(started=True)

    def run() -> None:
        import runpy

        runpy.run_path(script, run_name="__main__")

    _guarded(run, gateway, answers, executor, None)


def _parameters(jvm: Any, java_class: Any, name: str) -> int:
    """How many parameters a method of a Java class takes."""
    methods = jvm.java.lang.Class.forName(java_class._fqn).getMethods()
    return max(int(one.getParameterCount()) for one in methods if one.getName() == name)


def _line_of(script: str) -> int | None:
    """The line of a script that is being run, in whichever thread."""
    for frame in sys._current_frames().values():
        one: Any = frame
        while one is not None:
            if one.f_code.co_filename == script:
                return int(one.f_lineno)
            one = one.f_back
    return None


# --- what went wrong --------------------------------------------------------------------------------------------------


def _guarded(run: Any, gateway: Any, answers: Answers, executor: Executor, process: Any) -> None:
    """Run a program, and write down how it ended."""
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        run()
    except SystemExit as error:
        answers.add(end={"exit": error.code if isinstance(error.code, int) else 0 if error.code is None else 1})
        return
    except Refusal as error:
        answers.add(failure={"kind": str(error), "place": executor.place, **error.more})
    except Py4JJavaError as error:
        failure = _java_failure(error, _number(executor))
        for path, name in executor.renamed.items():
            failure["causes"] = [[kind, said.replace(path, name)] for kind, said in failure["causes"]]
        answers.add(failure=failure)
    except (Py4JError, OSError) as error:
        code = _ended(process)
        if code is None:
            answers.add(failure=_python_failure(error))
        else:
            answers.add(end={"exit": code})
            return
    except BaseException as error:
        answers.add(failure=_python_failure(error))
    else:
        answers.add(end={"jobs": executor.jobs})


def _number(executor: Executor) -> Any:
    return executor.place if isinstance(executor.place, int) else None


def _ended(process: Any) -> int | None:
    """The exit code of a JVM that is ending; None where it is not."""
    if process is None:
        return None
    try:
        return int(process.wait(10))
    except subprocess.TimeoutExpired:
        return None


def _java_failure(error: Any, place: Any) -> dict[str, Any]:
    causes: list[list[str]] = []
    one, inner = error.java_exception, None
    while one is not None and len(causes) < 40:
        causes.append([one.getClass().getName(), one.getMessage() or ""])
        one, inner = one.getCause(), one
    frames = [str(frame) for frame in list(inner.getStackTrace())[:200]] if inner is not None else []
    own = [frame for frame in frames if not frame.startswith(_NOT_THE_USERS)]
    return {"kind": "java", "causes": causes, "place": place, "frames": _frames(error), "java_frames": own[:8]}


def _python_failure(error: BaseException) -> dict[str, Any]:
    """What a script raised; PyFlink wraps what Java throws in exceptions of its own."""
    wrapped = error if hasattr(error, "java_exception") else getattr(error, "cause", None)
    if getattr(wrapped, "java_exception", None) is not None:
        return {**_java_failure(wrapped, None), "frames": _frames(error)}
    import traceback

    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"kind": "python", "type": type(error).__name__, "text": text, "frames": _frames(error)}


def _frames(error: BaseException) -> list[list[Any]]:
    """The frames of an error, without those of this file."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return [[one.filename, one.lineno, one.line or ""] for one in frames if one.filename != os.path.abspath(__file__)]


# --- the program ------------------------------------------------------------------------------------------------------

WAYS: dict[str, Any] = {"sql": run_sql, "jar": run_jar, "script": run_script, "training": run_training}


def main(request: dict[str, Any], executor_class: type[Executor] = Executor) -> None:
    """Answer a request; the process ends with it, whatever threads are left."""
    _hold_on_to_the_caller(request["temporary"])
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)  # it logs each connection that breaks when a JVM ends
    if request["way"] != "script":
        logging.disable(logging.CRITICAL)  # and some of them with the root's logger
    answers = Answers(request["answers"])
    try:
        jvm = WAYS[request["way"]](request, answers, executor_class)
        if jvm is not None:
            jvm.end()
    except ImportError as error:
        answers.add(failure={"kind": "no py4j", "text": str(error), "python": sys.executable})
    except NoJvm as error:
        answers.add(failure={"kind": "no jvm", "text": str(error), "java": request["java"]})
    except BaseException as error:
        answers.add(failure=_python_failure(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _hold_on_to_the_caller(temporary: str) -> None:
    """End with the process that asked, however that ends: its side of our standard input is closed then.

    A process that was killed could not remove the folder of this request.
    """
    caller = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def wait() -> None:
        while os.read(caller, 1024):
            pass
        if os.getpgrp() == os.getpid():
            shutil.rmtree(temporary, ignore_errors=True)
            os.killpg(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    # The folder of this file is not one of the program's: it would hide modules of the same names.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    with open(sys.argv[1], encoding="utf-8") as _file:
        _request = json.load(_file)
    main(_request)
