#!/usr/bin/env python3
"""brushwork build of several maps: what is written, how many run at once, and how it ends."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from e2e import Skip, Suite, check, read, write
from interrupts import SECONDS, Over, asks_for_end, end, in_time, wait_until
from schemas import Schemas

suite = Suite()
HIDDEN = "the processes of maps are no children of theirs that a test could watch"
suite.schemas = Schemas(suite.options.source)
FAST = ("--preset", "fast", "--no-leak-picture")


def maps_in(s, folder, *names):
    place = os.path.join(folder, "maps")
    os.makedirs(place, exist_ok=True)
    return [shutil.copy(s.map(name), place) for name in names]


def copies(s, folder, name, count):
    return [shutil.copy(s.map(name), os.path.join(folder, f"copy{i}{os.path.splitext(name)[1]}")) for i in range(count)]


def outputs(folder):
    return {name: read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def parts(text):
    """The lines of the table at the end."""
    lines = text.splitlines()
    return lines[lines.index("maps") + 1:]


def statuses(done):
    return [part.get("status", "-") for part in done.result["maps"]]


def children_of(pid):
    """Processes directly below one."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        pass
    return found


def is_job(pid):
    try:
        return b"--job" in read(f"/proc/{pid}/cmdline").split(b"\0")
    except OSError:
        return False


def jobs_of(pid):
    """The processes of maps below one, at any depth; not what these have started, as LeakSanitizer does."""
    return [job for child in children_of(pid) for job in ([child] if is_job(child) else jobs_of(child))]


def most_at_once(running, expected):
    """The largest number of maps that are compiled at the same time, until the process ends. Those that are seen are
    stopped until as many as expected are there, so that none ends unseen, and a little longer, for one too many."""
    most, end = 0, time.monotonic() + SECONDS
    try:
        while most < expected and running.poll() is None and time.monotonic() < end:
            most = max(most, len(stopped(running)))
            time.sleep(0.004)
        for _ in range(20):
            most = max(most, len(stopped(running)))
            time.sleep(0.01)
    finally:
        for job in jobs_of(running.pid):
            send(job, signal.SIGCONT)
    while running.poll() is None:
        most = max(most, len(jobs_of(running.pid)))
        time.sleep(0.01)
    return most


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def stopped(running):
    """Stops all jobs, and returns them."""
    jobs = jobs_of(running.pid)
    for job in jobs:
        send(job, signal.SIGSTOP)
    return jobs


def start(s, *arguments, **given):
    command = [os.path.join(s.options.bin, "brushwork"), "build", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **given)


def wait_for_jobs(running, count):
    """The jobs, once there are so many that have set their handlers of signals."""
    jobs = []

    def are_there():
        jobs[:] = jobs_of(running.pid)
        return len(jobs) >= count and all(catches(job, signal.SIGINT) for job in jobs)

    wait_until(are_there, running)
    return jobs


def field(pid, name):
    """Of /proc/PID/status. SigCgt is the set of signals that it catches, ShdPnd of those that wait for it."""
    try:
        return re.search(rf"^{name}:\s*(\w+)", read(f"/proc/{pid}/status").decode(), re.MULTILINE).group(1)
    except OSError:
        return "0"


def catches(pid, number):
    return int(field(pid, "SigCgt"), 16) >> (number - 1) & 1


def are_gone(pids):
    end = time.monotonic() + SECONDS
    while any(map(is_job, pids)) and time.monotonic() < end:
        time.sleep(0.001)
    return not any(map(is_job, pids))


@suite.case
def bytes_are_those_of_single_builds(s, folder):
    sources = maps_in(s, folder, "atrium.vmf", "box.vmf", "q3_lights.map", "leak.vmf")
    alone = os.path.join(folder, "alone")
    for source in sources:
        stem = os.path.join(alone, os.path.splitext(os.path.basename(source))[0])
        s.run("brushwork", "build", source, *FAST, "-o", stem + ".bsp")
    expected = outputs(alone)
    check(len(expected) == 9, sorted(expected))
    for jobs in (0, 1, 2, 4):
        out = os.path.join(folder, f"out{jobs}")
        done = s.run("brushwork", "build", *sources, *FAST, "-j", jobs, "-o", out, "-k", "--json").expect(3)
        check(outputs(out) == expected, f"other bytes with -j {jobs}")
        check(statuses(done) == ["ok", "ok", "ok", "leak"], done.result["maps"])
        listed = sorted(file["path"] for file in done.result["files"])
        check(listed == sorted(os.path.join(out, name) for name in expected), listed)
    s.run("brushwork", "build", *sources, *FAST, "-k", "-MD", "-threads", 3, "-j", 2).expect(3)
    beside = outputs(os.path.join(folder, "maps"))
    check(all(beside[name] == data for name, data in expected.items()), "beside the sources")
    check([name for name in beside if name.endswith(".d")] == ["atrium.d", "box.d", "leak.d", "q3_lights.d"], list(beside))


