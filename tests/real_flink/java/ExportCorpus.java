import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.jsonplan.JsonPlanGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.graph.StreamingJobGraphGenerator;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.util.Collector;
import org.apache.flink.util.StringUtils;

/**
 * Compiles small jobs with real Flink and writes down, for each, what Flink exports and what it did.
 *
 * <p>usage: ExportCorpus FOLDER. Per job: streamplan.json, jobplan.json, export.json (of StreamGraphExport) and truth.json
 * (operator ids and vertices).
 */
public final class ExportCorpus {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Build> JOBS = new LinkedHashMap<>();

    private interface Build {
        void on(StreamExecutionEnvironment env) throws Exception;
    }

    private static class Same implements MapFunction<Long, Long> {
        public Long map(Long value) {
            return value;
        }
    }

    private static class Key implements KeySelector<Long, Long> {
        public Long getKey(Long value) {
            return value % 10;
        }
    }

    private static class Count extends KeyedProcessFunction<Long, Long, Long> {
        public void processElement(Long value, Context context, Collector<Long> out) {
            out.collect(value);
        }
    }

    private static class Both extends CoProcessFunction<Long, Long, Long> {
        public void processElement1(Long value, Context context, Collector<Long> out) {
            out.collect(value);
        }

        public void processElement2(Long value, Context context, Collector<Long> out) {
            out.collect(value);
        }
    }

    private static DataStreamSource<Long> source(StreamExecutionEnvironment env, String name) {
        return env.fromSource(new NumberSequenceSource(1, 1000), WatermarkStrategy.noWatermarks(), name);
    }

    private static void option(StreamExecutionEnvironment env, String key, String value) {
        Configuration options = new Configuration();
        options.setString(key, value);
        env.configure(options);
    }

    private static void defineStreams() {
        JOBS.put("union-two-sources", env -> source(env, "a").union(source(env, "b")).map(new Same()).name("merged")
                .sinkTo(new DiscardingSink<>()).name("out"));
        JOBS.put("connect", env -> source(env, "a").connect(source(env, "b")).process(new Both()).name("join")
                .sinkTo(new DiscardingSink<>()));
        JOBS.put("same-names", env -> {
            for (int branch = 0; branch < 3; branch++) {
                source(env, "a").map(new Same()).keyBy(new Key()).process(new Count()).map(new Same())
                        .sinkTo(new DiscardingSink<>());
            }
        });
        JOBS.put("diamond", env -> {
            DataStream<Long> stream = source(env, "a").map(new Same());
            stream.filter(value -> true).union(stream.map(new Same()), stream.keyBy(new Key()).process(new Count()))
                    .map(new Same()).sinkTo(new DiscardingSink<>());
            stream.sinkTo(new DiscardingSink<>());
        });
        JOBS.put("chaining-off", env -> {
            env.disableOperatorChaining();
            source(env, "a").map(new Same()).filter(value -> true).sinkTo(new DiscardingSink<>());
        });
        JOBS.put("uids", env -> {
            DataStream<Long> stream = source(env, "a").uid("source").map(new Same()).uid("map");
            stream.keyBy(new Key()).process(new Count()).uid("count").map(new Same()).sinkTo(new DiscardingSink<>());
            stream.rebalance().map(new Same()).keyBy(new Key()).process(new Count()).sinkTo(new DiscardingSink<>());
        });
        JOBS.put("slots-and-chains", env -> source(env, "a").map(new Same()).slotSharingGroup("x").map(new Same())
                .startNewChain().filter(value -> true).disableChaining().map(new Same()).setMaxParallelism(64)
                .sinkTo(new DiscardingSink<>()));
        JOBS.put("max-parallelism", env -> {
            option(env, "pipeline.operator-chaining.chain-operators-with-different-max-parallelism", "false");
            source(env, "a").map(new Same()).setMaxParallelism(64).map(new Same()).setMaxParallelism(128)
                    .sinkTo(new DiscardingSink<>());
        });
        JOBS.put("cascading", env -> {
            option(env, "pipeline.vertex-description-mode", "CASCADING");
            DataStream<Long> stream = source(env, "a -> b, (c)").map(new Same()).name("x <y> & \"z\"");
            stream.map(new Same()).name("l, r").sinkTo(new DiscardingSink<>());
            stream.filter(value -> true).keyBy(new Key()).process(new Count()).sinkTo(new DiscardingSink<>());
        });
        JOBS.put("batch", env -> {
            env.setRuntimeMode(RuntimeExecutionMode.BATCH);
            DataStream<Long> stream = source(env, "a").map(new Same());
            stream.keyBy(new Key()).process(new Count()).map(new Same()).setParallelism(2).map(new Same())
                    .sinkTo(new DiscardingSink<>());
            stream.map(new Same()).setParallelism(1).sinkTo(new DiscardingSink<>());
        });
        JOBS.put("batch-two-sources", env -> {
            env.setRuntimeMode(RuntimeExecutionMode.BATCH);
            source(env, "a").union(source(env, "b")).map(new Same()).startNewChain().connect(source(env, "c"))
                    .process(new Both()).disableChaining().sinkTo(new DiscardingSink<>());
        });
    }

