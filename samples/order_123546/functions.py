"""What the operators do; the order of the vertices is what this sample is about."""


def double(value):
    return 2 * value


class Label:
    """Says which input a number came from."""

    def map1(self, value):
        return f"first {value}"

    def map2(self, value):
        return f"second {value}"
