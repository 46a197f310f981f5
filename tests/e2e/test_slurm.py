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
            "PATH": s.options.bin + ":" + self.cluster.env["PATH"], "OUT": os.path.join(folder, "out"),
            "OPTIONS": "--checkpoint-every 0", "CPUS": "2", "MEMORY": "512M", "TIME_LIMIT": "20"}
        lines = ["# map, options"] + [" ".join((name, *options)) for name, options in maps.items()]
        self.list = write(os.path.join(folder, "maps", "list.txt"), "\n".join(lines))
        said = self.cluster.call(example(s, "submit"), self.list, env=self.env, cwd=folder)
        self.summary = re.search(r"Submitted batch job (\d+)", said).group(1)
        self.maps = maps

    def out(self, name):
        return os.path.join(self.folder, "out", name)

    def element(self, name):
        """The job of a map."""
        line = str(1 + list(self.maps).index(name))
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
    rows = re.findall(rf"^(\S+) +\d+ +(\d+)  {folder}/maps/(\S+)$", summary, re.MULTILINE)
    check(rows == [("built", "1", "long.vmf"), ("built", "0", "deep/box.vmf"), ("built", "0", "q3_lights.map"),
                   ("leaks", "0", "leak.vmf")] and "V001" in summary, summary)


@suite.case
def the_command_of_the_page_builds_the_list_of_the_example(s, folder):
    cluster, out = Farm.get(), os.path.join(folder, "out")
    with open(os.path.join(s.options.source, "docs", "farm.md"), encoding="utf-8") as page:
        command = re.search(r"^    (OUT=.*submit .*)$", page.read(), re.MULTILINE).group(1)
    said = cluster.call("bash", "-c", command.replace("OUT=/shared/out", f"OUT={out}"), cwd=s.options.source,
                        env={"PATH": s.options.bin + ":" + cluster.env["PATH"], "OPTIONS": "--preset fast", "MEMORY": "512M", "TIME_LIMIT": "20"})
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
    env = {"PATH": s.options.bin + ":" + cluster.env["PATH"], "OUT": out,
           "OPTIONS": "--checkpoint-every 0", "RANKS": start,
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    job = cluster.call("sbatch", "--parsable", "--ntasks=3", "--cpus-per-task=1", "--mem-per-cpu=300M", "--time=20",
                       f"--output={folder}/job.out", example(s, "mpi.sbatch"), path, *LONG,
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


FAKE_SBATCH = """#!/bin/bash
for word; do case $word in --array=*) lines=${word#--array=}; lines=${lines%%%*};; esac; done
[[ $lines ]] || { echo "Submitted batch job 9"; exit 0; }
for number in $(seq ${lines/-/ }); do SLURM_ARRAY_TASK_ID=$number bash "${@: -2:1}" "${@: -1}" || true; done
echo "$@" >>"$OUT/asked"
echo 1
"""


def submit(s, folder, text):
    """Submits a list to an sbatch that runs the elements at once; returns what it said, and what was built."""
    for name in ("maps/dm/arena.vmf", "maps/ctf/arena.vmf", "maps/--log=pwn.vmf", "maps/my map.vmf"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        write(os.path.join(folder, name), read(s.map("box.vmf")))
    write(os.path.join(folder, "maps", "atrium.vmf"), read(s.map("atrium.vmf")))
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    sbatch = write(os.path.join(folder, "bin", "sbatch"), FAKE_SBATCH)
    os.chmod(sbatch, 0o755)
    out = os.path.join(folder, "out put")
    env = {**os.environ, "OUT": out, "OPTIONS": "--preset fast -threads 1",
           "PATH": f"{folder}/bin:{s.options.bin}:" + os.environ["PATH"]}
    names = write(os.path.join(folder, "maps", "list.txt"), text)
    done = subprocess.run(["bash", example(s, "submit"), names], cwd=folder, env=env, capture_output=True, check=False)
    built = [os.path.relpath(path, out) for path in glob.glob(os.path.join(glob.escape(out), "**", "*.bsp"), recursive=True)]
    return done, sorted(built)


@suite.case
def every_map_of_a_list_is_built(s, folder):
    """However its lines end, quoted names, and two maps of one name."""
    done, built = submit(s, folder, '\ufeff# all\r\n"my map.vmf" --texdata "/none such"\r\n--log=pwn.vmf\r\n'
                                    "**/arena.vmf -luxelscale 2")
    check(done.returncode == 0, done)
    check(built == ["--log=pwn.bsp", "ctf/arena.bsp", "dm/arena.bsp"], f"{built}: {done}")
    log = read(os.path.join(folder, "out put", "my map.log")).decode()
    check("/none such" in log, log)
    check(not os.path.exists(os.path.join(folder, "pwn.vmf")), "a log")
    asked = read(os.path.join(folder, "out put", "asked")).decode()
    check(asked.count("--array") == 1 and "--array=1-4%50" in asked, asked)


@suite.case
def maps_get_what_site_sh_says(s, folder):
    share = {"CPUS": "3", "MEMORY": "700M", "TIME_LIMIT": "0:20:00"}
    os.environ.update(share)
    try:
        done, built = submit(s, folder, "atrium.vmf -luxelscale 8\ndm/arena.vmf")
    finally:
        for name in share:
            del os.environ[name]
    check(done.returncode == 0 and built == ["atrium.bsp", "dm/arena.bsp"], done)
    asked = read(os.path.join(folder, "out put", "asked")).decode()
    check("--array=1-2%50 --cpus-per-task=3 --mem=700M --time=0:20:00" in asked, asked)


@suite.case
def a_list_with_a_fault_submits_nothing(s, folder):
    for text, place in (("dm/arena.vmf\nabsent.vmf\n", ":2: error C365"), ("dm/arena.vmf\nctf/../dm/arena.vmf -fast", ":2: error C366"),
                        ('"dm/arena.vmf\n', ":1: error C364"), ("\n# nothing\n", ": error C364"),
                        ("dm/arena.vmf --preset fats\n", ":1: error T001")):
        done, built = submit(s, folder, text)
        check(done.returncode != 0 and place in done.stderr.decode() and not built, f"{text!r}: {built}, {done}")
        check(not os.path.exists(os.path.join(folder, "out put", "asked")), done)


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
