#!/usr/bin/env python3
"""vvis from the command line: runs that are killed and resumed, the cache, sightlines."""
import contextlib
import fcntl
import json
import math
import os
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import termios

from e2e import Skip, Suite, check, read, write
from interrupts import Over, earlier, end, in_time, stamps, wait_for_writes, wait_until

suite = Suite()


class Source:
    """A VMF of upright prisms."""

    def __init__(self):
        self.solids = []
        self.entities = []
        self.ids = 1

    def number(self):
        self.ids += 1
        return self.ids

    def side(self, points, material):
        upright = points[0][2] != points[2][2]
        across = abs(points[1][0] - points[0][0]) > abs(points[1][1] - points[0][1])
        u = "1 0 0" if not upright or across else "0 1 0"
        v = "0 0 -1" if upright else "0 -1 0"
        plane = " ".join("(%g %g %g)" % point for point in points)
        return (f'side {{ "id" "{self.number()}" "plane" "{plane}" "material" "{material}" '
                f'"uaxis" "[{u} 0] 0.25" "vaxis" "[{v} 0] 0.25" "lightmapscale" "32" }}\n')

    def prism(self, corners, low, high, material="dev/wall"):
        x, y = (sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
        sides = self.side(((x - 8, y + 8, high), (x + 8, y + 8, high), (x + 8, y - 8, high)),
                          material)
        sides += self.side(((x - 8, y - 8, low), (x + 8, y - 8, low), (x + 8, y + 8, low)),
                           material)
        for a, b in zip(corners, corners[1:] + corners[:1]):
            sides += self.side(((*a, high), (*b, high), (*b, low)), material)
        self.solids.append(f'solid {{ "id" "{self.number()}"\n{sides}}}\n')

    def box(self, low, high):
        self.prism([(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])],
                   low[2], high[2])

    def hall(self, x, y, width, depth, height=256):
        """Six walls, and an entity for the flood to start from."""
        for low, high in (((-16, -16, -16), (width + 16, depth + 16, 0)),
                          ((-16, -16, height), (width + 16, depth + 16, height + 16)),
                          ((-16, -16, 0), (0, depth + 16, height)),
                          ((width, -16, 0), (width + 16, depth + 16, height)),
                          ((0, -16, 0), (width, 0, height)),
                          ((0, depth, 0), (width, depth + 16, height))):
            self.box((low[0] + x, low[1] + y, low[2]), (high[0] + x, high[1] + y, high[2]))
        self.entities.append(f'entity {{ "id" "{self.number()}" "classname" "info_player_start" '
                             f'"origin" "{x + 16} {y + 16} 40" }}\n')

    def pillar(self, x, y, radius, count, turn, height=256):
        self.prism([(round(x + radius * math.cos(turn + 2 * math.pi * i / count)),
                     round(y + radius * math.sin(turn + 2 * math.pi * i / count)))
                    for i in range(count)], 0, height)

    def text(self, keys=""):
        return (f'world {{ "id" "1" "classname" "worldspawn" {keys}\n{"".join(self.solids)}}}\n' +
                "".join(self.entities))


def pillars(source, x, count, seed, pitch=384):
    """A hall of count x count pillars, which takes vvis some time."""
    dice = random.Random(seed)
    source.hall(x, 0, count * pitch, count * pitch)
    for i in range(count):
        for k in range(count):
            source.pillar(x + i * pitch + pitch // 2 + dice.randint(-60, 60),
                          k * pitch + pitch // 2 + dice.randint(-60, 60),
                          dice.randint(40, 110), dice.choice((4, 5, 6)), dice.uniform(0, 6))


def compile_map(s, folder, source, name="map"):
    stem = os.path.join(folder, name)
    write(stem + ".vmf", source.text())
    s.run("vbsp", stem + ".vmf").expect(0)
    return stem


def hall(s, folder, count=7):
    source = Source()
    pillars(source, 0, count, 7)
    return compile_map(s, folder, source)