    private static void defineQueries() {
        query("aggregate", false, "INSERT INTO o SELECT k, COUNT(*) FROM a GROUP BY k");
        query("join", false, "INSERT INTO p SELECT a.id, b.k FROM a JOIN b ON a.id = b.id");
        query("two-sinks", false, "INSERT INTO o SELECT k, COUNT(*) FROM a GROUP BY k", "INSERT INTO p SELECT id, k FROM a");
        query("union", false, "INSERT INTO p SELECT id, k FROM a UNION ALL SELECT id, k FROM b");
        query("aggregate", true, "INSERT INTO o SELECT k, COUNT(*) FROM a GROUP BY k");
        query("join-aggregate", true, "INSERT INTO o SELECT a.k, COUNT(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k");
        query("three-joins", true,
                "INSERT INTO p SELECT a.id, c.k FROM a JOIN b ON a.id = b.id JOIN c ON a.id = c.id");
    }

    private static void query(String name, boolean batch, String... statements) {
        JOBS.put("sql-" + name + (batch ? "-batch" : ""), env -> {
            EnvironmentSettings.Builder settings = EnvironmentSettings.newInstance();
            StreamTableEnvironment tables = StreamTableEnvironment.create(
                    env, (batch ? settings.inBatchMode() : settings.inStreamingMode()).build());
            for (String table : new String[] {"a", "b", "c"}) {
                tables.executeSql("CREATE TABLE " + table + " (id BIGINT, k INT) WITH ('connector' = 'datagen'"
                        + (batch ? ", 'number-of-rows' = '10')" : ")"));
            }
            tables.executeSql("CREATE TABLE o (k INT, n BIGINT) WITH ('connector' = 'blackhole')");
            tables.executeSql("CREATE TABLE p (id BIGINT, k INT) WITH ('connector' = 'blackhole')");
            StreamStatementSet set = tables.createStatementSet();
            for (String statement : statements) {
                set.addInsertSql(statement);
            }
            set.attachAsDataStream();
        });
    }

    public static void main(String[] arguments) throws Exception {
        defineStreams();
        defineQueries();
        for (Map.Entry<String, Build> job : JOBS.entrySet()) {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setParallelism(4);
            job.getValue().on(env);
            write(env.getStreamGraph(false), Paths.get(arguments[0], job.getKey()));
        }
        System.exit(0);
    }

    private static void write(StreamGraph graph, Path folder) throws Exception {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("streamplan.json"), graph.getStreamingPlanAsJSON());
        ByteArrayOutputStream export = new ByteArrayOutputStream();
        StreamGraphExport.print(graph, new PrintStream(export, true, "UTF-8"));
        Files.write(folder.resolve("export.json"), export.toByteArray());
        Map<Integer, byte[]> hashes = new StreamGraphHasherV2().traverseStreamGraphAndGenerateHashes(graph);
        ObjectNode truth = JSON.createObjectNode();
        ArrayNode edges = truth.putArray("edges");
        for (StreamNode node : graph.getStreamNodes()) {
            for (StreamEdge edge : node.getOutEdges()) {
                edges.addObject().put("source", edge.getSourceId()).put("target", edge.getTargetId());
            }
        }
        JobGraph job = StreamingJobGraphGenerator.createJobGraph(graph);
        Object plan = JsonPlanGenerator.class.getMethod("generatePlan", JobGraph.class).invoke(null, job);
        JsonNode inner = plan instanceof String ? JSON.readTree((String) plan) : JSON.valueToTree(plan);
        Files.writeString(folder.resolve("jobplan.json"), JSON.createObjectNode().set("plan", inner).toString());
        Map<String, String> vertexOf = new HashMap<>();
        ArrayNode vertices = truth.putArray("vertices");
        for (JobVertex vertex : job.getVerticesSortedTopologicallyFromSources()) {
            String id = vertex.getID().toHexString();
            ArrayNode ids = vertices.addObject().put("id", id).put("parallelism", vertex.getParallelism())
                    .putArray("operator_ids");
            for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                String operator = pair.getGeneratedOperatorID().toHexString();
                ids.add(operator);
                vertexOf.put(operator, id);
            }
        }
        ArrayNode nodes = truth.putArray("nodes");
        for (StreamNode node : graph.getStreamNodes()) {
            String operator = StringUtils.byteToHexString(hashes.get(node.getId()));
            nodes.addObject().put("id", node.getId()).put("operator_id", operator).put("vertex", vertexOf.get(operator));
        }
        Files.writeString(folder.resolve("truth.json"), truth.toString());
    }
}
