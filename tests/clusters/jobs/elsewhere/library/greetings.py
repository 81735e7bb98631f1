"""Not beside the job, so not shipped by itself."""


def hello(name):
    return f"hello {name}"
