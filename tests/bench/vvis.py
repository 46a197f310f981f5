#!/usr/bin/env python3
"""Times vvis on the maps of the corpus, from the portals that they came with.

    vvis.py [--bin DIR] [--shared DIR] [--repeat N] [--threads 1,2] [--pillars 12,16] [MAP.bsp...]

Prints tables in Markdown: seconds and peak memory, and the counters, which do not depend on the
machine or on the number of threads. CPU seconds are the user time, the median of the repeats. The
wall clock is that of the run that was disturbed least, and the speed-up is that of the wall clock;
runs with few and with many threads take turns.
What a map takes below Python's own 15 MiB is not seen.
--pillars makes halls of so many pillars squared with the corpus's mkpillars.py and compiles them
with our vbsp. Other maps are named with their .prt beside them.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from bench import counters  # noqa: E402

MAPS = ('generated/pillars9', 'generated/mid', 'generated/big',
        'vmf/m02_tf2_edgebug/jump_edgebugtest', 'vmf/m03_tf2_jump_byte/jump_byte_a3')
COUNTERS = ('clusters', 'portals', 'sightlines', 'undecided pairs', 'chains', 'max chains per pair',
            'pairs culled', 'pairs over budget', 'visible cluster pairs')


def run(command):
    """User seconds, wall seconds, peak memory in KiB, output."""
    with tempfile.TemporaryFile('w+') as output:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode:
        sys.exit('%s\n%s\nexit status %d' % (' '.join(command), text, child.returncode))
    return usage.ru_utime, wall, usage.ru_maxrss, text


def make_pillars(arguments, size, folder):
    path = os.path.join(folder, 'pillars%d' % size)
    maker = os.path.join(arguments.shared, 'corpus', 'generated', 'mkpillars.py')
    run([sys.executable, maker, str(size), path + '.vmf'])
    run([os.path.join(arguments.bin, 'vbsp'), '-o', path + '.bsp', path + '.vmf'])
    return path + '.bsp'


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def measure(arguments, path, folder):
    out = os.path.join(folder, 'out.bsp')
    row = {'name': name_of(path)}
    vvis = os.path.join(arguments.bin, 'vvis')
    runs = {threads: [] for threads in arguments.threads}
    for _ in range(arguments.repeat):
        for threads in arguments.threads:
            runs[threads].append(run([vvis, '--json', '-threads', str(threads), '-o', out, path]))
    for threads, of_them in runs.items():
        user, wall, memory, text = zip(*of_them)
        row[threads] = statistics.median(user), min(wall), statistics.median(memory)
        row['counters'] = counters(text[0])
    return row


def table(rows, threads):
    heads = ['map'] + ['%d thread%s: CPU s, wall s, MiB' % (t, 's' * (t > 1)) for t in threads]
    print('| ' + ' | '.join(heads + ['speed-up']) + ' |\n|' + '---|' * (len(heads) + 1))
    for row in rows:
        cells = ['%.2f, %.2f, %d' % (row[t][0], row[t][1], row[t][2] / 1024) for t in threads]
        gain = '%.2f' % (row[threads[0]][1] / max(row[threads[-1]][1], 1e-3))
        print('| %s |' % ' | '.join([row['name']] + cells + [gain]))
    print('\n| map | ' + ' | '.join(COUNTERS) + ' |\n|' + '---|' * (len(COUNTERS) + 1))
    for row in rows:
        found = [str(row['counters'].get('vvis ' + name.replace(' ', '_'), '')) for name in COUNTERS]
        print('| %s | %s |' % (row['name'], ' | '.join(found)))


def numbers(text):
    return [int(part) for part in text.split(',') if part]


def parser_of(description, threads):
    """What a bench of maps is told; `threads` unless it is told others."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    root = os.path.join(HERE, '..', '..')
    parser.add_argument('--bin', default=os.path.join(root, 'build', 'release', 'bin'))
    parser.add_argument('--shared', default=os.path.join(root, '..', 'shared'))
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--threads', type=numbers, default=threads)
    parser.add_argument('maps', nargs='*')
    return parser


def main():
    parser = parser_of(__doc__, [1, 2])
    parser.add_argument('--pillars', type=numbers, default=[12, 16])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = list(arguments.maps)
        if not paths:
            paths = [os.path.join(arguments.shared, 'corpus', name + '.bsp') for name in MAPS]
            paths += [make_pillars(arguments, size, folder) for size in arguments.pillars]
        absent = [path for path in paths if not os.path.exists(path)]
        if absent:
            sys.exit('not there: ' + ', '.join(absent))
        table([measure(arguments, path, folder) for path in paths], arguments.threads)
    return 0


if __name__ == '__main__':
    sys.exit(main())
