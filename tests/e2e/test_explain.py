#!/usr/bin/env python3
"""What is said to people: brushwork explain, names that are nearly right, outputs that are not meant."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios

from e2e import Skip, Suite, check, write

suite = Suite()


def table(s):
    """Code, severity and title of each row of docs/diagnostics.md, and its fix."""
    with open(os.path.join(s.options.source, "docs", "diagnostics.md"), encoding="utf-8") as file:
        return re.findall(r"^\| \[?([A-Z]\d{3})\]?(?:\(\S+\))? \| (\w+) \| (.*) \| (.*) \|$", file.read(), re.M)


@suite.case
def each_code_has_a_page(s, _):
    rows = table(s)
    check(len(rows) > 400, len(rows))
    listed = s.run("brushwork", "explain", "--list").expect(0).out.decode().splitlines()
    check(listed == [f"{code}  {severity:7}  {title}" for code, severity, title, _ in rows], listed[:3])
    pages = json.loads(s.run("brushwork", "explain", "--json", *[row[0] for row in rows]).expect(0).out)["codes"]
    check([(page["code"], page["severity"], page["title"], page["fix"]) for page in pages] == rows, "rows differ")
    check(all(len(page["explanation"]) > 40 for page in pages), "a page without an explanation")
    texts = s.run("brushwork", "explain", *[row[0] for row in rows]).expect(0).out.decode()
    pages = re.split(r"\n\n(?=[A-Z]\d{3}: )", texts)
    check(len(pages) == len(rows), f"{len(pages)} pages")
    short = [page.split(":")[0] for page in pages if len(page.splitlines()) < 5]
    check(not short, short)


@suite.case
def a_page_for_people(s, _):
    text = s.run("brushwork", "explain", "v001", "S003").expect(0).out.decode()
    check(text.startswith("V001: map leaks (error)\n\n"), text)
    check("\n\nFix: Open MAP.lin" in text and "\nS003: invalid plane (warning)\n" in text, text)
    check('\nExample:\n\n    "plane"' in text, text)
    check(all(len(line) <= 80 for line in text.splitlines()), text)


@suite.case
def codes_that_are_none(s, _):
    check("did you mean 'V001'" in s.run("brushwork", "explain", "V00l").expect(1).err, "no suggestion")
    s.run("brushwork", "explain").expect(2)
    s.run("brushwork", "explain", "--list", "V001").expect(2)


@suite.case
def the_summary_of_errors_names_it(s, folder):
    done = s.run("brushwork", "build", s.map("leak.vmf"), "-o", os.path.join(folder, "a.bsp"), "--no-leak-picture")
    done.expect(3)
    check("\nexplain   brushwork explain V001\n" in done.out.decode(), done.out)
    check(f"fix: Open {os.path.join(folder, 'a.lin')} in Hammer" in done.err, done.err)


@suite.case
def names_that_are_nearly_right(s, folder):
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "kitchen.vmf"))
    for verb, name, told in (("build", "kichen.vmf", "did you mean kitchen.vmf?"),
                             ("build", "kitchen.vmx", "did you mean kitchen.vmf?"),
                             ("build", ".", "name a file in it, such as kitchen.vmf"),
                             ("render", "kitchen", "compile kitchen.vmf first")):
        done = s.run("brushwork", verb, name, cwd=folder).expect(1)
        check(told in done.err, (name, done.err))


@suite.case
def outputs_that_are_not_meant(s, folder):
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "a.vmf"))
    s.run("brushwork", "build", "a.vmf", "--preset", "fast", cwd=folder).expect(0)
    before = os.stat(os.path.join(folder, "a.bsp"))
    done = s.run("brushwork", "build", "a.bsp", cwd=folder).expect(2)
    check("name its source" in done.err, done.err)
    check(os.stat(os.path.join(folder, "a.bsp")).st_mtime_ns == before.st_mtime_ns, "the BSP was replaced")
    for verb, out in (("render", "a.gif"), ("view", "a.png"), ("report", "a.pdf")):
        done = s.run("brushwork", verb, "a.bsp", "-o", out, cwd=folder).expect(2)
        check("another ending" in done.err, done.err)
        check(not os.path.exists(os.path.join(folder, out)), out)
    s.run("brushwork", "render", "a.bsp", "--size", "64x36", "-o", "a.jpeg", cwd=folder).expect(0)
    with open(os.path.join(folder, "a.jpeg"), "rb") as file:
        check(file.read(2) == b"\xff\xd8", "no JPEG")
    done = s.run("brushwork", "report", "a.vmf", "--against", "none.bsp", cwd=folder).expect(1)
    check("vbsp" not in done.out.decode(), "it was built first")


@suite.case
def a_picture_of_an_older_map_says_so(s, folder):
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "a.vmf"))
    s.run("brushwork", "build", "a.vmf", "--preset", "fast", cwd=folder).expect(0)
    picture = ("brushwork", "render", "--size", "64x36", "-o", "a.png")
    made = os.stat(os.path.join(folder, "a.bsp")).st_mtime_ns
    for source, operand, told in ((made - 10**9, "a.vmf", False), (made + 10**9, "a.vmf", True),
                                  (made + 10**9, "a.bsp", False)):
        os.utime(os.path.join(folder, "a.vmf"), ns=(source, source))
        done = s.run(*picture, operand, cwd=folder).expect(0)
        check(("P008" in done.err) == told, (operand, done.err))


def in_terminal(command, columns, cwd):
    """What it prints to a terminal of so many columns."""
    try:
        own, its = pty.openpty()
    except OSError as error:  # in a container without /dev/pts
        raise Skip(str(error)) from error
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its, cwd=cwd,
                               env={**os.environ, "NO_COLOR": "1"})
    os.close(its)
    text = b""
    while select.select([own], [], [], 60)[0]:
        try:
            piece = os.read(own, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    process.wait(60)
    os.close(own)
    return text.decode().replace("\r\n", "\n")


@suite.case
def messages_fit_the_terminal(s, folder):
    s.not_on_windows("wine draws its console into the terminal letter by letter")
    write(os.path.join(folder, "gone.txt"), "")
    command = [os.path.join(os.path.abspath(s.options.bin), "vbsp"), s.map("leak.vmf"), "-o", "a.bsp"]
    narrow = in_terminal(command, 60, folder)
    check("V001" in narrow, narrow)
    check(all(len(line) <= 60 or " " not in line.strip() for line in narrow.splitlines()), narrow)
    wide = in_terminal(command, 0, folder)
    check(max(map(len, wide.splitlines())) > 120, wide)
    check(narrow.split() == wide.split(), "words differ")


suite.main()
