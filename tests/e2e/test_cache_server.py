#!/usr/bin/env python3
"""A folder before a server, what a server is told of its user, signed and compressed entries, statistics, leaks."""
import hashlib
import hmac
import http.server
import json
import os
import re
import shutil
import stat
import subprocess
import threading
import time
import urllib.parse

import cache_entries as entries
from e2e import Skip, Suite, check, read, write

suite = Suite()
MODULE = os.path.join(suite.options.bin, "..", "lib", "brushwork", "http.so")
CODES = ("C358", "C359", "C362", "C363", "C370", "C371", "C372")


class Store(http.server.BaseHTTPRequestHandler):
    """Keeps what is put. `refuse` of its server returns a status for a request that it does not take."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):  # pylint: disable=invalid-name
        self.body = self.rfile.read(int(self.headers["Content-Length"]))
        self.take("PUT")

    def do_GET(self):  # pylint: disable=invalid-name
        self.body = b""
        self.take("GET")

    def take(self, way):
        try:
            self.judge(way)
        except OSError:
            pass  # who has asked has gone

    def judge(self, way):
        at = self.server
        at.seen.append((way, self.path))
        at.headers.append(dict(self.headers))
        refused = at.refuse(self, way) if at.refuse else None
        if refused:
            self.answer(refused)
        elif way == "PUT":
            at.kept[self.path] = self.body
            self.answer(201)
        elif self.path in at.kept:
            self.answer(200, at.kept[self.path])
        else:
            self.answer(404)


class Server:
    def __init__(self, refuse=None):
        if not os.path.exists(MODULE):
            raise Skip("built without libcurl")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
        self.server.daemon_threads = True
        self.server.refuse, self.server.seen, self.server.kept, self.server.headers = refuse, [], {}, []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self, path="cache"):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def build(s, folder, *options, name="box", env=None, status=0):
    source = os.path.join(folder, name + ".vmf")
    if not os.path.exists(source):
        shutil.copy(s.map(name + ".vmf"), source)
    before = dict(os.environ)
    os.environ.update(env or {})
    try:
        done = s.run("brushwork", "build", source, "--preset", "fast", "--json", *options)
    finally:
        os.environ.clear()
        os.environ.update(before)
    done.expect(status)
    done.cached = done.out.decode().count("from the cache") or sum("from the cache" in str(one) for one in done.lines)
    return done, read(os.path.join(folder, name + ".bsp"))


def codes(done):
    return [code for code in done.codes() if code in CODES]


def statistics(s, cache):
    shown = json.loads(s.run("brushwork", "cache", cache, "--stats", "--json").expect(0).out)["cache_statistics"]
    return shown, {one["stage"]: (one["hits"], one["misses"]) for one in shown["stages"]}


MADE, FOUND = (0, 1), (1, 0)
STAGES = ("vbsp", "vvis", "vrad")


def expect_stages(s, cache, wanted):
    shown, stages = statistics(s, cache)
    check(stages == {stage: wanted for stage in STAGES}, shown)
    return shown


@suite.case
def a_folder_before_a_server_has_what_the_server_has(s, folder):
    whole = build(s, folder)[1]
    with Server() as server:
        for place in ("a", "b", "c"):
            cache = os.path.join(folder, place)
            done, made = build(s, folder, "--cache", cache, "--cache-server", server.address())
            check(not codes(done) and made == whole, done)
            shown = expect_stages(s, cache, MADE if place == "a" else FOUND)
            check(bool(shown["server"]["written"]) == (place == "a"), shown)
            check(shown["server"]["read"] > 0 or place == "a", shown)
        own = {path: entry for path, entry in entries.load(os.path.join(folder, "a")).items()
               if not path.startswith(("vrad-direct/", "vrad-hits/"))}  # parts, of the folder alone
        check({"/cache/" + path for path in own} == set(server.server.kept), "the server has other entries")
        check(all(entries.load(os.path.join(folder, "b")).get(path) for path in own), "the folder has not all")
        server.server.seen.clear()
        build(s, folder, "--cache", os.path.join(folder, "b"), "--cache-server", server.address())
        check(server.server.seen == [], server.server.seen)
        address = server.address()
    done, made = build(s, folder, "--cache", os.path.join(folder, "c"), "--cache-server", address)  # is down now
    check(not codes(done) and made == whole, done)


@suite.case
def what_others_have_made_since_is_found(s, folder):
    """The folder has a list of its own, which does not fit any more; that of the server does."""
    caches = [os.path.join(folder, one) for one in ("mine", "theirs")]
    source = os.path.join(folder, "box.vmf")
    with Server() as server:
        build(s, folder, "--cache", caches[0], "--cache-server", server.address())
        changed = read(source).replace(b"(-256", b"(-264")
        check(changed != read(source) or True, "")
        write(source, read(source) + b"\n")
        build(s, folder, "--cache", caches[1], "--cache-server", server.address())
        s.run("brushwork", "cache", caches[0], "--zero-stats").expect(0)
        build(s, folder, "--cache", caches[0], "--cache-server", server.address())
        check(statistics(s, caches[0])[1]["vbsp"] == FOUND, statistics(s, caches[0]))


@suite.case
def a_server_that_is_only_read(s, folder):
    with Server() as server:
        cache = os.path.join(folder, "cache")
        for options, in_folder in ((("--cache-server-read-only",), True), (("--cache-read-only",), False)):
            shutil.rmtree(cache, ignore_errors=True)
            done, _ = build(s, folder, "--cache", cache, "--cache-server", server.address(), *options)
            check(not codes(done) and not [one for one in server.server.seen if one[0] == "PUT"], server.server.seen)
            check(os.path.exists(cache) == in_folder, options)


@suite.case
def two_servers_are_refused(s, folder):
    shutil.copy(s.map("box.vmf"), folder)
    source = os.path.join(folder, "box.vmf")
    s.run("vbsp", source, "--cache", "http://a/b", "--cache-server", "http://c/d").expect(2)
    s.run("vbsp", source, "--cache-server", os.path.join(folder, "no address")).expect(2)
    # One of the environment is not behind a server of the command line, nor used with --cache "".
    with Server() as server:
        env = {"BRUSHWORK_CACHE_SERVER": server.address("env")}
        for options in (("--cache", ""), ("--no-cache",), ("--cache", server.address("line"))):
            done, _ = build(s, folder, *options, env=env)
            check(not codes(done) and not [p for _, p in server.server.seen if p.startswith("/env")], server.server.seen)
        build(s, folder, env=env)
        check([p for _, p in server.server.seen if p.startswith("/env")], "the environment is not read")


@suite.case
def a_server_that_hangs_costs_a_run_one_time_out(s, folder):
    """Seven maps, one after the other and three at a time: one warning, and no map but the first ones asks."""
    hangs = threading.Event()

    def hang(*_):
        hangs.wait(300)

    with Server(hang) as server:
        maps = []
        for i in range(7):
            maps.append(os.path.join(folder, f"box{i}.vmf"))
            shutil.copy(s.map("box.vmf"), maps[-1])
        for jobs in (1, 3):
            server.server.seen.clear()
            start = time.monotonic()
            done = s.run("brushwork", "build", *maps, "-j", jobs, "--preset", "fast", "--json", "--cache", server.address(),
                         "--cache-timeout", 2).expect(0)
            print(f"{time.monotonic() - start:.1f} s with -j {jobs}, {len(server.server.seen)} requests")
            check(codes(done) == ["C358"], done)
            check(len(server.server.seen) <= jobs, server.server.seen)
        hangs.set()


# --- who asks ---


@suite.case
def tokens_and_headers_are_sent_and_not_told(s, folder):
    env = {"BRUSHWORK_CACHE_TOKEN": "t0ken-secret", "BRUSHWORK_CACHE_HEADERS": "X-One: first-secret\nX-Two: second\r\n"}
    log = os.path.join(folder, "log")
    with Server() as server:
        done, _ = build(s, folder, "--cache", server.address(), "-v", "--log", log, env=env)
        check(not codes(done), done)
        for headers in server.server.headers:
            check(headers.get("Authorization") == "Bearer t0ken-secret", headers)
            check(headers.get("X-One") == "first-secret" and headers.get("X-Two") == "second", headers)
        server.server.refuse = lambda *_: 401
        refused, _ = build(s, folder, "--cache", server.address(), "-v", "--log", log, env=env)
        check(codes(refused) == ["C358"] and "401" in refused.err, refused)
        said = done.err + done.out.decode() + refused.err + refused.out.decode() + read(log).decode()
        check("secret" not in said, "a token is told")
        for name, value in (("TOKEN", "a\nb: secret"), ("HEADERS", "no colon secret"), ("HEADERS", "a b: secret"), ("S3", "us east"),
                            ("S3", "us-east-1")):
            server.server.seen.clear()
            done, _ = build(s, folder, "--cache", server.address(), env={"BRUSHWORK_CACHE_" + name: value})
            check(codes(done) == ["C358"] and "secret" not in done.err and not server.server.seen, done)


def sigv4(handler, way, secret, region):
    """The signature that AWS documents for a request with these headers."""
    given = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                     handler.headers.get("Authorization", ""))
    if not given:
        return None, None
    user, day, where, signed, signature = given.groups()
    path = urllib.parse.quote(handler.path, safe="/-._~")
    lines = "".join(f"{name}:{' '.join(handler.headers[name].split())}\n" for name in signed.split(";"))
    body = hashlib.sha256(handler.body).hexdigest()
    request = "\n".join((way, path, "", lines, signed, body))
    scope = f"{day}/{where}/s3/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", handler.headers["X-Amz-Date"], scope, hashlib.sha256(request.encode()).hexdigest()))
    key = ("AWS4" + secret).encode()
    for part in (day, region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), "sha256").digest()
    right = hmac.new(key, text.encode(), "sha256").hexdigest()
    fits = where == region and right == signature and handler.headers.get("x-amz-content-sha256") == body
    return (user if fits else None), signed


@suite.case
def requests_to_s3_are_signed(s, folder):
    env = {"BRUSHWORK_CACHE_S3": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/secret"}
    signed = []

    def judge(handler, way):
        user, names = sigv4(handler, way, "wJalrXUtnFEMI/secret", "eu-central-1")
        signed.append(names)
        return None if user == "AKIDEXAMPLE" else 403

    with Server(judge) as server:
        for place in ("a", "b"):
            cache = os.path.join(folder, place)
            done, _ = build(s, folder, "--cache", cache, "--cache-server", server.address("bucket"), env=env)
            check(not codes(done), done)
            expect_stages(s, cache, MADE if place == "a" else FOUND)
        more = {**env, "AWS_SESSION_TOKEN": "session-secret"}
        done, _ = build(s, folder, "--cache", server.address("bucket"), env=more)
        check(not codes(done) and "x-amz-security-token" in signed[-1], (done, signed[-1]))
        done, _ = build(s, folder, "--cache", server.address("bucket"), env={**env, "AWS_SECRET_ACCESS_KEY": "another-secret"})
        check(codes(done) == ["C358"] and "403" in done.err and "secret" not in done.err, done)


@suite.case
def an_action_cache_has_flat_names(s, folder):
    """As bazel-remote: /ac/ and 64 digits, and nothing else."""
    def judge(handler, _):
        return None if re.fullmatch(r"(/instance)?/ac/[0-9a-f]{64}", handler.path) else 400

    with Server(judge) as server:
        for path in ("ac", "instance/ac/"):
            for place in ("a", "b"):
                cache = os.path.join(folder, path.replace("/", "_") + place)
                done, _ = build(s, folder, "--cache", cache, "--cache-server", server.address(path))
                check(not codes(done), done)
                expect_stages(s, cache, MADE if place == "a" else FOUND)
        done, _ = build(s, folder, "--cache", server.address("other"))
        check(codes(done) == ["C358"], done)


# --- keys ---


def key_file(folder, name, data=None, mode=0o600):
    path = write(os.path.join(folder, name), data if data is not None else os.urandom(32))
    os.chmod(path, mode)
    return path


@suite.case
def with_a_key_only_signed_entries_count(s, folder):
    cache, mine, theirs = os.path.join(folder, "cache"), key_file(folder, "mine"), key_file(folder, "theirs")
    whole = build(s, folder)[1]

    def run(key, wanted, told, status=None):
        s.run("brushwork", "cache", cache, "--zero-stats")
        done, made = build(s, folder, "--cache", cache, *(("--cache-key", key) if key else ()))
        check(codes(done) == told and made == whole, done)
        expect_stages(s, cache, wanted)

    os.mkdir(cache)
    run(None, MADE, [])
    run(mine, MADE, ["C370"])
    run(mine, FOUND, [])
    run(None, FOUND, [])  # who has no key does not look
    run(theirs, MADE, ["C370"])
    run(mine, MADE, ["C370"])
    s.run("brushwork", "cache", cache, "--zero-stats")
    done, _ = build(s, folder, "--cache", cache, env={"BRUSHWORK_CACHE_KEY": mine})
    check(not codes(done), done)
    expect_stages(s, cache, FOUND)
    # A forger who can seal, without the key.
    for path, entry in entries.load(cache).items():
        write(os.path.join(cache, path), entries.seal(path, entries.value_of(entry), entries.version_of(entry), key=b"guess"))
    run(mine, MADE, ["C370"])
    kept = entries.load(cache)
    again = {path: entries.seal(path, entries.value_of(entry), entries.version_of(entry), key=read(mine)) for path, entry in kept.items()}
    for path, entry in again.items():
        write(os.path.join(cache, path), entry)
    run(mine, FOUND, [])


@suite.case
def a_key_that_cannot_be_used_uses_no_cache(s, folder):
    cache = os.path.join(folder, "cache")
    for key, told in ((os.path.join(folder, "none"), "C372"), (key_file(folder, "short", b"0123456789"), "C372"), (folder, "C372"),
                      (key_file(folder, "long", bytes(5000)), "C372"), (key_file(folder, "open", b"s3cret" * 8, 0o644), "C371")):
        done, _ = build(s, folder, "--cache", cache, "--cache-key", key)
        check(codes(done) == [told] and "s3cret" not in done.err, done)
        check(os.path.exists(cache) == (told == "C371"), key)


# --- entries ---


@suite.case
def entries_of_the_form_before_are_absent(s, folder):
    cache = os.path.join(folder, "cache")
    whole = build(s, folder, "--cache", cache)[1]
    for path, entry in entries.load(cache).items():
        value = entries.value_of(entry)
        kind, _, name = path.split("/")
        seal = hashlib.sha256(kind.encode() + b"\0" + bytes.fromhex(name) + value).digest()
        write(os.path.join(cache, path), entries.MAGIC + (2).to_bytes(4, "little") + bytes(4) + bytes.fromhex(name) +
              len(value).to_bytes(8, "little") + seal + value)
    s.run("brushwork", "cache", cache, "--verify").expect(0)
    s.run("brushwork", "cache", cache, "--zero-stats").expect(0)
    done, made = build(s, folder, "--cache", cache)
    check(not codes(done) and made == whole, done)
    expect_stages(s, cache, MADE)


@suite.case
def bombs_are_bounded_by_what_they_declare(s, folder):
    """A sealed entry of two kilobytes that becomes two megabytes, whatever its header says of them."""
    import zlib
    cache = os.path.join(folder, "cache")
    whole = build(s, folder, "--cache", cache)[1]
    kept = entries.load(cache)
    path = next(one for one in kept if one.startswith("vvis/"))
    bomb = zlib.compress(bytes(2 << 20), 9)
    for said in (1, len(bomb) + 1, 1 << 20, (2 << 20) - 1, (2 << 20) + 1, 1 << 31, 1 << 40):
        write(os.path.join(cache, path), entries.seal(path, b"", entries.version_of(kept[path]), said, entries.DEFLATED, bomb))
        check(s.run("brushwork", "cache", cache, "--verify", "--json").expect(1).codes() == ["C359"], said)
        done, made = build(s, folder, "--cache", cache)
        check(codes(done) == ["C359"] and made == whole, done)


# --- statistics ---


@suite.case
def statistics_add_up(s, folder):
    cache = os.path.join(folder, "cache")
    for _ in range(3):
        build(s, folder, "--cache", cache)
    shown = expect_stages(s, cache, (2, 1))
    check(shown["runs"] == 3 and shown["folder"]["read"] > 0 and shown["folder"]["written"] > 0, shown)
    check(sum(stat_["saved_cpu_ms"] for stat_ in shown["stages"]) < 60_000, shown)
    build(s, folder, "--cache", cache, "--cache-read-only")
    check(statistics(s, cache)[0] == shown, "a run that only reads has written")
    name = next(one for one in os.listdir(cache) if one.startswith("statistics-"))
    path = os.path.join(cache, name)
    honest = read(path)
    junk = (b"vbsp 1 2\n" b"vbsp -1 2 3\n" b"vbsp 1 2 3 4\n" b"vbsp 99999999999999999999 1 1\n" b"run\n" b"run x\n" b"\xff\0\n"
            b"bytes 1 2 3\n" + b"vrad 1 1 1" + b" " * 500 + b"\n" + b"vbspx 1 2 3\n" b"vvis 1 2 3")  # the last is cut off
    write(path, junk + b"\n\n" + honest + junk)
    again = statistics(s, cache)[0]
    write(path, honest + b"vvis 1 2 3\n")
    check(again == statistics(s, cache)[0], f"{again}, not {statistics(s, cache)[0]}")
    write(path, b"vrad 1 1 999999999999999999\n" * 100)
    check(statistics(s, cache)[0]["stages"][2]["saved_cpu_ms"] == (1 << 64) - 1, "sums do not stay")
    os.mkdir(os.path.join(cache, "statistics-2020-01"))
    write(os.path.join(cache, "statistics-2020-02x"), "vbsp 1000 1 1\n")
    s.run("brushwork", "cache", cache, "--zero-stats").expect(0)
    check(not os.path.exists(path) and statistics(s, cache)[0]["runs"] == 0, "not removed")


@suite.case
def statistics_of_many_processes_add_up(s, folder):
    cache = os.path.join(folder, "cache")
    build(s, folder, "--cache", cache)
    command = [os.path.join(s.options.bin, "brushwork"), "build", os.path.join(folder, "box.vmf"), "--preset", "fast", "--quiet",
               "--cache", cache, "-threads", "1"]
    runs = []
    for i in range(8):
        runs.append(subprocess.Popen(command + ["-o", os.path.join(folder, f"o{i}.bsp")], stdout=subprocess.DEVNULL))
    check(all(run.wait(600) == 0 for run in runs), "a run failed")
    shown = expect_stages(s, cache, (8, 1))
    check(shown["runs"] == 9, shown)
    name = next(one for one in os.listdir(cache) if one.startswith("statistics-"))
    check(stat.S_IMODE(os.stat(os.path.join(cache, name)).st_mode) == stat.S_IMODE(os.stat(cache).st_mode) & 0o666, "permissions")


# --- leaks ---


@suite.case
def a_leak_comes_from_the_cache(s, folder):
    cache = os.path.join(folder, "cache")
    made = ("leak.bsp", "leak.lin", "leak_leak.png")

    def run(*options, name="leak", cache=cache):
        for one in made:
            path = os.path.join(folder, one)
            if os.path.exists(path):
                os.remove(path)
        done, _ = build(s, folder, *(("--cache", cache) if cache else ()), *options, name=name, status=3)
        return [{key: value for key, value in one.items() if key != "program"} for one in done.diagnostics], \
            [read(os.path.join(folder, one)) for one in made]

    honest = run(cache=None)
    check(run() == honest, "other bytes or messages")
    check(statistics(s, cache)[1]["vbsp"] == MADE, statistics(s, cache))
    check(run() == honest, "other bytes or messages from the cache")
    check(statistics(s, cache)[1]["vbsp"] == FOUND[:1] + (1,), statistics(s, cache))
    # An output elsewhere is named by the message, so it is of another result.
    elsewhere = os.path.join(folder, "elsewhere")
    os.mkdir(elsewhere)
    for _ in range(2):
        done = s.run("brushwork", "build", os.path.join(folder, "leak.vmf"), "--preset", "fast", "--json", "--cache", cache, "-o",
                     os.path.join(elsewhere, "leak.bsp")).expect(3)
        check(done.find("V001")["pointfile"] == os.path.join(elsewhere, "leak.lin"), done)
    check(statistics(s, cache)[1]["vbsp"] == (2, 2), statistics(s, cache))


suite.main()
