#!/usr/bin/env python3
"""examples/slurm on a cluster of Debian's Slurm, which the test starts on this machine: an array over maps, of which
one is requeued in the middle, preempted, out of time, or cancelled. Each gives the bytes of a plain build."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from e2e import Skip, Suite, check, read, write
from slurm_cluster import CPUS, Cluster, wait_until

suite = Suite()
LONG = ("-both", "-luxelscale", ".25", "-extrasky", "50")  # some seconds, in several phases
# Slurm counts time in minutes; the signal that it sends before the end is sent here by hand.
TIME_IS_OVER = ("scancel", "--batch", "--signal=USR1")


class Farm:
    """The cluster, started by the first case that needs it."""

    cluster = None
    unable = None

    @classmethod
    def get(cls):
        if cls.unable:
            raise Skip(cls.unable)
        try:
            cls.cluster = cls.cluster or Cluster()
        except Skip as why:
            cls.unable = str(why)
            raise
        return cls.cluster

    @classmethod
    def stop(cls):
        if cls.cluster:
            cls.cluster.stop()
        cls.cluster = None


def example(s, name):
    return os.path.join(s.options.source, "examples", "slurm", name)


def long_map(s, folder):
    """Light differs in HDR, so that it is made twice."""
    text = read(s.map("atrium.vmf")).replace(b'"_lightHDR" "-1 -1 -1 1"', b'"_lightHDR" "90 200 120 300"')
    return write(os.path.join(folder, "maps", "long.vmf"), text)


class Run:
    """A list of maps with their options, submitted."""

    def __init__(self, s, folder, maps):
        self.s, self.folder, self.cluster = s, folder, Farm.get()
        os.makedirs(os.path.join(folder, "maps", "deep"), exist_ok=True)
        for name in maps:
            if name != "long.vmf":
                write(os.path.join(folder, "maps", name), read(s.map(os.path.basename(name))))
        long_map(s, folder)
        self.env = {
            "PATH": s.options.bin + ":" + self.cluster.env["PATH"], "MAPS": os.path.join(folder, "maps"),
            "OUT": os.path.join(folder, "out"), "OPTIONS": "--checkpoint-every 0",
            "SIZES": "100 1 300M 0:10:00\n - 2 600M 0:20:00"}
        lines = ["# map, options"] + [" ".join((name, *options)) for name, options in maps.items()]
        self.list = write(os.path.join(folder, "list.txt"), "\n".join(lines) + "\n")
        said = self.cluster.call(example(s, "submit"), self.list, env=self.env, cwd=folder)
        self.summary = re.search(r"Submitted batch job (\d+)", said).group(1)
        self.maps = maps

    def out(self, name):
        return os.path.join(self.folder, "out", name)

    def element(self, name):
        """The job of a map."""
        line = str(2 + list(self.maps).index(name))
        name = self.env["OUT"]
        found = [job for job in self.cluster.jobs() if job.get("StdOut", "").startswith(name + "/")]
        return next(job["JobId"] for job in found if job.get("ArrayTaskId") == line)

    def wait_for(self, pattern):
        found = wait_until(lambda: glob.glob(self.out(pattern)), 600)
        check(found, f"no {pattern}: {self.cluster.jobs()} {os.listdir(self.out(''))}")

    def check_bytes(self, name):
        """Those of a build outside of the cluster."""
        plain = os.path.join(self.folder, "plain.bsp")
        self.s.run("brushwork", "build", os.path.join(self.folder, "maps", name), *self.maps[name], "-o", plain)
        check(read(plain) == read(self.out(os.path.splitext(name)[0] + ".bsp")), f"{name}: other bytes")

    def status(self, stem):
        return read(self.out(stem + ".status")).decode().split()

    def check_resumed(self):
        """The second run of long.vmf has made no BSP of its own, and each run has its messages."""
        check(self.status("long")[0] == "0" and self.status("long")[2] == "1", self.status("long"))
        first, second = read(self.out("long.log")).decode().split("\nvbsp ")
        check("  brushes " in first and "by SIGTERM" in first, first)
        check("  bounced light " in second and "  brushes " not in second, second)
        ends = [json.loads(read(self.out(f"long.{number}.sarif")))["runs"][0]["invocations"][0]["executionSuccessful"]
                for number in (0, 1)]
        check(ends == [False, True], ends)
        check(not glob.glob(self.out("*checkpoint")), os.listdir(self.out("")))


@suite.case
def an_array_builds_all_maps_and_goes_on_after_a_requeue(s, folder):
    run = Run(s, folder, {"long.vmf": LONG, "deep/box.vmf": (), "q3_lights.map": ("--preset", "fast"), "leak.vmf": ()})
    run.wait_for("long.vradcheckpoint")
    long = run.element("long.vmf")
    run.cluster.call("scontrol", "requeue", long)
    run.cluster.begin_now(long)
    check(run.cluster.wait_for_end(long) == "COMPLETED", run.cluster.job(long))
    check(run.cluster.wait_for_end(run.summary) == "FAILED", "a map leaks, and the summary does not tell")
    for name in run.maps:
        run.check_bytes(name)
    run.check_resumed()
    summary = read(run.out("summary.txt")).decode()
    print(summary)
    rows = re.findall(r"^(\S+) +\d+ +(\d+)  (\S+)$", summary, re.MULTILINE)
    check(rows == [("built", "1", "long.vmf"), ("built", "0", "deep/box.vmf"), ("built", "0", "q3_lights.map"),
                   ("leaks", "0", "leak.vmf")] and "V001" in summary, summary)
    check(run.cluster.job(run.element("deep/box.vmf"))["NumCPUs"] == "1"
          and run.cluster.job(long)["NumCPUs"] == "2", "not by the table of sizes")


@suite.case
def the_command_of_the_page_builds_the_list_of_the_example(s, folder):
    cluster, out = Farm.get(), os.path.join(folder, "out")
    with open(os.path.join(s.options.source, "docs", "farm.md"), encoding="utf-8") as page:
        command = re.search(r"^    (cd maps .*submit .*)$", page.read(), re.MULTILINE).group(1)
    said = cluster.call("bash", "-c", command.replace("OUT=/shared/out", f"OUT={out}"), cwd=s.options.source,
                        env={"PATH": s.options.bin + ":" + cluster.env["PATH"], "OPTIONS": "--preset fast"})
    summary = re.search(r"Submitted batch job (\d+)", said).group(1)
    check(cluster.wait_for_end(summary) == "COMPLETED", cluster.jobs())
    text = read(os.path.join(out, "summary.txt")).decode()
    check(text.count("\nbuilt ") == 3, text)


@suite.case
def a_build_that_is_preempted_goes_on(s, folder):
    """By a job of another partition that wants the whole node."""
    run = Run(s, folder, {"long.vmf": LONG})
    run.wait_for("long.vradcheckpoint")
    urgent = run.cluster.call("sbatch", "--parsable", "--partition=urgent", f"--cpus-per-task={CPUS}", "--mem=100M",
                              "--output=/dev/null", "--wrap=sleep 1")
    check(run.cluster.wait_for_end(urgent) == "COMPLETED", run.cluster.job(urgent))
    long = run.element("long.vmf")
    check(run.cluster.job(long)["Restarts"] == "1", run.cluster.job(long))
    run.cluster.begin_now(long)
    check(run.cluster.wait_for_end(run.summary) == "COMPLETED", run.cluster.jobs())
    run.check_bytes("long.vmf")
    run.check_resumed()


@suite.case
def a_build_whose_time_is_over_goes_on(s, folder):
    run = Run(s, folder, {"long.vmf": LONG})
    run.wait_for("long.vradcheckpoint")
    long = run.element("long.vmf")
    run.cluster.call(*TIME_IS_OVER, long)
    run.cluster.begin_now(long)
    check(run.cluster.wait_for_end(run.summary) == "COMPLETED", run.cluster.jobs())
    run.check_bytes("long.vmf")
    run.check_resumed()


@suite.case
def a_build_that_is_cancelled_stays_so(s, folder):
    """Its checkpoint stays too, for the next time that the list is submitted."""
    run = Run(s, folder, {"long.vmf": LONG})
    run.wait_for("long.vradcheckpoint")
    run.cluster.call("scancel", run.element("long.vmf"))
    check(run.cluster.wait_for_end(run.summary) == "FAILED", run.cluster.jobs())
    check(run.status("long")[0] == "143" and "not ended (143)" in read(run.out("summary.txt")).decode(), run.status("long"))
    check(os.path.exists(run.out("long.vradcheckpoint")), os.listdir(run.out("")))
    again = Run(s, folder, {"long.vmf": LONG})
    check(again.cluster.wait_for_end(again.summary) == "COMPLETED", again.cluster.jobs())
    run.check_bytes("long.vmf")
    check("  brushes " not in read(run.out("long.log")).decode(), "not from the checkpoint")


def ranks_go_on(s, folder, start, ends):
    """One map on three ranks, ended and going on."""
    cluster = Farm.get()
    if not os.path.exists(os.path.join(s.options.bin, "..", "lib", "brushwork", "mpi.so")):
        raise Skip("built without MPI")
    os.mkdir(os.path.join(folder, "maps"))
    path, out = long_map(s, folder), os.path.join(folder, "out")
    env = {"PATH": s.options.bin + ":" + cluster.env["PATH"], "MAPS": os.path.join(folder, "maps"), "OUT": out,
           "OPTIONS": "--checkpoint-every 0", "RANKS": start,
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    job = cluster.call("sbatch", "--parsable", "--ntasks=3", "--cpus-per-task=1", "--mem-per-cpu=300M", "--time=20",
                       f"--output={folder}/job.out", example(s, "mpi.sbatch"), "long.vmf", *LONG,
                       env=env, cwd=example(s, ""))
    for run, end in enumerate(ends):
        wanted = [os.path.join(out, name) for name in ("long.vradcheckpoint", f"long.{run}.sarif")]
        check(wait_until(lambda: all(map(os.path.exists, wanted)), 600), f"{cluster.job(job)}")
        cluster.call(*end, job)
        cluster.begin_now(job)
    check(cluster.wait_for_end(job) == "COMPLETED", cluster.job(job))
    plain = os.path.join(folder, "plain.bsp")
    s.run("brushwork", "build", path, *LONG, "-o", plain).expect(0)
    check(read(plain) == read(os.path.join(out, "long.bsp")), "other bytes")
    check(read(os.path.join(out, "long.status")).split()[2] == str(len(ends)).encode(), "other number of restarts")
    first, *later = read(os.path.join(out, "long.log")).decode().split("\nvbsp ")
    check("C352" in first and "  brushes " in first, first)
    # One that is ended at once need not have said anything; none starts over.
    check(all("  brushes " not in run for run in later) and "  bounced light " in later[-1], later)


@suite.case
def one_map_on_ranks_of_srun_goes_on(s, folder):
    """After the end of its time, then after a requeue."""
    if "pmix" not in Farm.get().call("srun", "--mpi=list"):
        raise Skip("Slurm without PMIx")
    ranks_go_on(s, folder, "srun --mpi=pmix", (TIME_IS_OVER, ("scontrol", "requeue")))


@suite.case
def one_map_on_ranks_of_mpirun_goes_on(s, folder):
    if not shutil.which("mpirun"):
        raise Skip("no mpirun")
    ranks_go_on(s, folder, "mpirun --bind-to none", (TIME_IS_OVER,))


@suite.case
def a_name_is_no_option(s, folder):
    """The script of an element, without a cluster."""
    write(os.path.join(folder, "--log=pwn.vmf"), read(s.map("box.vmf")))
    write(os.path.join(folder, "list"), "--log=pwn.vmf --preset fast\n")
    env = {**os.environ, "FARM": os.path.dirname(example(s, "job.sh")), "SLURM_ARRAY_TASK_ID": "1", "MAPS": ".", "OUT": "out",
           "OPTIONS": "-threads 1", "RESTARTS": "0", "PATH": s.options.bin + ":" + os.environ["PATH"]}
    done = subprocess.run(["bash", example(s, "map.sbatch"), "list"], cwd=folder, env=env, capture_output=True, check=False)
    check(done.returncode == 0 and os.path.exists(os.path.join(folder, "out", "--log=pwn.bsp")), done)
    check(not os.path.exists(os.path.join(folder, "pwn.vmf")), "a log")


@suite.case
def nothing_runs_on(_s, _folder):
    cluster = Farm.get()
    check(len(cluster.processes()) >= 3, cluster.processes())
    Farm.stop()
    check(not cluster.processes() and not os.path.exists(cluster.folder), cluster.processes())


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
try:
    suite.main()
finally:
    Farm.stop()
