#!/usr/bin/env python3
"""The steps of integrations/ci, as GitHub and GitLab run them, with what a reviewer sees; and what the
Containerfile says."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree

from e2e import Skip, Suite, check, read, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "package"))
from containerfile import copy_of, stages_of  # pylint: disable=wrong-import-position

suite = Suite()
BROKEN = "world\n{\n}}\n"
RUN = set()  # names of the steps of the action that were run
FAST = "--preset fast -threads 1 --no-leak-picture"


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
        self.event = {}  # what ${{ github... }} and ${{ runner... }} give
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
                "GITHUB_STEP_SUMMARY": os.path.join(self.folder, "summary"),
                "PATH": os.pathsep.join([*self.added(), self.tools, "/usr/bin", "/bin"]), **more}

    def source(self, path, line):
        """That line of a file of the repository."""
        lines = read(os.path.join(self.work, path)).decode().split("\n")
        check(1 <= line <= len(lines), f"{path}:{line}")
        return lines[line - 1].strip()

    def outputs(self):
        path = os.path.join(self.folder, "output")
        text = read(path).decode() if os.path.exists(path) else ""
        return dict(line.split("=", 1) for line in text.splitlines())

    def added(self):
        path = os.path.join(self.folder, "path")
        return read(path).decode().split() if os.path.exists(path) else []

    def shell(self, code, **environment):
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", code],
                              cwd=self.work, env=self.environment(**environment),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=600, check=False, text=True)

    def first_of(self, expression, inputs):
        """inputs.NAME || github.event.NAME ..."""
        for term in expression.split(" || "):
            place, name = term.split(".", 1)
            value = {"inputs": inputs, "github": self.event}[place].get(name, "")
            if value:
                return value
        return ""

    def step(self, name, action="", **inputs):
        """Runs a step with these inputs, and the defaults of the others."""
        step = next(step for step in self.steps if step.get("name") == name)
        check(step["shell"] == "bash", name)
        values = {key: given.get("default", "") for key, given in self.inputs.items()}
        values.update({key.replace("_", "-"): value for key, value in inputs.items()})
        environment = {key: re.sub(r"\$\{\{ (.+?) \}\}", lambda m: self.first_of(m[1], values), value)
                       for key, value in step.get("env", {}).items()}
        check("${{" not in step["run"], f"{name}: an input in the code is code")
        RUN.add(name)
        write(os.path.join(self.folder, "output"), "")
        action = action or os.path.join(self.s.options.source, "integrations", "ci")
        return self.shell(step["run"], GITHUB_ACTION_PATH=action, **environment)


class Job:
    """All steps of the action, each run or skipped as its `if` says."""

    def __init__(self, runner, **inputs):
        self.runner = runner
        self.inputs = {key: given.get("default", "") for key, given in runner.inputs.items()}
        self.inputs.update({key.replace("_", "-"): value for key, value in inputs.items()})
        self.failed = False
        self.ids = {}  # id: (outcome, outputs)
        self.logs = {}  # name: output
        self.uploads = {}  # name: files
        for step in runner.steps:
            self.step(step, inputs)
        text = text_of(runner.s, "integrations", "ci", "action.yml")
        outputs = mapping(text.partition("\noutputs:\n")[2].splitlines(), 2)
        self.outputs = {name: self.value(given["value"]) for name, given in outputs.items()}

    def value(self, text):
        def known(match):
            place, name = match.groups()
            if place == "inputs":
                return self.inputs[name]
            step, field = re.fullmatch(r"([\w-]+)\.outputs\.([\w-]+)", name).groups()
            return self.ids.get(step, ("skipped", {}))[1].get(field, "")
        return re.sub(r"\$\{\{ (inputs|steps)\.([\w.-]+) \}\}", known, text)

    def holds(self, term):
        match = re.fullmatch(r"inputs\.([\w-]+) (==|!=) '(.*)'", term)
        if match:
            return (self.inputs[match[1]] == match[3]) == (match[2] == "==")
        match = re.fullmatch(r"steps\.([\w-]+)\.outcome != '(\w+)'", term)
        if match:
            return self.ids.get(match[1], ("skipped",))[0] != match[2]
        check(term in ("always()", "!cancelled()"), f"unknown condition: {term}")
        return True

    def step(self, step, inputs):
        terms = step["if"].split(" && ") if "if" in step else []
        wanted = all(self.holds(term) for term in terms)
        if self.failed and not {"always()", "!cancelled()"} & set(terms):
            wanted = False
        outcome, outputs = "skipped", {}
        if wanted and "run" in step:
            done = self.runner.step(step["name"], **inputs)
            self.logs[step["name"]] = done.stdout
            outcome, outputs = ("failure" if done.returncode else "success"), self.runner.outputs()
            self.failed |= done.returncode != 0
        elif wanted and "upload-artifact" in step["uses"]:
            path = os.path.join(self.runner.work, self.value(step["with"]["path"]))
            self.uploads[self.value(step["with"]["name"])] = sorted(os.listdir(path)) if os.path.isdir(path) else []
        self.ids[step.get("id", "")] = (outcome, outputs)


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
        archive.add(os.path.join(s.options.source, "integrations", "ci"),
                    "brushwork-0.1.0-linux-x86_64/share/brushwork/integrations/ci")
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
    check({"box.bsp", "brushwork.log", "junit.xml", "detail.bsp"} <= set(os.listdir(os.path.join(runner.work, "out"))),
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
    # As some servers name it; apt takes a file by a path with .deb alone.
    data = b"!<arch>\ndebian-binary"
    write(os.path.join(folder, "brushwork_0.1.0%2Bdeb12_amd64.deb?download"), data)
    url = f"file://{folder}/brushwork_0.1.0%252Bdeb12_amd64.deb%3Fdownload"
    given = {"package_url": url, "package_sha256": hashlib.sha256(data).hexdigest()}
    done = runner.step("Install the package", **given)
    check(done.returncode == 0, done.stdout)
    wanted = f"install --no-install-recommends {runner.temp}/brushwork.deb\n"
    check(wanted in read(runner.told).decode(), read(runner.told).decode())
    write(runner.told, "")
    lists, defaults = jobs_of(s)
    done = runner.shell("\n".join(lists["before_script"]), **{
        **defaults, **{"BRUSHWORK_" + key.upper(): value for key, value in given.items()}})
    check(done.returncode == 0, done.stdout)
    wanted = f"install --no-install-recommends {runner.work}/.brushwork/brushwork.deb\n"
    check(wanted in read(runner.told).decode(), read(runner.told).decode())


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
                f'  mkdir -p "$last/bin" "$last/share/brushwork" && ln -s "{runner.s.options.bin}"/* "$last/bin/"\n'
                f'  ln -s "{runner.s.options.source}/integrations" "$last/share/brushwork/"\nfi\n')
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
    done = runner.step("Compile the maps", options=FAST)
    check(done.returncode == 1, done.stdout)
    made = os.listdir(os.path.join(runner.work, "out"))
    check({"box.bsp", "leak.bsp"} <= set(made), f"{made}: a bad map keeps others from being compiled: {done.stdout}")


# Maps with faults: what a reviewer is to see, as (level, code, file, id of the entity).
SEEN = [("error", "C003", "maps/broken.vmf", None), ("error", "V001", "maps/leak.vmf", 66),
        ("warning", "V460", "maps/faults.vmf", 100), ("error", "V469", "maps/faults.vmf", 109),
        ("warning", "V465", "maps/faults.vmf", 105)]


def line_of(text, entity):
    """The line where the entity with that id begins."""
    return text[:text.index(f'"id" "{entity}"')].rpartition("\nentity")[0].count("\n") + 2


def with_faults(runner):
    maps = os.path.join(runner.work, "maps")
    shutil.copy(runner.s.map("leak.vmf"), maps)
    shutil.copy(runner.s.map("lint_entities.vmf"), os.path.join(maps, "faults.vmf"))
    write(os.path.join(maps, "broken.vmf"), BROKEN)


def show(runner, title, findings):
    """Prints findings of (level, code, file, line, text) as a reviewer sees them."""
    print(title)
    for level, code, file, line, text in findings:
        print(f"  {file}:{line}  {level} {code}: {text.splitlines()[0][:110]}")
        print(f"      | {runner.source(file, line)}")
    for level, code, file, entity in SEEN:
        text = read(os.path.join(runner.work, file)).decode()
        wanted = level, code, file, line_of(text, entity) if entity else 3
        check(wanted in [finding[:4] for finding in findings], f"not seen: {wanted}")


@suite.case
def a_reviewer_on_github_sees_each_fault(s, folder):
    runner = Runner(s, folder)
    with_faults(runner)
    url, sha = release(s, folder)
    job = Job(runner, package_url=url, package_sha256=sha, options=FAST)
    check(job.failed, "errors, and the job passes")
    names = job.uploads["maps"]
    check({"box.bsp", "detail.bsp", "leak.bsp", "brushwork.log", "brushwork.sarif", "junit.xml", "review.md"} <= set(names), names)
    print("artifact maps:", *names)

    found = re.findall(r"^::(\w+) file=([^,]+),line=(\d+),title=(\w+) ([^:]*)::(.*)",
                       job.logs["Check the maps"], re.MULTILINE)
    annotations = [(level, code, file, int(line), f"{title}: {text.replace('%0A', chr(10))}")
                   for level, file, line, code, title, text in found]
    show(runner, "annotations:", annotations)

    check(job.outputs["sarif"] == "out/brushwork.sarif", job.outputs)
    run, = json.loads(read(os.path.join(runner.work, job.outputs["sarif"])))["runs"]
    alerts = []
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        check(place["artifactLocation"]["uriBaseId"] == "SRCROOT", place)
        alerts.append((result["level"], result["ruleId"], place["artifactLocation"]["uri"],
                       place["region"]["startLine"], result["message"]["text"]))
    show(runner, "code scanning:", alerts)
    check({a[:4] for a in annotations} == {a[:4] for a in alerts if a[0] != "note"}, alerts)


def pages_of(folder):
    """The pages of a folder, and the map that each is about."""
    found = {}
    for name in os.listdir(folder):
        if name.endswith(".html"):
            text = read(os.path.join(folder, name)).decode()
            check("</html>" in text and "data:image/jpeg" in text, name)
            found[name] = text
    return found


@suite.case
def a_reviewer_has_a_page_for_each_map(s, folder):
    runner = Runner(s, folder)
    with_faults(runner)
    url, sha = release(s, folder)
    given = {"report_options": "--times --width 64", "options": FAST, "package_url": url, "package_sha256": sha}
    out = os.path.join(runner.work, "out")
    check(Job(runner, **given).failed and not pages_of(out), "pages that nobody wants")
    job = Job(runner, **given, report="true")
    check(job.failed and "broken.html" not in job.uploads["maps"], job.uploads)
    pages = pages_of(out)
    check(set(pages) == {"box.html", "detail.html", "leak.html", "faults.html"} <= set(job.uploads["maps"]), f"{pages.keys()} {job.logs}")
    check("V001" in pages["leak.html"] and "seconds" in pages["leak.html"], "of the build")
    shutil.rmtree(out)
    gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha, BRUSHWORK_REPORT="true",
           BRUSHWORK_REPORT_OPTIONS=given["report_options"])
    check(pages_of(out).keys() == pages.keys(), pages_of(out).keys())


# --- a project, and what a reviewer of its changes sees ---

class Project:
    """The example as a repository, with commits that its workflow runs on."""

    def __init__(self, s, folder):
        self.runner = Runner(s, folder)
        shutil.rmtree(self.runner.work)
        shutil.copytree(os.path.join(s.options.source, "examples", "project"), self.runner.work)
        self.git("init", "-q", "-b", "main")
        write(self.path(".git", "info", "exclude"), "out\n")
        self.base = ""
        self.commit("all")

    def path(self, *parts):
        return os.path.join(self.runner.work, *parts)

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *words], cwd=self.runner.work, check=True,
                              env=self.runner.environment(), stdout=subprocess.PIPE).stdout.decode().strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def change(self, name, old, new):
        text = read(self.path(name)).decode()
        check(old in text, f"{name}: no {old}")
        write(self.path(name), text.replace(old, new, 1))

    def inputs(self):
        """Of the step of the workflow, as the example has them."""
        text = read(self.path(".github", "workflows", "maps.yml")).decode()
        return {key.replace("-", "_"): value for key, value in
                mapping(text.partition("id: brushwork\n        with:\n")[2].splitlines(), 10).items()}

    def job(self, **more):
        """Of the commit, as a pull request on the one before."""
        out = self.path("out")
        shutil.rmtree(out, ignore_errors=True)
        for name in ("summary",):
            write(os.path.join(self.runner.folder, name), "")
        self.runner.event["event.pull_request.base.sha"] = self.base
        job = Job(self.runner, **{**self.inputs(), **more})
        self.base = self.git("rev-parse", "HEAD")
        return job, read(os.path.join(self.runner.folder, "summary")).decode()

    def rows(self, summary):
        """Result, and what has changed, by map."""
        found = re.findall(r"^\| <code>(.*)</code> \| (.*) \| ([\d.-]+) \| (.*) \|$", summary, re.MULTILINE)
        return {name: (result, change) for name, result, _, change in found}


@suite.case
def a_reviewer_sees_what_a_change_does(s, folder):
    if not shutil.which("git"):
        raise Skip("no git")
    project = Project(s, folder)
    url, sha = release(s, folder)
    given = {"package_url": url, "package_sha256": sha}
    job, summary = project.job(**given)
    check(not job.failed, job.logs)
    check(project.rows(summary) == {"maps/hall.vmf": ("ok", "new"), "maps/store.vmf": ("ok", "new"), "maps/yard/hall.vmf": ("ok", "new")}, summary)
    check(os.path.exists(project.path("out", "maps", "hall.bsp")) and os.path.exists(project.path("out", "maps", "yard", "hall.bsp")), "two maps of one name")

    def reviewed(what):
        project.commit(what)
        job, summary = project.job(**given)
        print(f"--- {what}\n{summary}")
        cases = {case.get("file"): case for case in ElementTree.parse(project.path(job.outputs["junit"])).findall(".//testcase")}
        check(list(cases) == ["maps/hall.vmf", "maps/store.vmf", "maps/yard/hall.vmf"], cases)
        check(read(project.path(job.outputs["review"])).decode() == summary, "another text for a comment")
        return job, project.rows(summary), cases, sorted(name for name in os.listdir(project.path("out", "maps")) if name.endswith("png"))

    light = re.search(r'"classname" "light".*?"origin" "(\S+ \S+) ', read(project.path("maps", "store.vmf")).decode(), re.DOTALL)
    project.change("maps/store.vmf", f'"origin" "{light[1]} ', '"origin" "%g %g ' % tuple(float(v) + 24 for v in light[1].split()))
    job, rows, _, pictures = reviewed("a light is moved")
    check(not job.failed and rows["maps/store.vmf"][1].startswith("changed"), rows)
    check(rows["maps/hall.vmf"] == rows["maps/yard/hall.vmf"] == ("ok", "none"), rows)
    check(pictures == ["store_before_after.png"], pictures)

    broken = read(project.path("maps", "yard", "hall.vmf"))
    first = broken.index(b"\tsolid")
    write(project.path("maps", "yard", "hall.vmf"), broken[:first] + broken[broken.index(b"\tsolid", first + 1):])
    job, rows, cases, _ = reviewed("a leak")
    check(job.failed and rows["maps/yard/hall.vmf"][0].startswith("V001 map leaks"), rows)
    failure = cases["maps/yard/hall.vmf"].find("failure")
    check(failure.get("type") == "V001" and "maps/yard/hall.vmf:" in failure.text, failure.text)
    check("::error file=maps/yard/hall.vmf" in job.logs["Check the maps"], job.logs["Check the maps"])
    check(os.path.exists(project.path("out", "maps", "yard", "hall_leak.png")), "no picture of the leak")

    write(project.path("maps", "yard", "hall.vmf"), broken)
    project.change("content/materials/project/brick.vmt", "}", '\t"%compilenolight" "1"\n}')
    job, rows, _, pictures = reviewed("a material")
    check(not job.failed and rows["maps/hall.vmf"][1].startswith("changed") and rows["maps/store.vmf"] == ("ok", "none"), rows)
    check("hall_before_after.png" in pictures, pictures)


@suite.case
def gitlab_reviews_the_same_project(s, folder):
    if not shutil.which("git"):
        raise Skip("no git")
    project = Project(s, folder)
    url, sha = release(s, folder)
    text = read(project.path(".gitlab-ci.yml")).decode().partition("variables:\n")[2]
    given = {**mapping(text.splitlines(), 2), "BRUSHWORK_PACKAGE_URL": url, "BRUSHWORK_PACKAGE_SHA256": sha,
             "CI_MERGE_REQUEST_DIFF_BASE_SHA": project.git("rev-parse", "HEAD"), "CI_JOB_URL": "https://example.org/-/jobs/7"}
    project.change("maps/store.vmf", '"classname" "light"', '"classname" "light_spot"')
    project.commit("a light is a spot")
    done = gitlab(project.runner, **given)
    check(done.returncode == 0, done.stdout)
    summary = read(project.path("out", "review.md")).decode()
    rows = project.rows(summary)
    check(rows["maps/store.vmf"][1].startswith("changed") and rows["maps/hall.vmf"] == ("ok", "none"), summary)
    picture = re.search(r"!\[.*\]\(https://example.org/-/jobs/7/artifacts/raw/out/(.*)\)", summary)[1]
    check(os.path.exists(project.path("out", picture)), picture)
    check(len(ElementTree.parse(project.path("out", "junit.xml")).findall(".//testcase")) == 3, "JUnit")


@suite.case
def no_map_is_dropped(s, folder):
    """Two of one name in different folders, deep ones, and one that a list names and that is not there."""
    runner = Runner(s, folder)
    url, sha = release(s, folder)
    for name in ("dm", "ctf", "a/b/c"):
        os.makedirs(os.path.join(runner.work, "maps", name))
        shutil.copy(s.map("box.vmf"), os.path.join(runner.work, "maps", name, "arena.vmf"))
    built = {"box.bsp", "detail.bsp", "dm/arena.bsp", "ctf/arena.bsp", "a/b/c/arena.bsp"}
    out = os.path.join(runner.work, "out")

    def check_built(what):
        found = {os.path.relpath(os.path.join(root, name), out) for root, _, names in os.walk(out) for name in names if name.endswith(".bsp")}
        check(found == built, f"{found}: {what}")
        shutil.rmtree(out)

    job = Job(runner, package_url=url, package_sha256=sha, options=FAST)
    check(not job.failed, job.logs)
    check_built(job.logs)
    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha)
    check(done.returncode == 0, done.stdout)
    check_built(done.stdout)
    write(os.path.join(runner.work, "list"), "maps/box.vmf\nmaps/absent.vmf")
    for maps in ("@list", "maps/*.map maps/box.vmf"):
        job = Job(runner, package_url=url, package_sha256=sha, options=FAST, maps=maps)
        check(job.failed and "C365" in job.logs["Check the maps"], job.logs)
        done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha, BRUSHWORK_MAPS=maps)
        check(done.returncode != 0 and "C365" in done.stdout, done.stdout)


@suite.case
def good_maps_leave_an_empty_report(s, folder):
    runner = Runner(s, folder)
    url, sha = release(s, folder)
    job = Job(runner, package_url=url, package_sha256=sha, options=FAST, maps="maps/box.vmf")
    check(not job.failed and "::" not in job.logs["Check the maps"], job.logs)
    run, = json.loads(read(os.path.join(runner.work, job.outputs["sarif"])))["runs"]
    check(all(result["level"] == "note" for result in run["results"]), run["results"])
    check(run["invocations"][0]["executionSuccessful"], run["invocations"])
    job = Job(Runner(s, os.path.join(folder, "other")), package_url=url, package_sha256="0" * 64)
    check(job.failed and list(job.logs) == ["Install the package"], "no program, and steps that use it")
    job = Job(runner, package_url=url, package_sha256=sha, lint_options="--fail-if V463", options=FAST,
              maps="maps/box.vmf")
    check(job.failed, job.logs)


@suite.case
def each_step_of_the_action_was_run(s, _folder):
    if not shutil.which("curl"):
        raise Skip("no curl")
    named = {step["name"] for step in steps_of(s)[0] if "run" in step}
    check(named and (s.options.only or named == RUN), f"never run: {named - RUN}")


def gitlab(runner, **variables):
    lists, defaults = jobs_of(runner.s)
    code = "\n".join(lists["before_script"] + lists["script"])
    return runner.shell(code, **{**defaults, "BRUSHWORK_OPTIONS": FAST, "BRUSHWORK_REPORT": "false",
                                 **variables})


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
def a_reviewer_on_gitlab_sees_each_fault(s, folder):
    runner = Runner(s, folder)
    with_faults(runner)
    url, sha = release(s, folder)
    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha)
    check(done.returncode != 0, "errors, and the job passes")
    check({"box.bsp", "leak.bsp"} <= set(os.listdir(os.path.join(runner.work, "out"))), done.stdout)
    check("maps/leak.vmf:729: error V001: " in done.stdout, "nothing in the log of the job")

    artifacts = text_of(s, "integrations", "ci", "brushwork.gitlab-ci.yml").partition("\n  artifacts:\n")[2]
    check(mapping(artifacts.splitlines(), 4)["when"] == "always", "no report when the job fails")
    path = mapping(artifacts.splitlines(), 4)["reports"]["codequality"]
    report = json.loads(read(os.path.join(runner.work, path)))
    check(len({item["fingerprint"] for item in report}) == len(report), "equal fingerprints")
    levels = {"info": "note", "minor": "warning", "critical": "error"}
    show(runner, "code quality:", [
        (levels[item["severity"]], item["check_name"], item["location"]["path"],
         item["location"]["lines"]["begin"], item["description"]) for item in report])
    check(sum(item["severity"] == "critical" for item in report) >= 3, report)

    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha,
                  BRUSHWORK_MAPS="maps/box.vmf")
    check(done.returncode == 0, done.stdout)
    report = json.loads(read(os.path.join(runner.work, path)))
    check(all(item["severity"] == "info" for item in report), report)


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


# As a stranger may call a map: an option that writes a file, and what shells read.
NAMES = ("--log=pwn.vmf", "a b$x'.vmf")


def with_names(runner):
    for name in NAMES:
        shutil.copy(runner.s.map("box.vmf"), os.path.join(runner.work, name))


def check_names(runner, done, endings):
    made = os.listdir(os.path.join(runner.work, "out"))
    check("pwn.vmf" not in os.listdir(runner.work), f"a name was an option: {done}")
    for name in NAMES:
        for ending in endings:
            check(name[:-4] + ending in made, f"{name}{ending}: {made} {done}")


@suite.case
def names_are_no_options(s, folder):
    runner = Runner(s, folder)
    with_names(runner)
    url, sha = release(s, folder)
    job = Job(runner, package_url=url, package_sha256=sha, maps="*.vmf", options=FAST, report="true", report_options="--width 64")
    check(not job.failed, job.logs)
    check_names(runner, job.logs, (".bsp", ".html"))
    shutil.rmtree(os.path.join(runner.work, "out"))
    done = gitlab(runner, BRUSHWORK_PACKAGE_URL=url, BRUSHWORK_PACKAGE_SHA256=sha, BRUSHWORK_MAPS="*.vmf",
                  BRUSHWORK_REPORT="true", BRUSHWORK_REPORT_OPTIONS="--width 64")
    check(done.returncode == 0, done.stdout)
    check_names(runner, done.stdout, (".bsp", ".html"))


def dashes(s, *files):
    done = subprocess.run([sys.executable, os.path.join(s.options.source, "scripts", "check_dashes"), *files],
                          stdout=subprocess.PIPE, check=False, text=True)
    return done.returncode, done.stdout


@suite.case
def scripts_tell_names_from_options(s, folder):
    """What is passed as it should be, and what should not; a line that has a fault ends with its word."""
    lines = r'''
brushwork build "$map"  # "$map"
brushwork build -o "$out" -- "$map"
brushwork build --log $log $options "$MAPS/$map" # "$MAPS/$map"
"$bin/brushwork" lint $LINT_OPTIONS -- $MAPS
vvis --quiet $map  # $map
vvis "out/$name.bsp" && vrad $bsp # $bsp
$(BRUSHWORK) build -o $@ $< # $<
exec "$program" lint "$@"
brushwork build -o "$out" \\
    --quiet "$(basename "$1")"  # "$(basename "$1")"
tar -C "$temp/brushwork" -xf "$file"
'''
    path = write(os.path.join(folder, "lines"), lines.replace("\\\\", "\\"))
    wanted = re.findall(r"# (\S.*)$", lines, re.MULTILINE)
    status, told = dashes(s, path)
    check(status == 1 and re.findall(r": (.*) without -- before it", told) == wanted, (told, wanted))
    check(dashes(s) == (0, ""), dashes(s))


@suite.case
def a_site_has_a_page_of_each_map(s, folder):
    text = text_of(s, "examples", "pages", "pages.yml")
    code = block(text.partition("- name: Draw the pages\n        run: |\n")[2].splitlines(), 10)
    os.mkdir(os.path.join(folder, "content"))
    for name in ("out/hall", "out/yard/hall"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        s.run("brushwork", "build", s.map("box.vmf"), "-o", os.path.join(folder, name + ".bsp"), "--preset", "fast").expect(0)
    environment = {**os.environ, "PATH": os.path.abspath(s.options.bin) + ":/usr/bin:/bin"}
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", code], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, check=False, text=True)
    check(done.returncode == 0, done.stdout)
    links = re.findall('<a href="(.*?)">(.*?)</a>', read(os.path.join(folder, "site", "index.html")).decode())
    check(links == [("hall.html", "hall"), ("yard/hall.html", "yard/hall")], links)
    for link, _ in links:
        check(b'id="data"' in read(os.path.join(folder, "site", link)), link)


suite.main()
