#!/usr/bin/env python3
"""brushwork view: the page of a map, as a file. test_browser_*.py are about what a browser makes of it."""
import base64
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess

from e2e import Skip, Suite, check, read, write
from view_pages import Browser, compiled, head_of, hostile_page, viewed

suite = Suite()


@suite.case
def a_page_is_opened_in_the_browser(s, folder):
    path, page = compiled(s, folder, "box.vmf"), os.path.join(folder, "a b%ä.html")
    address = f"file://{os.path.realpath(folder)}/a%20b%25%C3%A4.html"
    for command, seen in (("{}", [address]), ("{} -x at=%s y", ["-x", f"at={address}", "y"]), ("/none/such: :{}", [address])):
        with Browser(folder, command) as browser:
            s.run("brushwork", "view", path, "-o", page, "--open").expect(0)
            check(browser.seen == seen, f"{command}: {browser.seen}")
            os.remove(browser.place)
            s.run("brushwork", "report", path, "-o", page, "--open").expect(0)
            check(browser.seen == seen, f"{command}: {browser.seen}")
            os.remove(browser.place)
            s.run("brushwork", "view", path, "-o", page).expect(0)
            check(browser.seen is None, "it was not asked for")


@suite.case
def a_browser_that_stays_is_not_waited_for(s, folder):
    path = compiled(s, folder, "box.vmf")
    write(os.path.join(folder, "stays"), "#!/bin/sh\nexec sleep 60\n")
    os.chmod(os.path.join(folder, "stays"), 0o755)
    with Browser(folder, f"{folder}/stays"):
        s.run("brushwork", "view", path, "--open", timeout=30).expect(0)


@suite.case
def a_page_that_cannot_be_opened_is_written_and_told(s, folder):
    path = compiled(s, folder, "box.vmf")
    for command, text in (("", "no display"), ("/none/such", "cannot be started"), (" ", "no command"), ("{}", "exit status 3")):
        with Browser(folder, command, status=3):
            found = s.run("brushwork", "view", path, "--open", "--diagnostics", "json").expect(1).find("C347")
            check(text in found["message"] and found["file"] == path[:-4] + ".html", found)
            check(len(read(path[:-4] + ".html")) > 1000, "no page")
            os.remove(path[:-4] + ".html")
    for more in (("--sandbox",), ("-o", "-")):
        for verb in ("view", "report"):
            s.run("brushwork", verb, path, "--open", *more).expect(2)


