"""Disks that are full or cannot be written to: by limits of the process, and by file systems that are
mounted in a namespace of their own, where the system allows that."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

from judge import CODE, Folder, Judge, Table
from selection import one_of, spread

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT = 1, 2, 4, 32
PAGE = 4096
LOOP_MIB = 4


def limits(judge, options, table):
    """RLIMIT_FSIZE at sizes up to that of the largest output, and RLIMIT_NOFILE."""
    if judge.program.prints and os.path.exists("/dev/full"):
        full_output(judge, table)
    if not shutil.which("prlimit"):
        return
    changed = [data for name, data in judge.after.items()
               if data is not None and judge.before.get(name) != data]
    if changed:
        numbers = spread(max(map(len, changed)) + 1, 60 if options.long else 3)
        for number in numbers if options.long else [one_of(numbers, judge.program.name, "fsize")]:
            run_limited(judge, table, "fsize", number - 1)
    for number in range(4, 16) if options.long else [one_of((4, 5, 6), judge.program.name, "nofile")]:
        run_limited(judge, table, "nofile", number)


def full_output(judge, table):
    """What is printed cannot be: that is a failure too."""
    judge.folder.restore()
    with open("/dev/full", "wb") as full:
        run = judge.folder.finish(judge.folder.start(out=full))
    faults = judge.of_run(run)
    if run.status == judge.program.status and not CODE.search(run.err):
        faults.append(f"status {run.status} without what was asked for")
    table.add(judge.program.name, "/dev/full", 0, run.status, faults)


def run_limited(judge, table, kind, limit):
    judge.folder.restore()
    run = judge.folder.run(None, ("prlimit", f"--{kind}={limit}"))
    # The dynamic linker needs descriptors too, and says so itself.
    if run.status == 127 and kind == "nofile":
        return
    table.add(judge.program.name, "RLIMIT_" + kind.upper(), limit, run.status, judge.of_run(run))


# File systems.

def mount(source, target, kind, flags, data=""):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags),
                  data.encode()) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"mount {target}: {os.strerror(error)}")


def umount(target):
    ctypes.CDLL(None).umount2(target.encode(), 2)  # MNT_DETACH


class OnDisk(Folder):
    """A folder on a file system that is mounted for one run."""

    def __init__(self, folder, attach):
        self.mount = folder.path + ".disk"
        os.makedirs(self.mount)
        super().__init__(folder.options, folder.inputs, os.path.join(self.mount, "work"),
                         folder.program)
        self.attach = attach

    def run_with(self, *how):
        """Mounts, writes the files, spoils the file system, runs. Returns the run."""
        spoil = self.attach(self.mount, *how)
        os.makedirs(self.path, exist_ok=True)
        self.restore()
        spoil()
        return self.run()

    def close(self):
        umount(self.mount)
        shutil.rmtree(self.mount)


def sizes(judge, long_form):
    """Pages that stay free for a run, up to more than it needs."""
    need = sum(len(data) // PAGE + 2 for name, data in judge.after.items() if data is not None) + 4
    return range(need + 1) if long_form else (one_of((0, 1, need // 2), judge.program.name, "pages"),)


def used(folder):
    return sum((os.path.getsize(os.path.join(base, name)) + PAGE - 1) // PAGE
               for base, _, names in os.walk(folder) for name in names)


PLAIN = MS_NOSUID | MS_NODEV


def tmpfs(place, free):
    """Folders and names take no page."""
    mount("none", place, "tmpfs", PLAIN)
    return lambda: mount("none", place, "tmpfs", MS_REMOUNT | PLAIN,
                         f"size={max(1, used(place) + free) * PAGE}")


def read_only(place, _):
    mount("none", place, "tmpfs", PLAIN)
    return lambda: mount("none", place, "tmpfs", MS_REMOUNT | MS_RDONLY | PLAIN)


def fill(file, block):
    try:
        while file.write(block):
            os.fsync(file.fileno())
    except OSError:
        pass


def loop_device(image):
    def attach(place, free):
        subprocess.run(["mount", "-o", "loop", image, place], check=True, capture_output=True)
        filler = os.path.join(place, "filler")
        if os.path.exists(filler):
            os.remove(filler)

        def spoil():
            with open(filler, "wb", buffering=0) as file:
                for pages in (64, 1):
                    fill(file, bytes(pages * PAGE))
                file.truncate(max(0, os.path.getsize(filler) - free * PAGE))
        return spoil
    return attach


KINDS = ("full tmpfs", "read-only mount", "full loop device")


def torture_disk(judge, options, table, kind, attach):
    folder = judge.folder
    for free in (0,) if kind == "read-only mount" else sizes(judge, options.long):
        whole = OnDisk(folder, attach)
        try:
            run = whole.run_with(free)
            judge.folder = whole
            table.add(judge.program.name, kind, free, run.status,
                      [f"{free} pages free: {fault}" for fault in judge.of_run(run)])
        finally:
            judge.folder = folder
            whole.close()


def inside(options, inputs, programs, root, conclude):
    """In the namespace: one kind of file system, each program."""
    attach = {"full tmpfs": tmpfs, "read-only mount": read_only}.get(options.disk)
    if not attach:
        image = os.path.join(root, "image")
        with open(image, "wb") as file:
            file.truncate(LOOP_MIB << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-b", str(PAGE), "-m", "0", "-O", "^has_journal",
                        image], check=True, capture_output=True)
        attach = loop_device(image)
    begin, table = time.monotonic(), Table()
    if not options.long:
        programs = [p for p in programs if one_of(KINDS, p.name, "disk") == options.disk]
    for number, program in enumerate(programs):
        judge = Judge(Folder(options, inputs, os.path.join(root, str(number)), program))
        if judge.before != judge.after:
            torture_disk(judge, options, table, options.disk, attach)
    return conclude(options.disk, table, options, begin)


def outside(argv):
    """Runs the script again for each kind of file system; returns true when something failed."""
    failed = False
    for kind in KINDS:
        name = kind.replace(" ", "_")
        why = missing(kind)
        if why:
            print(f"[ RUN      ] {name}\nskipped: {why}\n[  SKIPPED ] {name}", flush=True)
            continue
        done = subprocess.run([*namespace(), sys.executable, *argv, "--parts", "disks", "--disk", kind],
                              check=False)
        failed |= done.returncode != 0
    return failed


def namespace():
    return ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-rm")


def missing(kind):
    """Why the kind of file system cannot be tried here, or None."""
    folder = tempfile.mkdtemp(prefix="brushwork-torture-")
    try:
        if not shutil.which("unshare"):
            return "no unshare"
        trial = f"mount -t tmpfs none {folder}"
        if kind == "full loop device":
            if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
                return "loop devices need root"
            if not shutil.which("mkfs.ext4"):
                return "no mkfs.ext4"
            trial += (f" && truncate -s 2M {folder}/image && mkfs.ext4 -q -F {folder}/image && mkdir {folder}/on"
                      f" && mount -o loop {folder}/image {folder}/on && umount {folder}/on")
        done = subprocess.run([*namespace(), "sh", "-c", trial], capture_output=True, check=False)
        return None if done.returncode == 0 else f"not allowed: {done.stderr.decode().strip()[-200:]}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
