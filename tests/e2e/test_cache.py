#!/usr/bin/env python3
"""The cache from the command line: folders, servers (nginx, and small ones that stall or lie), and what of it may fail: nothing."""
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time

from e2e import Skip, Suite, check, read, write

suite = Suite()

# Of this module alone the cache on a server depends.
MODULE = os.path.join(suite.options.bin, "..", "lib", "brushwork", "http.so")


def compiled(s, folder, *options, name="map", env=None):
    """Builds box.vmf; returns the run and the bytes."""
    source = os.path.join(folder, name + ".vmf")
    if not os.path.exists(source):
        shutil.copy(s.map("box.vmf"), source)
    before = dict(os.environ)
    os.environ.update(env or {})
    try:
        done = s.run("brushwork", "build", source, "--preset", "fast", "--json", *options)
    finally:
        os.environ.clear()
        os.environ.update(before)
    done.expect(0)
    return done, read(os.path.join(folder, name + ".bsp"))


def entries(cache):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(cache) for name in names
                  if len(name) == 64)


def codes(done):
    """What is said of the cache; the map has notes of its own."""
    return [code for code in done.codes() if code in ("C358", "C359", "C362", "C363")]


def fresh(s, folder):
    return compiled(s, folder)[1]


@suite.case
def a_folder_gives_the_same_bytes(s, folder):
    cache = os.path.join(folder, "cache")
    whole = fresh(s, folder)
    for _ in range(2):
        done, again = compiled(s, folder, "--cache", cache)
        check(not codes(done) and again == whole, done)
    check(entries(cache), "nothing was kept")
    check(os.path.exists(os.path.join(cache, "CACHEDIR.TAG")), "no tag")


@suite.case
def plain_entries_are_read_as_well(s, folder):
    plain, packed = os.path.join(folder, "plain"), os.path.join(folder, "packed")
    whole = compiled(s, folder, "--cache", packed)[1]
    compiled(s, folder, "--cache", plain, "--cache-plain")
    check([os.path.relpath(path, plain) for path in entries(plain)]
          == [os.path.relpath(path, packed) for path in entries(packed)], "other entries")
    check(whole in b"".join(read(path) for path in entries(plain)), "the map is not as it is")
    check(sum(map(os.path.getsize, entries(plain))) > sum(map(os.path.getsize, entries(packed))), "as small")
    for cache, options in ((plain, ()), (packed, ("--cache-plain",))):
        done, again = compiled(s, folder, "--cache", cache, "--cache-read-only", *options)
        check(again == whole and '"cache misses"' not in done.err, done)


@suite.case
def the_environment_names_it_too(s, folder):
    cache, other = os.path.join(folder, "cache"), os.path.join(folder, "other")
    env = {"BRUSHWORK_CACHE": cache}
    for off in (("--cache", ""), ("--no-cache",)):
        compiled(s, folder, *off, env=env)
        check(not os.path.exists(cache), "kept in spite of " + " ".join(off))
    compiled(s, folder, "--cache", other, env=env)
    check(entries(other) and not os.path.exists(cache), "the command line does not take precedence")
    compiled(s, folder, env=env)
    check(entries(cache), "the environment is not read")


@suite.case
def poisoned_entries_are_made_again(s, folder):
    cache = os.path.join(folder, "cache")
    whole = fresh(s, folder)
    compiled(s, folder, "--cache", cache)
    kept = {path: read(path) for path in entries(cache)}
    for spoil in (lambda b: b[:-1], lambda b: b[:40] + bytes([b[40] ^ 1]) + b[41:], lambda b: b"",
                  lambda b: b"BWCACHE\0\7" + b[9:], lambda b: b[:-1] + bytes([b[-1] ^ 1])):
        for path, data in kept.items():
            write(path, spoil(data))
        done, again = compiled(s, folder, "--cache", cache)
        check(codes(done) == ["C359"] and again == whole, done)


@suite.case
def a_place_that_cannot_be_used_costs_a_warning(s, folder):
    whole = fresh(s, folder)
    done, again = compiled(s, folder, "--cache", write(os.path.join(folder, "file"), ""))
    check(codes(done) == ["C358"] and again == whole, done)
    done, again = compiled(s, folder, "--cache", "/proc/cache")
    check(codes(done) == ["C358"] and again == whole, done)


@suite.case
def the_size_is_checked(s, folder):
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "map.vmf"))
    done = s.run("vbsp", os.path.join(folder, "map.vmf"), "--cache-size", "much", "--json")
    check(done.status == 2, done)


