"""Chromium, headless, driven through its DevTools protocol."""
import base64
import collections
import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from e2e import Skip, check

sys.path.append("/usr/lib/python3/dist-packages")  # for a Python that is not Debian's
try:
    import websocket
except ImportError:
    websocket = None

FLAGS = ("--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-extensions",
         "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox",
         "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
         "--force-color-profile=srgb", "--password-store=basic", "--disable-breakpad", "--disable-crash-reporter",
         # A card in software is slow on a busy machine: it hangs not, and no page of the test rests in the background.
         "--disable-gpu-watchdog", "--disable-hang-monitor", "--disable-renderer-backgrounding",
         "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows")
# Seconds: bounds of what hangs, not of what is slow.
START = 180
ANSWER = 300
END = 60


def axe():
    """The program axe-core, which finds what keeps people from using a page: npm install -g axe-core."""
    npm = shutil.which("npm")
    root = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False).stdout.strip() if npm else ""
    for folder in filter(None, [root, *os.environ.get("NODE_PATH", "").split(os.pathsep)]):
        path = os.path.join(folder, "axe-core", "axe.min.js")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise Skip("no axe-core (npm install -g axe-core)")


class Browser:
    """One page. `errors` and `requests` are what it has told since it was opened."""

    def __init__(self, width=960, height=540):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            raise Skip("no chromium")
        if websocket is None:
            raise Skip("no python3-websocket")
        self.size = width, height
        self.errors, self.requests, self.numbers = [], [], itertools.count(1)
        self.lives = collections.defaultdict(set)  # of documents, by their loader: what they have reached
        self.folder = tempfile.mkdtemp(prefix="brushwork-browser-")
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            self.connect()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends all processes of the browser, which are a group of their own, and removes the profile."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        end = time.monotonic() + END
        # Its children may write still for a moment.
        while os.path.exists(self.folder) and time.monotonic() < end:
            shutil.rmtree(self.folder, ignore_errors=True)
            time.sleep(0.02)

    def address(self):
        """The address of the DevTools, once all of it is written."""
        path, end = os.path.join(self.folder, "DevToolsActivePort"), time.monotonic() + START
        while True:
            with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
                lines = file.read().split()
                if len(lines) == 2 and lines[1].startswith("/devtools/browser/"):
                    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            if time.monotonic() > end or self.process.poll() is not None:
                raise Skip("chromium does not start here")
            time.sleep(0.05)

    def connect(self):
        self.session = None
        self.socket = websocket.create_connection(self.address(), timeout=ANSWER, suppress_origin=True)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)  # keys stay down
        self.resize(*self.size)

    def resize(self, width, height):
        self.size = width, height
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    # --- messages ---

    def hear(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(told["exceptionDetails"].get("exception", {}).get("description")
                               or told["exceptionDetails"]["text"])
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(str(told["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Page.lifecycleEvent":
            self.lives[told["loaderId"]].add(told["name"])

    def call(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.hear(answer)

    # --- the page ---

    def navigate(self, address):
        """Waits until the document is loaded: before that it may have no context to evaluate in."""
        answer = self.call("Page.navigate", url=address)
        check("errorText" not in answer, f"{address}: {answer}")
        while "load" not in self.lives[answer["loaderId"]]:
            self.hear(json.loads(self.socket.recv()))

    def open(self, path, link=""):
        """Opens a file, or an address."""
        self.navigate("about:blank")
        self.errors.clear()
        self.requests.clear()
        address = path if path.startswith("http:") else f"file://{os.path.abspath(path)}"
        self.navigate(address + (f"#{link}" if link else ""))

    def value(self, expression):
        """The value of an expression of the page, or of its promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=ANSWER):
        """Waits until the expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.value(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"never true: {expression}; {self.errors}; "
                                     f"{self.value('JSON.stringify(document.body.dataset)')}")
            time.sleep(0.05)

    def frames(self, count):
        """Waits for so many frames of the page: each is a step of what moves in it."""
        self.value(f"new Promise(done => {{ let left = {count}; const next = () => left-- > 0 ? "
                   "requestAnimationFrame(next) : done(1); next(); })")

    def key(self, key, code, down=True, up=True):
        for wanted, kind in ((down, "keyDown"), (up, "keyUp")):
            if wanted:
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code)

    def type_key(self, key, code, number, text=""):
        """A key with what a page's own controls need: its number, and the text that it enters."""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, windowsVirtualKeyCode=number, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code, windowsVirtualKeyCode=number)

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                  buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def screenshot(self):
        """The page as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


class MapPage:
    """The page of a map, which is opened unless it is open already (`path` None)."""

    def __init__(self, browser, path=None, link=""):
        self.browser = browser
        if path:
            browser.open(path, link)
        browser.wait("document.body && (document.body.dataset.ready || document.body.dataset.failed)")
        failed = browser.value("document.body.dataset.failed")
        if failed and "WebGL 2" in failed:
            raise Skip(failed)
        if failed:
            raise AssertionError(failed)

    def look(self, link):
        """Follows a link and waits for its picture. The address follows the camera a moment later."""
        self.browser.wait("location.hash === '#' + document.body.dataset.drawn")
        self.browser.value(f"void (location.hash = {json.dumps(link)})")
        self.browser.wait(f"document.body.dataset.drawn === {json.dumps(link)}")

    def shot(self, link):
        self.look(link)
        # The picture is shown with the frame after the one that was drawn.
        self.browser.frames(2)
        return self.browser.screenshot()
