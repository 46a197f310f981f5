"""Pages of brushwork view, what a browser tells of one, and pages that are served."""
import base64
import http.client
import json
import os
import re
import subprocess
import zlib

from e2e import Skip, check, read, write
from hostile_map import EVIL, hostile

# Cameras of maps: pictures of brushwork render are the oracle.
CAMERAS = {
    "atrium.vmf": ["740 140 200 12 35", "500 500 100 0 0", "96 384 72 0 75", "1200 300 300 20 150", "300 -100 60 -5 60"],
    "water.vmf": ["128 128 150 30 45"],
    "displacements.vmf": ["0 0 264 20 40"],
    "sky_camera.vmf": ["64 128 80 -10 0"],
    "q3_patches.map": ["40 40 80 10 45", "128 40 60 0 90", "220 220 100 20 -135", "60 200 40 -10 -60", "128 128 120 60 0"],
}
# Maps of the corpus, with the option that finds their content; the last two of s04 are close to props, whose light is computed.
CORPUS_CAMERAS = {
    ("generated", "mid.bsp"): (("-game", ("generated", "game")),
                               ["64 64 144 0 0", "640 640 200 20 45", "1500 1500 100 10 135", "2500 400 300 30 100", "320 2400 80 0 -60"]),
    ("vmf", "s09_who_hostel", "hostel.bsp"): (
        None, ["20 162 1 0 240", "20 -150 10 10 90", "0 0 0 0 0", "60 50 40 30 200", "-20 -100 -20 -10 60"]),
    ("vmf", "s04_rc_pyramid", "rc_pyramid.bsp"): (
        ("-insert_search_path", ("assets", "ricochet_game")),
        ["-600 -900 200 20 45", "1000 -900 -20 20 -60", "-900 -156 300 10 180", "-250 -560 260 30 -120", "100 -240 560 25 -140"]),
}
SIZE = 320, 180


def compiled(s, folder, name):
    path = os.path.join(folder, name.split(".")[0] + ".bsp")
    s.run("brushwork", "build", s.map(name), "-o", path, "--preset", "fast").expect(0)
    return path


def viewed(s, path, *options):
    page = path[:-4] + ".html"
    s.run("brushwork", "view", path, "-o", page, *options).expect(0)
    return page


def head_of(page):
    """The head of the data of a page."""
    return head_of_text(read(page).decode())


def head_of_text(html):
    text = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', html).group(1)
    data = zlib.decompress(base64.b64decode(text))
    return json.loads(data[4:4 + int.from_bytes(data[:4], "little")])


def link_of(camera, **more):
    return "&".join([f"view={','.join(camera.split())}", *(f"{k}={v}" for k, v in more.items())])


def hostile_page(s, folder):
    messages = json.dumps({"severity": "error", "code": EVIL, "title": EVIL, "message": EVIL, "file": EVIL, "point": [1e300, 2, 3]})
    return viewed(s, hostile(s, folder), "--messages", write(os.path.join(folder, "messages"), messages + "\n"))


# --- in a browser ---


def quiet(browser):
    """A page asks for nothing but itself, and says nothing."""
    check(not browser.errors, browser.errors)
    check(len(browser.requests) == 1, browser.requests)


def place(browser):
    return [float(n) for n in re.search("view=([^&]*)", browser.value("document.body.dataset.drawn")).group(1).split(",")]


def found(browser):
    browser.wait("document.getElementById('found').hasChildNodes()")
    rows = browser.value("JSON.stringify([...document.querySelectorAll('#found tr')].map(row => "
                         "[...row.children].map(cell => cell.textContent)))")
    return json.loads(rows)


def click_on(browser, selector):
    """Clicks with the mouse on the middle of an element."""
    x, y = json.loads(browser.value(f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); "
                                    f"return JSON.stringify([r.left + r.width / 2, r.top + r.height / 2]); }})(document.querySelector({json.dumps(selector)}))"))
    browser.click(x, y)


def press(browser, text, selector="button.place"):
    browser.value(f"void [...document.querySelectorAll('{selector}')].find(b => b.textContent.includes('{text}')).click()")


# --- served ---


class Browser:
    """Stands for the browser of the user while a block runs: what it was started with is in `seen`. `command` is BROWSER,
    in which {} is its program; there is no display."""

    def __init__(self, folder, command="{}", status=0):
        self.place, self.saved = os.path.join(folder, "opened"), {}
        program = os.path.join(folder, "a_browser")
        write(program, f'#!/bin/sh\nprintf "%s\\n" "$@" > "{self.place}.part" && mv "{self.place}.part" "{self.place}"\nexit {status}\n')
        os.chmod(program, 0o755)
        self.variables = {"BROWSER": command.format(program), "DISPLAY": "", "WAYLAND_DISPLAY": ""}

    def __enter__(self):
        self.saved = {name: os.environ.get(name) for name in self.variables}
        os.environ.update(self.variables)
        return self

    def __exit__(self, *_):
        for name, value in self.saved.items():
            os.environ.pop(name)
            os.environ.update({name: value} if value is not None else {})

    @property
    def seen(self):
        return read(self.place).decode().splitlines() if os.path.exists(self.place) else None


class Served:
    """brushwork view --serve, on a free port, until it is closed."""

    def __init__(self, s, folder, *arguments):
        self.told = os.path.join(folder, "told")
        temporary = os.path.join(folder, "temporary")
        os.makedirs(temporary, exist_ok=True)
        with open(self.told, "wb") as told:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [os.path.join(s.options.bin, "brushwork"), "view", *arguments, "--serve", "--json"],
                stdout=subprocess.PIPE, stderr=told, env={**os.environ, "TMPDIR": temporary})
        line = self.process.stdout.readline()
        if not line:
            self.end()
            text = read(self.told).decode()
            if "see the package brushwork-serve" in text:
                raise Skip("built without libmicrohttpd")
            raise AssertionError(text)
        self.address = json.loads(line)["address"]
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address).groups()
        self.port, self.temporary = int(self.port), temporary

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Lets it end its own processes first."""
        self.process.terminate()
        try:
            self.process.wait(300)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def ask(self, path, method="GET", **headers):
        """Status and body of the answer to a request for a path, which is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{self.port}", **headers}.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def state(self, news=0):
        return json.loads(self.ask(f"/{self.token}/state?after={news}")[1])

    def reach(self, state, maps):
        """The state, when so many maps were built or not."""
        now = self.state()
        while now["state"] != state or now["map"] != maps:
            check(now["state"] != "failed" or state == "failed" or now["map"] < maps, now)
            now = self.state(now["news"])
        return now
