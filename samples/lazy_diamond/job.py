"""One stream, looked at in two ways, and put together again."""

from planner import CoMapFunction, StreamExecutionEnvironment, Types


class Label(CoMapFunction):
    """Says which of the two ways a number took."""

    def map1(self, value):
        return f"square {value}"

    def map2(self, value):
        return f"negative {value}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_sequence(1, 6)
squares = numbers.map(lambda n: n * n, output_type=Types.LONG()).name("squares")
negatives = numbers.map(lambda n: -n, output_type=Types.LONG()).name("negatives").disable_chaining()
squares.connect(negatives).map(Label(), output_type=Types.STRING()).name("both").print()
env.execute("diamond")
