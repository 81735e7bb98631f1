import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/** A DataStream job, and with an argument the SQL job of compiler.sql: `flink info` compiles both. */
public class CompilerJobs {
    public static void main(String[] statements) throws Exception {
        if (statements.length == 0) {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.fromSource(new NumberSequenceSource(1, 9), WatermarkStrategy.noWatermarks(), "numbers")
                    .keyBy(number -> number % 3)
                    .reduce((left, right) -> left + right)
                    .print();
            env.execute("numbers");
            return;
        }
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        for (String statement : statements) {
            tables.executeSql(statement);
        }
    }
}
