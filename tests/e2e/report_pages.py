"""Maps that pages of brushwork report are about."""
import os

from e2e import read, write

FAST = ("--preset", "fast")


def built(s, folder, name, *options):
    """The BSP of a map, and what its build has said."""
    stem = os.path.join(folder, name.split(".")[0])
    s.run("brushwork", "build", s.map(name), "-o", stem + ".bsp", "--diagnostics", "json", "--diagnostics-file",
          stem + ".json", *FAST, *options)
    return stem + ".bsp", stem + ".json"


def brighter(s, folder):
    """atrium, and a copy with a light more."""
    text = read(s.map("atrium.vmf")).decode()
    light = '"id" "9901"\n"classname" "light"\n"_light" "255 60 30 500"\n"origin" "200 480 200"\n'
    at = text.rindex("entity\n{")
    return built(s, folder, "atrium.vmf")[0], write(os.path.join(folder, "brighter.vmf"), f"{text[:at]}entity\n{{\n{light}}}\n{text[at:]}")
