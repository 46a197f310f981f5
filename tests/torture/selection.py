"""Which of many cases are run."""
import zlib


def spread(count, wanted):
    """Numbers from 1 to count: all, or as many as wanted, with the first and the last."""
    if count <= wanted:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (wanted - 1)) for i in range(wanted)})


def one_of(choices, *names):
    """The same for the same names, and of many names all in turn: the short form tries every choice with some
    programs."""
    return choices[zlib.crc32(" ".join(names).encode()) % len(choices)]