@suite.case
def a_list_names_maps(s, folder):
    maps_in(s, folder, "box.vmf", "hint.vmf", "detail.vmf")
    names = write(os.path.join(folder, "maps", "list.txt"), "box.vmf\n\n  hint.vmf \n")
    done = s.run("brushwork", "build", "@" + names, os.path.join(folder, "maps", "detail.vmf"), *FAST, "--json").expect(0)
    found = [os.path.basename(part["source"]) for part in done.result["maps"]]
    check(found == ["box.vmf", "hint.vmf", "detail.vmf"], found)
    done = s.run("brushwork", "build", "@-", *FAST, "--json", stdin=b"maps/box.vmf\n", cwd=folder).expect(0)
    check([part["source"] for part in done.result["maps"]] == ["maps/box.vmf"], done.result)
    s.run("brushwork", "build", "@" + os.path.join(folder, "absent")).expect(1)
    s.run("brushwork", "build", "@-", stdin=b"\n").expect(2)


@suite.case
def a_failure_ends_or_does_not(s, folder):
    good, leaks, last = maps_in(s, folder, "box.vmf", "leak.vmf", "hint.vmf")
    broken = write(os.path.join(folder, "broken.vmf"), "world {")
    for maps, options, status, expected in (
            ((good, broken, last), (), 1, ["ok", "failed", "-"]),
            ((good, broken, last), ("-k",), 1, ["ok", "failed", "ok"]),
            ((good, leaks, last), (), 3, ["ok", "leak", "-"]),
            ((leaks, broken, last), ("--keep-going",), 1, ["leak", "failed", "ok"]),
            ((good, last), ("--fail-if", "warnings"), 0, ["ok", "ok"]),
            ((good, leaks), ("-k", "--max-memory", "1M"), 5, ["bound", "bound"]),
            ((good, last), ("-k", "--junit", os.path.join(folder, "junit.xml")), 0, ["ok", "ok"])):
        done = s.run("brushwork", "build", *maps, *FAST, *options, "--json").expect(status)
        check(statuses(done) == expected, f"{options}: {done.result['maps']}")
        check(done.result["exit_status"] == status, done.result)
        done = s.run("brushwork", "build", *maps, *FAST, *options).expect(status)
        words = [re.split(r"\s{2,}", line.strip())[1].split()[0] for line in parts(done.out.decode())[:len(maps)]]
        check(words == ["not" if word == "-" else word for word in expected], done.out.decode())


@suite.case
def what_cannot_be_is_refused(s, folder):
    a, b = maps_in(s, folder, "box.vmf", "hint.vmf")
    other = os.path.join(folder, "other")
    os.mkdir(other)
    shutil.copy(a, other)
    link = os.path.join(folder, "link")
    os.symlink(os.path.join(folder, "maps"), link)
    before = outputs(os.path.join(folder, "maps"))
    out = os.path.join(folder, "out")
    for arguments in ((a, a, "-o", out), (a, a), (a, os.path.join(link, "box.vmf")), (a, "-"), (a, b, "-o", "-"),
                      (a, b, "-o", out + ".bsp"), (a, b, "--depfile", out), (a, b, "-j", -1), (a, b, "--max-memory", "x")):
        s.run("brushwork", "build", *arguments, *FAST).expect(2)
    check(outputs(os.path.join(folder, "maps")) == before and not os.path.exists(out), "something was written")
    write(out, "a file")
    s.run("brushwork", "build", a, b, *FAST, "-o", out).expect(1)