@suite.case
def eight_processes_share_a_folder(s, folder):
    cache = os.path.join(folder, "cache")
    whole = fresh(s, folder)
    runs = []
    for i in range(8):
        own = os.path.join(folder, f"own{i}")
        os.mkdir(own)
        shutil.copy(os.path.join(folder, "map.vmf"), own)
        command = [os.path.join(s.options.bin, "brushwork"), "build", os.path.join(own, "map.vmf"),
                   "--preset", "fast", "--cache", cache, "-threads", "1", "--json"]
        runs.append((own, subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)))
    for own, run in runs:
        said = run.communicate(timeout=600)[1]
        check(run.returncode == 0 and b"C358" not in said and b"C359" not in said, said)
        check(read(os.path.join(own, "map.bsp")) == whole, "other bytes")


@suite.case
def a_sandbox_has_the_folder_and_no_network(s, folder):
    s.unsanitized()
    cache = os.path.join(folder, "elsewhere", "cache")
    for _ in range(2):
        done, _ = compiled(s, folder, "--sandbox", "--cache", cache)
        check("C358" not in codes(done) and "C359" not in codes(done), done)
    check(entries(cache), "nothing was kept")
    done, _ = compiled(s, folder, "--sandbox", "--cache", "http://me:secret@127.0.0.1:9/")
    check(codes(done).count("C358") == 1 and "secret" not in done.err, done)


@suite.case
def the_verb_shows_checks_and_empties_it(s, folder):
    cache = os.path.join(folder, "cache")
    compiled(s, folder, "--cache", cache)
    kept = entries(cache)
    foreign = write(os.path.join(cache, "vbsp", "notes"), "mine")
    shown = json.loads(s.run("brushwork", "cache", cache, "--verify", "--json").expect(0).out)["cache"]
    check(shown["entries"] == len(kept) and shown["bytes"] == sum(map(os.path.getsize, kept)), shown)
    check({"vbsp", "vrad", "vvis"} <= {kind["kind"] for kind in shown["kinds"]}, shown)
    write(kept[0], read(kept[0])[:-1])
    check(codes(s.run("brushwork", "cache", cache, "--verify", "--json").expect(1)) == ["C359"], "not found")
    s.run("brushwork", "cache", cache, "--trim", "1").expect(2)
    check(s.run("brushwork", "cache", cache, "--trim", "1T").expect(0).out, "nothing is shown")
    check(entries(cache) == kept, "removed below the bound")
    s.run("brushwork", "cache", cache, "--clear").expect(0)
    check(not entries(cache) and read(foreign) == b"mine", "not cleared")
    check([os.path.relpath(os.path.join(at, one), cache) for at, folders, names in os.walk(cache) for one in folders + names] ==
          ["vbsp", "vbsp/notes"], "something is left")
    os.remove(foreign)
    compiled(s, folder, "--cache", cache)
    left = write(entries(cache)[0] + ".brushwork-1-0123456789abcdef-abcdef", "a killed run")  # of another system, long ago
    os.utime(left, (1000, 1000))
    s.run("brushwork", "cache", cache, "--clear").expect(0)
    check(os.listdir(cache) == [], os.listdir(cache))
    check(s.run("brushwork", "cache", cache + "none", "--json").expect(1).codes() == ["C015"], "no folder")


def a_user(uid, gid, umask):
    """For preexec: a user with one more group."""
    def become():
        os.setgroups([gid])
        os.setgid(uid)
        os.setuid(uid)
        os.umask(umask)
    return become


