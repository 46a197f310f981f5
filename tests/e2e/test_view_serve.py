#!/usr/bin/env python3
"""brushwork view --serve: what it answers, when it builds again, and how it ends."""
import os
import re
import signal
import socket

from e2e import Suite, check, read, write
from view_pages import Browser, Served, compiled, head_of_text

suite = Suite()


@suite.case
def a_served_map_answers_who_has_its_address_alone(s, folder):
    with Served(s, folder, s.map("box.vmf")) as served:
        served.reach("shown", 1)
        shell = served.ask(f"/{served.token}/")
        check(shell[0] == 200 and b"connect-src 'self'" in shell[1] and b'id="data"></script>' in shell[1], shell)
        check(served.ask(f"/{served.token}/", Host=f"localhost:{served.port}")[0] == 200, "localhost")
        check(head_of_text(served.ask(f"/{served.token}/map")[1].decode())["name"] == "box", "the map")
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil:{served.port}", ""):
            check(served.ask(f"/{served.token}/map", Host=host)[0] in (400, 403), host)
        wrong = ("0" if served.token[0] != "0" else "1") + served.token[1:]
        for path in ("/", "/map", "/state", f"/{wrong}/map", f"/{served.token}", f"/{served.token[:-1]}/map", f"//{served.token}/map",
                     f"/{served.token}/../map", f"/{served.token}/../../../../etc/passwd", f"/{served.token}/%2e%2e/%2e%2e/etc/passwd",
                     f"/{served.token}//etc/passwd", f"/{served.token}/box.vmf", f"/{served.token}/map/"):
            status, body = served.ask(path)
            check(status in (400, 404) and b"root:" not in body, f"{path}: {status}")
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            check(served.ask(f"/{served.token}/map", method)[0] == 405, method)
        # Nothing listens on the other addresses of this machine; 127.0.0.2 is one.
        listening = socket.socket()
        with listening:
            check(listening.connect_ex(("127.0.0.2", served.port)) != 0, "127.0.0.2")


@suite.case
def a_served_map_ends_by_a_signal_and_leaves_nothing(s, folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        for wait in (False, True):
            with Served(s, folder, s.map("two_rooms.vmf")) as served:
                if wait:
                    served.reach("shown", 1)
                    check(len(os.listdir(served.temporary)) == 1, os.listdir(served.temporary))
                served.process.send_signal(number)
                status = served.process.wait(300)
                check(status == 0, f"status {status}: {read(served.told).decode()}")
                check(os.listdir(served.temporary) == [], os.listdir(served.temporary))


@suite.case
def a_served_map_is_opened_in_the_browser(s, folder):
    with Browser(folder) as browser, Served(s, folder, s.map("box.vmf"), "--open") as served:
        served.reach("shown", 1)
        check(browser.seen == [served.address], browser.seen)


@suite.case
def options_of_serving_that_do_not_fit_are_refused(s, folder):
    path = compiled(s, folder, "box.vmf")
    s.run("brushwork", "view", path, "--serve", "--sandbox").expect(2)
    s.run("brushwork", "view", path, "--serve", "-o", os.path.join(folder, "a.html")).expect(2)
    s.run("brushwork", "view", path, "--build-option", "-hdr").expect(2)
    s.run("brushwork", "view", path, "--serve", "70000").expect(2)
    s.run("brushwork", "view", os.path.join(folder, "none.vmf"), "--serve", "--json").expect(1).find("C001")
    with Served(s, folder, path) as served:
        s.run("brushwork", "view", path, "--serve", served.port, "--json").expect(1).find("C346")


@suite.case
def a_served_bsp_is_shown_again_when_it_changes(s, folder):
    path, other = compiled(s, folder, "box.vmf"), compiled(s, folder, "two_rooms.vmf")
    with Served(s, folder, path) as served:
        served.reach("shown", 1)
        before = served.ask(f"/{served.token}/map")[1]
        os.replace(other, path)
        served.reach("shown", 2)
        check(served.ask(f"/{served.token}/map")[1] != before, "the same map")
        write(path, "no map")
        told = served.reach("failed", 2)
        check(any(row["severity"] == "error" for row in told["messages"]), told)
        check(served.ask(f"/{served.token}/map")[0] == 200, "the map before is gone")


@suite.case
def a_served_map_is_built_again_when_what_it_read_changes(s, folder):
    """An instance that the source names, not the source itself; and options of the build."""
    text = read(s.map("box.vmf")).decode()
    write(os.path.join(folder, "inner.vmf"), text)
    instance = ('entity\n{\n\t"id" "900"\n\t"classname" "func_instance"\n\t"file" "inner.vmf"\n\t"origin" "0 0 0"\n'
                '\t"angles" "0 0 0"\n}\n')
    source = write(os.path.join(folder, "outer.vmf"), text + instance)
    cache = os.path.join(folder, "cache")
    with Served(s, folder, source, "--build-option", "-fulldetail", "--cache", cache) as served:
        served.reach("shown", 1)
        check(os.path.isdir(cache) and os.listdir(cache), "the build has no cache")
        write(os.path.join(folder, "inner.vmf"), text.replace('"classname" "light"', '"classname" "light_spot"'))
        served.reach("shown", 2)


@suite.case
def a_served_map_is_built_again_when_what_was_absent_appears(s, folder):
    """Lights beside the source, and a material in a folder that is searched; not what it has nothing to do with."""
    source, content = write(os.path.join(folder, "box.vmf"), read(s.map("box.vmf"))), os.path.join(folder, "content")
    material = re.search(r'"material" "([^"]*)"', read(source).decode()).group(1)
    os.makedirs(os.path.join(content, "materials"))
    with Served(s, folder, source, "-insert_search_path", content) as served:
        served.reach("shown", 1)
        write(source[:-4] + ".rad", f"{material} 255 0 0 300\n")
        served.reach("shown", 2)
        path = os.path.join(content, "materials", *material.lower().split("/")) + ".vmt"
        os.makedirs(os.path.dirname(path))
        write(path, "LightmappedGeneric\n{\n}\n")
        maps = served.state()["map"]
        while maps < 3 or served.state()["state"] != "shown":
            maps = served.state(served.state()["news"])["map"]


@suite.case
def what_an_edit_leaves_is_kept_while_a_map_is_served(s, folder):
    """In a cache of its own, unless one is named or refused; the light is that of a build without it."""
    text = read(s.map("two_rooms.vmf")).decode()
    for options, is_kept in (([], True), (["--no-cache"], False), (["--cache", os.path.join(folder, "cache")], False)):
        source = write(os.path.join(folder, "two_rooms.vmf"), text)
        with Served(s, folder, source, *options) as served:
            served.reach("shown", 1)
            kept = os.path.join(served.temporary, os.listdir(served.temporary)[0], "cache")
            check(os.path.isdir(kept) == is_kept, f"{options}: {kept}")
            write(source, re.sub(r'("_light" "\d+) ', r"\g<1>1 ", text))
            served.reach("shown", 2)
            again = served.ask(f"/{served.token}/map")[1]
            kinds = os.listdir(kept) if is_kept else ["vrad-direct"]
            check("vrad-direct" in kinds, kinds)
        fresh, page, told = (os.path.join(folder, "two_rooms" + end) for end in (".bsp", ".html", ".json"))
        s.run("brushwork", "build", source, "--preset", "preview", "--no-cache", "-o", fresh, "--diagnostics", "json",
              "--diagnostics-file", told).expect(0)
        s.run("brushwork", "view", fresh, "--messages", told, "-o", page).expect(0)
        check(again == read(page), "other light than that of a build without a cache")


suite.main()
