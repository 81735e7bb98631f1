import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Runs three jobs on a cluster in this process, until its stdin ends: one that is slow, one with slots of its own, one in SQL.
 *
 * <p>usage: SmallCluster FOLDER. Prints the address of the REST port; writes what each job exports before it runs.
 */
public final class SmallCluster {
    private static DataStreamSource<Long> numbers(StreamExecutionEnvironment env, double perSecond, String name) {
        GeneratorFunction<Long, Long> same = value -> value;
        return env.fromSource(
                new DataGeneratorSource<>(same, Long.MAX_VALUE, RateLimiterStrategy.perSecond(perSecond), Types.LONG),
                WatermarkStrategy.noWatermarks(),
                name);
    }

    private static void slow(StreamExecutionEnvironment env) {
        MapFunction<Long, Long> lookup = value -> {
            Thread.sleep(4);
            return value;
        };
        numbers(env, 5000, "orders").map(value -> value + 1).returns(Types.LONG).name("parse").keyBy(value -> value % 8)
                .map(lookup).returns(Types.LONG).name("slow lookup").uid("lookup").filter(value -> value % 2 == 0)
                .name("keep even").sinkTo(new DiscardingSink<>()).name("out");
    }

    private static void groups(StreamExecutionEnvironment env) {
        MapFunction<Long, Long> same = value -> value;
        numbers(env, 50, "payments").uid("payments").map(same).returns(Types.LONG).name("parse").map(same)
                .returns(Types.LONG).name("score").slotSharingGroup("heavy").map(same).returns(Types.LONG).name("format")
                .disableChaining().sinkTo(new DiscardingSink<>()).name("out");
    }

    private static void export(StreamExecutionEnvironment env, Path folder, String name) throws Exception {
        Files.writeString(folder.resolve(name + ".json"), env.getStreamGraph(false).getStreamingPlanAsJSON());
        try (PrintStream out = new PrintStream(folder.resolve(name + "-graph.json").toFile(), "UTF-8")) {
            StreamGraphExport.print(env, out);
        }
    }

    private static void query(StreamExecutionEnvironment env, Path folder) throws Exception {
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql("CREATE TABLE a (k INT, ts AS LOCALTIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
                + "WITH ('connector' = 'datagen', 'rows-per-second' = '200', 'fields.k.min' = '1', 'fields.k.max' = '9')");
        tables.executeSql("CREATE TABLE o (k INT, n BIGINT) WITH ('connector' = 'blackhole')");
        String insert = "INSERT INTO o SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '2' SECOND)) "
                + "GROUP BY k, window_start, window_end";
        Files.writeString(folder.resolve("query.txt"), tables.explainSql(insert, ExplainDetail.JSON_EXECUTION_PLAN));
        tables.executeSql(insert);
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Paths.get(arguments[0]);
        Configuration options = new Configuration();
        options.setString("rest.port", "0");
        options.setString("rest.address", "127.0.0.1");
        options.setString("rest.bind-address", "127.0.0.1");
        options.setString("taskmanager.memory.network.max", "64mb");
        options.setString("taskmanager.memory.network.min", "64mb");
        options.setString("taskmanager.memory.managed.size", "64mb");
        MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder().setConfiguration(options)
                .setNumTaskManagers(2).setNumSlotsPerTaskManager(8).build());
        cluster.start();
        int port = cluster.getRestAddress().get().getPort();
        Configuration checkpoints = new Configuration();
        checkpoints.setString("execution.checkpointing.interval", "2s");
        for (String name : new String[] {"slow", "groups", "query"}) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.createRemoteEnvironment("127.0.0.1", port, checkpoints);
            env.setParallelism(2);
            if (name.equals("query")) {
                query(env, folder);
            } else if (name.equals("slow")) {
                slow(env);
                export(env, folder, name);
                env.executeAsync(name);
            } else {
                groups(env);
                export(env, folder, name);
                env.executeAsync(name);
            }
        }
        System.out.println("http://127.0.0.1:" + port);
        while (System.in.read() >= 0) {
            // the test closes this pipe, or ends
        }
        System.exit(0);
    }
}
