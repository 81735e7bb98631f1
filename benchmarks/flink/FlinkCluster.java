import java.io.File;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecution;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.executiongraph.ArchivedExecution;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.taskexecutor.TaskExecutor;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamingJobGraphGenerator;

/**
 * Runs small jobs on a real Flink with several task managers and writes down what it did.
 *
 * <p>usage: FlinkCluster CASES.json OUT.json. A case has a job in the YAML format's shape (source, map, reduce), a cluster
 * and what to measure: placement, shortage, restart, schedule or buffers. Subtasks are [vertex position, subtask].
 */
public class FlinkCluster {
    static final ObjectMapper JSON = new ObjectMapper();
    static final long PATIENCE = 40_000; // milliseconds until a state counts as never reached

    /** Passes records on, slowly, and fails once where it is told to. */
    static class Step extends RichMapFunction<Long, Long> {
        private final int failing; // the subtask that fails on its first attempt; -1: none
        private final long pause;

        Step(int failing, long pause) {
            this.failing = failing;
            this.pause = pause;
        }

        public Long map(Long value) throws Exception {
            Thread.sleep(pause);
            var task = getRuntimeContext().getTaskInfo();
            if (task.getIndexOfThisSubtask() == failing && task.getAttemptNumber() == 0 && ready()) {
                throw new IllegalStateException("told to fail");
            }
            return value;
        }

        private long first;

        /** A job fails once everything runs, not while it is still being deployed. */
        private boolean ready() {
            first = first == 0 ? System.currentTimeMillis() : first;
            return System.currentTimeMillis() - first > 700;
        }
    }

    static class Last implements ReduceFunction<Long> {
        public Long reduce(Long one, Long other) {
            return other;
        }
    }

    static String text(JsonNode node, String field, String otherwise) {
        return node.hasNonNull(field) ? node.get(field).asText() : otherwise;
    }

    static DataStream<Long> input(JsonNode reference, Map<String, DataStream<Long>> streams) {
        if (reference.isTextual()) {
            return streams.get(reference.asText());
        }
        if (reference.isArray()) {
            DataStream<Long> all = input(reference.get(0), streams);
            for (int i = 1; i < reference.size(); i++) {
                all = all.union(input(reference.get(i), streams));
            }
            return all;
        }
        DataStream<Long> from = input(reference.get("from"), streams);
        switch (text(reference, "partition", "")) {
            case "forward": return from.forward();
            case "rebalance": return from.rebalance();
            case "rescale": return from.rescale();
            case "broadcast": return from.broadcast();
            default: throw new IllegalArgumentException("not known here: " + reference);
        }
    }

    static JobGraph build(JsonNode test, Configuration options) {
        JsonNode job = test.get("job");
        boolean batch = text(job, "runtime_mode", "streaming").equals("batch");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(options);
        env.setParallelism(job.path("parallelism").asInt(1));
        env.setRuntimeMode(batch ? RuntimeExecutionMode.BATCH : RuntimeExecutionMode.STREAMING);
        Map<String, DataStream<Long>> streams = new HashMap<>();
        JsonNode fail = test.path("fail");
        for (JsonNode operator : job.get("operators")) {
            String id = operator.get("id").asText();
            int failing = text(fail, "operator", "").equals(id) && !fail.path("lose").asBoolean() ? fail.get("subtask").asInt() : -1;
            long pause = operator.path("pause").asLong(batch ? 5 : 20);
            SingleOutputStreamOperator<Long> made;
            switch (operator.get("type").asText()) {
                case "source":
                    // In streaming mode it never ends: what follows it is slow.
                    made = env.fromSource(new NumberSequenceSource(0, batch ? job.path("records").asLong(8) - 1 : 1L << 50),
                        WatermarkStrategy.noWatermarks(), "Custom Source");
                    break;
                case "map":
                    made = input(operator.get("input"), streams).map(new Step(failing, pause));
                    break;
                case "reduce":
                    made = input(operator.get("input"), streams).keyBy(x -> x % 97).reduce(new Last());
                    break;
                default: throw new IllegalArgumentException("type " + operator.get("type"));
            }
            made.name(text(operator, "name", id));
            if (operator.hasNonNull("parallelism")) made.setParallelism(operator.get("parallelism").asInt());
            if (operator.hasNonNull("slot_sharing_group")) made.slotSharingGroup(operator.get("slot_sharing_group").asText());
            if (text(operator, "chaining", "").equals("start_new")) made.startNewChain();
            streams.put(id, made);
        }
        StreamGraph graph = env.getStreamGraph();
        return StreamingJobGraphGenerator.createJobGraph(graph);
    }

