import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.VoidBlobWriter;
import org.apache.flink.runtime.checkpoint.CheckpointStatsTracker;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.StandaloneCheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.PartitionLocationConstraint;
import org.apache.flink.runtime.executiongraph.DefaultVertexAttemptNumberStore;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionStateUpdateListener;
import org.apache.flink.runtime.io.network.partition.JobMasterPartitionTracker;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.jobmaster.DefaultExecutionDeploymentTracker;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.scheduler.DefaultExecutionGraphFactory;
import org.apache.flink.runtime.scheduler.LocalInputPreferredSlotSharingStrategy;
import org.apache.flink.runtime.scheduler.SchedulerBase;
import org.apache.flink.runtime.scheduler.adaptivebatch.NonAdaptiveExecutionPlanSchedulingContext;
import org.apache.flink.runtime.scheduler.strategy.SchedulingTopology;
import org.apache.flink.runtime.shuffle.NettyShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleMasterContextImpl;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.slf4j.helpers.NOPLogger;

/**
 * Real Flink's compile times on the jobs of benchmarks/jobs.py.
 *
 * <p>usage: FlinkPlanTimes [SHAPE SIZE]. Without arguments, it reads SHAPE SIZE from every line of its input. It answers with
 * the seconds from the first call of the DataStream API until all graphs and the slots are there.
 */
public class FlinkPlanTimes {

    // The functions never run; they only have to be there.
    static class Same implements MapFunction<Long, Long> {
        public Long map(Long value) {
            return value;
        }
    }

    static class First implements ReduceFunction<Long> {
        public Long reduce(Long one, Long other) {
            return one;
        }
    }

    static class Itself implements KeySelector<Long, Long> {
        public Long getKey(Long value) {
            return value;
        }
    }

    static class Nowhere implements SinkFunction<Long> {}

    static DataStream<Long> source(StreamExecutionEnvironment env) {
        return env.fromSource(new NumberSequenceSource(0, 9), WatermarkStrategy.noWatermarks(), "Custom Source");
    }

    /** The shapes of benchmarks/jobs.py, operator for operator. */
    static void define(StreamExecutionEnvironment env, String shape, int size) {
        switch (shape) {
            case "row":
            case "unchained_row":
                if (shape.equals("unchained_row")) env.disableOperatorChaining();
                DataStream<Long> stream = source(env);
                for (int i = 0; i < size - 2; i++) stream = stream.map(new Same());
                stream.addSink(new Nowhere());
                break;
            case "pipelines":
                env.setParallelism(2);
                for (int i = 0; i < size; i++) {
                    source(env).map(new Same()).keyBy(new Itself()).reduce(new First()).addSink(new Nowhere());
                }
                break;
            case "wide":
                env.setParallelism(size);
                DataStream<Long> wide = source(env);
                for (int i = 0; i < 8; i++) wide = wide.rebalance().map(new Same());
                wide.rebalance().addSink(new Nowhere());
                break;
            default:
                throw new IllegalArgumentException("no such shape: " + shape);
        }
    }

    @SuppressWarnings("unchecked")
    static <T> T ignoring(Class<T> type) {
        return (T) java.lang.reflect.Proxy.newProxyInstance(
                FlinkPlanTimes.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }

    static ExecutionGraph executionGraph(JobGraph job, ScheduledExecutorService executor) throws Exception {
        Configuration conf = new Configuration();
        DefaultExecutionGraphFactory factory =
                new DefaultExecutionGraphFactory(
                        conf,
                        FlinkPlanTimes.class.getClassLoader(),
                        new DefaultExecutionDeploymentTracker(),
                        executor,
                        executor,
                        Duration.ofSeconds(10),
                        UnregisteredMetricGroups.createUnregisteredJobManagerJobMetricGroup(),
                        VoidBlobWriter.getInstance(),
                        new NettyShuffleMaster(new ShuffleMasterContextImpl(conf, error -> {})),
                        ignoring(JobMasterPartitionTracker.class));
        return factory.createAndRestoreExecutionGraph(
                job,
                new StandaloneCompletedCheckpointStore(1),
                new CheckpointsCleaner(),
                new StandaloneCheckpointIDCounter(),
                ignoring(CheckpointStatsTracker.class),
                PartitionLocationConstraint.fromJobType(JobType.STREAMING),
                0L,
                new DefaultVertexAttemptNumberStore(),
                SchedulerBase.computeVertexParallelismStore(job),
                ignoring(ExecutionStateUpdateListener.class),
                finished -> false,
                NonAdaptiveExecutionPlanSchedulingContext.INSTANCE,
                NOPLogger.NOP_LOGGER);
    }

    static double seconds(String shape, int size, ScheduledExecutorService executor) throws Exception {
        long start = System.nanoTime();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        define(env, shape, size);
        StreamGraph stream = env.getStreamGraph(false);
        // As a client calls it: operators are serialised on threads of their own.
        JobGraph job = stream.getJobGraph(FlinkPlanTimes.class.getClassLoader());
        job.getVerticesSortedTopologicallyFromSources();
        ExecutionGraph execution = executionGraph(job, executor);
        SchedulingTopology topology = execution.getSchedulingTopology();
        topology.getAllPipelinedRegions();
        new LocalInputPreferredSlotSharingStrategy.Factory()
                .create(topology, new HashSet<>(job.getSlotSharingGroups()), job.getCoLocationGroups())
                .getExecutionSlotSharingGroups();
        return (System.nanoTime() - start) / 1e9;
    }

    /** One job of the arguments, or one for every line of the input. */
    static void answer(String[] arguments, ScheduledExecutorService executor) throws Exception {
        if (arguments.length > 0) {
            System.out.println(seconds(arguments[0], Integer.parseInt(arguments[1]), executor));
            return;
        }
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] asked = line.trim().split(" ");
            System.out.println(seconds(asked[0], Integer.parseInt(asked[1]), executor));
            System.out.flush();
        }
    }

    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        // Flink recurses along the job: a row of 20,000 operators needs far more than a usual stack.
        FutureTask<Void> task = new FutureTask<>(() -> {
            answer(arguments, executor);
            return null;
        });
        new Thread(null, task, "planning", 1L << 30).start();
        task.get();
        executor.shutdownNow();
        System.exit(0);
    }
}
