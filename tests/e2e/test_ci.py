#!/usr/bin/env python3
"""The steps of integrations/ci, as GitHub and GitLab run them; and what the Containerfile says."""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile

from e2e import Skip, Suite, check, read, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "package"))
from containerfile import copy_of, stages_of  # pylint: disable=wrong-import-position

suite = Suite()
BROKEN = "world\n{\n}}\n"
RUN = set()  # names of the steps of the action that were run


def text_of(s, *path):
    return read(os.path.join(s.options.source, *path)).decode()


def block(lines, indent):
    """The lines of a `|` block, which end before one that is less indented."""
    taken = []
    while lines and (not lines[0].strip() or lines[0].startswith(" " * indent)):
        taken.append(lines.pop(0)[indent:])
    return "\n".join(taken) + "\n"


def mapping(lines, indent):
    """Keys and values at this indentation; a value may be a block or a mapping."""
    found = {}
    while lines:
        match = re.match(rf" {{{indent}}}([\w-]+):(?: (.*))?$", lines[0])
        if not match:
            break
        lines.pop(0)
        key, value = match.groups()
        if value == "|":
            value = block(lines, indent + 2)
        elif value is None:
            value = mapping(lines, indent + 2)
        found[key] = value.strip('"') if isinstance(value, str) else value
    return found


def steps_of(s):
    """The steps of the action and the defaults of its inputs."""
    text = text_of(s, "integrations", "ci", "action.yml")
    head, _, steps = text.partition("\n  steps:\n")
    parts = re.split(r"^    - ", steps, flags=re.MULTILINE)[1:]
    check(len(parts) > 4, "no steps")
    inputs = mapping(head.partition("\ninputs:\n")[2].splitlines(), 2)
    return [mapping(("      " + part).splitlines(), 6) for part in parts], inputs


def jobs_of(s):
    """The shell lists of the GitLab job: before_script and script; and the variables."""
    text = text_of(s, "integrations", "ci", "brushwork.gitlab-ci.yml")
    lists = {}
    for name in ("before_script", "script"):
        body = re.search(rf"\n  {name}:\n((?:    .*\n|\n)+)", text).group(1)
        lists[name] = [re.sub(r"^      ", "", item[2:], flags=re.MULTILINE) if item.startswith("|\n")
                       else item for item in re.split(r"^    - ", body, flags=re.MULTILINE)[1:]]
    return lists, mapping(text.partition("\nvariables:\n")[2].splitlines(), 2)


class Runner:
    """A machine of GitHub with a repository of maps, and commands that only tell."""

    def __init__(self, s, folder):
        self.s = s
        self.folder = folder
        self.work, self.tools, self.temp = (os.path.join(folder, name)
                                            for name in ("work", "tools", "temp"))
        for path in (os.path.join(self.work, "maps"), self.tools, self.temp):
            os.makedirs(path)
        for name in ("box.vmf", "detail.vmf"):
            shutil.copy(s.map(name), os.path.join(self.work, "maps"))
        self.told = os.path.join(folder, "told")
        write(self.told, "")
        for name in ("sudo", "apt-get"):
            self.tool(name, f'echo "{name} $*" >>"{self.told}"\n' +
                      ('exec "$@"\n' if name == "sudo" else ""))
        self.steps, self.inputs = steps_of(s)

    def tool(self, name, text):
        path = write(os.path.join(self.tools, name), "#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def environment(self, **more):
        return {**os.environ, "HOME": self.folder, "RUNNER_TEMP": self.temp,
                "GITHUB_PATH": os.path.join(self.folder, "path"),
                "GITHUB_OUTPUT": os.path.join(self.folder, "output"),
                "PATH": os.pathsep.join([*self.added(), self.tools, "/usr/bin", "/bin"]), **more}

    def added(self):
        path = os.path.join(self.folder, "path")
        return read(path).decode().split() if os.path.exists(path) else []

    def shell(self, code, **environment):
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", code],
                              cwd=self.work, env=self.environment(**environment),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, check=False, text=True)

    def step(self, name, action="/nonexistent", **inputs):
        """Runs a step with these inputs, and the defaults of the others."""
        step = next(step for step in self.steps if step.get("name") == name)
        check(step["shell"] == "bash", name)
        values = {key: given.get("default", "") for key, given in self.inputs.items()}
        values.update({key.replace("_", "-"): value for key, value in inputs.items()})
        environment = {key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: values[m.group(1)], value)
                       for key, value in step.get("env", {}).items()}
        check("${{" not in step["run"], f"{name}: an input in the code is code")
        RUN.add(name)
        return self.shell(step["run"], GITHUB_ACTION_PATH=action, **environment)