@suite.case
def outputs_of_maps_do_not_mix(s, folder):
    sources = copies(s, folder, "leak.vmf", 6)
    for together in (False, True):
        running = subprocess.run([os.path.join(s.options.bin, "brushwork"), "build", *sources, "-k", "-j", "6", *FAST],
                                 stdout=subprocess.PIPE, check=False,
                                 stderr=subprocess.STDOUT if together else subprocess.PIPE)
        text = running.stdout.decode()
        pieces = text.split("vbsp " + folder)[1:]
        check(len(pieces) == 6, text)
        for piece in pieces:
            name = piece[1:piece.index(".vmf")]
            named = set(re.findall(r"(copy\d)\.(?:lin|bsp)", piece.split("\nmaps\n")[0]))
            check(named == {name} and piece.count("**** leaked ****") == 1, piece)
            check((f"{name}.vmf:729: error V001" in piece) == together, piece)
        if not together:
            check(running.stderr.decode().count("error V001") == 6, running.stderr)


def documents(s, folder, form, *maps):
    """The messages as one document, from standard error and in a file."""
    command = ("brushwork", "build", *maps, *FAST, "-k", "--diagnostics", form)
    done = s.run(*command)
    path = os.path.join(folder, "messages")
    text = s.run(*command, "--diagnostics-file", path, "--quiet").err
    check(read(path).decode() == done.err, f"{form}: {read(path)!r} is not {done.err!r}")
    check("V001" in text or not any("leak" in name for name in maps), text)
    return done.err


@suite.case
def messages_are_one_document(s, folder):
    maps = maps_in(s, folder, "leak.vmf", "instances.vmf", "q3_leak.map", "bad_solids.vmf")
    shutil.copytree(s.map("instances"), os.path.join(folder, "maps", "instances"))
    single = {form: [documents(s, folder, form, name) for name in maps] for form in ("sarif", "gitlab", "github")}
    sarif = json.loads(documents(s, folder, "sarif", *maps))
    expected = [result for text in single["sarif"] for result in json.loads(text)["runs"][0]["results"]]
    check(len(sarif["runs"]) == 1 and expected, sarif)
    key = lambda result: json.dumps(result, sort_keys=True)
    check(sorted(map(key, sarif["runs"][0]["results"])) == sorted(map(key, expected)), "SARIF")
    gitlab = json.loads(documents(s, folder, "gitlab", *maps))
    expected = [entry for text in single["gitlab"] for entry in json.loads(text)]
    check(sorted(map(key, gitlab)) == sorted(map(key, expected)), "GitLab")
    lines = lambda text: sorted(line for line in text.splitlines() if line)
    check(lines(documents(s, folder, "github", *maps)) == lines("\n".join(single["github"])), "GitHub")
    log = os.path.join(folder, "log")
    done = s.run("brushwork", "build", *maps, *FAST, "-k", "--json", "--log", log)
    check(done.err.splitlines()[-1].startswith('{"program":"brushwork build","result"'), done.err)
    total = sum(part["result"]["errors"] for part in done.result["maps"])
    check(done.result["errors"] == total == sum(d["severity"] == "error" for d in done.diagnostics), done.result)
    check(all(text in read(log).decode() for text in ("leak.vmf:729: error V001", "bad_solids", "maps\n")), read(log))


@suite.case
def memory_decides_how_many_run(s, folder):
    s.not_on_windows(HIDDEN)
    s.unsanitized()
    sources = copies(s, folder, "atrium.vmf", 4)
    running = start(s, *sources, *FAST, "-j", 4, "-threads", 4)
    check(most_at_once(running, 2) > 1, "one at a time")
    # An atrium is taken to need 34 MB.
    running = start(s, *sources, *FAST, "-j", 4, "-threads", 4, "--max-memory", "50M")
    most = most_at_once(running, 1)
    check(most == 1 and running.wait() == 0, f"{most} at once")


def tokens_in(pipe):
    os.set_blocking(pipe, False)
    try:
        return os.read(pipe, 100)
    except BlockingIOError:
        return b""


def with_pipe(tokens):
    into, out = os.pipe()
    os.write(out, tokens)
    return into, f" -j --jobserver-auth={into},{out}", {"pass_fds": (into, out)}


def with_fifo(folder, tokens):
    path = os.path.join(folder, "fifo")
    if not os.path.exists(path):
        os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR)
    os.write(pipe, tokens)
    return pipe, f"-k -j9 --jobserver-auth=1,2 --jobserver-auth=fifo:{path} -- X=1", {}


