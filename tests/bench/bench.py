#!/usr/bin/env python3
"""Times the stages on maps, and holds their counters.

    bench.py [--bin DIR] [--repeat N] [--threads N] MAP...     a table in Markdown
    bench.py [--bin DIR] --gate FILE [--update]                counters of FILE's maps

MAP is NAME=PATH[,option...]: a .vmf that goes through vbsp, vvis and vrad with these options.
CPU seconds are the user time of each program, the median of the repeats. Counters do not depend
on the machine: the gate fails when one has risen by more than 2 %; --update writes what it sees.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

STAGES = ('vbsp', 'vvis', 'vrad')
GATE_RISE = 1.02
HERE = os.path.dirname(os.path.abspath(__file__))


def counters(output):
    """The counters in what a stage printed with --json: its name and that of the counter -> value."""
    found = {}
    for line in output.splitlines():
        result = json.loads(line).get('result') if line.startswith('{') else None
        for stage in result['stages'] if result else ():
            for name, value in stage['counters'].items():
                found[stage['name'] + ' ' + name] = value
    return found


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit('%s\n%s\nexit status %d' % (' '.join(command), done.stdout, done.returncode))
    return after.ru_utime - before.ru_utime, done.stdout


def compile_once(binaries, path, options, threads, folder):
    bsp = os.path.join(folder, 'map.bsp')
    out = {}
    seconds = {}
    for stage in STAGES:
        command = [os.path.join(binaries, stage), '--json', '-threads', str(threads)] + options
        command += ['-o', bsp, path] if stage == 'vbsp' else [bsp]
        seconds[stage], text = user_seconds(command)
        out.update(counters(text))
    return seconds, out


def measure(binaries, name, path, options, threads, repeat):
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeat):
            runs.append(compile_once(binaries, path, options, threads, folder))
    median = {s: statistics.median(r[0][s] for r in runs) for s in STAGES}
    return name, median, runs[-1][1]


def table(rows):
    print('| map | ' + ' | '.join(STAGES) + ' |\n|---|' + '---|' * len(STAGES))
    for name, seconds, _ in rows:
        print('| %s | %s |' % (name, ' | '.join('%.2f' % seconds[s] for s in STAGES)))
    names = sorted({k for _, _, c in rows for k in c})
    print('\n| counter | ' + ' | '.join(name for name, _, _ in rows) + ' |\n|---|' + '---|' * len(rows))
    for key in names:
        print('| %s | %s |' % (key, ' | '.join(str(c.get(key, '')) for _, _, c in rows)))


def gate(binaries, path, update):
    with open(path) as file:
        held = json.load(file)
    risen = 0
    for name, figures in held.items():
        source = os.path.join(HERE, '..', '..', 'maps', name + '.vmf')
        _, _, seen = measure(binaries, name, source, [], 1, 1)
        if update:
            held[name] = seen
            continue
        worse = ['%s was %d, is %s' % (key, was, seen.get(key)) for key, was in figures.items()
                 if seen.get(key) is None or seen[key] > was * GATE_RISE]
        print('[%s] counters of %s' % ('  FAILED  ' if worse else '       OK ', name), *worse, sep='\n')
        risen += len(worse)
    if update:
        with open(path, 'w') as file:
            json.dump(held, file, indent=1, sort_keys=True)
            file.write('\n')
    return 1 if risen else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', default=os.path.join(HERE, '..', '..', 'build', 'release', 'bin'))
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--gate')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('maps', nargs='*')
    arguments = parser.parse_args()
    if arguments.gate:
        return gate(arguments.bin, arguments.gate, arguments.update)
    rows = []
    for text in arguments.maps:
        name, _, rest = text.partition('=')
        path, *options = rest.split(',')
        rows.append(measure(arguments.bin, name, path, options, arguments.threads,
                            arguments.repeat))
    table(rows)
    return 0


if __name__ == '__main__':
    sys.exit(main())