def start(s, *arguments, stdout=subprocess.PIPE):
    return subprocess.Popen([os.path.join(s.options.bin, "vvis"), *map(str, arguments)],
                            stdout=stdout, stderr=subprocess.PIPE)


def interrupt(s, stem, number, *arguments, rounds=1, output=None):
    """Sends the signal to vvis after it has written its checkpoint this many times. Returns what it said; raises Over when
    the output was there first."""
    path, bsp = (output or stem) + ".vischeckpoint", (output or stem) + ".bsp"
    if output:
        arguments += ("-o", bsp)
    before = stamps([bsp])
    running = start(s, stem, "--checkpoint-every", 0, "--json", *arguments, stdout=subprocess.DEVNULL)
    wait_for_writes(running, [path], rounds)
    err = end(running, number)
    if stamps([bsp]) != before or (number == signal.SIGKILL and not os.path.exists(path)):
        raise Over
    return err


def interrupted(s, stem, number, *arguments, rounds=1, output=None):
    """The same, with as many runs as it takes to come in time."""
    return in_time(os.path.dirname(stem), lambda turn: interrupt(s, stem, number, *arguments, rounds=earlier(rounds, turn),
                                                                 output=output))


def killed(s, folder, *arguments):
    """kill -9, twice where the second run takes long enough; each run resumes from the last checkpoint."""
    stem = hall(s, folder)
    before = read(stem + ".bsp")
    s.run("vvis", stem, "-o", stem + "_whole.bsp", *arguments).expect(0)
    output = stem + "_again"
    for threads in (1, 2, 3, 7):
        command = ("-threads", threads, *arguments)
        interrupted(s, stem, signal.SIGKILL, *command, rounds=3, output=output)
        try:
            interrupt(s, stem, signal.SIGKILL, "--resume", *command, rounds=3, output=output)
            is_over = False
        except Over:
            is_over = os.path.exists(output + ".bsp")
        check(read(stem + ".bsp") == before, "a run that was killed changed the BSP")
        if not is_over:
            done = s.run("vvis", stem, "--resume", *command, "-o", output + ".bsp", "--json").expect(0)
            check(not done.codes(), f"not resumed quietly: {done}")
        check(read(output + ".bsp") == read(stem + "_whole.bsp"), "other bytes after --resume")
        check(is_over or not os.path.exists(output + ".vischeckpoint"), "the checkpoint is still there")
        for ending in (".bsp", ".vischeckpoint"):
            if os.path.exists(output + ending):
                os.remove(output + ending)


@suite.case
def resumes_after_being_killed(s, folder):
    killed(s, folder)


@suite.case
def portal_flow_resumes_after_being_killed(s, folder):
    killed(s, folder, "--portalflow")


@suite.case
def resuming_does_not_repeat_work(s, folder):
    stem = hall(s, folder)
    whole = s.run("vvis", stem, "-o", stem + "_whole.bsp", "--json").expect(0)
    chains = counters(whole)["chains"]
    interrupted(s, stem, signal.SIGKILL, rounds=8)
    rest = s.run("vvis", stem, "--resume", "--json").expect(0)
    check(counters(rest)["chains"] < chains, "nothing was saved by going on")


def counters(done):
    found = done.result["stages"][0]["counters"]
    return {"chains": found["chains"] + found.get("cluster_flow_steps", 0),
            "portals": found["portals"]}


@suite.case
def stops_on_a_signal(s, folder):
    stem = hall(s, folder)
    before = read(stem + ".bsp")
    s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
    for number in (signal.SIGINT, signal.SIGTERM):
        err = interrupted(s, stem, number)
        diagnostics = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        check([one["code"] for one in diagnostics if "code" in one] == ["C352"], err)
        check("map.vischeckpoint" in diagnostics[0]["message"], err)
        check(read(stem + ".bsp") == before, "the BSP changed")
    s.run("vvis", stem, "--resume").expect(0)
    check(read(stem + ".bsp") == read(stem + "_whole.bsp"), "other bytes after --resume")


