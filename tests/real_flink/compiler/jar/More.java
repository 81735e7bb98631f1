package more;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoFlatMapFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Mains as users write them. */
public class More {

  static DataStream<Long> numbers(StreamExecutionEnvironment env, String name) {
    return env.fromSource(
        new NumberSequenceSource(1, 1000), WatermarkStrategy.noWatermarks(), name);
  }

  /** Asks for the time that its first job took, and for an accumulator of its second one. */
  public static class Runtime {
    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      numbers(env, "first").print();
      System.out.println("took " + env.execute("first").getNetRuntime() + " ms");
      numbers(env, "second").print();
      JobExecutionResult second = env.execute("second");
      System.out.println("seen: " + second.getAllAccumulatorResults());
      numbers(env, "third").print();
      env.execute("third");
    }
  }

  /** Words with options of its own: --words, --parallelism, --name. */
  public static class Options {
    public static void main(String[] args) throws Exception {
      Map<String, String> options = new HashMap<>();
      for (int i = 0; i + 1 < args.length; i += 2) {
        options.put(args[i].substring(2), args[i + 1]);
      }
      if (!options.containsKey("words")) {
        System.err.println("usage: Options --words TEXT [--parallelism N] [--name NAME]");
        System.exit(1);
      }
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      if (options.containsKey("parallelism")) {
        env.setParallelism(Integer.parseInt(options.get("parallelism")));
      }
      DataStream<String> text = env.fromData(options.get("words").split(" "));
      text.flatMap(
              (String line, Collector<Tuple2<String, Integer>> out) -> {
                for (String word : line.toLowerCase().split("\\W+")) {
                  out.collect(Tuple2.of(word, 1));
                }
              })
          .returns(Types.TUPLE(Types.STRING, Types.INT))
          .name("tokenizer")
          .keyBy(pair -> pair.f0)
          .sum(1)
          .name("counter")
          .print()
          .name("print-sink");
      env.execute(options.getOrDefault("name", "Words"));
    }
  }

  /** Fraud detection: keyed state, timers, side outputs, uids everywhere. */
  public static class Fraud {
    static final OutputTag<String> ALERTS = new OutputTag<String>("alerts") {};
    static final OutputTag<Long> ODD = new OutputTag<>("odd", Types.LONG);

    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      env.enableCheckpointing(10_000);
      SingleOutputStreamOperator<Long> checked =
          numbers(env, "transactions")
              .keyBy(amount -> amount % 7)
              .process(
                  new KeyedProcessFunction<Long, Long, Long>() {
                    @Override
                    public void processElement(Long value, Context context, Collector<Long> out) {
                      context.timerService().registerProcessingTimeTimer(1L);
                      out.collect(value);
                      context.output(ODD, value);
                    }

                    @Override
                    public void onTimer(long at, OnTimerContext context, Collector<Long> out) {
                      context.output(ALERTS, "timer");
                    }
                  })
              .uid("fraud-detector")
              .name("fraud-detector")
              .setMaxParallelism(32);
      checked.getSideOutput(ALERTS).print("alert").uid("alerts").setParallelism(1);
      checked
          .getSideOutput(ODD)
          .map(value -> value * 2)
          .uid("twice")
          .disableChaining()
          .sinkTo(new DiscardingSink<>())
          .uid("odd-sink");
      checked.filter(value -> value > 3).uid("filter").startNewChain().print().uid("print");
      env.execute("Fraud Detection");
    }
  }

  /** Slot sharing, unions of one stream with itself, rescale, broadcast, forward, a custom partitioner. */
  public static class Shuffles {
    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      env.setBufferTimeout(0);
      DataStream<Long> first = numbers(env, "first");
      DataStream<Long> second = numbers(env, "second");
      DataStream<Long> mapped = first.map(value -> value + 1).slotSharingGroup("heavy");
      DataStream<Long> all = first.union(second, mapped).union(mapped);
      all.partitionCustom((key, partitions) -> (int) (key % partitions), value -> value)
          .map(value -> value)
          .name("custom")
          .setParallelism(3)
          .forward()
          .map(value -> value)
          .name("forwarded")
          .setParallelism(3)
          .rescale()
          .filter(value -> true)
          .setParallelism(6)
          .broadcast()
          .map(value -> value)
          .setParallelism(2)
          .slotSharingGroup("default")
          .shuffle()
          .sinkTo(new DiscardingSink<>())
          .name("sink");
      first.connect(second.broadcast())
          .flatMap(
              new CoFlatMapFunction<Long, Long, String>() {
                @Override
                public void flatMap1(Long value, Collector<String> out) {
                  out.collect("a");
                }

                @Override
                public void flatMap2(Long value, Collector<String> out) {
                  out.collect("b");
                }
              })
          .setUidHash("0123456789abcdef0123456789abcdef")
          .print();
      env.execute();
    }
  }

  /** Sessions, count windows, an evictor, processing time. */
  public static class Sessions {
    static class Average implements AggregateFunction<Long, Tuple2<Long, Long>, Double> {
      @Override
      public Tuple2<Long, Long> createAccumulator() {
        return Tuple2.of(0L, 0L);
      }

      @Override
      public Tuple2<Long, Long> add(Long value, Tuple2<Long, Long> sum) {
        return Tuple2.of(sum.f0 + value, sum.f1 + 1);
      }

      @Override
      public Double getResult(Tuple2<Long, Long> sum) {
        return (double) sum.f0 / sum.f1;
      }

      @Override
      public Tuple2<Long, Long> merge(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
        return Tuple2.of(a.f0 + b.f0, a.f1 + b.f1);
      }
    }

    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      KeyedStream<Long, Long> keyed =
          numbers(env, "numbers")
              .assignTimestampsAndWatermarks(
                  WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofSeconds(3))
                      .withTimestampAssigner((value, at) -> value)
                      .withIdleness(Duration.ofMinutes(1)))
              .keyBy(value -> value % 10);
      keyed.window(EventTimeSessionWindows.withGap(Duration.ofSeconds(5))).aggregate(new Average()).print();
      keyed.countWindow(10, 2).maxBy(0).print();
      keyed.window(GlobalWindows.create())
          .trigger(PurgingTrigger.of(CountTrigger.of(4)))
          .aggregate(new Average())
          .name("of four")
          .windowAll(TumblingProcessingTimeWindows.of(Duration.ofSeconds(1)))
          .reduce(Math::max)
          .print();
      keyed.max(0).keyBy(value -> value).reduce(Long::sum).print().setParallelism(2);
      env.execute("sessions");
    }
  }

  /** A generator with a rate, records of a POJO, a job client that is polled. */
  public static class Polled {
    public static class Event {
      public long id;
      public String name;

      public Event() {}

      public Event(long id) {
        this.id = id;
        this.name = "event " + id;
      }
    }

    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      GeneratorFunction<Long, Event> make = Event::new;
      DataStream<Event> events =
          env.fromSource(
              new DataGeneratorSource<>(make, 100, Types.POJO(Event.class)),
              WatermarkStrategy.forMonotonousTimestamps(),
              "events");
      events
          .keyBy(event -> event.name)
          .flatMap(
              new RichFlatMapFunction<Event, String>() {
                private transient ValueState<Long> seen;

                @Override
                public void open(OpenContext context) {
                  seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.LONG));
                }

                @Override
                public void flatMap(Event event, Collector<String> out) throws Exception {
                  seen.update(event.id);
                  out.collect(event.name);
                }
              })
          .print();
      JobClient client = env.executeAsync("polled");
      while (!client.getJobStatus().get().isTerminalState()) {
        Thread.sleep(100);
      }
      System.out.println("ended as " + client.getJobStatus().get());
      events.map(event -> event.id).print();
      JobClient other = env.executeAsync("polled again");
      other.cancel().get();
      System.exit(0);
    }
  }

  /** Fails after its first job. */
  public static class FailsLater {
    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      numbers(env, "n").print();
      env.execute("before");
      List<Long> found = new ArrayList<>();
      numbers(env, "m").executeAndCollect("read").forEachRemaining(found::add);
      if (found.isEmpty()) {
        throw new IllegalStateException("no numbers were found");
      }
      numbers(env, "never").print();
      env.execute("never");
    }
  }

  /** A statement set, a view, a batch environment, and a result that is printed. */
  public static class Reports {
    public static void main(String[] args) {
      TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inBatchMode());
      tables.getConfig().set("table.exec.resource.default-parallelism", "3");
      tables.executeSql(
          "CREATE TABLE sales (shop STRING, amount DOUBLE) WITH ('connector'='datagen', 'number-of-rows'='50')");
      tables.executeSql("CREATE TABLE a (shop STRING, total DOUBLE) WITH ('connector'='blackhole')");
      tables.executeSql("CREATE TABLE b (n BIGINT) WITH ('connector'='print')");
      tables.createTemporaryView("totals", tables.sqlQuery("SELECT shop, SUM(amount) t FROM sales GROUP BY shop"));
      StatementSet set = tables.createStatementSet();
      set.addInsertSql("INSERT INTO a SELECT * FROM totals");
      set.add(tables.sqlQuery("SELECT COUNT(*) FROM totals").insertInto("b"));
      System.out.println(set.explain());
      set.execute();
      tables.executeSql("SELECT * FROM totals ORDER BY t DESC LIMIT 3").print();
      for (Row row : (Iterable<Row>) () -> tables.from("sales").execute().collect()) {
        System.out.println(row);
      }
    }
  }

  /** Streams and tables there and back, changelogs, a set attached to the stream's job. */
  public static class ThereAndBack {
    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      env.setParallelism(2);
      StreamTableEnvironment tables = StreamTableEnvironment.create(env);
      DataStream<Tuple2<Long, String>> pairs =
          numbers(env, "n").map(n -> Tuple2.of(n, "x")).returns(new TypeHint<Tuple2<Long, String>>() {});
      Table table =
          tables.fromDataStream(
              pairs,
              Schema.newBuilder()
                  .column("f0", "BIGINT")
                  .column("f1", "STRING")
                  .columnByExpression("pt", "PROCTIME()")
                  .build());
      tables.createTemporaryView("pairs", table);
      Table counts = tables.sqlQuery("SELECT f1, COUNT(*) AS n FROM pairs GROUP BY f1");
      tables.toChangelogStream(counts).map(Row::toString).uid("text").print();
      tables.toDataStream(tables.sqlQuery("SELECT f0 FROM pairs WHERE f0 > 3")).sinkTo(new DiscardingSink<>());
      env.execute("there and back");
      Table again = tables.fromChangelogStream(tables.toChangelogStream(counts));
      again.execute().print();
    }
  }

  /** Two environments and a job in a loop; options of the command line reach both. */
  public static class Loop {
    public static void main(String[] args) throws Exception {
      int jobs = args.length > 0 ? Integer.parseInt(args[0]) : 2;
      for (int i = 0; i < jobs; i++) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        if (i == 1) {
          env.disableOperatorChaining();
        }
        numbers(env, "n" + i)
            .process(
                new ProcessFunction<Long, Long>() {
                  @Override
                  public void processElement(Long value, Context context, Collector<Long> out) {
                    out.collect(value);
                  }
                })
            .keyBy(value -> value)
            .connect(numbers(env, "other").keyBy(value -> value))
            .process(
                new KeyedCoProcessFunction<Long, Long, Long, Long>() {
                  @Override
                  public void processElement1(Long value, Context context, Collector<Long> out) {}

                  @Override
                  public void processElement2(Long value, Context context, Collector<Long> out) {}
                })
            .returns(Types.LONG)
            .print();
        env.execute("loop " + i);
      }
    }
  }

  /** Catches what execute throws, and has a static block and an inherited main. */
  public static class Inherited extends Loop {
    static {
      System.out.println("loaded");
    }
  }

  /** Executed with nothing to do the second time. */
  public static class Twice {
    public static void main(String[] args) throws Exception {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      numbers(env, "n").print();
      System.out.println(env.getExecutionPlan().length() > 0);
      env.execute("once");
      try {
        env.execute("twice");
      } catch (IllegalStateException nothing) {
        System.out.println("nothing left: " + nothing.getMessage());
      }
    }
  }
}