def release(s, folder):
    """An archive as of a release: its URL and SHA-256."""
    if not shutil.which("curl"):
        raise Skip("no curl")
    path = os.path.join(folder, "brushwork-0.1.0-linux-x86_64.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        for name in ("brushwork", "vbsp", "vvis", "vrad"):
            link = tarfile.TarInfo(f"brushwork-0.1.0-linux-x86_64/bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, os.path.join(s.options.bin, name)
            archive.addfile(link)
    return "file://" + path, hashlib.sha256(read(path)).hexdigest()


@suite.case
def the_action_takes_the_archive_of_a_release(s, folder):
    runner = Runner(s, folder)
    url, sha = release(s, folder)
    done = runner.step("Install the package", package_url=url, package_sha256=sha)
    check(done.returncode == 0, done.stdout)
    done = runner.step("Check the maps")
    check(done.returncode == 0, done.stdout)
    done = runner.step("Compile the maps", options="--preset fast -threads 1")
    check(done.returncode == 0, done.stdout)
    check({"box.bsp", "box.log", "detail.bsp"} <= set(os.listdir(os.path.join(runner.work, "out"))),
          os.listdir(os.path.join(runner.work, "out")))


@suite.case
def a_package_of_another_sum_is_refused(s, folder):
    runner = Runner(s, folder)
    url, sha = release(s, folder)
    for wrong in ("", "0" * 64, sha[:-1]):
        done = runner.step("Install the package", package_url=url, package_sha256=wrong)
        check(done.returncode != 0 and not runner.added(), f"{wrong}: {done.stdout}")


@suite.case
def the_action_installs_a_deb(s, folder):
    runner = Runner(s, folder)
    release(s, folder)
    path = write(os.path.join(folder, "brushwork_0.1.0_amd64.deb"), "deb")
    done = runner.step("Install the package", package_url="file://" + path,
                       package_sha256=hashlib.sha256(b"deb").hexdigest())
    check(done.returncode == 0, done.stdout)
    told = read(runner.told).decode()
    check(f"install --no-install-recommends {runner.temp}/brushwork_0.1.0_amd64.deb\n" in told, told)


def source_checkout(runner, folder):
    """The scripts of the project, with a cmake that only tells, and packages that are there."""
    top = os.path.join(folder, "brushwork")
    shutil.copytree(os.path.join(runner.s.options.source, "scripts"), os.path.join(top, "scripts"))
    shutil.copytree(os.path.join(runner.s.options.source, "integrations"),
                    os.path.join(top, "integrations"))
    runner.tool("dpkg-query", 'printf "install ok installed"\n')
    runner.tool("cmake", f'echo "cmake $*" >>"{runner.told}"\n'
                'for last; do :; done\n'
                'if [ "$1" = --install ]; then\n'
                f'  mkdir -p "$last/bin" && ln -s "{runner.s.options.bin}"/* "$last/bin/"\nfi\n')
    return top


@suite.case
def the_action_builds_from_source_and_caches(s, folder):
    runner = Runner(s, folder)
    top = source_checkout(runner, folder)
    action = os.path.join(top, "integrations", "ci")

    def key():
        write(os.path.join(folder, "output"), "")
        done = runner.step("Identify the source", action)
        check(done.returncode == 0, done.stdout)
        return read(os.path.join(folder, "output")).decode()

    first = key()
    check(re.fullmatch(r"sum=[0-9a-f]{64}\n", first), first)
    for built in (True, False):
        write(runner.told, "")
        done = runner.step("Build from source", action)
        check(done.returncode == 0, done.stdout)
        check(("cmake --build" in read(runner.told).decode()) == built, read(runner.told).decode())
        os.makedirs(os.path.join(top, "build"), exist_ok=True)
        write(os.path.join(top, "build", "made"), "")
        check(key() == first, "a build changes the key")
    done = runner.step("Compile the maps", options="--preset fast", maps="maps/box.vmf")
    check(done.returncode == 0 and os.listdir(os.path.join(runner.work, "out")), done.stdout)
    write(os.path.join(top, "scripts", "more"), "")
    check(key() != first, "a change of the source keeps the key")


@suite.case
def a_bad_map_fails_the_check_at_its_line(s, folder):
    runner = Runner(s, folder)
    write(os.path.join(folder, "path"), s.options.bin)
    shutil.copy(s.map("leak.vmf"), os.path.join(runner.work, "maps"))
    write(os.path.join(runner.work, "maps", "broken.vmf"), BROKEN)
    done = runner.step("Check the maps")
    check(done.returncode == 1, done.stdout)
    places = re.findall(r"^::error file=([^,]+),line=(\d+),title=[A-Z]\d{3} ", done.stdout, re.MULTILINE)
    check(places == [("maps/broken.vmf", "3"), ("maps/leak.vmf", "729")], done.stdout)
    done = runner.step("Compile the maps", options="--preset fast")
    check(done.returncode == 1, done.stdout)
    made = os.listdir(os.path.join(runner.work, "out"))
    check({"box.bsp", "leak.bsp"} <= set(made), f"{made}: a bad map keeps others from being compiled: {done.stdout}")


@suite.case
def each_step_of_the_action_was_run(s, _folder):
    if not shutil.which("curl"):
        raise Skip("no curl")
    named = {step["name"] for step in steps_of(s)[0] if "run" in step}
    check(named and (s.options.only or named == RUN), f"never run: {named - RUN}")


def gitlab(runner, **variables):
    lists, defaults = jobs_of(runner.s)
    code = "\n".join(lists["before_script"] + lists["script"])
    return runner.shell(code, **{**defaults, "BRUSHWORK_OPTIONS": "--preset fast", **variables})


@suite.case
def gitlab_takes_the_archive_of_a_release(s, folder):
    runner = Runner(s, folder)
    url, sha = release(s, folder)
    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha[::-1])
    check(done.returncode != 0, done.stdout)
    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha)
    check(done.returncode == 0, done.stdout)
    check({"box.bsp", "detail.bsp"} <= set(os.listdir(os.path.join(runner.work, "out"))), done.stdout)
    write(os.path.join(runner.work, "maps", "broken.vmf"), BROKEN)
    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha)
    check(done.returncode != 0, done.stdout)


