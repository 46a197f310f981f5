"""Sessions: the calls of the library, their messages, and who may make them."""
import atexit
import collections
import contextlib
import ctypes
import os
import threading

from . import _values
from ._library import EVENTS, ON_MESSAGE, ON_PROGRESS, load

OK, FAILED, USAGE, LEAK, INTERNAL = range(5)
SEVERITIES = ("note", "warning", "error")

library = load()

# How long the end of the interpreter waits for the calls of other threads, in seconds.
PATIENCE = 60


class _Calls:
    """The calls that are in the library. The interpreter must not end before them: they would go on while what
    they use is taken down."""

    def __init__(self):
        self._busy, self._ending = {}, False
        atexit.register(self._end)
        os.register_at_fork(after_in_child=self._busy.clear)

    def begin(self, session):
        if self._ending:
            raise RuntimeError("the interpreter is ending")
        self._busy[id(session)] = session

    def end(self, session):
        self._busy.pop(id(session), None)

    def stay(self):
        """Does not return when the interpreter is ending: it does not wait for this thread, a daemon, whose call
        has been cancelled and would only tell so."""
        if self._ending and threading.current_thread() is not threading.main_thread():
            threading.Event().wait()

    def _end(self):
        self._ending = True
        busy = list(self._busy.values())
        for session in busy:
            session.cancel()
        for session in busy:
            session.wait(PATIENCE)


_calls = _Calls()


def decoded(value):
    return None if value is None else value.decode("utf-8", "surrogateescape")


class Diagnostic:
    """A message: severity, code, title, text, fix, file, line, entity, solid, side, point.

    What does not apply is None.
    """

    def __init__(self, message):
        self.severity = SEVERITIES[message.severity]
        self.code, self.title = decoded(message.code), decoded(message.title)
        self.text, self.fix = decoded(message.text), decoded(message.fix)
        self.file, self.line = decoded(message.file), message.line or None
        self.entity, self.solid, self.side = message.entity, message.solid, message.side
        self.point = tuple(message.point) if message.has_point else None

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        text = f": {self.text}" if self.text else ""
        return f"{place}{self.severity} {self.code}: {self.title}{text}"

    def __repr__(self):
        return f"<Diagnostic {self}>"


class Error(Exception):
    """A call that failed: status (an exit status of the programs) and diagnostics."""

    def __init__(self, status, diagnostics):
        self.status, self.diagnostics = status, diagnostics
        errors = [d for d in diagnostics if d.severity == "error"] or diagnostics
        super().__init__("\n".join(str(d) for d in errors) or f"status {status}")

    def __reduce__(self):
        return type(self), (self.status, self.diagnostics)


class Result:
    """A finished run: status, diagnostics, and the paths of the files that it wrote."""

    def __init__(self, status, diagnostics, files):
        self.status, self.diagnostics, self.files = status, diagnostics, files

    @property
    def leaks(self):
        return self.status == LEAK


class _Sink:
    """What is told during a call. It does not know its session, which can so be freed at once."""

    def __init__(self, handle, on_message, on_progress):
        for function, name in ((on_message, "on_message"), (on_progress, "on_progress")):
            if function is not None and not callable(function):
                raise TypeError(f"{name} must be a function or None, not {type(function).__name__}")
        self.handle, self.on_message, self.on_progress = handle, on_message, on_progress
        self.begin(False)

    def begin(self, is_run):
        self.is_run, self.raised = is_run, None
        self.diagnostics, self.files = [], []

    def keep(self, error):
        """An exception cannot pass through C: it ends the run, which raises it."""
        if self.raised is None:
            self.raised = error
        if self.is_run:
            library.brushwork_cancel(self.handle)

    def taken(self):
        error, self.raised = self.raised, None
        return error

    def message(self, _, message):
        try:
            diagnostic = Diagnostic(message.contents)
            self.diagnostics.append(diagnostic)
            if self.on_message is not None:
                self.on_message(diagnostic)
        except BaseException as error:  # pylint: disable=broad-except
            self.keep(error)

    def progress(self, _, progress):
        try:
            event, name = EVENTS[progress.contents.event], decoded(progress.contents.name)
            if event == "file":
                self.files.append(name)
            if self.on_progress is not None:
                self.on_progress(event, name, progress.contents.done, progress.contents.total)
        except BaseException as error:  # pylint: disable=broad-except
            self.keep(error)


