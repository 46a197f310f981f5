#!/usr/bin/env python3
"""Cache servers that lie on purpose: what they make a run read, what they learn from what it asks for next, and what they
cost. Each run ends with the bytes of one without a cache. They take a second of CPU each, for whole builds with a server, and
there are about fifty."""
import hashlib
import http.server
import os
import shutil
import struct
import subprocess
import sys
import threading
import time

import cache_entries as entries
from e2e import Skip, Suite, check, read, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torture"))
import caches  # pylint: disable=wrong-import-position

suite = Suite()
MODULE = os.path.join(suite.options.bin, "..", "lib", "brushwork", "http.so")
GAMEINFO = "GameInfo\n{\nFileSystem\n{\nSearchPaths\n{\ngame |gameinfo_path|.\n}\n}\n}\n"
PATIENCE = 300         # seconds of wall clock on a busy machine
CPU = 30               # seconds: a run without a cache takes less than one
MEMORY = 200 << 10     # kilobytes more than that run
SECRETS = (b"swordfish\n", b"hunter2\n")


class Server(http.server.BaseHTTPRequestHandler):
    """Keeps what is put, and answers as its server's `lie` says; what that returns nothing for is answered honestly."""
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_PUT(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path[len("/cache/"):]
        # The CPU time that a result took, its first 8 bytes, is not the same twice, and no more than the server can measure.
        value = entries.value_of(body)
        self.server.seen.append(("PUT", path, hashlib.sha256(value if "-inputs/" in path else value[8:]).hexdigest()))
        self.server.kept[path] = body
        self.send_response(201)
        self.end_headers()

    def do_GET(self):  # pylint: disable=invalid-name
        path = self.path[len("/cache/"):]
        self.server.seen.append(("GET", path, ""))
        try:
            body = self.server.lie(self, path) if self.server.lie else None
            if body is None:
                body = self.server.kept.get(path)
            if body is not False:
                self.answer(body)
        except OSError:
            pass

    def answer(self, body):
        self.send_response(200 if body is not None else 404)
        self.end_headers()
        if body is not None:
            self.wfile.write(body)


class Run:
    """What became of a run."""

    def __init__(self, status, output, said, usage, seconds, seen):
        self.status, self.output, self.said, self.seen, self.seconds = status, output, said, seen, seconds
        self.memory, self.cpu = usage.ru_maxrss, usage.ru_utime + usage.ru_stime


HONEST = {}  # what runs without a lie make of the project: it is the same in each folder


class Victim:
    """A folder with a map and a game, a cache that honest runs have filled, and secrets in both folders and outside."""

    def __init__(self, s, folder):
        if not os.path.exists(MODULE):
            raise Skip("built without libcurl")
        self.s, self.top, self.folder = s, folder, os.path.join(folder, "project")
        os.mkdir(self.folder)
        shutil.copy(s.map("box.vmf"), os.path.join(self.folder, "map.vmf"))
        for name, data in (("gameinfo.txt", GAMEINFO), ("cfg/server.cfg", SECRETS[0]),
                           ("materials/dev/secret.vmt", SECRETS[0]), ("materials/dev/brick.vmt", caches.material("dev/brick", {})),
                           ("materials/dev/brick.vtf", caches.texture((0.5, 0.5, 0.5)))):
            path = os.path.join(self.folder, "game", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, data)
        if not HONEST:
            cache = os.path.join(folder, "cache")
            HONEST["plain"], kept = self.run(None), self.run(cache)
            check(kept.output == HONEST["plain"].output, "other bytes")
            HONEST["kept"] = entries.load(cache)
        self.plain, self.kept = HONEST["plain"], HONEST["kept"]
        self.version = entries.version_of(next(iter(self.kept.values())))
        self.inputs = next(path for path in self.kept if path.startswith("vbsp-inputs/"))

    def run(self, cache, *more, seen=None):
        output = os.path.join(self.folder, "map.bsp")
        if os.path.exists(output):
            os.remove(output)
        command = [os.path.join(self.s.options.bin, "brushwork"), "build", "map.vmf", "-game", "game", "-fast", "-threads", "1",
                   "--json", *(["--cache", cache] if cache else []), *map(str, more)]
        start = time.monotonic()
        with open(os.path.join(self.top, "said"), "wb+") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode()
        check(process.returncode == 0 and os.path.exists(output), f"{process.returncode}: {text}")
        return Run(process.returncode, read(output), text, usage, time.monotonic() - start, seen)

    def served(self, lie, kept=None, *more):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        server.daemon_threads = True
        server.lie, server.seen = lie, []
        server.kept = dict(self.kept if kept is None else kept)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            run = self.run(f"http://127.0.0.1:{server.server_address[1]}/cache", *more, seen=server.seen)
        finally:
            server.shutdown()
            server.server_close()
        check(run.output == self.plain.output, "other bytes than without a cache")
        check(run.cpu < CPU, f"{run.cpu} s of CPU")
        check(run.memory < self.plain.memory + MEMORY, f"{run.memory} kB, and {self.plain.memory} without a cache")
        check(run.seconds < PATIENCE, f"{run.seconds} s")
        print(f"{run.cpu:.2f} s CPU, {run.seconds:.1f} s, {run.memory} kB ({self.plain.memory} without a cache), {len(run.seen)} requests")
        return run

    def put(self, kept, path, value):
        kept[path] = entries.seal(path, value, self.version)

    def with_question(self, part, question, answer, guess=True):
        """The honest entries, where the result depends on one more question: with its answer, and with another."""
        kept = dict(self.kept)
        offered = []
        honest = entries.sets_of(self.kept[self.inputs])[0]
        for told in (answer, entries.answer(b"another")) if guess else (answer,):
            changed = entries.CompileSet(honest)
            getattr(changed, part).insert(0, (question, told))
            offered.append(changed.bytes())
            self.put(kept, entries.result_path(self.inputs, offered[-1]),
                     entries.value_of(self.kept[entries.result_path(self.inputs, honest)]))
        self.put(kept, self.inputs, entries.join_sets(offered))
        return kept


def codes(run):
    return [code for code in ("C358", "C359", "C363") if f'"{code}"' in run.said]


@suite.case
def an_honest_one_is_of_use(s, folder):
    victim = Victim(s, folder)
    run = victim.served(None)
    check(not codes(run) and not [one for one in run.seen if one[0] == "PUT"], run.seen)
    check({path.split("/")[0] for _, path, _ in run.seen} >= {"vbsp", "vvis", "vrad"}, run.seen)
    empty = victim.served(None, {})
    check({path.split("/")[0] for way, path, _ in empty.seen if way == "PUT"} >= {"vbsp", "vvis", "vrad"}, empty.seen)


# --- bodies ---


def header_only(h, size=None):
    h.send_response(200)
    if size is not None:
        h.send_header("Content-Length", str(size))
    h.end_headers()


def claims(path, version, size):
    return entries.seal(path, b"", version, size)


def body_case(name, lie, wanted, *more):
    def run(s, folder):
        victim = Victim(s, folder)
        done = victim.served(lambda h, path: lie(victim, h, path), None, "--cache-timeout", 1, *more)
        check(wanted in codes(done), f"{codes(done)}, not {wanted}")
    suite.add("a_server_sends_" + name, run)


def another(victim, _, path):
    return next(body for other, body in victim.kept.items() if other != path)


def huge_length(victim, h, path):
    header_only(h, 10 << 40)
    h.wfile.write(claims(path, victim.version, 10 << 40))
    return False


def endless(victim, h, path):
    header_only(h)
    h.wfile.write(claims(path, victim.version, (1 << 31) - 1))
    while True:
        h.wfile.write(bytes(1 << 20))


def slow(victim, h, path):
    header_only(h)
    h.wfile.write(claims(path, victim.version, 4096))
    for _ in range(4096):
        h.wfile.write(b"x")
        h.wfile.flush()
        time.sleep(0.05)
    return False


def much_of_inputs(victim, h, path):
    """An entry of 900 MB: of sets of questions, none has so much."""
    if "-inputs/" not in path:
        return None
    header_only(h)
    h.wfile.write(claims(path, victim.version, 900 << 20))
    for _ in range(900):
        h.wfile.write(bytes(1 << 20))
    return False


def much_of_a_small_result(victim, h, path):
    if not path.startswith("vvis/"):
        return None
    header_only(h)
    h.wfile.write(claims(path, victim.version, 900 << 20))
    for _ in range(900):
        h.wfile.write(bytes(1 << 20))
    return False


def noise(_, h, path):
    return hashlib.sha256(path.encode()).digest() * 1000


for lie, code in ((another, "C359"), (huge_length, "C359"), (endless, "C359"), (slow, "C358"), (much_of_inputs, "C359"),
                  (much_of_a_small_result, "C359"), (noise, "C359")):
    body_case(lie.__name__, lie, code)


@suite.case
def a_server_sends_junk_under_a_seal(s, folder):
    """Whole entries of their keys, whose values are no results."""
    victim = Victim(s, folder)
    for junk in (b"", b"\xff" * 64, bytes(4096), struct.pack("<QI", 0, 0) + b"\x01" * 400):
        kept = {}
        for path in victim.kept:
            victim.put(kept, path, junk)
        check("C359" in codes(victim.served(None, kept)), "not found")
    for kind in ("vbsp", "vvis", "vrad"):
        kept = dict(victim.kept)
        path = next(p for p in kept if p.startswith(kind + "/"))
        victim.put(kept, path, struct.pack("<QI", 0, 0) + b"\xfe" * 300)
        check("C359" in codes(victim.served(None, kept)), f"{kind} not found")


@suite.case
def a_server_sends_errors_as_messages(s, folder):
    """A run with an error keeps nothing, so nobody may make one fail by it."""
    victim = Victim(s, folder)
    path = next(p for p in victim.kept if p.startswith("vvis/"))
    value = entries.value_of(victim.kept[path])
    check(value[8:12] == bytes(4), "the stage has messages of its own")
    kept = dict(victim.kept)
    found = False
    for severity in range(4):
        message = (struct.pack("<IIB", 1, 3, severity) + entries.sized(b"made up") + b"\0" + struct.pack("<4i", 0, 0, 0, 0) +
                   bytes(48))
        victim.put(kept, path, value[:8] + message + value[12:])
        run = victim.served(None, kept)
        found |= "C359" in codes(run)
    check(found, "an error was taken")


# --- questions ---


def asked_alike(name, prepare):
    """The requests are the same whatever the file has: `prepare` puts the secret into it and returns the sets."""
    def run(s, folder):
        victim = Victim(s, folder)
        seen = []
        kept = None
        for secret in SECRETS:
            made = prepare(victim, secret, SECRETS[0])
            kept = kept or made
            seen.append(victim.served(None, kept))
        check(seen[0].seen == seen[1].seen, f"{seen[0].seen}\n{seen[1].seen}")
        check("C363" in codes(seen[0]), "the question is not refused")
    suite.add("a_secret_is_not_told_" + name, run)


def file_case(place, question):
    def prepare(victim, secret, guess):
        write(os.path.join(victim.folder, place), secret)
        return victim.with_question("content", question, entries.answer(guess))
    return prepare


def own_case(place, question):
    def prepare(victim, secret, guess):
        write(os.path.join(victim.folder, place), secret)
        return victim.with_question("own", question, entries.answer(guess))
    return prepare


def byte_case(place, question):
    """The first byte, guessed."""
    def prepare(victim, secret, guess):
        write(os.path.join(victim.folder, place), secret)
        return victim.with_question("content", question, entries.answer(guess[:1]))
    return prepare


def size_case(victim, secret, guess):
    write(os.path.join(victim.folder, "game/cfg/server.cfg"), secret)
    return victim.with_question("content", b"sgame/cfg/server.cfg", struct.pack("<Q", (1 << 64) - 1 - len(guess)) + bytes(24))


def kind_case(victim, secret, guess):
    path = os.path.join(victim.top, "there")
    if secret == guess:
        write(path, "")
    elif os.path.exists(path):
        os.remove(path)
    return victim.with_question("content", b"k" + path.encode(), entries.number(1))


def list_case(victim, secret, guess):
    folder = os.path.join(victim.top, "private")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    write(os.path.join(folder, secret.decode().strip()), "")
    return victim.with_question("content", b"l" + folder.encode(), entries.answer(b"\0" + guess.strip() + b"\0"))


def absolute(name):
    def prepare(victim, secret, guess):
        path = write(os.path.join(victim.top, "outside.txt"), secret)
        return victim.with_question(name, b"r" + path.encode(), entries.answer(guess))
    return prepare


asked_alike("outside", absolute("content"))
asked_alike("outside_by_the_source", absolute("own"))
asked_alike("above", file_case("../secret.vmt", b"rgame/../../secret.vmt"))
asked_alike("inside_of_the_game", file_case("game/cfg/server.cfg", b"rgame/cfg/server.cfg"))
asked_alike("beside_the_map", own_case("notes.txt", b"r\1anotes.txt"))
asked_alike("above_the_map", own_case("../up.vmf", b"r\1bup.vmf"))
asked_alike("by_its_first_byte", byte_case("game/cfg/server.cfg", b"p0 1 game/cfg/server.cfg"))
asked_alike("by_the_first_byte_of_content", byte_case("game/materials/dev/secret.vmt", b"p0 1 game/materials/dev/secret.vmt"))
asked_alike("by_its_size", size_case)
asked_alike("by_being_there", kind_case)
asked_alike("by_its_folder", list_case)


@suite.case
def a_material_does_not_lead_out(s, folder):
    """What a material is, by a name that leads out of the game: the file is not read."""
    victim = Victim(s, folder)
    secret = write(os.path.join(folder, "secret.vmt"), caches.material("x", {"$surfaceprop": "swordfish"}))
    for name in ("../../../secret", os.path.join(folder, "secret"), "dev/../../../../secret", "..\\..\\..\\secret"):
        before = os.stat(secret).st_atime_ns
        victim.served(None, victim.with_question("content", b"v" + name.encode(), bytes(32)))
        check(os.stat(secret).st_atime_ns == before, f"{name} was read")


@suite.case
def questions_about_the_system_are_not_asked(s, folder):
    victim = Victim(s, folder)
    for path in ("/etc/shadow", "/etc/passwd", "/proc/self/environ", "/dev/zero", "/proc/kcore", "-"):
        run = victim.served(None, victim.with_question("content", b"r" + path.encode(), bytes(32)))
        check("C363" in codes(run) or path == "-", path)


@suite.case
def results_are_fetched_before_files_are_read(s, folder):
    """A question that a run could ask: the next requests are the same as well. What it sees in the end is whether the
    result was of use."""
    victim = Victim(s, folder)
    honest = entries.sets_of(victim.kept[victim.inputs])[0]
    path = os.path.join(victim.folder, "game/materials/dev/secret.vmt")
    kept = victim.with_question("content", b"rgame/materials/dev/secret.vmt", entries.answer(SECRETS[0]))
    names = [entries.result_path(victim.inputs, one) for one in entries.sets_of(kept[victim.inputs])]
    check(len(names) == 2 and entries.result_path(victim.inputs, honest) not in names, "no two results")
    for secret in (*SECRETS, b"another"):
        write(path, secret)
        run = victim.served(None, kept)
        gets = [one for way, one, _ in run.seen if way == "GET"]
        check(gets[:3] == [victim.inputs, *names], gets)
        made = [one for way, one, _ in run.seen if way == "PUT" and one.startswith("vbsp/")]
        check(bool(made) == (secret == SECRETS[1]), f"{made} for {secret}")


@suite.case
def sparse_files_cost_nothing(s, folder):
    """30 GB outside, in the game as what is no content, and as content, which has bounds by kind."""
    victim = Victim(s, folder)
    for place, part, question in (("../sparse.bin", "content", "r{top}/sparse.bin"), ("game/sparse.bin", "content", "rgame/sparse.bin"),
                                  ("game/materials/sparse.vtf", "content", "rgame/materials/sparse.vtf"),
                                  ("game/materials/sparse.vtf", "content", "p0 30000000000 game/materials/sparse.vtf"),
                                  ("sparse.vmf", "own", "r\1asparse.vmf"), ("game/materials/sparse.vmt", "content", "vsparse")):
        path = os.path.join(victim.folder, place)
        with open(path, "wb") as file:
            file.truncate(30_000_000_000)
        victim.served(None, victim.with_question(part, question.format(top=victim.top).encode(), bytes(32)))
        os.remove(path)


@suite.case
def many_questions_are_bounded(s, folder):
    victim = Victim(s, folder)
    honest = entries.sets_of(victim.kept[victim.inputs])[0]
    changed = entries.CompileSet(honest)
    changed.content[:0] = [(f"kgame/materials/{i}.vmt".encode(), entries.number(0)) for i in range(100_000)]
    kept = dict(victim.kept)
    victim.put(kept, victim.inputs, entries.join_sets([changed.bytes()]))
    victim.served(None, kept)
    changed.content *= 3  # beyond what a list may have
    victim.put(kept, victim.inputs, entries.join_sets([changed.bytes()]))
    check("C359" in codes(victim.served(None, kept)), "not refused")


@suite.case
def a_folder_asks_no_more_than_a_server(s, folder):
    """The same rule holds for the entries of a folder."""
    victim = Victim(s, folder)
    outside = write(os.path.join(folder, "outside.txt"), SECRETS[0])
    kept = victim.with_question("content", b"r" + outside.encode(), entries.answer(SECRETS[0]))
    cache = os.path.join(folder, "other")
    for path, body in kept.items():
        os.makedirs(os.path.dirname(os.path.join(cache, path)), exist_ok=True)
        write(os.path.join(cache, path), body)
    before = os.stat(outside).st_atime_ns
    run = victim.run(cache)
    check(run.output == victim.plain.output and not codes(run), run.said)
    check(os.stat(outside).st_atime_ns == before, "it was read")


suite.main()