@suite.case
def a_page_allows_its_own_program_alone(s, folder):
    page = viewed(s, compiled(s, folder, "box.vmf"))
    html = read(page).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1)
    check(policy.startswith("default-src 'none';"), policy)
    for kind, tag in (("script-src", "script type=\"module\""), ("style-src", "style")):
        text = re.search(f"<{tag}>(.*?)</", html, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        check(f"{kind} 'sha256-{digest}'" in policy, f"{kind} of {policy}")
    check("unsafe" not in policy and not re.search(r"https?:|\bsrc=|\bhref=", html), "it names another place")


@suite.case
def its_program_is_valid(s, folder):
    """The scripts share one scope: a name that two of them define is an error."""
    node = shutil.which("node")
    if not node:
        raise Skip("no node")
    html = read(viewed(s, compiled(s, folder, "box.vmf"))).decode()
    script = re.search('<script type="module">(.*?)</script>', html, re.DOTALL).group(1)
    done = subprocess.run([node, "--check", write(os.path.join(folder, "page.mjs"), script)], capture_output=True, check=False)
    check(done.returncode == 0, done.stderr.decode())


@suite.case
def the_same_map_gives_the_same_page(s, folder):
    path = compiled(s, folder, "displacements.vmf")
    first = read(viewed(s, path))
    check(read(viewed(s, path, "-threads", "1")) == first, "with one thread")
    done = s.run("brushwork", "view", path[:-4], "--out", "-").expect(0)
    check(done.out == first, "to standard output")
    os.remove(path[:-4] + ".html")
    s.run("brushwork", "view", path).expect(0)
    check(read(path[:-4] + ".html") == first, "beside the map")


@suite.case
def images_have_the_size_and_quality_asked_for(s, folder):
    path, game = s.corpus("generated", "mid.bsp"), s.corpus("generated", "game")
    sizes = {}
    for options in ((), ("--quality", "10"), ("--texture-size", "16")):
        page = os.path.join(folder, "mid.html")
        s.run("brushwork", "view", path, "-o", page, "-game", game, *options).expect(0)
        sizes[options] = sum(image["size"] for image in head_of(page)["images"])
        check(len(read(page)) < 10e6, f"{len(read(page))} bytes")
    check(sizes["--quality", "10"] < sizes[()] > sizes["--texture-size", "16"], sizes)


def half_transparent():
    """A VTF of two BGRA texels, of which one is transparent."""
    header = struct.pack("<4sIIIHHIHH4x3f4xfIBiBBH15x", b"VTF\0", 7, 2, 80, 2, 1, 0x2000, 1, 0, .5, .5, .5, 1, 12, 1, -1, 0, 0, 1)
    return header + bytes([90, 90, 90, 255, 90, 90, 90, 0])


@suite.case
def a_texture_of_two_materials_has_alpha_for_the_one_that_uses_it(s, folder):
    """Whichever of both comes first in the map."""
    keys = {"wall": "", "fence": "$alphatest 1"}
    for first, second in (("wall", "fence"), ("fence", "wall")):
        game = os.path.join(folder, first)
        os.makedirs(os.path.join(game, "materials", "test"))
        write(os.path.join(game, "gameinfo.txt"), "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }")
        write(os.path.join(game, "materials", "test", "shared.vtf"), half_transparent())
        for name, more in keys.items():
            write(os.path.join(game, "materials", "test", name + ".vmt"), "LightmappedGeneric { $basetexture test/shared %s }" % more)
        text = read(s.map("box.vmf")).decode().replace("DEV/DEV_MEASUREWALL01A", "TEST/" + first.upper())
        source = write(os.path.join(game, "box.vmf"), text.replace("DEV/DEV_MEASUREGENERIC01B", "TEST/" + second.upper()))
        s.run("vbsp", source, "-game", game).expect(3)  # a fence seals nothing
        head = head_of(viewed(s, source[:-4] + ".bsp", "-game", game))
        found = sorted((row["masked"], head["images"][row["image"]]["type"]) for row in head["materials"])
        check(found == [(False, "image/jpeg"), (True, "image/png")], (first, found))


@suite.case
def two_builds_share_their_images(s, folder):
    bsp = compiled(s, folder, "two_rooms.vmf")
    page = viewed(s, bsp)
    alone, size = head_of(page), os.path.getsize(page)
    both = head_of(viewed(s, bsp, "--against", bsp))
    check(both["images"] == alone["images"] and "images" not in both["before"], "images twice")
    check(both["before"]["draws"] == alone["draws"] and both["before"]["streams"].keys() == alone["streams"].keys(), "another map")
    check(os.path.getsize(page) < 2 * size, "more than two maps")
    os.remove(page)
    missing = os.path.join(folder, "none.bsp")
    told = s.run("brushwork", "view", bsp, "-o", page, "--against", missing).expect(1)
    check(missing in told.err, told.err)
    check(not os.path.exists(page), "a page")


@suite.case
def errors_leave_no_page(s, folder):
    check(s.run("brushwork", "view", s.map("box.vmf"), "-o", os.path.join(folder, "a.html")).status == 1, "no BSP")
    path = compiled(s, folder, "box.vmf")
    s.run("brushwork", "view", path, "--quality", "101").expect(2)
    s.run("brushwork", "view", path, "-o", os.path.join(folder, "none", "a", "b.html"), "--sandbox")
    check(sorted(n for n in os.listdir(folder) if n.endswith(".html")) == [], os.listdir(folder))


@suite.case
def text_of_a_map_does_not_become_html(s, folder):
    html = read(hostile_page(s, folder)).decode()
    check(html.count("</script>") == 2 and "onerror" not in html and "alert(1)" not in html, "it is in the page")


@suite.case
def what_is_no_list_of_messages_is_refused(s, folder):
    path = compiled(s, folder, "box.vmf")
    for text in ("no json", "{}", '{"runs": 1}', "[1]"):
        s.run("brushwork", "view", path, "--messages", write(os.path.join(folder, "m"), text), "--json").expect(1).find("C003")
    odd = write(os.path.join(folder, "odd"), json.dumps({"runs": [{"results": [{"level": 3}, None]}, 7, {"results": [
        {"ruleId": "</script>", "level": "note", "message": {"text": "<b>"}, "properties": {"point": [1, "2", 3], "hole": [1, 2, 3]}}]}]}))
    rows = head_of(viewed(s, path, "--messages", odd))["messages"]
    check([(row["code"], row["where"], row["places"]) for row in rows] == [("</script>", "", [["hole", [1, 2, 3]]])], rows)


suite.main()