class Session(_values.Unique):
    """What runs and open BSPs share: callbacks and, with memory=True, files that stay in memory.

    on_message(Diagnostic) and on_progress(event, name, done, total) are called during runs. An
    exception in them ends the run, and is raised by it.

    A session and its BSPs may be used by any thread, but by one call at a time: a call that comes
    while another is in it, also one that a callback makes, raises RuntimeError. cancel() may come
    at any time.
    """

    _handle = None  # until __init__ is done

    def __init__(self, memory=False, on_message=None, on_progress=None):
        if self._handle:
            raise RuntimeError("the session is initialised twice")
        self._lock, self._doomed = threading.Lock(), collections.deque()
        handle = library.brushwork_session_new()
        try:
            self._sink = _Sink(handle, on_message, on_progress)
        except TypeError:
            library.brushwork_session_free(handle)
            raise
        self._callbacks = ON_MESSAGE(self._sink.message), ON_PROGRESS(self._sink.progress)
        library.brushwork_session_messages(handle, self._callbacks[0], None)
        library.brushwork_session_progress(handle, self._callbacks[1], None)
        if memory:
            library.brushwork_session_use_memory(handle)
        self._handle = handle

    def __del__(self, _free=library.brushwork_session_free):
        if self._handle:
            self._close_doomed()
            _free(self._handle)
            self._handle = None

    def _need(self):
        if not self._handle:
            raise ValueError(f"the {type(self).__name__} is not initialised: its __init__ did not run")

    @contextlib.contextmanager
    def _use(self):
        """Holds the session, for calls of the library that belong together."""
        self._need()
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the session is in use by another call, of another thread or of the one whose "
                               "callback this is: give each its own Session")
        try:
            _calls.begin(self)
            yield
        finally:
            _calls.end(self)
            self._lock.release()
            _calls.stay()
            self._close_doomed()

    def wait(self, seconds):
        """Waits for the call of another thread to end. Returns False when it has not in that time."""
        ended = self._lock.acquire(timeout=seconds)
        if ended:
            self._lock.release()
        return ended

    def _doom(self, bsp):
        """Closes a BSP that nobody can reach any more. The collector may come in the middle of another call:
        then whoever is in the session does it when done."""
        self._doomed.append(bsp)
        self._close_doomed()

    def _close_doomed(self):
        while self._doomed and self._lock.acquire(blocking=False):
            try:
                while self._doomed:
                    library.brushwork_bsp_close(self._doomed.popleft())
            finally:
                self._lock.release()

    def _call(self, function, *arguments, allowed=(OK,), is_run=False):
        """Calls a function of the library, within _use, and raises what it reports."""
        sink = self._sink
        sink.begin(is_run)
        status = function(*arguments)
        if sink.raised is not None:
            raise sink.taken()
        if status not in allowed:
            raise Error(status, sink.diagnostics)
        return status

    def cancel(self):
        """Asks the present run to end: it raises Error. From any thread."""
        self._need()
        library.brushwork_cancel(self._handle)

    def run(self, program, *arguments):
        """Runs "vbsp", "vvis", "vrad" or "build" with the arguments of a command line."""
        name = _values.text(program, "the program")
        given = [_values.argument(argument) for argument in arguments]
        array = (ctypes.c_char_p * len(given))(*given)
        with self._use():
            status = self._call(library.brushwork_run, self._handle, name, array, len(given),
                                allowed=(OK, LEAK), is_run=True)
            return Result(status, self._sink.diagnostics, self._sink.files)

    def put(self, path, data):
        """Puts a file into the memory of a session with memory=True."""
        name, content = _values.path(path), _values.data(data)
        with self._use():
            self._call(library.brushwork_file_put, self._handle, name, content, len(content))

    def get(self, path):
        """The bytes of a file in memory."""
        name = _values.path(path)
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._use():
            self._call(library.brushwork_file_get, self._handle, name, ctypes.byref(data),
                       ctypes.byref(size))
            return ctypes.string_at(data, size.value)


def run(program, *arguments, **callbacks):
    """Session.run in a session of its own."""
    return Session(**callbacks).run(program, *arguments)


def compile(source, output=None, game=None, arguments=(), **callbacks):  # pylint: disable=redefined-builtin
    """Compiles, solves visibility and lights: `brushwork build`. Returns a Result, also of a map
    that leaks; raises Error when nothing was written."""
    if isinstance(arguments, (str, bytes)):
        raise TypeError("arguments must be a list of texts, not one text")
    level = _values.path(source, "the source")
    if level.startswith(b"-"):  # the name of a file, and no option
        level = b"./" + level
    given = [level]
    for option, value in (("-o", output), ("-game", game)):
        if value is not None:
            given += [option, _values.path(value, "the path of " + option)]
    return run("build", *given, *arguments, **callbacks)
