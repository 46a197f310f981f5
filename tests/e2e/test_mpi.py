#!/usr/bin/env python3
"""Runs of several ranks that mpirun starts: the bytes of one process, one voice, and ends of all kinds. Cases
without mpirun show how a process behaves that a launcher has started."""
import os
import re
import shutil
import signal
import subprocess

import mpi
from e2e import Suite, check, read, write
from interrupts import Over, in_time, wait_for_writes
from vmf_boxes import pillars, room

suite = Suite()


def source_map(s, folder, size=4):
    """A map of pillars, compiled; returns its path."""
    path = os.path.join(folder, "map.bsp")
    write(os.path.join(folder, "map.vmf"), room(size * 128 + 128, 512, pillars(size, 128)))
    s.run("vbsp", os.path.join(folder, "map.vmf"), "-o", path).expect(0)
    return path


def timeless(text):
    """What was printed, without times and paths of outputs."""
    text = re.sub(rb"\S*(one|many)\.bsp\S*", b"OUT", text)
    lines = re.sub(rb"[0-9.]+ s\b", b"T", text).splitlines()
    return [line for line in lines if not re.match(rb"(CPU )?time|\s+(threads|ranks|bytes sent|CPU) ", line)]


EVERY = tuple((ranks, threads) for ranks in (1, 2, 3, 5) for threads in (1, 2))


def same_as_one_process(s, folder, path, program, *options, runs=((3, 2),)):
    one, many = os.path.join(folder, "one.bsp"), os.path.join(folder, "many.bsp")
    alone = s.run(*program, path, "-v", *options, "-o", one).expect(0)
    for ranks, threads in runs:
        done = mpi.run(s, ranks, *program, path, "-v", "-threads", threads, *options, "-o", many).expect(0)
        check(read(many) == read(one), f"{ranks} ranks of {threads} threads: other bytes from {done}")
        check(ranks == 1 or b"busiest rank" in done.out, f"{program}: nothing is said of {ranks} ranks: {done.out}")
        check(timeless(done.out) == timeless(alone.out), f"{ranks} ranks: {done.out}, not {alone.out}")
        check(mpi.spoken(done.err) == mpi.spoken(alone.err.replace(one, many)), f"{ranks} ranks: {done.err}")
        os.remove(many)


@suite.case
def visibility_has_the_bytes_of_one_process(s, folder):
    mpi.module(s)
    path = source_map(s, folder)
    same_as_one_process(s, folder, path, ("vvis",), runs=EVERY)
    for options in (("-fast",), ("-radius_override", 500), ("--budget", 5000)):
        same_as_one_process(s, folder, path, ("vvis",), *options)


@suite.case
def visibility_of_quake3_has_the_bytes_of_one_process(s, folder):
    mpi.module(s)
    path = os.path.join(folder, "map.bsp")
    write(os.path.join(folder, "map.map"), read(s.map("q3_entities.map")))
    s.run("vbsp", os.path.join(folder, "map.map"), "-o", path).expect(0)
    same_as_one_process(s, folder, path, ("vvis",), runs=((1, 1), (2, 2), (5, 1)))


@suite.case
def a_build_has_the_bytes_of_one_process(s, folder):
    """And the other ranks do one stage after the other."""
    one, many = os.path.join(folder, "one.bsp"), os.path.join(folder, "many.bsp")
    path = write(os.path.join(folder, "map.vmf"), read(s.map("atrium.vmf")))
    s.run("brushwork", "build", path, "-fast", "-o", one).expect(0)
    mpi.run(s, 3, "brushwork", "build", path, "-fast", "-o", many).expect(0)
    check(read(many) == read(one), "other bytes")


@suite.case
def the_cache_is_that_of_one_process(s, folder):
    mpi.module(s)
    path, cache = source_map(s, folder), os.path.join(folder, "cache")
    for ranks in (3, 1, 2):
        out = os.path.join(folder, f"{ranks}.bsp")
        mpi.run(s, ranks, "vvis", path, "--cache", cache, "-o", out).expect(0)
        check(read(out) == read(os.path.join(folder, "3.bsp")), f"{ranks} ranks")


def expect_one_line(done, status, *texts):
    done.expect(status)
    told = [line for line in done.err.splitlines() if line.startswith(("vvis: error", "vvis: warning"))]
    check(len(told) == 1, f"{told} from {done}")
    for text in texts:
        check(text in told[0], f"no {text} in {told[0]}")


@suite.case
def only_rank_0_speaks(s, folder):
    expect_one_line(mpi.run(s, 3, "vvis", "--nonsense"), 2, "T001", "nonsense")
    done = mpi.run(s, 3, "vvis", "--help").expect(0)
    check(done.out == s.run("vvis", "--help").out, f"{done.out}")
    done = mpi.run(s, 3, "vvis", os.path.join(folder, "absent.bsp")).expect(1)
    check(done.err.count("absent.bsp") == 1, done.err)


@suite.case
def a_sandbox_is_refused(s, folder):
    path = source_map(s, folder, 1)
    expect_one_line(mpi.run(s, 2, "vvis", path, "--sandbox"), 2, "T001", "2 ranks")
    mpi.run(s, 1, "vvis", path, "--sandbox").expect(0)


def slow(s, folder, turn):
    """A map that vvis takes some time for, more each turn, the bytes of a run that nobody disturbs, and a BSP in the
    place of the output."""
    path, one, out = source_map(s, folder, 7 + turn), os.path.join(folder, "one.bsp"), os.path.join(folder, "out.bsp")
    s.run("vvis", path, "-o", one).expect(0)
    return path, read(one), write(out, "the old output")


