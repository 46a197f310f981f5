"""What callers give, as the library takes it. Texts of C end at a NUL and its numbers have a width: what does
not fit is refused here, as it would arrive as something else."""
import math
import numbers
import operator
import os
from ctypes import c_double


def encoded(text, what):
    """The bytes of a text without NUL."""
    if isinstance(text, str):
        try:
            text = str.encode(text, "utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise ValueError(f"{what} {text!r} is not Unicode: {error.reason}") from None
    if b"\0" in text:
        raise ValueError(f"{what} {text!r} has a NUL")
    return bytes(text)


def text(value, what):
    """Of str or bytes."""
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"{what} must be str or bytes, not {type(value).__name__}")
    return encoded(value, what)


def path(value, what="a path"):
    """Of str, bytes or os.PathLike."""
    try:
        return encoded(os.fspath(value), what)
    except TypeError:
        raise TypeError(
            f"{what} must be str, bytes or os.PathLike, not {type(value).__name__}") from None


def value(given, what):
    """Of what can stand as text: also numbers, and bools as 1 and 0."""
    if isinstance(given, numbers.Integral):
        return str(int(given)).encode()
    if isinstance(given, numbers.Real):
        number = float(given)
        if not math.isfinite(number):
            raise ValueError(f"{what} {number} is no number that a map can hold")
        return repr(number).encode()
    if not isinstance(given, (str, bytes)):
        raise TypeError(f"{what} must be str, bytes or a number, not {type(given).__name__}")
    return encoded(given, what)


def argument(given):
    """Of a command line: also a path."""
    if isinstance(given, os.PathLike):
        return path(given, "an argument")
    return value(given, "an argument")


def data(given, what="data"):
    """The bytes of an object that has a buffer. A number is none, though bytes() takes it."""
    try:
        return memoryview(given).tobytes()
    except TypeError:
        raise TypeError(f"{what} must be bytes or have a buffer, not {type(given).__name__}") from None


def point(given):
    """Three finite numbers."""
    if isinstance(given, (str, bytes)):
        raise TypeError("a point is three numbers, not a text")
    place = [float(number) for number in given]
    if len(place) != 3:
        raise ValueError(f"a point has three numbers, not {len(place)}")
    if not all(map(math.isfinite, place)):
        raise ValueError(f"the point {tuple(place)} is nowhere")
    return (c_double * 3)(*place)


def index(given, count, what):
    """An index of a sequence; negative ones count from the end."""
    at = operator.index(given)
    if not -count <= at < count:
        raise IndexError(f"there is no {what} {at}: there are {count}")
    return at % count


class Unique:
    """What stands for a thing inside the library: a copy of it would be the same thing, and be freed twice."""

    def __reduce_ex__(self, protocol):
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled: it is of this process alone")
