package my;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.functions.async.*;
import org.apache.flink.streaming.api.functions.sink.v2.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.functions.windowing.*;
import org.apache.flink.streaming.api.windowing.windows.*;
import org.apache.flink.util.*;
import org.apache.flink.api.common.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.typeinfo.*; import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.*;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.*;
import org.apache.flink.table.api.bridge.java.*;
import org.apache.flink.table.functions.*;
import org.apache.flink.types.*;
import static org.apache.flink.table.api.Expressions.*;
import java.time.Duration; import java.util.*; import java.util.concurrent.*;

public class Mains {
  static StreamExecutionEnvironment env() { return StreamExecutionEnvironment.getExecutionEnvironment(); }
  static DataStream<Long> src(StreamExecutionEnvironment e) { return e.fromSource(new NumberSequenceSource(0, 100), WatermarkStrategy.<Long>forMonotonousTimestamps().withTimestampAssigner((x, t) -> x), "numbers"); }
  public static class Up extends ScalarFunction { public String eval(String s) { return s == null ? null : s.toUpperCase(); } }
  @org.apache.flink.table.annotation.FunctionHint(output = @org.apache.flink.table.annotation.DataTypeHint("ROW<w STRING>"))
  public static class Split extends TableFunction<Row> { public void eval(String s) { for (String x : s.split(" ")) collect(Row.of(x)); } }
  public static class Attached { public static void main(String[] a) throws Exception {   // attached stream in a statement set
    StreamExecutionEnvironment e = env(); StreamTableEnvironment t = StreamTableEnvironment.create(e);
    t.executeSql("CREATE TABLE o (id BIGINT, item STRING) WITH ('connector'='datagen')"); t.executeSql("CREATE TABLE s (item STRING) WITH ('connector'='blackhole')");
    StreamStatementSet set = t.createStatementSet(); set.addInsertSql("INSERT INTO s SELECT item FROM o"); set.addInsert("s", t.from("o").select($("item").upperCase())); set.attachAsDataStream();
    src(e).map(x -> x + 1).returns(Types.LONG).uid("plus").print(); e.execute("attached"); } }
  public static class Windows { public static void main(String[] a) throws Exception { StreamExecutionEnvironment e = env(); e.setMaxParallelism(256); e.setBufferTimeout(10);
    OutputTag<Long> late = new OutputTag<Long>("late") {};
    SingleOutputStreamOperator<Long> w = src(e).keyBy(x -> x % 3).window(TumblingEventTimeWindows.of(Duration.ofSeconds(5))).allowedLateness(Duration.ofSeconds(1)).sideOutputLateData(late).reduce((x, y) -> x + y).name("sum").setParallelism(2);
    w.getSideOutput(late).print("late"); w.windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(10))).max(0).sinkTo(new DiscardingSink<>()).setParallelism(1).uid("sink");
    e.execute(); } }
  public static class Broadcast { public static void main(String[] a) throws Exception { StreamExecutionEnvironment e = env();
    MapStateDescriptor<Long, Long> d = new MapStateDescriptor<>("r", Types.LONG, Types.LONG);
    BroadcastStream<Long> b = src(e).map(x -> x).returns(Types.LONG).name("rules").broadcast(d);
    src(e).keyBy(x -> x).connect(b).process(new KeyedBroadcastProcessFunction<Long, Long, Long, Long>() { public void processElement(Long x, ReadOnlyContext c, Collector<Long> o) { o.collect(x); } public void processBroadcastElement(Long x, Context c, Collector<Long> o) {} }).returns(Types.LONG)
      .union(src(e), src(e).shuffle().map(x -> x).returns(Types.LONG)).global().map(x -> x).returns(Types.LONG).setParallelism(1).rescale().map(x -> x).returns(Types.LONG).slotSharingGroup("other").print(); e.execute("broadcast"); } }
  public static class AsyncIo { public static void main(String[] a) throws Exception { StreamExecutionEnvironment e = env();
    AsyncDataStream.unorderedWait(src(e), new AsyncFunction<Long, Long>() { public void asyncInvoke(Long x, ResultFuture<Long> f) { f.complete(List.of(x)); } }, 1, TimeUnit.SECONDS).returns(Types.LONG).join(src(e)).where(x -> x).equalTo(x -> x).window(SlidingEventTimeWindows.of(Duration.ofSeconds(5), Duration.ofSeconds(1))).apply((JoinFunction<Long, Long, Long>) (x, y) -> x, Types.LONG).keyBy(x -> x).intervalJoin(src(e).keyBy(x -> x)).between(Duration.ofSeconds(-1), Duration.ofSeconds(1)).process(new ProcessJoinFunction<Long, Long, Long>() { public void processElement(Long l, Long r, Context c, Collector<Long> o) { o.collect(l); } }).returns(Types.LONG).print(); JobClient c = e.executeAsync("async io"); System.out.println(c.getJobID()); Thread.sleep(10); c.cancel().get(); } }
  public static class Batch { public static void main(String[] a) throws Exception { StreamExecutionEnvironment e = env(); e.setRuntimeMode(RuntimeExecutionMode.BATCH);
    src(e).map(x -> Tuple2.of(x % 5, 1)).returns(Types.TUPLE(Types.LONG, Types.INT)).keyBy(x -> x.f0).sum(1).rebalance().print(); e.execute("batch"); } }
  public static class Conf { public static void main(String[] a) throws Exception { Configuration c = new Configuration(); c.setString("parallelism.default", "6"); c.setString("pipeline.operator-chaining.enabled", "false"); c.setString("pipeline.name", "by conf");
    StreamExecutionEnvironment e = StreamExecutionEnvironment.getExecutionEnvironment(c); System.out.println("args " + Arrays.toString(a)); src(e).filter(x -> x > 1).print(); e.execute(); } }
  public static class Many { public static void main(String[] a) throws Exception { int n = Integer.parseInt(a[0]); for (int i = 0; i < n; i++) { StreamExecutionEnvironment e = env(); e.setParallelism(i + 1); src(e).map(x -> x).returns(Types.LONG).name("m" + i).print(); if (i % 2 == 0) e.executeAsync("job " + i); else e.execute("job " + i); } } }
  public static class Tables { public static void main(String[] a) throws Exception {
    StreamExecutionEnvironment e = env(); e.setParallelism(3); StreamTableEnvironment t = StreamTableEnvironment.create(e);
    t.createTemporarySystemFunction("up", Up.class); t.createTemporaryFunction("spl", new Split());
    t.createTemporaryTable("o", TableDescriptor.forConnector("datagen").schema(Schema.newBuilder().column("id", DataTypes.BIGINT()).column("s", DataTypes.STRING()).columnByExpression("p", "PROCTIME()").build()).build());
    t.createTemporaryTable("k", TableDescriptor.forConnector("print").schema(Schema.newBuilder().column("w", DataTypes.STRING()).column("n", DataTypes.BIGINT()).build()).build());
    Table w = t.from("o").joinLateral(call("spl", $("s")).as("w")).groupBy($("w")).select(call("up", $("w")), $("w").count().as("n"));
    w.insertInto("k").execute(); TableResult r = w.execute(); try (CloseableIterator<Row> it = r.collect()) { while (it.hasNext()) System.out.println(it.next()); }
    w.executeInsert("k").await();
    DataStream<Row> d = t.toDataStream(t.from("o").select($("id"))); d.map(x -> 1L).returns(Types.LONG).print(); e.execute("stream of table");
    List<Long> l = src(e).executeAndCollect(10); System.out.println("got " + l); src(e).print(); e.execute("last " + l.size()); } }
  public static class Threads { public static void main(String[] a) throws Exception { ExecutorService x = Executors.newFixedThreadPool(1); for (int i = 0; i < 2; i++) { int k = i; x.submit(() -> { StreamExecutionEnvironment e = env(); src(e).print(); e.execute("t" + k); return 1; }).get(); } /* pool is left: non-daemon threads */ } }
  public static class Bad { public static void main(String[] a) throws Exception { switch (a[0]) {
    case "megabyte": for (int i = 0; i < 1100; i++) System.out.println("x".repeat(1000)); System.out.println("the last line"); break;
    case "noline": System.out.print("y".repeat(3000000)); break;
    case "exit": System.out.println("usage: Bad WORD"); System.exit(3);
    case "halt": System.out.println("halting"); Runtime.getRuntime().halt(7);
    case "hang": System.out.println("waiting for nothing"); while (true) Thread.sleep(1000);
    case "spin": while (true) { }
    case "fork": new ProcessBuilder("sleep", "3600").start(); System.out.println("forked"); break;
    case "forkjob": new ProcessBuilder("setsid", "sleep", "3601").inheritIO().start(); StreamExecutionEnvironment e = env(); src(e).print(); e.execute("forked"); break;
    case "stdin": try (java.io.FileOutputStream f = new java.io.FileOutputStream("/dev/fd/0")) { f.write(65); } System.out.println("read " + System.in.read()); break;
    case "stdinread": System.out.println("read " + new Scanner(System.in).hasNextLine()); break;
    case "memory": List<long[]> l = new ArrayList<>(); while (true) l.add(new long[50_000_000]);
    case "stack": deep(1); break;
    case "throw": throw new IllegalStateException("the input folder is missing");
    case "npe": Object o = null; o.toString(); break;
    case "empty": env().execute("nothing"); break;
    case "after": StreamExecutionEnvironment g = env(); src(g).print(); g.execute("first"); throw new RuntimeException("after the job");
    case "temp": java.io.File.createTempFile("left", "behind"); java.nio.file.Files.createTempDirectory("leftdir"); StreamExecutionEnvironment h = env(); src(h).print(); h.execute("tmp"); break;
    case "fds": System.out.close(); System.err.close(); StreamExecutionEnvironment m = env(); src(m).print(); m.execute("closed"); break;
    case "class": Class.forName("com.acme.Missing"); } }
    static int deep(int n) { return deep(n + 1) + 1; } }
  public static class NoMain { }
}
