"""Runs that a test ends in the middle, however busy the machine is: they are watched, and one that was over before the
test came is started again."""
import os
import shutil
import signal
import tempfile
import time

from e2e import check

TRIES = 12
CTRL_C = 0x3A  # wine makes Ctrl-C of SIGINT: the lowest byte of the exit code of Windows
SECONDS = 600  # for a run; it ends one that hangs


class Over(Exception):
    """The run was over before the test could disturb it."""


def in_time(folder, attempt):
    """Calls attempt(turn) with turn = 0, 1, ... until it does not raise Over, each time with the files of the folder as
    they are now. Returns what it returned."""
    with tempfile.TemporaryDirectory(prefix="brushwork-e2e-") as kept:
        copy = os.path.join(kept, "folder")
        shutil.copytree(folder, copy, symlinks=True)
        for turn in range(TRIES):
            try:
                return attempt(turn)
            except Over:
                empty(folder)
                shutil.copytree(copy, folder, symlinks=True, dirs_exist_ok=True)
    raise AssertionError(f"{TRIES} runs were over before they could be disturbed")


def empty(folder):
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.remove(entry.path)


def earlier(writes, turn):
    """How many writes to wait for in that attempt: as wanted at first, then fewer."""
    return max(1, writes >> turn)


def stamps(paths):
    """Changes whenever one of the files is replaced."""
    found = []
    for path in paths:
        try:
            about = os.stat(path)
            found.append((about.st_ino, about.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return found


def ensure_undisturbed(running):
    """Raises Over for a run that has ended. One that has failed by itself is a fault."""
    if running.poll() is None:
        return
    out, err = running.communicate()
    check(running.returncode == 0, f"exit status {running.returncode}: {out} {err}")
    raise Over


def wait_until(holds, running, seconds=SECONDS):
    """Raises Over when the run ends before it holds."""
    end = time.monotonic() + seconds
    while not holds():
        ensure_undisturbed(running)
        check(time.monotonic() < end, f"nothing has happened for {seconds} seconds")
        time.sleep(0.0005)


def wait_for_writes(running, paths, writes):
    """Waits until files at these paths were written so many times; their removal does not count."""
    last = stamps(paths)

    def are_there():
        nonlocal last, writes
        now = stamps(paths)
        writes -= any(new and new != old for new, old in zip(now, last))
        last = now
        return writes <= 0

    wait_until(are_there, running)


def wait_for_line(running, start):
    """Reads standard output up to a line that starts so."""
    for line in running.stdout:
        if line.startswith(start):
            return
    running.wait()
    ensure_undisturbed(running)


def asks_for_end(s):
    """The signal that a service manager would send, or what stands for it on Windows."""
    return signal.SIGINT if s.options.windows else signal.SIGTERM


def end(running, number, windows=False):
    """Sends the signal. Returns standard error of a run that was ended by it, and raises Over for one that was done."""
    running.send_signal(number)
    err = (running.communicate(timeout=SECONDS)[1] or b"").decode(errors="replace")
    if running.returncode == 0:
        raise Over
    expected = CTRL_C if windows and number == signal.SIGINT else -number
    check(running.returncode == expected, f"{signal.Signals(number).name}: exit status {running.returncode}: {err}")
    return err