@suite.case
def bytes_of_a_jobserver_are_jobs(s, folder):
    s.not_on_windows(HIDDEN)
    s.unsanitized()
    sources = copies(s, folder, "atrium.vmf", 4)
    for tokens, jobs, expected, kinds in ((b"", 0, 1, ("pipe",)), (b"ab", 0, 3, ("pipe", "fifo")),
                                          (b"abcd", 2, 2, ("fifo",))):
        for kind in kinds:
            pipe, flags, given = with_pipe(tokens) if kind == "pipe" else with_fifo(folder, tokens)
            running = start(s, *sources, "-j", jobs, *FAST, env=dict(os.environ, MAKEFLAGS=flags), **given)
            most = most_at_once(running, expected)
            check(running.wait() == 0 and most == expected, f"{kind}, {tokens}: {most} at once, not {expected}")
            found = tokens_in(pipe)
            check(sorted(found) == sorted(tokens), f"{kind}: {tokens} became {found}")
            os.close(pipe)


@suite.case
def a_jobserver_that_is_lost_is_told(s, folder):
    sources = copies(s, folder, "box.vmf", 3)
    for flags in ("--jobserver-auth=98,99", "--jobserver-auth=fifo:/absent", "--jobserver-auth=-2,-2",
                  "--jobserver-auth=0,1"):
        os.environ["MAKEFLAGS"] = flags
        try:
            done = s.run("brushwork", "build", *sources, *FAST, "-j", 3, "--json").expect(0)
        finally:
            del os.environ["MAKEFLAGS"]
        check("C344" in done.codes() and statuses(done) == ["ok"] * 3, done)


