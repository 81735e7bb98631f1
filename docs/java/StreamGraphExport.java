import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.SourceOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Prints the whole stream graph of a job as JSON, with the fields that getExecutionPlan() leaves out.
 *
 * <p>Copy this file into your project, call it in place of env.execute(), and give the output to `plan`:
 *
 * <pre>
 *   StreamGraphExport.print(env, System.out);   // instead of env.execute()
 *
 *   java -cp ... MyJob > graph.json
 *   plan explain graph.json
 * </pre>
 *
 * <p>Works with Flink 1.20 and 2.x, needs nothing but Flink, and starts nothing.
 */
public final class StreamGraphExport {
    private StreamGraphExport() {}

    /** Prints the stream graph of everything that was built on the environment so far. */
    public static void print(StreamExecutionEnvironment env, PrintStream out) throws Exception {
        print(env.getStreamGraph(false), out);
    }

    /** Prints a stream graph. */
    public static void print(StreamGraph graph, PrintStream out) throws Exception {
        Map<Integer, StreamNode> nodes = new TreeMap<>();
        for (StreamNode node : graph.getStreamNodes()) {
            nodes.put(node.getId(), node);
        }
        List<StreamEdge> edges = new ArrayList<>();
        Map<StreamEdge, Integer> position = new HashMap<>();
        for (StreamNode node : nodes.values()) {
            for (StreamEdge edge : node.getOutEdges()) {
                position.put(edge, edges.size());
                edges.add(edge);
            }
        }
        out.println("{");
        out.println("  \"format\": \"plan-stream-graph/1\",");
        out.println("  \"flink\": " + text(EnvironmentInformation.getVersion()) + ",");
        out.println("  \"name\": " + text(graph.getJobName()) + ",");
        out.println("  \"type\": " + text(graph.getJobType().name()) + ",");
        out.println("  \"chaining\": " + graph.isChainingEnabled() + ",");
        out.println("  \"chain_different_max_parallelism\": "
                + graph.isChainingOfOperatorsWithDifferentMaxParallelismEnabled() + ",");
        out.println("  \"exchanges\": " + text(graph.getGlobalStreamExchangeMode().name()) + ",");
        out.println("  \"nodes\": [");
        int left = nodes.size();
        for (StreamNode node : nodes.values()) {
            out.println("    " + node(node, position) + (--left > 0 ? "," : ""));
        }
        out.println("  ],");
        out.println("  \"edges\": [");
        left = edges.size();
        for (StreamEdge edge : edges) {
            out.println("    " + edge(edge) + (--left > 0 ? "," : ""));
        }
        out.println("  ]");
        out.println("}");
        out.flush();
    }

    private static String node(StreamNode node, Map<StreamEdge, Integer> position) throws Exception {
        StreamOperatorFactory<?> factory = node.getOperatorFactory();
        StringBuilder inputs = new StringBuilder();
        for (StreamEdge edge : node.getInEdges()) {
            inputs.append(inputs.length() == 0 ? "" : ", ").append(position.get(edge));
        }
        boolean legacy = factory != null && factory.isLegacySource();
        String source = factory instanceof SourceOperatorFactory ? "new" : legacy ? "legacy" : null;
        return "{\"id\": " + node.getId()
                + ", \"name\": " + text(node.getOperatorName())
                + ", \"description\": " + text(node.getOperatorDescription())
                + ", \"parallelism\": " + node.getParallelism()
                + ", \"parallelism_configured\": " + hidden(node, "isParallelismConfigured")
                + ", \"max_parallelism\": " + hidden(node, "getMaxParallelism")
                + ", \"slot_sharing_group\": " + text(node.getSlotSharingGroup())
                + ", \"co_location_group\": " + text(node.getCoLocationGroup())
                + ", \"chaining_strategy\": " + text(factory == null ? null : factory.getChainingStrategy().name())
                + ", \"source\": " + text(source)
                + ", \"yielding\": " + (factory != null && isYielding(factory.getClass()))
                + ", \"keyed\": " + (node.getStateKeySerializer() != null)
                + ", \"output_type\": " + text(rowType(node.getTypeSerializerOut()))
                + ", \"buffer_timeout\": " + node.getBufferTimeout()
                + ", \"uid\": " + text(node.getTransformationUID())
                + ", \"user_hash\": " + text(node.getUserHash())
                + ", \"inputs\": [" + inputs + "]}";
    }

    private static String edge(StreamEdge edge) {
        return "{\"source\": " + edge.getSourceId()
                + ", \"target\": " + edge.getTargetId()
                + ", \"partitioner\": " + text(edge.getPartitioner().toString())
                + ", \"partitioner_class\": " + text(edge.getPartitioner().getClass().getSimpleName())
                + ", \"exchange_mode\": " + text(edge.getExchangeMode().name())
                + ", \"type_number\": " + edge.getTypeNumber()
                + ", \"side_output\": " + text(edge.getOutputTag() == null ? null : edge.getOutputTag().getId())
                + "}";
    }

    /** Whether the operator gives its thread back while it waits; the interface lies in another package in each version. */
    private static boolean isYielding(Class<?> type) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Class<?> face : one.getInterfaces()) {
                if (face.getSimpleName().equals("YieldingOperatorFactory") || isYielding(face)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The types of the columns that SQL operators exchange: in a graph only their serializer has them. */
    private static String rowType(Object serializer) throws Exception {
        if (serializer == null || !serializer.getClass().getSimpleName().equals("RowDataSerializer")) {
            return null;
        }
        Field types = serializer.getClass().getDeclaredField("types");
        types.setAccessible(true);
        StringBuilder found = new StringBuilder();
        for (Object one : (Object[]) types.get(serializer)) {
            found.append(found.length() == 0 ? "" : ", ").append(one);
        }
        return found.toString();
    }

    /** A value that is public in some versions only. */
    private static Object hidden(StreamNode node, String getter) throws Exception {
        Method method = StreamNode.class.getDeclaredMethod(getter);
        method.setAccessible(true);
        return method.invoke(node);
    }

    private static String text(String value) {
        if (value == null) {
            return "null";
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : value.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter < ' ' || letter > '~') {
                quoted.append(String.format("\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
