"""Reads a Containerfile: its stages and their instructions."""
import re
import shlex


class Stage:
    def __init__(self, image, name):
        self.image = image
        self.name = name
        self.steps = []  # (instruction, text)


def stages_of(text):
    """The stages of a Containerfile; fails on an instruction that is not known here."""
    found = []
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            found.append(Stage(image, name))
        elif word in ("RUN", "COPY", "USER", "WORKDIR", "CMD"):
            found[-1].steps.append((word, rest.strip()))
        else:
            raise ValueError(f"unknown instruction: {line}")
    return found


def copy_of(text):
    """The stage, or None, the source and the target of a COPY."""
    words = shlex.split(text)
    stage = words.pop(0)[len("--from="):] if words[0].startswith("--from=") else None
    source, target = words
    return stage, source, target