def change_during_a_run(s, stem):
    running = start(s, stem, "--checkpoint-every", 0, "--json")
    wait_for_writes(running, [stem + ".vischeckpoint"], 1)
    with open(stem + ".bsp", "ab") as file:
        file.write(b"more")
    changed = read(stem + ".bsp")
    err = running.communicate(timeout=600)[1].decode()
    if running.returncode == 0:
        raise Over
    return running.returncode, err, changed


@suite.case
def a_map_that_changes_during_the_run_is_not_used(s, folder):
    """Most of the output is copied from the input file, but not when that was replaced."""
    stem = hall(s, folder)
    status, err, changed = in_time(folder, lambda _: change_during_a_run(s, stem))
    check(status == 1, f"status {status}: {err}")
    check("C017" in err, err)
    check(read(stem + ".bsp") == changed, "the file was replaced")
    check(not [name for name in os.listdir(folder) if name.startswith("map.bsp.")],
          os.listdir(folder))


@suite.case
def short_runs_leave_no_checkpoint(s, folder):
    stem = hall(s, folder, 3)
    s.run("vvis", stem).expect(0)
    check(sorted(os.listdir(folder)) == ["map.bsp", "map.prt", "map.vmf"], os.listdir(folder))


@suite.case
def the_checkpoint_is_next_to_the_output(s, folder):
    """The folder of the input may be read-only."""
    stem = hall(s, folder)
    inputs = os.listdir(folder)
    elsewhere = os.path.join(folder, "elsewhere")
    os.mkdir(elsewhere)
    output = os.path.join(elsewhere, "other")
    s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
    whole = read(stem + "_whole.bsp")
    os.remove(stem + "_whole.bsp")
    interrupted(s, stem, signal.SIGTERM, output=output)
    check(os.listdir(elsewhere) == ["other.vischeckpoint"], os.listdir(elsewhere))
    check(sorted(os.listdir(folder)) == sorted(inputs + ["elsewhere"]), os.listdir(folder))
    check(s.run("vvis", stem, "--resume", "-o", os.path.join(folder, "third.bsp"),
                "--json").expect(0).codes() == ["I020"], "a checkpoint of another output was used")
    done = s.run("vvis", stem, "--resume", "-o", output + ".bsp", "--json").expect(0)
    check(not done.codes(), f"not resumed quietly: {done}")
    check(read(output + ".bsp") == whole, "other bytes after --resume")
    check(os.listdir(elsewhere) == ["other.bsp"], os.listdir(elsewhere))


@suite.case
def with_standard_output_the_checkpoint_is_next_to_the_input(s, folder):
    stem = hall(s, folder)
    interrupted(s, stem, signal.SIGKILL, "-o", "-")
    done = s.run("vvis", stem, "--resume", "-o", "-", "--json").expect(0)
    check(not done.codes(), f"not resumed quietly: {done}")
    check(not os.path.exists(stem + ".vischeckpoint"), "the checkpoint is still there")


@suite.case
def a_checkpoint_of_another_run_is_not_used(s, folder):
    stem = hall(s, folder)
    s.run("vvis", stem, "-nosort", "-o", stem + "_whole.bsp").expect(0)
    interrupted(s, stem, signal.SIGKILL)
    done = s.run("vvis", stem, "-nosort", "--resume", "--json").expect(0)
    check(done.codes() == ["I021"], done)
    check(read(stem + ".bsp") == read(stem + "_whole.bsp"), "other bytes")


@suite.case
def a_damaged_checkpoint_is_not_used(s, folder):
    stem = hall(s, folder)
    s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
    interrupted(s, stem, signal.SIGKILL, output=stem + "_again")
    checkpoint = read(stem + "_again.vischeckpoint")
    middle = len(checkpoint) // 2
    flipped = bytearray(checkpoint)
    flipped[middle] ^= 4
    for damaged in (b"", checkpoint[:middle], bytes(flipped)):
        write(stem + "_again.vischeckpoint", damaged)
        done = s.run("vvis", stem, "--resume", "-o", stem + "_again.bsp", "--json").expect(0)
        check(done.codes() == ["I022"], done)
        check(read(stem + "_again.bsp") == read(stem + "_whole.bsp"), "other bytes")


