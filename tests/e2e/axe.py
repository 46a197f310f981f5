"""The accessibility checks of axe-core, of npm: where it is installed, or where BRUSHWORK_AXE names its axe.min.js."""
import json
import os
import shutil
import subprocess

from e2e import Skip, check, read

RULES = "v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join('; ')"
# Of an empty page fewer apply.
LEAST_RULES = 10


def folders():
    """Where npm has installed packages for all projects."""
    if shutil.which("npm"):
        done = subprocess.run(["npm", "root", "--global"], capture_output=True, text=True, check=False)
        yield done.stdout.strip()
    yield "/usr/local/lib/node_modules"


def script():
    named = os.environ.get("BRUSHWORK_AXE")
    for path in [named] if named else (os.path.join(folder, "axe-core/axe.min.js") for folder in folders()):
        if os.path.exists(path):
            return read(path).decode()
    raise Skip("no axe-core (npm install --global axe-core)")


def violations(browser):
    """What axe finds in the page that is open, a text for each rule; of all its rules."""
    browser.value(script() + ";0")
    passed, found = json.loads(browser.value(
        f"axe.run().then(r => JSON.stringify([r.passes.length, r.violations.map(v => {RULES})]))"))
    check(passed > LEAST_RULES, f"only {passed} rules apply to the page")
    return found
