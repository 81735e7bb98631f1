import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
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
import org.apache.flink.streaming.api.graph.StreamingJobGraphGenerator;
import org.slf4j.helpers.NOPLogger;

/**
 * Real Flink's compile times on the jobs of benchmarks/jobs.py, stage by stage.
 *
 * <p>usage: FlinkPlanTimes SHAPE SIZE ROUNDS. One line a round: seconds until the stream graph, the job graph, the execution
 * graph and the slots were there, each counted from the first call of the DataStream API.
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

    static double[] round(String shape, int size, ScheduledExecutorService executor) throws Exception {
        double[] seconds = new double[4];
        long start = System.nanoTime();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        define(env, shape, size);
        StreamGraph stream = env.getStreamGraph(false);
        seconds[0] = (System.nanoTime() - start) / 1e9;
        JobGraph job = StreamingJobGraphGenerator.createJobGraph(stream);
        job.getVerticesSortedTopologicallyFromSources();
        seconds[1] = (System.nanoTime() - start) / 1e9;
        ExecutionGraph execution = executionGraph(job, executor);
        seconds[2] = (System.nanoTime() - start) / 1e9;
        SchedulingTopology topology = execution.getSchedulingTopology();
        topology.getAllPipelinedRegions();
        new LocalInputPreferredSlotSharingStrategy.Factory()
                .create(topology, new HashSet<>(job.getSlotSharingGroups()), job.getCoLocationGroups())
                .getExecutionSlotSharingGroups();
        seconds[3] = (System.nanoTime() - start) / 1e9;
        return seconds;
    }

    public static void main(String[] arguments) throws Exception {
        String shape = arguments[0];
        int size = Integer.parseInt(arguments[1]), rounds = Integer.parseInt(arguments[2]);
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        Callable<List<double[]>> work = () -> {
            List<double[]> all = new ArrayList<>();
            for (int i = 0; i < rounds; i++) all.add(round(shape, size, executor));
            return all;
        };
        // Flink recurses along the job: a row of 20,000 operators needs far more than a usual stack.
        FutureTask<List<double[]>> task = new FutureTask<>(work);
        new Thread(null, task, "planning", 1L << 30).start();
        for (double[] seconds : task.get()) System.out.println(Arrays.toString(seconds));
        executor.shutdownNow();
        System.exit(0);
    }
}
