"""Runs of the programs on several ranks, for the end-to-end tests."""
import os
import shutil
import subprocess

from e2e import Done, Skip

# mpirun refuses to run as root, in containers as well, unless it is told twice.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def command(suite, count, program, *arguments):
    """The command line of a run on so many ranks; skips the case where there is no MPI."""
    if not shutil.which("mpirun"):
        raise Skip("no mpirun")
    module = os.path.join(suite.options.bin, "..", "lib", "brushwork", "mpi.so")
    if not os.path.exists(module):
        raise Skip(f"no {module}")
    return ["mpirun", "--oversubscribe", "-n", str(count), os.path.join(suite.options.bin, program),
            *map(str, arguments)]


def start(suite, count, program, *arguments):
    return subprocess.Popen(command(suite, count, program, *arguments), env={**os.environ, **ENVIRONMENT},
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(suite, count, program, *arguments, timeout=600):
    """Like Suite.run, on so many ranks."""
    line = command(suite, count, program, *arguments)
    done = subprocess.run(line, env={**os.environ, **ENVIRONMENT}, stdin=subprocess.DEVNULL, timeout=timeout,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return Done(line, done)


def ranks_of(running):
    """The processes of the ranks of a run, by number."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = dict(v.partition(b"=")[::2] for v in file.read().split(b"\0"))
        except (OSError, ValueError, IndexError):
            continue
        if parent == running.pid and b"OMPI_COMM_WORLD_RANK" in variables:
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(name)
    return found
