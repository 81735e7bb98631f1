"""A job whose function needs a module that does not stand beside it: `--py-files library/greetings.py` brings it."""

from planner import StreamExecutionEnvironment, Types


def greet(name):
    import greetings

    return greetings.hello(name)


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection(["Ada", "Grace"], type_info=Types.STRING()).map(greet, output_type=Types.STRING()).print()
env.execute("greetings")