@suite.case
def nothing_to_resume_is_reported(s, folder):
    stem = hall(s, folder, 2)
    check(s.run("vvis", stem, "--resume", "--json").expect(0).codes() == ["I020"], "not told")


@suite.case
def an_unwritable_checkpoint_is_reported_once(s, folder):
    stem = hall(s, folder)
    os.mkdir(stem + ".vischeckpoint")
    done = s.run("vvis", stem, "--checkpoint-every", 0, "--json").expect(0)
    check(done.codes() == ["I023"], done)


def two_halls(seed):
    """Two halls without a connection; `seed` changes the second one."""
    source = Source()
    pillars(source, 0, 4, 7)
    pillars(source, 3072, 3, seed)
    return source


def components(cache):
    """The entries of the cache."""
    return sorted(os.path.join(at, name) for at, _, names in os.walk(cache) for name in names
                  if os.path.basename(os.path.dirname(at)) == "vvis-component")


def without_stages(cache):
    """Leaves components alone in the cache, which a map takes when not all of it is there."""
    shutil.rmtree(os.path.join(cache, "vvis"))


@suite.case
def unchanged_components_come_from_the_cache(s, folder):
    cache = os.path.join(folder, "cache", "vis")
    for seed, hits in ((1, 0), (1, 2), (2, 1), (1, 2)):
        stem = compile_map(s, folder, two_halls(seed))
        s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
        fresh = set(components(cache))
        for threads in (1, 2, 3, 7):
            done = s.run("vvis", stem, "--cache", cache, "-o", stem + "_cached.bsp", "-threads",
                         threads, "--json").expect(0)
            check(not done.codes(), done)
            check(read(stem + "_cached.bsp") == read(stem + "_whole.bsp"), "other bytes")
        check(len(set(components(cache)) - fresh) == 2 - hits, f"not {hits} parts found")


@suite.case
def a_whole_map_from_the_cache_costs_nothing(s, folder):
    stem = hall(s, folder)
    cache = os.path.join(folder, "cache")
    s.run("vvis", stem, "--cache", cache).expect(0)
    again = s.run("vvis", stem, "--cache", cache, "--json").expect(0)
    check("chains" not in again.result["stages"][0].get("counters", {}), again)
    without_stages(cache)
    again = s.run("vvis", stem, "--cache", cache, "--json").expect(0)
    check(counters(again)["chains"] == 0 and counters(again)["portals"] > 0, again)
    other = s.run("vvis", stem, "--cache", cache, "-radius_override", 1000, "--json").expect(0)
    check(counters(other)["chains"] > 0, "other options, the same entry")


@suite.case
def brushwork_build_uses_the_cache(s, folder):
    source = Source()
    pillars(source, 0, 3, 7)
    stem = os.path.join(folder, "map")
    write(stem + ".vmf", source.text())
    quick = ("--preset", "fast")
    s.run("brushwork", "build", stem + ".vmf", "-o", stem + "_whole.bsp", *quick).expect(0)
    for _ in range(2):
        s.run("brushwork", "build", stem + ".vmf", *quick, "--cache",
              os.path.join(folder, "cache")).expect(0)
        check(read(stem + ".bsp") == read(stem + "_whole.bsp"), "other bytes")
    check(len(components(os.path.join(folder, "cache"))) == 1, "nothing was kept")