def disturbed(s, path, out, disturb):
    """Disturbs a run of 3 ranks that has kept some rounds. Returns what it said."""
    running = mpi.start(s, 3, "vvis", path, "-o", out, "-threads", 1, "--checkpoint-every", 0)
    wait_for_writes(running, [os.path.splitext(out)[0] + ".vischeckpoint"], 1)
    try:
        disturb(running, mpi.processes(running))
    except (KeyError, ProcessLookupError):
        pass  # the rank has ended
    done = mpi.finish(running)
    if done.status == 0 or read(out) != b"the old output":
        raise Over
    return done


def goes_on_after(s, folder, disturb):
    """Disturbs a run, and lets 2 ranks go on. Returns what it said."""

    def attempt(turn):
        path, whole, out = slow(s, folder, turn)
        return path, whole, out, disturbed(s, path, out, disturb)

    path, whole, out, done = in_time(folder, attempt)
    check(os.path.exists(os.path.join(folder, "out.vischeckpoint")), "nothing is kept")
    mpi.run(s, 2, "vvis", path, "-o", out, "--resume").expect(0)
    check(read(out) == whole, "other bytes")
    left = sorted(set(os.listdir(folder)) - {"map.vmf", "map.bsp", "map.prt", "one.bsp", "out.bsp"})
    check(not left, f"left: {left}")
    return done


@suite.case
def a_rank_that_dies_ends_the_job(s, folder):
    done = goes_on_after(s, folder, lambda running, ranks: os.kill(ranks[1], signal.SIGKILL))
    check("signal 9" in done.err, done.err)


@suite.case
def the_job_ends_when_rank_0_dies(s, folder):
    done = goes_on_after(s, folder, lambda running, ranks: os.kill(ranks[0], signal.SIGKILL))
    check("signal 9" in done.err, done.err)


@suite.case
def a_job_is_cancelled(s, folder):
    goes_on_after(s, folder, lambda running, ranks: running.send_signal(signal.SIGINT))


@suite.case
def a_signal_to_any_rank_cancels_the_job(s, folder):
    done = goes_on_after(s, folder, lambda running, ranks: os.kill(ranks[2], signal.SIGTERM))
    check("C352" in done.err and "another rank" in done.err, done.err)


@suite.case
def a_rank_that_fails_ends_the_job(s, folder):
    """The program is of the tests (support/failing_rank.c)."""
    done = mpi.run(s, 3, "failing_rank").expect(4)
    told = re.findall("^failing_rank(?:, rank 1)?: error .*", done.err, re.MULTILINE)
    check(len(told) == 1 and ", rank 1: " in told[0] and "a rank that is to fail" in told[0], done.err)


@suite.case
def a_bound_ends_the_job(s, folder):
    path, out = source_map(s, folder, 7), write(os.path.join(folder, "out.bsp"), "the old output")
    done = mpi.run(s, 2, "vvis", path, "-o", out, "-threads", 1, "--max-time", 0.01).expect(5)
    check(done.err.count("error C351") == 1, done.err)
    check(read(out) == b"the old output", "the old output has changed")


@suite.case
def memory_is_bounded_on_each_rank(s, folder):
    path, out = source_map(s, folder, 7), write(os.path.join(folder, "out.bsp"), "the old output")
    done = mpi.run(s, 2, "vvis", path, "-o", out, "-threads", 1, "--max-memory", "2M").expect(5)
    told = re.findall(r"^vvis(, rank 1)?: error C351", done.err, re.MULTILINE)
    check(1 <= len(told) <= 2, done.err)
    check(read(out) == b"the old output", "the old output has changed")


def launched(s, folder, *arguments, **variables):
    """A program without modules, started as a launcher does."""
    path = os.path.join(folder, "bin", "vvis")
    if not os.path.exists(path):
        os.mkdir(os.path.dirname(path))
        shutil.copy(os.path.join(s.options.bin, "vvis"), path)
    return subprocess.run([path, *arguments], env=mpi.environment() | variables, timeout=mpi.SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


@suite.case
def a_rank_needs_the_module(s, folder):
    path = source_map(s, folder, 1)
    before = read(path)
    for variables in ({"OMPI_COMM_WORLD_RANK": "%d", "OMPI_COMM_WORLD_SIZE": "4"}, {"PMI_RANK": "%d", "PMI_SIZE": "2"},
                      {"PMIX_RANK": "%d", "SLURM_STEP_NUM_TASKS": "2"}, {"PMIX_RANK": "%d"}):
        first = launched(s, folder, path, **{k: v.replace("%d", "0") for k, v in variables.items()})
        check(first.returncode == 1 and b"error C360" in first.stderr and b"mpi.so" in first.stderr, first)
        other = launched(s, folder, path, **{k: v.replace("%d", "1") for k, v in variables.items()})
        check((other.returncode, other.stdout, other.stderr) == (0, b"", b""), other)
        check(read(path) == before, "the map has changed")


@suite.case
def a_process_is_alone_when_it_is_told_so(s, folder):
    path = source_map(s, folder, 1)
    for variables in ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"},
                      {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "BRUSHWORK_MPI": "0"}):
        done = launched(s, folder, path, **variables)
        check(done.returncode == 0, done)


if __name__ == "__main__":
    suite.main()
