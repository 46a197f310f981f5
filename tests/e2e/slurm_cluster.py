"""A cluster of Debian's Slurm on this machine: its own munged, slurmctld and slurmd in a temporary folder, as the
user of the test. All of them, and all jobs, end with the test."""
import ctypes
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from e2e import Skip

CPUS = 4
MEMORY = 4000  # MiB
PR_SET_PDEATHSIG = 1

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
JobRequeue=0
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName=node NodeAddr=127.0.0.1 NodeHostname={host} Port={slurmd_port} CPUs={cpus} RealMemory={memory}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=all Nodes=node Default=YES MaxTime=60 PriorityTier=1
PartitionName=urgent Nodes=node MaxTime=60 PriorityTier=2
"""


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def end_with_parent():
    """Even when the test is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def wait_until(condition, seconds):
    """Polls; returns what the condition gave last."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


class Cluster:
    """One node with CPUS processors, however many this machine has."""

    def __init__(self):
        missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel")
                   if not self.program(name)]
        if missing:
            raise Skip(f"no {missing[0]} (packages slurm-wlm and munge)")
        self.daemons = []
        self.folder = tempfile.mkdtemp(prefix="brushwork-slurm-")
        self.env = {**os.environ, "SLURM_CONF": os.path.join(self.folder, "slurm.conf")}
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def program(name):
        return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def start(self):
        os.chmod(self.folder, 0o755)  # of munge's socket, which may be for all
        for name in ("munge", "state", "spool"):
            os.mkdir(os.path.join(self.folder, name), 0o755)
        ctld_port, slurmd_port = free_ports(2)
        text = CONFIGURATION.format(
            folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name, host=socket.gethostname().split(".")[0],
            ctld_port=ctld_port, slurmd_port=slurmd_port, cpus=CPUS, memory=MEMORY)
        self.write("slurm.conf", text)
        # A release that cannot do without a cgroup plugin is content with one that finds nothing.
        version = subprocess.run([self.program("slurmd"), "-V"], stdout=subprocess.PIPE, check=False).stdout.decode()
        old = int((re.findall(r"\d+", version) or [0])[0]) < 23
        self.write("cgroup.conf", f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={self.folder}/cgroup\n" if old else
                   "CgroupPlugin=disabled\n")
        munge = os.path.join(self.folder, "munge")
        with open(os.open(os.path.join(munge, "key"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as key:
            key.write(os.urandom(1024))
        self.daemon("munged", "-F", "--num-threads=2", *(f"--{what}={munge}/{name}" for what, name in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        if not wait_until(lambda: os.path.exists(os.path.join(munge, "socket")), 120):
            raise Skip("munged does not start: " + self.said())
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D", "-N", "node")
        if not wait_until(self.is_idle, 300):
            raise Skip("Slurm does not start: " + self.said())

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def daemon(self, name, *arguments):
        with open(os.path.join(self.folder, name + ".out"), "wb") as out:
            self.daemons.append(subprocess.Popen([self.program(name), *arguments], env=self.env, stdout=out, stderr=out,
                                                 stdin=subprocess.DEVNULL, preexec_fn=end_with_parent))

    def said(self):
        """The last lines of the daemons, for a message."""
        lines = []
        for name in ("munged", "slurmctld", "slurmd"):
            path = os.path.join(self.folder, name + ".out")
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    lines += file.read().splitlines()[-3:]
        return "; ".join(lines)

    def is_idle(self):
        done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.strip() == b"idle"

    def call(self, *command, env=None, cwd=None):
        """A command of Slurm; returns what it prints."""
        done = subprocess.run(command, env={**self.env, **(env or {})}, cwd=cwd, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=600, check=False)
        text = done.stdout.decode(errors="replace").strip()
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}: {text}")
        return text

    def jobs(self):
        """All jobs, also those that have ended: dictionaries of the fields of scontrol."""
        text = self.call("scontrol", "show", "job", "-o")
        return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in text.splitlines() if "JobId=" in line]

    def job(self, number):
        return next(job for job in self.jobs() if job["JobId"] == str(number))

    def state(self, number):
        return self.job(number)["JobState"]

    def begin_now(self, number):
        """A job that was requeued waits two minutes for its node to clean up; it takes a second in which slurmd does
        not take it again."""
        if not wait_until(lambda: self.state(number) == "PENDING", 600):
            raise AssertionError(f"job {number} is {self.state(number)}")
        self.call("scontrol", "update", f"jobid={number}", "starttime=now+3")

    def wait_for_end(self, number, seconds=300):
        """Returns the state in which it ended."""
        running = ("PENDING", "RUNNING", "COMPLETING", "REQUEUED")
        if not wait_until(lambda: self.state(number) not in running, seconds):
            raise AssertionError(f"job {number} is still {self.job(number)}")
        return self.state(number)

    def processes(self):
        """Of the daemons and of all jobs, by their environment."""
        own = b"SLURM_CONF=" + self.env["SLURM_CONF"].encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if int(name) != os.getpid() and own in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
        return found

    def stop(self):
        """Ends the jobs, then the daemons, then what is left."""
        if len(self.daemons) == 3:
            subprocess.run(["scancel", "--user", str(os.getuid())], env=self.env, timeout=30, check=False,
                           stderr=subprocess.DEVNULL)
            wait_until(self.is_idle, 10)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []
        for number in self.processes():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(lambda: not self.processes(), 5)
        shutil.rmtree(self.folder, ignore_errors=True)