@suite.case
def two_users_share_a_folder(s, folder):
    """One that an administrator has made; with umask 022 and 077, each takes what the other has kept."""
    s.not_on_windows("its users are others")
    if os.getuid() != 0:
        raise Skip("needs root")
    group, users = 54321, (54322, 54323)
    os.chmod(folder, 0o755)
    cache = os.path.join(folder, "cache")
    os.mkdir(cache)
    os.chown(cache, 0, group)
    os.chmod(cache, 0o2775)
    others = os.path.join(folder, "others")

    def run(uid, umask, place, name):
        own = os.path.join(folder, f"{name}{uid}")
        os.mkdir(own)
        shutil.copy(s.map("box.vmf"), os.path.join(own, name + ".vmf"))
        shutil.chown(own, uid, uid)
        done = s.run("brushwork", "build", os.path.join(own, name + ".vmf"), "--preset", "fast", "--json", "--cache", place,
                     preexec=a_user(uid, group, umask)).expect(0)
        hits = [line for line in done.out.decode().splitlines() if "from the cache" in line]
        return codes(done), len(hits)

    for name, order in (("one", ((users[0], 0o022), (users[1], 0o077))), ("two", ((users[1], 0o077), (users[0], 0o022)))):
        told = [run(uid, umask, cache, name) for uid, umask in order]
        check(told[0][0] == told[1][0] == [], told)
        for at, folders, names in os.walk(cache):
            for below in folders:
                check(os.stat(os.path.join(at, below)).st_mode & 0o7777 == 0o2775, below)
            for below in names:
                check(os.stat(os.path.join(at, below)).st_mode & 0o7777 == 0o664, below)
    kept = entries(cache)
    run(users[0], 0o022, cache, "two2")
    check(len(entries(cache)) > len(kept), "another name is another result")

    os.mkdir(others)  # of one user, who shares it with nobody
    os.chown(others, users[0], users[0])
    for mode in (0o755, 0o700):
        os.chmod(others, mode)
        check(run(users[0], 0o022, others, f"own{mode:o}")[0] == [], "the owner is refused")
        told = run(users[1], 0o022, others, f"new{mode:o}")[0]
        check(told == ["C362"], told)


# --- servers ---


def need_module():
    if not os.path.exists(MODULE):
        raise Skip("built without libcurl")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Nginx:
    """Debian's nginx as an ordinary user, with PUT below /cache/."""

    def __init__(self, folder):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            raise Skip("no nginx")
        self.root = os.path.join(folder, "root")
        os.makedirs(os.path.join(self.root, "cache"))
        self.port = free_port()
        at = os.path.join(folder, "nginx")
        os.mkdir(at)
        config = write(os.path.join(at, "conf"), f"""
            daemon off; master_process off; pid {at}/pid; error_log {at}/error.log;
            events {{ }}
            http {{
                access_log {at}/access.log;
                client_body_temp_path {at}/body; proxy_temp_path {at}/p; fastcgi_temp_path {at}/f;
                uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;
                client_max_body_size 1g;
                server {{
                    listen 127.0.0.1:{self.port};
                    location /cache/ {{ root {self.root}; dav_methods PUT; create_full_put_path on;
                                        limit_except GET {{ allow 127.0.0.1; deny all; }} }}
                    location /fixed/ {{ alias {self.root}/cache/; }}
                }}
            }}""")
        self.process = subprocess.Popen([program, "-p", at, "-c", config, "-e", at + "/error.log"],
                                        stderr=subprocess.PIPE)
        for _ in range(6000):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.process.kill()
        raise Skip("nginx does not start: " + str(self.process.stderr.read()))

    def address(self, path="cache"):
        return f"http://127.0.0.1:{self.port}/{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


@suite.case
def nginx_keeps_what_is_put(s, folder):
    need_module()
    whole = fresh(s, folder)
    with Nginx(folder) as nginx:
        done, first = compiled(s, folder, "--cache", nginx.address())
        check(not codes(done) and first == whole, done)
        kept = entries(nginx.root)
        check(kept, "nothing was kept")
        for place in (nginx.address() + "/", os.path.join(nginx.root, "cache")):  # the same form
            done, again = compiled(s, folder, "--cache", place)
            check(not codes(done) and again == whole, done)
            check(entries(nginx.root) == kept, "other keys")
        gets = [line for line in open(os.path.join(folder, "nginx", "access.log"), encoding="utf8")
                if '"GET' in line and " 200 " in line]
        check(gets, "nothing was taken")


@suite.case
def read_only_puts_nothing(s, folder):
    need_module()
    whole = fresh(s, folder)
    with Nginx(folder) as nginx:
        done, again = compiled(s, folder, "--cache", nginx.address(), "--cache-read-only")
        check(not codes(done) and again == whole and not entries(nginx.root), done)
        done, again = compiled(s, folder, "--cache", nginx.address("fixed"))
        check(codes(done) == ["C358"] and again == whole, done)  # 405
        check("PUT" in done.err and "read-only" in done.err, done)


