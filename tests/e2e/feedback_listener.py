"""A build window that listens: takes the stream of -connect and checks it by the editor's rules."""
import re
import socket
import struct
import threading
import time
import xml.parsers.expat

from e2e import check

MAX_PAYLOAD, MAX_TEXT, MAX_POINTS = 1000, 511, 8192
NUMBER = r"-?\d+\.\d{6}"
CHILDREN = {"message": {"polyline"}, "select": {"brush"}, "pointmsg": {"point"}, "windingmsg": {"winding"},
            "polyline": {"point"}}


class Element:
    def __init__(self, name, attributes):
        self.name, self.attributes, self.text, self.children = name, attributes, "", []

    @property
    def level(self):
        return int(self.attributes["level"])

    def child(self, name):
        return next(c for c in self.children if c.name == name)


class Stream:
    """What came in one connection."""

    def __init__(self, reads, seconds):
        self.reads, self.seconds = reads, seconds
        self.data = b"".join(reads)
        self.frames = []

    def split(self):
        """Each read has whole frames: the editor takes a part of one for the end."""
        for part in self.reads:
            while part:
                check(len(part) >= 4, f"a part of a frame: {part!r}")
                (size,) = struct.unpack("<I", part[:4])
                check(0 < size <= MAX_PAYLOAD and len(part) >= 4 + size, f"{size} in {len(part)} bytes")
                self.frames.append(part[4:4 + size])
                part = part[4 + size:]
        return self

    def parse(self):
        """The elements below the root, which stays open."""
        self.split()
        check(self.frames, "no frame")
        check(re.match(rb'<\?xml version="1\.0"[^>]*\?>\s*<q3map_feedback version="1"', self.frames[0]),
              f"begins with {self.frames[0]!r}")
        parser, open_elements = xml.parsers.expat.ParserCreate(), []

        def begin(name, attributes):
            element = Element(name, attributes)
            if open_elements:
                open_elements[-1].children.append(element)
            open_elements.append(element)

        def data(text):
            open_elements[-1].text += text

        def end(_):
            if len(open_elements) > 1:
                open_elements.pop()

        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, data
        for frame in self.frames:
            parser.Parse(frame, False)
        check(len(open_elements) == 1, "an element is open at the end")
        root = open_elements[0]
        check(not root.text.strip(), f"text outside of elements: {root.text!r}")
        for element in root.children:
            check_element(element)
        return root.children


def check_element(element):
    check(element.name in ("message", "select", "pointmsg", "windingmsg"), element.name)
    check(set(element.attributes) == {"level"} and element.attributes["level"] in "123", element.attributes)
    check(0 < len(element.text.encode()) <= MAX_TEXT, f"{len(element.text.encode())} bytes: {element.text}")
    check({c.name for c in element.children} <= CHILDREN[element.name], element.name)
    if element.name == "select":
        check(element.level in (1, 2, 3), "level")
        entity, brush = element.child("brush").text.split()
        check(re.match(rf"Entity {entity}, Brush {brush}: ", element.text), element.text)
    elif element.name == "pointmsg":
        check(re.fullmatch(rf"{NUMBER} {NUMBER} {NUMBER}", element.child("point").text), "point")
    elif element.name == "windingmsg":
        text = element.child("winding").text
        points = re.findall(rf"\({NUMBER} {NUMBER} {NUMBER}\)", text)
        check(text == f"{len(points)} {''.join(points)}" and len(points) >= 3, text)
    elif element.children:
        points = element.children[0].children
        check(element.level == 3 and element.text == "MAP LEAKED\n", element.text)
        check(0 < len(points) <= MAX_POINTS, "points of a polyline")
        for point in points:
            check(re.fullmatch(rf"{NUMBER} {NUMBER} {NUMBER}", point.text), point.text)


class Listener:
    """Accepts one connection after the other. `manner`: read, silent (never reads), close (at once)."""

    def __init__(self, manner="read"):
        self.manner, self.streams, self.kept = manner, [], []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join(20)
        for connection in self.kept:
            connection.close()
        self.socket.close()

    def listen(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            if self.manner == "silent":
                self.kept.append(connection)
            elif self.manner == "close":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
                self.streams.append(None)
            else:
                self.read(connection)

    def read(self, connection):
        reads, last, at = [], time.monotonic(), 0
        with connection:
            while part := connection.recv(1 << 20):
                reads.append(part)
                last = time.monotonic()
            at = time.monotonic()
        self.streams.append(Stream(reads, at - last))

    def stream(self):
        """The next one, when its connection has ended."""
        end = time.monotonic() + 300
        while not self.streams and time.monotonic() < end:
            time.sleep(0.01)
        check(self.streams, "no connection")
        return self.streams.pop(0)