@suite.case
def gitlab_builds_from_a_repository(s, folder):
    if not shutil.which("git"):
        raise Skip("no git")
    runner = Runner(s, folder)
    top = source_checkout(runner, folder)
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", top]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *command], check=True, env=runner.environment())
    for _ in range(2):  # with the cache of the first
        shutil.rmtree(os.path.join(runner.work, ".brushwork", "installed"), ignore_errors=True)
        done = gitlab(runner, BRUSHWORK_REPOSITORY="file://" + top)
        check(done.returncode == 0, done.stdout)
    check("box.bsp" in os.listdir(os.path.join(runner.work, "out")), done.stdout)


@suite.case
def the_containerfile_names_what_there_is(s, _folder):
    stages = stages_of(text_of(s, "Containerfile"))
    check([stage.name for stage in stages] == ["build", ""], [stage.name for stage in stages])
    options = text_of(s, "CMakeLists.txt")
    for stage in stages:
        for word, text in stage.steps:
            if word == "COPY" and not copy_of(text)[0]:
                check(os.path.exists(os.path.join(s.options.source, copy_of(text)[1])), text)
            for option in re.findall(r"-D(BRUSHWORK_\w+)=", text):
                check(f"option({option} " in options, option)
            for script in re.findall(r"/build/brushwork/(scripts/\w+)", text):
                check(os.access(os.path.join(s.options.source, script), os.X_OK), script)
    users = [text for word, text in stages[-1].steps if word == "USER"]
    check(users and users[-1] != "root", "the image runs as root")


suite.main()
