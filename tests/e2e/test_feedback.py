#!/usr/bin/env python3
"""-connect: what the build window of an editor gets, and that it never holds a run."""
import os
import re
import select
import shutil
import socket
import time

from e2e import Suite, check, read, write
from feedback_listener import Listener

suite = Suite()
TOLD = re.compile(r"note C342: ")


def numbers(text):
    return [float(part) for part in text.split()]


def connected(s, program, *arguments, status=0):
    """Runs a program with a listener; returns the elements, the run and the seconds of silence at its end."""
    with Listener() as listener:
        done = s.run(program, *arguments, "-connect", listener.address).expect(status)
        stream = listener.stream()
        check(not TOLD.search(done.err), str(done))
        return stream.parse(), done, stream.seconds


@suite.case
def test_good_run(s, folder):
    alone, out = os.path.join(folder, "alone.bsp"), os.path.join(folder, "box.bsp")
    source = s.map("q3_box.map")
    stages = {"vbsp": ([source, "-o", alone], [source, "-o", out]), "vvis": ([alone], [out]), "vrad": ([alone], [out])}
    for program, (plain, watched) in stages.items():
        s.run(program, *plain, "-threads", 2).expect(0)
        elements, done, _ = connected(s, program, *watched, "-threads", 2)
        check(all(e.level < 3 for e in elements), f"{program}: an error in a good run")
        text = "".join(e.text for e in elements if e.level == 1)
        for line in done.out.decode().splitlines():
            check(line in text, f"{program}: without {line!r}")
    check(read(alone) == read(out), "-connect changes the result")
    built = os.path.join(folder, "built.bsp")
    elements, _, _ = connected(s, "brushwork", "build", source, "-o", built, "-threads", 2)
    check(read(alone) == read(built), "build differs")
    check(elements[0].name == "message" and elements[0].level == 1, "order")


@suite.case
def test_one_connection_of_q3map2(s, folder):
    """What q3map2 says itself does not take the connection that is for the stage."""
    source = shutil.copy(s.map("q3_box.map"), folder)
    with Listener() as listener:
        s.run("q3map2", "-v", "-connect", listener.address, "-game", "quake3", "-meta", "-absent", source).expect(0)
        elements = listener.stream().parse()
        check(any("vbsp" in e.text for e in elements) and not listener.streams, "one connection")


@suite.case
def test_formats(s, folder):
    out = os.path.join(folder, "box.bsp")
    for options in (["--json"], ["--quiet"]):
        elements, done, _ = connected(s, "vbsp", s.map("q3_box.map"), "-o", out, *options)
        check(any("brushes" in e.text and e.level == 1 for e in elements), f"{options}: {done}")


def check_leak(s, elements, folder, has_numbers, at):
    names = [(e.name, e.level) for e in elements if e.level > 1 and "A041" not in e.text]
    first = ("select", 2) if has_numbers else ("pointmsg", 2)
    check(names[0] == first and names[-1] == ("message", 3), names)
    check(("windingmsg", 3) in names, names)
    leak = [e for e in elements if e.level == 3 and e.name == "message"]
    check(len(leak) == 1 and leak[0].children, "one message of level 3, with the polyline")
    points = [numbers(p.text) for p in leak[0].children[0].children]
    lines = [numbers(line) for line in read(os.path.join(folder, "leak.lin")).decode().splitlines()]
    check(len(points) == len(lines), "points of the pointfile")
    for a, b in zip(points, lines):
        check(all(abs(x - y) < 0.01 for x, y in zip(a, b)), f"{a} is not {b}")
    check(points[-1] == at, f"ends at {points[-1]}, not at the entity")


@suite.case
def test_leak(s, folder):
    out = os.path.join(folder, "leak.bsp")
    elements, _, silence = connected(s, "vbsp", s.map("q3_leak.map"), "-o", out, status=3)
    check_leak(s, elements, folder, True, [64, 64, 24])
    check(any(e.name == "select" and "V001" in e.text and e.child("brush").text == "1 0" for e in elements), "select")
    check(0.9 < silence < 3, f"closed {silence} s after the last frame")
    elements, _, _ = connected(s, "vbsp", s.map("leak.vmf"), "-o", out, status=3)
    check_leak(s, elements, folder, False, [128, 128, 208])
    hole = next(e for e in elements if e.name == "pointmsg")
    check(numbers(hole.child("point").text) == [272, 128, 128], "the hole")