@suite.case
def make_shares_its_jobs(s, folder):
    s.not_on_windows(HIDDEN)
    make = shutil.which("make")
    if not make:
        raise Skip("no make")
    copies(s, folder, "atrium.vmf", 4)
    brushwork = os.path.join(s.options.bin, "brushwork")
    write(os.path.join(folder, "Makefile"), "all: one two\n"
          f"one:\n\t+{brushwork} build copy0.vmf copy1.vmf --preset fast\n"
          f"two:\n\t+{brushwork} build copy2.vmf copy3.vmf --preset fast\n")
    for jobs in (2, 3):
        running = subprocess.Popen([make, f"-j{jobs}"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        most = most_at_once(running, jobs)
        text = running.communicate()[0].decode()
        # Make counts its tokens at the end, and says so when one is missing.
        check(running.returncode == 0 and "jobserver" not in text and "C344" not in text, text)
        check(most == jobs, f"{most} at once with -j{jobs}")


def endless(s, folder):
    """Maps and options of a run that does not end by itself, on any machine."""
    return copies(s, folder, "atrium.vmf", 4), ("--reference", "1000000", "-threads", "2")


@suite.case
def signals_end_all_of_it(s, folder):
    s.not_on_windows(HIDDEN)
    sources, options = endless(s, folder)
    before = sorted(os.listdir(folder))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        pipe, flags, given = with_pipe(b"xy")
        running = start(s, *sources, *options, "-j", 2, env=dict(os.environ, MAKEFLAGS=flags), **given)
        jobs = wait_for_jobs(running, 2)
        running.send_signal(number)
        text = running.communicate(timeout=SECONDS)[0].decode()
        check(running.returncode == -number and "C352" in text and not children_of(running.pid), text)
        check(text.count("not started") == 3 and are_gone(jobs), text)
        check(sorted(tokens_in(pipe)) == sorted(b"xy"), "tokens")
        # One that has done enough by then keeps it.
        left = set(os.listdir(folder)) - set(before)
        check(all(name.endswith("checkpoint") for name in left), left)
        for name in left:
            os.remove(os.path.join(folder, name))


@suite.case
def a_second_signal_gives_the_tokens_back(s, folder):
    """With processes that do not end by themselves."""
    s.not_on_windows(HIDDEN)
    sources, options = endless(s, folder)
    for first in (signal.SIGINT, signal.SIGTERM):
        pipe, flags, given = with_pipe(b"xyz")
        running = start(s, *sources, *options, "-j", 3, env=dict(os.environ, MAKEFLAGS=flags), **given)
        jobs = wait_for_jobs(running, 3)
        try:
            for pid in jobs:
                os.kill(pid, signal.SIGSTOP)
            wait_until(lambda: all(field(pid, "State").startswith("T") for pid in jobs), running)
            running.send_signal(first)
            wait_until(lambda: all(int(field(pid, "ShdPnd"), 16) for pid in jobs), running)  # it has handed it on
            time.sleep(0.1)
            left = tokens_in(pipe)
            check(running.poll() is None and left == b"z", f"{running.poll()}, {left}: it has not waited")
            running.send_signal(signal.SIGINT)
            check(running.wait(timeout=SECONDS) == -signal.SIGINT, running.returncode)
            check(sorted(tokens_in(pipe)) == sorted(b"xy"), "tokens")
        finally:
            for pid in jobs:
                send(pid, signal.SIGCONT)
            running.kill()
        check(len(jobs) == 3 and are_gone(jobs), "processes go on")


@suite.case
def a_parent_that_is_killed_leaves_nothing(s, folder):
    s.not_on_windows(HIDDEN)
    sources, options = endless(s, folder)
    before = sorted(os.listdir(folder))
    running = start(s, *sources, *options, "-j", 2)
    jobs = wait_for_jobs(running, 2)
    running.kill()
    running.wait()
    check(len(jobs) == 2 and are_gone(jobs), f"{jobs} go on")
    # One that has done enough by then keeps it.
    left = set(os.listdir(folder)) - set(before)
    check(all(name.endswith("checkpoint") for name in left), left)


@suite.case
def a_process_that_is_killed_is_told(s, folder):
    s.not_on_windows(HIDDEN)
    sources = copies(s, folder, "atrium.vmf", 2)

    def killed(_):
        running = start(s, *sources, "-threads", 2, "-j", 2, "-k", "--json", "--quiet")
        send(wait_for_jobs(running, 2)[0], signal.SIGKILL)
        text = running.communicate()[0].decode()
        if running.returncode == 0:
            raise Over
        return running, [json.loads(line) for line in text.splitlines()]

    running, lines = in_time(folder, killed)
    result = lines[-1]["result"]
    check(running.returncode == 4, running.returncode)
    check([part["status"] for part in result["maps"]] == ["internal", "ok"], result["maps"])
    check([line["file"] for line in lines if line.get("code") == "C345"] == [sources[0]], lines)


@suite.case
def an_interrupted_run_goes_on(s, folder):
    sources = copies(s, folder, "atrium.vmf", 3)
    options = ("-threads", 2, "-j", 2, "--checkpoint-every", 0)
    whole = {}
    for source in sources:
        s.run("brushwork", "build", source).expect(0)
        whole[source] = read(source[:-4] + ".bsp")
        os.remove(source[:-4] + ".bsp")

    def interrupted(_):
        running = start(s, *sources, *options)
        wait_until(lambda: any(name.endswith("vradcheckpoint") for name in os.listdir(folder)), running)
        end(running, asks_for_end(s), s.options.windows)
        if not any(name.endswith("checkpoint") for name in os.listdir(folder)):
            raise Over

    in_time(folder, interrupted)
    # Another may have ended before it had anything to keep.
    kept = {name.split(".")[0] for name in os.listdir(folder) if name.endswith("checkpoint")}
    done = s.run("brushwork", "build", *sources, *options, "--resume", "--json").expect(0)
    lost = [d["file"] for d in done.diagnostics
            if d["code"].startswith("I02") and os.path.basename(d["file"]).split(".")[0] in kept]
    check(not lost, f"started over: {lost}")
    for source in sources:
        check(read(source[:-4] + ".bsp") == whole[source], source)
    check(not [name for name in os.listdir(folder) if "checkpoint" in name or ".brushwork-" in name], os.listdir(folder))


@suite.case
def time_is_that_of_the_run(s, folder):
    sources, options = endless(s, folder)
    done = s.run("brushwork", "build", *sources, *options, "-j", 2, "--max-time", 0.3, "--json").expect(5)
    check("C351" in done.codes(), done)
    check(statuses(done)[-1] == "-", done.result["maps"])


@suite.case
def each_process_has_the_sandbox(s, folder):
    s.unsanitized()
    sources = maps_in(s, folder, "box.vmf", "hint.vmf")
    out = os.path.join(folder, "out")
    done = s.run("brushwork", "build", *sources, *FAST, "--sandbox", "-o", out, "--json")
    done.expect(0)
    check(done.codes().count("C355") == 2, done)
    os.environ["BRUSHWORK_SANDBOX"] = "1"
    try:
        done = s.run("brushwork", "build", *sources, *FAST, "-o", out, "--json").expect(0)
    finally:
        del os.environ["BRUSHWORK_SANDBOX"]
    check(done.codes().count("C355") == 2, done)


suite.main()
