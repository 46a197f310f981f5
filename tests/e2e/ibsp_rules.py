"""Requirements of the engine on a Quake 3 map, by the checker of the rules."""
import re
import subprocess
import sys

from e2e import Skip, check


def engine_rules(s, path):
    """Fails where the map breaks one; says nothing without the checker."""
    try:
        tool = s.tool("ibsp_check.py")
    except Skip:
        return
    done = subprocess.run([sys.executable, tool, path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=600)
    text = done.stdout.decode(errors="replace")
    check(done.returncode == 0 and not re.search(r"^\s*E ", text, re.MULTILINE), text[-3000:])