    static Configuration options(JsonNode test) {
        Configuration options = new Configuration();
        options.setString("restart-strategy.type", "fixed-delay");
        options.setString("restart-strategy.fixed-delay.attempts", "1000");
        options.setString("restart-strategy.fixed-delay.delay", "100 ms");
        options.setString("slot.request.timeout", "40 s");
        options.setString("heartbeat.interval", "500 ms");
        options.setString("heartbeat.timeout", "10 s");
        options.setString("rest.port", "0");
        options.setString("web.submit.enable", "false");
        test.path("options").fields().forEachRemaining(one -> options.setString(one.getKey(), one.getValue().asText()));
        return options;
    }

    /** One job on a cluster of its own. */
    static class Run implements AutoCloseable {
        final JobGraph graph;
        final MiniCluster cluster;
        final Map<JobVertexID, Integer> position = new HashMap<>();
        final JobID id;

        Run(JsonNode test, Configuration options) throws Exception {
            graph = build(test, options);
            for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
                position.put(vertex.getID(), position.size());
            }
            cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setNumTaskManagers(test.get("task_managers").asInt())
                .setNumSlotsPerTaskManager(test.get("slots").asInt())
                .setConfiguration(options).build());
            cluster.start();
            id = graph.getJobID();
            cluster.submitJob(graph).get();
        }

        AccessExecutionGraph now() throws Exception {
            return cluster.getExecutionGraph(id).get();
        }

        /** Waits until every subtask has reached a state, or some have and time is up. */
        boolean await(ExecutionState state, long patience) throws Exception {
            long end = System.currentTimeMillis() + patience;
            while (System.currentTimeMillis() < end) {
                if (cluster.getJobStatus(id).get() == JobStatus.FAILED) return false;
                boolean all = now().getAllExecutionVertices().iterator().hasNext();
                for (AccessExecutionVertex vertex : now().getAllExecutionVertices()) {
                    ExecutionState found = vertex.getExecutionState();
                    all &= found == state || found == ExecutionState.FINISHED;
                }
                if (all && (state != ExecutionState.FINISHED || cluster.getJobStatus(id).get() == JobStatus.FINISHED)) return true;
                Thread.sleep(50);
            }
            return false;
        }

        List<Integer> at(AccessExecutionVertex vertex, JobVertexID of) {
            return List.of(position.get(of), vertex.getParallelSubtaskIndex());
        }

        /** Subtasks by task manager, then by slot; both in the order of their first subtasks. */
        Object placement() throws Exception {
            Map<String, Map<String, List<List<Integer>>>> found = new HashMap<>();
            for (AccessExecutionJobVertex vertex : now().getVerticesTopologically()) {
                for (AccessExecutionVertex subtask : vertex.getTaskVertices()) {
                    ArchivedExecution execution = (ArchivedExecution) subtask.getCurrentExecutionAttempt();
                    if (execution.getAssignedResourceLocation() == null) continue;
                    found.computeIfAbsent(execution.getAssignedResourceLocation().getResourceID().toString(), x -> new HashMap<>())
                        .computeIfAbsent(execution.getAssignedAllocationID().toString(), x -> new ArrayList<>())
                        .add(at(subtask, vertex.getJobVertexId()));
                }
            }
            List<List<List<List<Integer>>>> managers = new ArrayList<>();
            for (var slots : found.values()) {
                List<List<List<Integer>>> sorted = new ArrayList<>(slots.values());
                for (var slot : sorted) slot.sort(FlinkCluster::compare);
                sorted.sort((one, other) -> compare(one.get(0), other.get(0)));
                managers.add(sorted);
            }
            managers.sort((one, other) -> compare(one.get(0).get(0), other.get(0).get(0)));
            return managers;
        }

        /** By vertex and subtask: the state, the attempt, and when each state was entered. */
        Object executions() throws Exception {
            List<Object> all = new ArrayList<>();
            for (AccessExecutionJobVertex vertex : now().getVerticesTopologically()) {
                for (AccessExecutionVertex subtask : vertex.getTaskVertices()) {
                    AccessExecution execution = subtask.getCurrentExecutionAttempt();
                    Map<String, Long> times = new LinkedHashMap<>();
                    for (ExecutionState state : ExecutionState.values()) {
                        if (execution.getStateTimestamp(state) > 0) times.put(state.name(), execution.getStateTimestamp(state));
                    }
                    Map<String, Object> one = new TreeMap<>();
                    one.put("subtask", at(subtask, vertex.getJobVertexId()));
                    one.put("state", execution.getState().name());
                    one.put("attempt", execution.getAttemptNumber());
                    one.put("times", times);
                    all.add(one);
                }
            }
            return all;
        }

        /** Ends the task manager on which a subtask runs. */
        void lose(int vertex, int subtask) throws Exception {
            String wanted = null;
            for (AccessExecutionJobVertex each : now().getVerticesTopologically()) {
                if (position.get(each.getJobVertexId()) == vertex) {
                    wanted = each.getTaskVertices()[subtask].getCurrentAssignedResourceLocation().getResourceID().toString();
                }
            }
            Field field = MiniCluster.class.getDeclaredField("taskManagers");
            field.setAccessible(true);
            List<TaskExecutor> managers = (List<TaskExecutor>) field.get(cluster);
            for (int number = 0; number < managers.size(); number++) {
                if (managers.get(number).getResourceID().toString().equals(wanted)) {
                    cluster.terminateTaskManager(number).get();
                    return;
                }
            }
        }

        public void close() throws Exception {
            try {
                cluster.cancelJob(id);
            } finally {
                cluster.closeAsync().get();
            }
        }
    }

    static int compare(List<Integer> one, List<Integer> other) {
        int first = Integer.compare(one.get(0), other.get(0));
        return first != 0 ? first : Integer.compare(one.get(1), other.get(1));
    }

    static Object placement(JsonNode test) throws Exception {
        try (Run run = new Run(test, options(test))) {
            if (!run.await(ExecutionState.RUNNING, PATIENCE)) return "never ran";
            return run.placement();
        }
    }

    /** What runs and what waits, with Flink's complaint. */
    static Object shortage(JsonNode test) throws Exception {
        Configuration options = options(test);
        Map<String, Object> found = new TreeMap<>();
        try (Run run = new Run(test, options)) {
            Thread.sleep(4_000);
            found.put("executions", run.executions());
            found.put("placement", run.placement());
        }
        options.setString("restart-strategy.type", "none");
        options.setString("slot.request.timeout", "2 s");
        try (Run run = new Run(test, options)) {
            Thread.sleep(6_000);
            var failure = run.now().getFailureInfo();
            found.put("message", failure == null ? null : root(failure.getExceptionAsString()));
        }
        return found;
    }

    static String root(String trace) {
        String last = "";
        for (String line : trace.split("\n")) {
            if (line.startsWith("Caused by: ") || last.isEmpty()) last = line;
        }
        return last;
    }

    /** The attempts of all subtasks once everything runs, or is finished, again. */
    static Object restart(JsonNode test) throws Exception {
        boolean batch = text(test.get("job"), "runtime_mode", "streaming").equals("batch");
        JsonNode fail = test.get("fail");
        Map<String, Object> found = new TreeMap<>();
        try (Run run = new Run(test, options(test))) {
            if (fail.path("lose").asBoolean()) {
                awaitVertex(run, fail.get("vertex").asInt());
                found.put("placement", run.placement());
                run.lose(fail.get("vertex").asInt(), fail.get("subtask").asInt());
            }
            long end = System.currentTimeMillis() + PATIENCE;
            while (System.currentTimeMillis() < end) {
                Thread.sleep(100);
                int attempts = 0;
                boolean settled = true;
                for (AccessExecutionVertex vertex : run.now().getAllExecutionVertices()) {
                    attempts += vertex.getCurrentExecutionAttempt().getAttemptNumber();
                    ExecutionState state = vertex.getExecutionState();
                    settled &= batch ? state == ExecutionState.FINISHED : state == ExecutionState.RUNNING;
                }
                boolean done = !batch || run.cluster.getJobStatus(run.id).get() == JobStatus.FINISHED;
                if (settled && done && attempts > 0) {
                    found.put("executions", run.executions());
                    return found;
                }
            }
            return "never settled";
        }
    }

    static void awaitVertex(Run run, int vertex) throws Exception {
        long end = System.currentTimeMillis() + PATIENCE;
        while (System.currentTimeMillis() < end) {
            boolean running = false; // a batch vertex is not there before its inputs are finished
            for (AccessExecutionJobVertex each : run.now().getVerticesTopologically()) {
                if (run.position.get(each.getJobVertexId()) != vertex) continue;
                running = each.getTaskVertices().length > 0;
                for (AccessExecutionVertex subtask : each.getTaskVertices()) running &= subtask.getExecutionState() == ExecutionState.RUNNING;
            }
            if (running) break;
            Thread.sleep(20);
        }
        Thread.sleep(500);
    }

    static Object schedule(JsonNode test) throws Exception {
        boolean batch = text(test.get("job"), "runtime_mode", "streaming").equals("batch");
        try (Run run = new Run(test, options(test))) {
            if (!run.await(batch ? ExecutionState.FINISHED : ExecutionState.RUNNING, PATIENCE)) return "never ran";
            return run.executions();
        }
    }

    /** The fewest network buffers of a task manager with which the job starts. */
    static Object buffers(JsonNode test) throws Exception {
        int low = 0;
        int high = test.get("most").asInt();
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (starts(test, middle)) high = middle;
            else low = middle;
        }
        return high;
    }

    static boolean starts(JsonNode test, int buffers) throws Exception {
        Configuration options = options(test);
        options.setString("restart-strategy.type", "none");
        options.setString("taskmanager.network.memory.buffers-request-timeout", "1 s");
        options.setString("taskmanager.memory.network.min", buffers * 32 + "kb");
        options.setString("taskmanager.memory.network.max", buffers * 32 + "kb");
        try (Run run = new Run(test, options)) {
            if (!run.await(ExecutionState.RUNNING, PATIENCE)) return false;
            Thread.sleep(4_000); // buffers of remote channels are asked for when tasks already run
            return run.cluster.getJobStatus(run.id).get() == JobStatus.RUNNING;
        } catch (Exception refused) {
            return false; // too few even to start the task managers
        }
    }

    static Object once(JsonNode test) throws Exception {
        switch (test.get("measure").asText()) {
            case "placement": return placement(test);
            case "shortage": return shortage(test);
            case "restart": return restart(test);
            case "schedule": return schedule(test);
            case "buffers": return buffers(test);
            default: throw new IllegalArgumentException("measure " + test.get("measure"));
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Object> all = new ArrayList<>();
        for (JsonNode test : JSON.readTree(new File(arguments[0]))) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("case", test.get("case").asText());
            List<Object> runs = new ArrayList<>();
            for (int i = 0; i < test.path("repeats").asInt(1); i++) {
                try {
                    runs.add(once(test));
                } catch (Throwable failure) {
                    runs.add("error: " + failure);
                }
            }
            result.put("runs", runs);
            all.add(result);
            System.err.println(test.get("case").asText() + " done");
            JSON.writeValue(new File(arguments[1]), all);
        }
        System.exit(0);
    }
}
