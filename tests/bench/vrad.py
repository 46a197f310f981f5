#!/usr/bin/env python3
"""Times vrad on the maps of the corpus and compares the result with a path tracer.

    vrad.py [--bin DIR] [--shared DIR] [--repeat N] [--threads 1,2] [--points N] [--spp N]
            [--curve MAP,...] [--game DIR] [MAP.bsp...]

Each map is a compiled one, Valve's own unless named otherwise, and is relit for LDR. Prints
tables in Markdown:

  seconds  CPU seconds (user time, the least of the repeats: noise only adds), wall seconds, peak
           memory; what a map takes below Python's own 15 MiB is not seen
  rays     by kind, which depends on nothing but the map; and all of them a CPU second
  error    root mean square of log2(stored / true) of all luxels and of the clear ones (no edge of a
           shadow or a face near), and the bias of the clear ones: of ours, and of the light
           that the file came with; the path tracer's own noise is taken off
  curve    the same over CPU seconds for --preview, -fast, default and -final (--curve none: leave it out)

The path tracer is light_oracle.c of the shared tools, compiled on demand (needs Embree); without
it the last two tables are left out.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from bench import counters  # noqa: E402
from vvis import name_of, parser_of, run  # noqa: E402

MAPS = ('generated/mid', 'generated/big', 'generated/pillars9')
QUALITIES = (('--preview', ['--preview']), ('-fast', ['-fast']), ('default', []), ('-final', ['-final']))
ORACLE_FLAGS = ['-O3', '-march=native', '-ffast-math', '-fno-finite-math-only', '-fopenmp']


def build_oracle(arguments, folder):
    """The path tracer's program, or None, with a message."""
    source = os.path.join(arguments.shared, 'tools', 'light_oracle.c')
    if not os.path.exists(source):
        print('no %s: no errors are measured' % source, file=sys.stderr)
        return None
    program = os.path.join(folder, 'light_oracle')
    done = subprocess.run(['cc', *ORACLE_FLAGS, source, '-o', program, '-lembree3', '-lm'],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout + 'no errors are measured', file=sys.stderr)
        return None
    return program


def light(arguments, options, threads, path, out):
    """Seconds, wall, KiB of the best repeat; the counters."""
    vrad = os.path.join(arguments.bin, 'vrad')
    command = [vrad, '--json', '-ldr', *options, '-threads', str(threads), '-game', arguments.game,
               '-o', out, path]
    runs = [run(command) for _ in range(arguments.repeat)]
    return min(runs)[:3], counters(runs[0][3])


def rays_by_kind(found):
    """The ray counters, without the stage's name."""
    return {name[5:].replace('_', ' '): count for name, count in found.items() if 'rays' in name}


def errors(arguments, oracle, path):
    """(all, clear, bias of clear) of the luxels of a lit map."""
    done = subprocess.run([oracle, path, '-points', str(arguments.points), '-spp',
                           str(arguments.spp), '-cubes', '0', '-json'],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if done.returncode:
        sys.exit('%s: the path tracer failed' % path)
    found = json.loads(done.stdout)['luxels']
    return (found['all']['rms_log2_less_noise'], found['clear']['rms_log2_less_noise'],
            found['clear']['bias_log2'])


def print_table(heads, rows):
    print('\n| ' + ' | '.join(heads) + ' |\n|' + '---|' * len(heads))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |', flush=True)


def shown(error):
    return ['%.3f' % error[0], '%.3f' % error[1], '%+.3f' % error[2]]


def time_maps(arguments, paths, folder):
    """Lights each map, prints seconds and rays; returns the paths of the lit ones."""
    lit, seconds, kinds = {}, [], []
    for path in paths:
        row = [name_of(path)]
        lit[path] = os.path.join(folder, '%d.bsp' % len(lit))
        for threads in arguments.threads:
            (user, wall, peak), found = light(arguments, [], threads, path, lit[path])
            row.append('%.2f, %.2f, %d' % (user, wall, peak / 1024))
            if threads == arguments.threads[0]:
                kinds.append((name_of(path), user, rays_by_kind(found)))
        seconds.append(row)
    heads = ['%d thread%s: CPU s, wall s, MiB' % (t, 's' * (t > 1)) for t in arguments.threads]
    print_table(['map', *heads], seconds)
    names = list(dict.fromkeys(kind for _, _, rays in kinds for kind in rays))
    print_table(['map', *names, 'million rays a CPU second'],
                [[name, *(str(rays.get(kind, '')) for kind in names),
                  '%.1f' % (sum(rays.values()) / max(user, 1e-3) / 1e6)]
                 for name, user, rays in kinds])
    return lit


def curve(arguments, oracle, paths, folder):
    rows = []
    out = os.path.join(folder, 'curve.bsp')
    for path in paths:
        if name_of(path) not in arguments.curve and 'all' not in arguments.curve:
            continue
        for name, options in QUALITIES:
            (user, _, _), _ = light(arguments, options, arguments.threads[0], path, out)
            rows.append([name_of(path), name, '%.2f' % user,
                         *shown(errors(arguments, oracle, out))])
    if rows:
        print_table(['map', 'quality', 'CPU s', 'error, all', 'clear', 'bias'], rows)


def main():
    parser = parser_of(__doc__, [1])
    parser.add_argument('--points', type=int, default=3000)
    parser.add_argument('--spp', type=int, default=8192)
    parser.add_argument('--curve', type=lambda text: text.split(','), default=['all'],
                        help='names of maps, all or none')
    parser.add_argument('--game', help="of the maps; default: that of the corpus")
    arguments = parser.parse_args()
    corpus = os.path.join(arguments.shared, 'corpus')
    arguments.game = arguments.game or os.path.join(corpus, 'generated', 'game')
    paths = arguments.maps or [os.path.join(corpus, name + '.bsp') for name in MAPS]
    absent = [path for path in [*paths, arguments.game] if not os.path.exists(path)]
    if absent:
        sys.exit('not there: ' + ', '.join(absent))
    with tempfile.TemporaryDirectory() as folder:
        lit = time_maps(arguments, paths, folder)
        oracle = build_oracle(arguments, folder)
        if oracle is None:
            return 0
        rows = [[name_of(path), *shown(errors(arguments, oracle, lit[path])),
                 *shown(errors(arguments, oracle, path))] for path in paths]
        print_table(['map', 'all', 'clear', 'bias', 'as it came: all', 'clear', 'bias'], rows)
        curve(arguments, oracle, paths, folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