@suite.case
def a_damaged_cache_is_replaced(s, folder):
    stem = hall(s, folder, 3)
    cache = os.path.join(folder, "cache")
    s.run("vvis", stem, "--cache", cache, "-o", stem + "_whole.bsp").expect(0)
    (path,) = components(cache)
    entry = read(path)
    write(path, entry[:-8])
    without_stages(cache)
    done = s.run("vvis", stem, "--cache", cache, "--json").expect(0)
    check(done.codes() == ["C359"], done)
    check(read(stem + ".bsp") == read(stem + "_whole.bsp"), "other bytes")
    check(read(path) == entry, "the entry is still damaged")


@suite.case
def a_cache_that_is_a_file_is_reported(s, folder):
    stem = hall(s, folder, 2)
    done = s.run("vvis", stem, "--cache", write(os.path.join(folder, "cache"), ""), "--json")
    check(done.expect(0).codes() == ["C358"], done)


@suite.case
def cache_and_checkpoint_work_together(s, folder):
    stem = compile_map(s, folder, two_halls(1))
    cache = os.path.join(folder, "cache")
    s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
    interrupted(s, stem, signal.SIGKILL, "--cache", cache)
    with contextlib.suppress(Over):  # later runs have less to do
        for _ in range(3):
            interrupt(s, stem, signal.SIGKILL, "--cache", cache, "--resume")
    s.run("vvis", stem, "--cache", cache, "--resume").expect(0)
    check(read(stem + ".bsp") == read(stem + "_whole.bsp"), "other bytes")


def rooms(s, folder):
    """Three rooms around a corner: the first and the last do not see each other."""
    stem = os.path.join(folder, "map")
    shutil.copyfile(s.map("box.vmf"), stem + ".vmf")
    source = Source()
    source.hall(0, 0, 1024, 1024)
    source.box((256, 0, 0), (272, 896, 256))
    source.box((512, 128, 0), (528, 1024, 256))
    source.box((768, 0, 0), (784, 896, 256))
    return compile_map(s, folder, source)


@suite.case
def a_sightline_is_traced(s, folder):
    stem = rooms(s, folder)
    before = read(stem + ".bsp")
    s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
    sight = visible(read(stem + "_whole.bsp"))
    found = {True: 0, False: 0}
    for a, row in enumerate(sight):
        for b, sees in enumerate(row):
            done = s.run("vvis", stem, "-trace", a, b, "--json").expect(0 if sees else 1)
            found[sees] += 1
            if not sees:
                done.find("I027")
                check(not os.path.exists(stem + ".lin"), "a line where there is none")
                continue
            line = read(stem + ".lin").decode().split("\n")
            check(len(line) == 3 and all(len(point.split()) == 3 for point in line[:2]), line)
            os.remove(stem + ".lin")
    check(found[True] and found[False], f"the map shows nothing: {found}")
    check(read(stem + ".bsp") == before, "the BSP was written")
    s.run("vvis", stem, "-trace", 0, len(sight), "--json").expect(1).find("I028")


def lump(data, number):
    at = 8 + 16 * number
    offset, length = (int.from_bytes(data[at + k:at + k + 4], "little") for k in (0, 4))
    return data[offset:offset + length]


