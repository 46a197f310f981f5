"""A map whose texts would like to be markup, or a program."""
import os

from e2e import write

EVIL = "</script><script>document.title='run'</script><img src=x onerror=alert(1)>'&quot;`${alert(1)}`"
NAME = "<img src=x onerror=alert(1)>&\"'"


def hostile(s, folder):
    """A lit box with such texts, 10 MB of them, and such a name."""
    path = os.path.join(folder, "box.bsp")
    s.run("brushwork", "build", s.map("box.vmf"), "-o", path, "--preset", "fast").expect(0)
    text = s.run("brushwork", "unpack", path, "--entities", "-o", "-").expect(0).out.decode()
    rows = [f'{{\n"classname" "{EVIL}"\n"{EVIL}" "{EVIL}"\n"targetname" "{EVIL}"\n"origin" "128 64 64"\n}}\n']
    # Names that every object of JavaScript has; targets of all kinds; numbers that are none.
    for i, name in enumerate(("__proto__", "constructor", "toString", "hasOwnProperty", "*", "")):
        rows.append(f'{{\n"classname" "{name}"\n"targetname" "{name}"\n"target" "{name}*"\n"OnUser1" "{name},Kill,,0,-1"\n'
                    f'"style" "{name}"\n"pattern" "{name}"\n"model" "models/none.mdl"\n"origin" "{i} 1e39 nan"\n}}\n')
    rows.append('{\n"classname" "info_target"\n"message" "' + "<b>x</b>&" * 1100000 + '"\n}\n')
    rows.append('{\n"classname" "' + "<i>y</i>&" * 1000 + '"\n}\n')
    entities = write(os.path.join(folder, "e.txt"), text + "".join(rows))
    out = os.path.join(folder, NAME + ".bsp")
    s.run("brushwork", "pack", path, "--entities", entities, "-o", out).expect(0)
    return out