@suite.case
def test_faults_have_their_brush(s, folder):
    out = os.path.join(folder, "broken.bsp")
    elements, done, _ = connected(s, "vbsp", s.map("q3_broken.map"), "-o", out)
    told = {re.search(r"warning ([A-Z]\d+)", e.text).group(1): e.child("brush").text
            for e in elements if e.name == "select"}
    check(told["S054"] == "0 6" and told["S056"] == "0 7" and told["S008"] == "1 0", told)
    check(len(told) == len(set(re.findall(r"warning ([A-Z]\d+):", done.err))), "each warning")
    elements, _, _ = connected(s, "vbsp", s.map("bad_solids.vmf"), "-o", out)
    check(any(e.name == "pointmsg" for e in elements), "numbers of Hammer are none of Radiant")


@suite.case
def test_error_ends_the_sequence(s, folder):
    elements, _, silence = connected(s, "vvis", os.path.join(folder, "absent.bsp"), status=1)
    errors = [e for e in elements if e.level == 3]
    check(len(errors) == 1 and errors[0] is elements[-1] and errors[0].name == "message", "the last element")
    check(re.search(r"absent\.bsp: error C\d+: ", errors[0].text), errors[0].text)
    check(0.9 < silence < 3, f"closed {silence} s after the last frame")
    elements, _, _ = connected(s, "brushwork", "build", s.map("atrium.vmf"), "-o", os.path.join(folder, "a.bsp"),
                               "--max-memory", "2M", status=5)
    check("C351" in elements[-1].text and elements[-1].level == 3, elements[-1].text)


@suite.case
def test_text_is_xml(s, folder):
    inner = os.fsencode(os.path.join(folder, "a&b<c>]]>ü")) + b"\xff\x01"
    os.mkdir(inner)
    source = os.path.join(os.fsdecode(inner), "q.map")
    shutil.copy(s.map("q3_leak.map"), source)
    text = read(source).decode().replace("base_floor/concrete", "&ü" * 300)
    text = text.replace('"classname" "info_player_deathmatch"',
                        '"classname" "info_player_deathmatch"\n"targetname" "<&>"')
    write(source, text)
    elements, _, _ = connected(s, "vbsp", source, status=3)
    text = "".join(e.text for e in elements)
    check("a&b<c>]]>ü" in text, "the path")
    check('"<&>"' in text and "&ü&ü" in text, text)


@suite.case
def test_many_messages(s, folder):
    """One code does not flood the window."""
    keys = "".join(f'{{\n"classname" "worldspawn"\n"n" "{i}"\n}}\n' for i in range(500))
    source = write(os.path.join(folder, "many.map"), read(s.map("q3_box.map")).decode() + keys)
    elements, done, _ = connected(s, "vbsp", source, "-v")
    check(len(re.findall("warning S009:", done.err)) == 500, "on the terminal")
    told = [e for e in elements if "S009" in e.text and e.name == "select"]
    check(len(told) == 100, f"{len(told)} selects")
    check(sum("more of S009" in e.text for e in elements) == 1, "that there are more")


SECONDS = 300  # what a listener holds up at most, on a busy machine


def check_unheld(s, folder, address, notes):
    out = os.path.join(folder, "box.bsp")
    start = time.monotonic()
    done = s.run("brushwork", "build", s.map("q3_box.map"), "-o", out, "-connect", address).expect(0)
    gone = time.monotonic() - start
    check(gone < SECONDS, f"{gone} s")
    check(len(TOLD.findall(done.err)) == notes, str(done))
    s.run("brushwork", "verify", out).expect(0)


@suite.case
def test_listener_that_never_reads(s, folder):
    with Listener("silent") as listener:
        check_unheld(s, folder, listener.address, 0)


@suite.case
def test_listener_that_closes_at_once(s, folder):
    with Listener("close") as listener:
        check_unheld(s, folder, listener.address, 1)


@suite.case
def test_no_listener(s, folder):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "127.0.0.1:%d" % server.getsockname()[1]
    check_unheld(s, folder, address, 1)
    check_unheld(s, folder, address.replace("127.0.0.1", "localhost"), 1)


@suite.case
def test_listener_that_does_not_accept(s, folder):
    """The kernel's queue of connections is full: there is no answer at all."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(0)
    queue = []
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(server.getsockname())
        queue.append(client)
    check(select.select([], queue, [], SECONDS)[1], "no connection")  # the one that the queue has room for
    check_unheld(s, folder, "127.0.0.1:%d" % server.getsockname()[1], 1)
    for client in queue:
        client.close()
    server.close()


@suite.case
def test_addresses(s, folder):
    for bad in ("", "39000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:x", "1.2.3:4",
                "host.example:39000", "[::1]", "[::1:39000", "127.0.0.1:-1", "127.0.0.1: 1"):
        done = s.run("vbsp", s.map("q3_box.map"), "-o", os.path.join(folder, "a.bsp"), "-connect", bad).expect(2)
        check("-connect needs an address" in done.err, str(done))
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        return
    port = server.getsockname()[1]
    server.close()
    check_unheld(s, folder, f"[::1]:{port}", 1)


suite.main()
