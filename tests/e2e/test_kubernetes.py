#!/usr/bin/env python3
"""examples/kubernetes: its fields are those of the documentation of Kubernetes 1.33, and the command of its container
builds the map of its index. There is no cluster."""
import os
import signal
import subprocess

from e2e import Skip, Suite, check, read, write
from interrupts import SECONDS, end, in_time, wait_for_writes

try:
    import yaml
except ImportError:
    yaml = None

suite = Suite()

CONTAINER = {
    "name": str, "image": str, "workingDir": str, "command": [str], "args": [str],
    "env": [{"name": str, "valueFrom": {"resourceFieldRef": {"containerName": str, "resource": str, "divisor": str}}}],
    "resources": {"requests": {"cpu": str, "memory": str}, "limits": {"cpu": str, "memory": str}},
    "volumeMounts": [{"name": str, "mountPath": str}],
}
JOB = {
    "apiVersion": str, "kind": str, "metadata": {"name": str},
    "spec": {
        "completionMode": str, "completions": int, "parallelism": int, "backoffLimitPerIndex": int,
        "podFailurePolicy": {"rules": [{
            "action": str, "onPodConditions": [{"type": str, "status": str}],
            "onExitCodes": {"containerName": str, "operator": str, "values": [int]}}]},
        "template": {"spec": {
            "restartPolicy": str, "terminationGracePeriodSeconds": int, "securityContext": {"runAsUser": int, "fsGroup": int},
            "containers": [CONTAINER],
            "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str}}]}}},
}


def document(s):
    if not yaml:
        raise Skip("no yaml module for Python (package python3-yaml)")
    job, = yaml.safe_load_all(read(os.path.join(s.options.source, "examples", "kubernetes", "maps.yaml")))
    return job


def conform(value, fields, place):
    """Every field is known and has its type."""
    if isinstance(fields, dict):
        check(isinstance(value, dict), f"{place}: {value}")
        for name in value:
            check(name in fields, f"{place}.{name} is no field")
            conform(value[name], fields[name], f"{place}.{name}")
    elif isinstance(fields, list):
        check(isinstance(value, list), f"{place}: {value}")
        for number, element in enumerate(value):
            conform(element, fields[0], f"{place}[{number}]")
    else:
        check(type(value) is fields, f"{place}: {value!r} is no {fields.__name__}")


@suite.case
def the_fields_are_those_of_the_documentation(s, _folder):
    job = document(s)
    conform(job, JOB, "job")
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    check((job["apiVersion"], job["kind"], spec["completionMode"]) == ("batch/v1", "Job", "Indexed"), job)
    check(pod["restartPolicy"] == "Never", "podFailurePolicy needs it")
    container, = pod["containers"]
    for rule in spec["podFailurePolicy"]["rules"]:
        check(rule["action"] in ("Ignore", "FailIndex", "FailJob", "Count"), rule)
        codes = rule.get("onExitCodes")
        check(not codes or codes["containerName"] == container["name"] and codes["operator"] in ("In", "NotIn"), rule)
        check(not codes or 0 not in codes["values"], rule)
    check([mount["name"] for mount in container["volumeMounts"]] == [volume["name"] for volume in pod["volumes"]], pod)
    check(container["workingDir"] == container["volumeMounts"][0]["mountPath"], container)


def start(s, folder, index):
    """The container's command, in the place of the volume."""
    container, = document(s)["spec"]["template"]["spec"]["containers"]
    env = {**os.environ, "PATH": s.options.bin + ":" + os.environ["PATH"], "JOB_COMPLETION_INDEX": str(index),
           "MEMORY": "1024"}
    return subprocess.Popen(container["command"] + container["args"], cwd=folder, env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@suite.case
def the_command_builds_the_map_of_its_index(s, folder):
    write(os.path.join(folder, "maps.txt"), "# maps\nbox.vmf --preset fast\n\ndeep/leak.vmf --no-leak-picture")
    os.mkdir(os.path.join(folder, "deep"))
    write(os.path.join(folder, "box.vmf"), read(s.map("box.vmf")))
    write(os.path.join(folder, "deep", "leak.vmf"), read(s.map("leak.vmf")))
    for index, status, out in ((0, 0, "box.bsp"), (1, 3, "deep/leak.bsp")):
        running = start(s, folder, index)
        err = running.communicate(timeout=SECONDS)[1].decode()
        check(running.returncode == status and os.path.exists(os.path.join(folder, "out", out)), err)


@suite.case
def a_name_is_no_option(s, folder):
    write(os.path.join(folder, "maps.txt"), "--log=pwn.vmf --preset fast\n")
    write(os.path.join(folder, "--log=pwn.vmf"), read(s.map("box.vmf")))
    running = start(s, folder, 0)
    err = running.communicate(timeout=SECONDS)[1].decode()
    check(running.returncode == 0 and os.path.exists(os.path.join(folder, "out", "--log=pwn.bsp")), err)
    check(not os.path.exists(os.path.join(folder, "pwn.vmf")), "a log")


@suite.case
def a_pod_that_is_evicted_goes_on(s, folder):
    """TERM to the container, then a second pod."""
    text = read(s.map("atrium.vmf")).replace(b'"_lightHDR" "-1 -1 -1 1"', b'"_lightHDR" "90 200 120 300"')
    write(os.path.join(folder, "long.vmf"), text)
    options = "-both -fast"
    write(os.path.join(folder, "maps.txt"), f"long.vmf {options} --checkpoint-every 0\n")

    def evicted(_):
        running = start(s, folder, 0)
        wait_for_writes(running, [os.path.join(folder, "out", "long.vradcheckpoint")], 1)
        return end(running, signal.SIGTERM)

    err = in_time(folder, evicted)
    check("C352" in err, err)
    running = start(s, folder, 0)
    out = running.communicate(timeout=SECONDS)[0].decode()
    check(running.returncode == 0 and "  brushes  " not in out, out)
    plain = os.path.join(folder, "plain.bsp")
    s.run("brushwork", "build", os.path.join(folder, "long.vmf"), *options.split(), "-o", plain).expect(0)
    check(read(plain) == read(os.path.join(folder, "out", "long.bsp")), "other bytes")


suite.main()
