#!/usr/bin/env python3
"""vrad and build on several ranks: the bytes of one process, also when a rank dies and the run is resumed."""
import os
import re
import signal

import mpi
from e2e import Suite, check, read, write
from interrupts import Over, earlier, in_time, wait_for_writes

suite = Suite()


def two_lights(s, folder):
    """A map whose LDR and HDR differ, so that it is lit twice."""
    with open(s.map("atrium.vmf"), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'"_lightHDR" "-1 -1 -1 1"', '"_lightHDR" "90 200 120 300"', text)
    return write(os.path.join(folder, "map.vmf"), text)


def seen_map(s, source, stem):
    s.run("vbsp", source, "-o", stem + ".bsp").expect(0)
    s.run("vvis", stem).expect(0)
    return stem + ".bsp"


def same_light(s, folder, source, *options):
    path = seen_map(s, source, os.path.join(folder, "map"))
    alone, together = (os.path.join(folder, name) for name in ("alone.bsp", "together.bsp"))
    first = s.run("vrad", path, *options, "-o", alone, "--json").expect(0)
    for count, threads in ((2, 1), (3, 2)):
        done = mpi.run(s, count, "vrad", path, *options, "-threads", threads, "-o", together, "--json").expect(0)
        check(read(alone) == read(together), f"other bytes on {count} ranks")
        check(done.codes() == first.codes(), f"{done.codes()}, alone {first.codes()}")


@suite.case
def light_of_source_maps_is_that_of_one_process(s, folder):
    mpi.module(s)
    same_light(s, folder, s.map("light_fixtures.vmf"), "-fast")


@suite.case
def both_sets_are_those_of_one_process(s, folder):
    mpi.module(s)
    same_light(s, folder, two_lights(s, folder), "-both", "-fast")


@suite.case
def light_of_quake3_maps_is_that_of_one_process(s, folder):
    mpi.module(s)
    same_light(s, folder, write(os.path.join(folder, "map.map"), read(s.map("q3_lights.map"))))


def same_build(s, folder, source, *options):
    made = []
    for count in (0, 2):
        place = os.path.join(folder, f"{os.path.basename(source)}{count}")
        stem = os.path.join(place, "out")
        arguments = ("build", source, *options, "-o", stem + ".bsp", "--json")
        os.mkdir(place)
        done = (mpi.run(s, count, "brushwork", *arguments) if count else s.run("brushwork", *arguments)).expect(0)
        made.append([sorted(done.codes())] + [read(stem + ending) for ending in (".bsp", ".prt", ".srf")
                                              if os.path.exists(stem + ending)])
    check(made[0][0] == made[1][0], f"{made[1][0]}, alone {made[0][0]}")
    check(made[0] == made[1], "other bytes")


@suite.case
def a_build_is_that_of_one_process(s, folder):
    mpi.module(s)
    same_build(s, folder, two_lights(s, folder), "--preset", "fast", "-both")
    same_build(s, folder, write(os.path.join(folder, "map.map"), read(s.map("q3_styles.map"))))


def kill_after(s, path, rank, writes, *command):
    """Kills a rank after so many writes of the checkpoint. Returns what the run said."""
    running = mpi.start(s, 3, *command)
    wait_for_writes(running, [path], writes)
    process = mpi.processes(running).get(rank)
    if process:
        os.kill(process, signal.SIGKILL)
    done = mpi.finish(running)
    if done.status == 0:
        raise Over
    return done.err


@suite.case
def a_run_that_lost_a_rank_goes_on(s, folder):
    mpi.module(s)
    stem = os.path.join(folder, "map")
    path = seen_map(s, two_lights(s, folder), stem)
    before, options = read(path), ("-both", "-fast", "-threads", "1")
    s.run("vrad", path, *options, "-o", os.path.join(folder, "whole.bsp")).expect(0)
    command = ("vrad", path, *options, "--checkpoint-every", "0")
    for rank, writes, count in ((1, 2, 3), (0, 3, 1), (2, 1, 2)):
        err = in_time(folder, lambda turn, r=rank, w=writes: kill_after(s, stem + ".vradcheckpoint", r, earlier(w, turn),
                                                                        *command))
        check(read(path) in (before, read(os.path.join(folder, "whole.bsp"))), f"half a file: {err}")
        kept = os.path.exists(stem + ".vradcheckpoint")
        done = (mpi.run(s, count, *command, "--resume", "--json") if count > 1
                else s.run(*command, "--resume", "--json")).expect(0)
        check(not kept or not [c for c in done.codes() if c.startswith("I02")], done)
        check(read(path) == read(os.path.join(folder, "whole.bsp")), f"other bytes after rank {rank} was killed")
        write(path, before)


suite.main()