def visible(data):
    """The PVS of a VBSP as rows of booleans."""
    vis = lump(data, 4)
    number = lambda at: int.from_bytes(vis[at:at + 4], "little")
    clusters = number(0)
    rows = []
    for i in range(clusters):
        at, row = number(4 + 8 * i), b""
        while len(row) < (clusters + 7) // 8:
            run = 1 if vis[at] else vis[at + 1]
            row += vis[at:at + 1] * run
            at += 1 if vis[at] else 2
        rows.append([bool(row[k // 8] >> k % 8 & 1) for k in range(clusters)])
    return rows


@suite.case
def portals_of_another_version_of_the_map_are_rejected(s, folder):
    stem = hall(s, folder, 3)
    before = read(stem + ".bsp")
    lines = read(stem + ".prt").decode().split("\n")
    clusters = int(lines[1])
    for i in range(3, len(lines) - 1):
        points, a, b, rest = lines[i].split(" ", 3)
        lines[i] = f"{points} {(int(a) + 1) % clusters} {(int(b) + 1) % clusters} {rest}"
    write(stem + ".prt", "\n".join(lines))
    s.run("vvis", stem, "--prt", stem + ".prt", "--json").expect(1).find("I001")
    check(read(stem + ".bsp") == before, "the BSP changed")


@suite.case
def portals_may_be_reversed(s, folder):
    stem = hall(s, folder, 3)
    s.run("vvis", stem, "-o", stem + "_whole.bsp").expect(0)
    lines = read(stem + ".prt").decode().split("\n")
    for i in range(3, len(lines) - 1):
        points, a, b, rest = lines[i].split(" ", 3)
        lines[i] = f"{points} {b} {a} {rest}"
    write(stem + ".prt", "\n".join(lines))
    s.run("vvis", stem).expect(0)
    check(read(stem + ".bsp") == read(stem + "_whole.bsp"), "other bytes")


TREE_MAPS = ("two_rooms.vmf", "atrium.vmf", "areaportal.vmf", "hint.vmf", "viscluster.vmf", "water.vmf", "tilted.vmf", "instances.vmf",
             "q3_entities.map", "q3_forms.map")


@suite.case
def without_a_portal_file_they_are_made_from_the_map(s, folder):
    """The same bytes as with it: none, or one of another map."""
    for name in TREE_MAPS:
        stem = os.path.join(folder, name.split(".")[0])
        s.run("vbsp", "-o", stem + ".bsp", s.map(name)).expect(0)
        check("I011" not in s.run("vvis", stem, "-o", stem + "_file.bsp", "--json").expect(0).codes(), name)
        for stale in (None, "PRT1\n99\n1\n4 0 1 (0 0 0 ) (0 0 64 ) (0 64 64 ) (0 64 0 ) \n"):
            os.remove(stem + ".prt")
            if stale:
                write(stem + ".prt", stale)
            s.run("vvis", stem, "-o", stem + "_tree.bsp", "--json").expect(0).find("I011")
            check(read(stem + "_file.bsp") == read(stem + "_tree.bsp"), (name, stale))
            write(stem + ".prt", "")


@suite.case
def portals_in_tmp_are_found(s, folder):
    stem = rooms(s, folder)
    name = os.path.basename(folder)
    os.rename(stem + ".bsp", os.path.join(folder, name + ".bsp"))
    s.run("vvis", os.path.join(folder, name), "-tmpin", "--json").expect(1).find("I010")
    elsewhere = os.path.join("/tmp", name + ".prt")
    shutil.move(stem + ".prt", elsewhere)
    try:
        s.run("vvis", os.path.join(folder, name), "-tmpin").expect(0)
    finally:
        os.remove(elsewhere)


def on_a_terminal(s, stem, columns):
    """The output of vvis on a terminal of that width."""
    try:
        ours, its = pty.openpty()
    except OSError as why:
        raise Skip(f"no terminals (/dev/pts): {why}") from why
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    running = subprocess.Popen([os.path.join(s.options.bin, "vvis"), stem], stdout=its, stderr=its,
                               env={**os.environ, "TERM": "xterm"})
    os.close(its)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:  # how the end of a terminal's output is diagnostics
        pass
    check(running.wait() == 0, text)
    return text


@suite.case
def a_bar_stays_in_its_line(s, folder):
    stem = hall(s, folder)
    for columns in (20, 40, 60):
        text = on_a_terminal(s, stem, columns)
        bars = re.findall(rb"\r\x1b\[K([^\r\n]+)(?=\r\x1b)", text)
        check(bars and max(len(bar) for bar in bars) < columns, (columns, bars))


@suite.case
def a_progress_bar_is_shown_on_a_terminal_only(s, folder):
    stem = hall(s, folder)
    check(b"[#" not in s.run("vvis", stem, "-o", stem + "_.bsp").expect(0).out, "a bar in a file")
    text = on_a_terminal(s, stem, 100)
    check(b"portal flow          [" in text and b" %" in text, text)
    check(text.count(b"\r\x1b[K") >= 2, "the bar stays when the phase ends")


@suite.case
def a_report_shows_costs_and_positions(s, folder):
    stem = hall(s, folder)
    text = s.run("vvis", stem, "--report").expect(0).out.decode()
    for part in (" clusters, ", "Most expensive clusters", "Most expensive portals"):
        check(part in text, text)
    reports = [s.run("vvis", stem, "--report", "--json", "-threads", threads).expect(0).out
               for threads in (1, 3)]
    check(reports[0] == reports[1], "the number of threads changes the report")
    report = json.loads(reports[0])
    rows = visible(read(stem + ".bsp"))
    sees = [sum(row) for row in rows]
    check(report["version"] == 1 and report["clusters"] == len(rows), "clusters")
    check(abs(report["visible_share"] - sum(sees) / len(rows) ** 2) < 1e-6, "the part that is seen")
    check(report["costly_clusters"] and report["costly_portals"], "nothing is costly")
    for cluster in report["costly_clusters"] + report["open_clusters"]:
        check(cluster["visible_clusters"] == sees[cluster["cluster"]], cluster)
        check(all(0 <= at <= 7 * 384 for at in cluster["center"][:2]), cluster)
    costs = [cluster["chains"] for cluster in report["costly_clusters"]]
    check(costs == sorted(costs, reverse=True) and costs[-1] > 0, costs)
    check(report["open_cluster_count"] == sum(n >= 0.9 * len(rows) for n in sees), "all")
    for portal in report["costly_portals"]:
        check(rows[portal["from"]][portal["to"]] and 0 < portal["visible_clusters"] <= sees[portal["from"]],
              portal)
    for group in report["detail_candidates"]:
        first = rows[group["clusters"][0]]
        for number in group["clusters"]:
            both = sum(a and b for a, b in zip(first, rows[number]))
            either = sum(a or b for a, b in zip(first, rows[number]))
            check(both >= 0.98 * either, group)


@suite.case
def a_report_is_the_same_after_a_crash_and_from_the_cache(s, folder):
    stem = hall(s, folder)
    cache = os.path.join(folder, "cache")
    whole = s.run("vvis", stem, "-o", stem + "_.bsp", "--report", "--json").expect(0).out
    interrupted(s, stem, signal.SIGKILL, rounds=5, output=stem + "_")
    for options in (["--resume", "--cache", cache], ["--cache", cache]):
        again = s.run("vvis", stem, "-o", stem + "_.bsp", "--report", "--json", *options).expect(0)
        check(again.out == whole, options)


@suite.case
def a_report_and_a_map_cannot_share_standard_output(s, folder):
    stem = hall(s, folder, 2)
    check(s.run("vvis", stem, "--report", "-o", "-").expect(2).out == b"", "something was written")


@suite.case
def low_priority_is_set(s, folder):
    stem = hall(s, folder, 6)

    def is_low(_):
        running = start(s, stem, "-low")
        wait_until(lambda: os.getpriority(os.PRIO_PROCESS, running.pid) == 19, running)
        running.communicate(timeout=600)

    in_time(folder, is_low)


@suite.case
def unknown_options_are_rejected(s, folder):
    stem = hall(s, folder, 2)
    before = read(stem + ".bsp")
    for option in ("-fsat", "--resumed", "-mpy"):
        s.run("vvis", option, stem, "--json").expect(2).find("T001")
    check(read(stem + ".bsp") == before, "the BSP changed")


@suite.case
def the_manual_page_has_the_options_of_the_help(s, _):
    page = s.run("vvis", "--man").expect(0).out.decode()
    text = s.run("vvis", "--help", "all").expect(0).out.decode()
    for option in ("trace", "tmpin", "resume", "checkpoint-every", "cache", "low", "nosort"):
        check(option in text and option in page.replace("\\-", "-"), option)


if __name__ == "__main__":
    suite.main()
