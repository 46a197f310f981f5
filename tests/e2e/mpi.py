"""Programs on the ranks of mpirun."""
import functools
import os
import re
import shutil
import signal
import subprocess
import tempfile

from e2e import Done, Skip

SECONDS = 600  # for a run; it ends one that hangs
# A test may run as root, and on a machine with fewer CPUs than ranks. For Open MPI 4 and 5.
ALLOWED = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
           "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@functools.cache
def release():
    """The major number of Open MPI, or 0 for another MPI."""
    told = subprocess.run(["mpirun", "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
    found = re.search(r"Open MPI\) (\d+)", told)
    return int(found.group(1)) if found else 0


def transport():
    """Shared memory alone, which is there without a network, and files of it where there is room; nothing asks for
    other machines or for a service of the system."""
    memory = "sm" if release() >= 5 else "vader"  # another name for the same
    return {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self," + memory, "OMPI_MCA_osc": "^ucx", "OMPI_MCA_coll_hcoll_enable": "0",
            f"OMPI_MCA_btl_{memory}_backing_directory": tempfile.gettempdir(),
            f"OMPI_MCA_btl_{memory}_single_copy_mechanism": "none",  # others need ptrace, which containers forbid
            "OMPI_MCA_smsc": "^cma,knem,xpmem", "OMPI_MCA_mtl": "^ofi,psm,psm2,psm3", "OMPI_MCA_plm": "isolated",
            "OMPI_MCA_oob_tcp_if_include": "lo", "PRTE_MCA_prte_if_include": "lo", "PRTE_MCA_plm_ssh_agent": "/bin/false",
            "PMIX_MCA_psec": "native", "PMIX_MCA_gds": "hash", "PMIX_MCA_ptl_tcp_if_include": "lo"}


def environment():
    """Without what an mpirun around the tests has set."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_", "PMI_", "PRTE_"))}
    # Open MPI leaks a little in modules that it has unloaded by the end.
    leaks = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    return plain | ALLOWED | leaks


def spoken(err):
    """What the programs say on standard error, without what MPI may say there: it depends on its release and on the
    devices of the machine."""
    return [line for line in err.splitlines() if re.search(r"\b[A-Z]\d{3}: ", line)]


def module(s):
    """The module for MPI, or the case is skipped."""
    path = os.path.join(s.options.bin, "..", "lib", "brushwork", "mpi.so")
    if not os.path.exists(path):
        raise Skip("built without MPI")
    return path


def start(s, ranks, program, *arguments):
    """Starts it; the caller waits."""
    module(s)
    if not shutil.which("mpirun"):
        raise Skip("no mpirun")
    command = ["mpirun", "-n", str(ranks), os.path.join(s.options.bin, program), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment() | transport())


def finish(running):
    """Waits. Leaves out what hwloc says without /sys, as in a chroot."""
    try:
        out, err = running.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        for process in processes(running):
            os.kill(process, signal.SIGKILL)
        running.kill()
        raise
    err = b"".join(line for line in err.splitlines(keepends=True) if not line.startswith(b"hwloc/"))
    return Done(list(map(str, running.args)), subprocess.CompletedProcess(running.args, running.returncode, out, err))


def run(s, ranks, program, *arguments):
    return finish(start(s, ranks, program, *arguments))


def processes(running):
    """The process of each rank that runs now, by rank."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = dict(v.split(b"=", 1) for v in file.read().split(b"\0") if b"=" in v)
        except (OSError, IndexError, ValueError):
            continue
        if parent == running.pid and b"OMPI_COMM_WORLD_RANK" in variables:
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(name)
    return found
