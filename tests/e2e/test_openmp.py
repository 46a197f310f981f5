#!/usr/bin/env python3
"""What the OpenMP runtime keeps in shared memory for a process: nothing of a dead one is believed, and
nothing is left behind."""
import os
import signal
import subprocess

from e2e import Skip, Suite, check, read, write
from interrupts import end, in_time, wait_for_writes
from vmf_boxes import pillars, room

suite = Suite()
SHARED = "/dev/shm"


def registration(process):
    return os.path.join(SHARED, f"__KMP_REGISTERED_LIB_{process}_{os.getuid()}")


def need_shared_memory():
    if not os.access(SHARED, os.W_OK):
        raise Skip(f"no {SHARED}")


def after_a_dead_process(folder, data):
    """For the process that is about to run: another one with its number died here."""
    def leave():
        with open(registration(os.getpid()), "wb") as file:
            file.write(data)
        write(os.path.join(folder, "process"), str(os.getpid()))
    return leave


COMMANDS = (["vbsp", "map.vmf"], ["vvis", "map.bsp"], ["vrad", "map.bsp", "-fast"],
            ["brushwork", "build", "map.vmf", "--preset", "fast"],
            ["brushwork", "render", "map.bsp", "--size", "64x48"])


@suite.case
def registrations_of_dead_processes_are_removed(s, folder):
    need_shared_memory()
    write(os.path.join(folder, "map.vmf"), room(512, 256))
    for data in (b"", bytes(1024), b"x" * 1024):
        for command in COMMANDS:
            s.run(*command, "-threads", 2, cwd=folder,
                  preexec=after_a_dead_process(folder, data)).expect(0)
            process = int(read(os.path.join(folder, "process")))
            check(not os.path.exists(registration(process)), f"still there: {command}")


@suite.case
def a_killed_process_leaves_no_registration(s, folder):
    need_shared_memory()
    write(os.path.join(folder, "map.vmf"), room(4096, 512, pillars(8, 400)))
    s.run("vbsp", "map.vmf", cwd=folder).expect(0)

    def killed(_):
        running = subprocess.Popen([os.path.join(s.options.bin, "vvis"), "map.bsp", "-threads", "2",
                                    "--checkpoint-every", "0"], cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        wait_for_writes(running, [os.path.join(folder, "map.vischeckpoint")], 1)
        end(running, signal.SIGKILL)
        return running.pid

    check(not os.path.exists(registration(in_time(folder, killed))), "its registration is still there")


suite.main()
