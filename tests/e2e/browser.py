"""Chromium, headless, driven through its DevTools protocol."""
import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from e2e import Skip

sys.path.append("/usr/lib/python3/dist-packages")  # for a Python that is not Debian's
try:
    import websocket
except ImportError:
    websocket = None

FLAGS = ("--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-extensions",
         "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox",
         "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
         "--force-color-profile=srgb")
START = 60  # seconds
ANSWER = 120


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
        self.folder = tempfile.mkdtemp(prefix="brushwork-browser-")
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self):
        path, end = os.path.join(self.folder, "DevToolsActivePort"), time.monotonic() + START
        while not os.path.exists(path) or not open(path, encoding="ascii").read().count("\n"):
            if time.monotonic() > end or self.process.poll() is not None:
                raise Skip("chromium does not start here")
            time.sleep(0.05)
        with open(path, encoding="ascii") as file:
            port, place = file.read().split()
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{place}", timeout=ANSWER,
                                                  suppress_origin=True)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
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

    def open(self, path, link=""):
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}" + (f"#{link}" if link else ""))

    def value(self, expression):
        """The value of an expression of the page, or of its promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
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

    def key(self, key, code, down=True, up=True):
        for wanted, kind in ((down, "keyDown"), (up, "keyUp")):
            if wanted:
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code)

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
    """The page of a map."""

    def __init__(self, browser, path, link=""):
        self.browser = browser
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
        self.browser.value("new Promise(done => requestAnimationFrame("
                           "() => requestAnimationFrame(() => done(1))))")
        return self.browser.screenshot()
