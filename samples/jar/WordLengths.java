import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Counts words by their length. The words are the program's arguments. */
public final class WordLengths {
    private WordLengths() {}

    public static void main(String[] words) throws Exception {
        if (words.length == 0) {
            System.err.println("usage: WordLengths WORD...");
            System.exit(64);
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromData(words)
                .map(word -> Tuple2.of(word.length(), 1))
                .returns(Types.TUPLE(Types.INT, Types.INT))
                .name("length")
                .keyBy(pair -> pair.f0)
                .sum(1)
                .uid("counts")
                .print();
        env.execute("word lengths");
    }
}
