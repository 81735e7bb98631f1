import asyncio

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, StreamExecutionEnvironment
from pyflink.datastream.functions import AsyncFunction, AsyncRetryStrategy


def has_exception(error):
    return error is not None


class Slow(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(value / 100)
        return [value, value * 10]


class Failing(AsyncFunction):
    def __init__(self):
        self.tried = set()

    async def async_invoke(self, value):
        if value not in self.tried:
            self.tried.add(value)
            raise ValueError("first time")
        return [f"answer {value}"]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([3, 1, 2], Types.INT())
AsyncDataStream.ordered_wait(numbers, Slow(), Time.seconds(5), 2, Types.INT()).print()
AsyncDataStream.unordered_wait_with_retry(
    numbers, Failing(), Time.seconds(10), AsyncRetryStrategy.fixed_delay(3, 10, None, has_exception), 2, Types.STRING()
).print()
env.execute()