@suite.case
def poison_on_a_server_is_found(s, folder):
    need_module()
    whole = fresh(s, folder)
    with Nginx(folder) as nginx:
        compiled(s, folder, "--cache", nginx.address())
        kept = {path: read(path) for path in entries(nginx.root)}
        for path, data in kept.items():
            write(path, data[:-1] + bytes([data[-1] ^ 1]))
        done, again = compiled(s, folder, "--cache", nginx.address())
        check(codes(done) == ["C359"] and again == whole, done)
        done, again = compiled(s, folder, "--cache", nginx.address())
        check(not codes(done) and again == whole, "not made again")


@suite.case
def a_server_that_is_down_costs_a_warning(s, folder):
    need_module()
    whole = fresh(s, folder)
    done, again = compiled(s, folder, "-v", "--cache", f"http://me:secret@127.0.0.1:{free_port()}/cache")
    check(codes(done) == ["C358"], done)
    check(again == whole, done)
    plain = s.run("vbsp", os.path.join(folder, "map.vmf"), "-v", "--cache", "http://me:secret@127.0.0.1:9/cache").expect(0)
    said = plain.out.decode() + plain.err + done.err
    check("cache http://127.0.0.1:9/cache (command line)" in said and "secret" not in said, "the password is told")


PATIENCE = 300  # seconds of a run on a busy machine whose server keeps it waiting


class Liar(http.server.BaseHTTPRequestHandler):
    """Answers as its server's `lie` says."""
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_PUT(self):  # pylint: disable=invalid-name
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.end_headers()

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.asked += 1
        try:
            self.server.lie(self)
        except OSError:
            pass


class Lies:
    def __init__(self, lie):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
        self.server.daemon_threads = True
        self.server.lie, self.server.asked = lie, 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/cache"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def page(h):
    h.send_response(200)
    h.end_headers()
    h.wfile.write(b"<html>404: there is nothing here</html>" * 10)


def short(h):
    h.send_response(200)
    h.end_headers()
    h.wfile.write(b"BWC")


def endless(h):
    """The right header of an entry of a few bytes, and no end."""
    name = h.path.rsplit("/", 1)[1]
    h.send_response(200)
    h.end_headers()
    h.wfile.write(b"BWCACHE\0" + b"\3\0\0\0" + bytes(4) + bytes.fromhex(name) + 2 * (b"\x10" + bytes(7)) + bytes(64))
    while True:
        h.wfile.write(bytes(65536))


def endless_page(h):
    h.send_response(200)
    h.end_headers()
    while True:
        h.wfile.write(b"x" * 65536)


def redirect(h):
    h.send_response(302)
    h.send_header("Location", "file:///etc/passwd")
    h.end_headers()


def broken(h):
    h.send_response(500)
    h.end_headers()


def stall(_):
    time.sleep(10 * PATIENCE)


def drip(h):
    """A byte now and then, of a whole that never comes."""
    name = h.path.rsplit("/", 1)[1]
    h.send_response(200)
    h.end_headers()
    h.wfile.write(b"BWCACHE\0" + b"\3\0\0\0" + bytes(4) + bytes.fromhex(name) + 2 * (b"\xff\xff" + bytes(6)) + bytes(64))
    while True:
        h.wfile.write(b"x")
        h.wfile.flush()
        time.sleep(0.1)


def hang_up(h):
    h.connection.shutdown(socket.SHUT_RDWR)


def lies_case(lie, code):
    def run(s, folder):
        need_module()
        whole = fresh(s, folder)
        start = time.monotonic()
        with Lies(lie) as address:
            done, again = compiled(s, folder, "--cache", address, "--cache-timeout", 1)
        check(codes(done) == [code], done)
        check(again == whole, "other bytes")
        check(time.monotonic() - start < PATIENCE, f"{time.monotonic() - start} seconds")
    suite.add("a_server_lies_" + lie.__name__, run)


for lie, code in ((page, "C359"), (short, "C359"), (endless, "C359"), (endless_page, "C359"),
                  (redirect, "C358"), (broken, "C358"), (stall, "C358"), (drip, "C358"), (hang_up, "C358")):
    lies_case(lie, code)


@suite.case
def without_the_module_it_costs_a_warning(s, folder):
    need_module()
    programs = os.path.join(folder, "bin")
    os.mkdir(programs)
    shutil.copy(os.path.join(s.options.bin, "brushwork"), programs)
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "map.vmf"))
    done = s.run(os.path.join(programs, "brushwork"), "build", os.path.join(folder, "map.vmf"), "--preset", "fast",
                 "--json", "--cache", "http://127.0.0.1:9/").expect(0)
    check(codes(done) == ["C358"] and "http.so is not installed" in done.err, done)


suite.main()
