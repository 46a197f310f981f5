#!/usr/bin/env python3
"""Every map of the corpus that no person made compiles to a valid BSP, or reports a leak (the others: test_sound.py)."""
import os

from e2e import Skip, Suite, check

suite = Suite()


def find_maps(s):
    """Paths of all VMFs below the corpus; none without a corpus."""
    found = []
    for part in ("generated", "refs"):
        for base, _, names in os.walk(os.path.join(s.options.shared, "corpus", part)):
            found += [os.path.join(base, name) for name in names if name.endswith(".vmf")]
    return sorted(path for path in found if f"{os.sep}inst" not in os.path.dirname(path))


def comes_through(source):
    def case(s, folder):
        ours = os.path.join(folder, "map.bsp")
        done = s.run("brushwork", "build", source, "-o", ours, "--preset", "fast", "--json", "--no-leak-picture",
                     "--game", s.corpus("generated", "game"))
        check(done.status in (0, 3), f"exit status {done.status} from {done}")
        check((done.status == 3) == ("V001" in done.codes()), done)
        s.run("brushwork", "verify", ours, "--json").expect(0)

    return case


maps = find_maps(suite)
for path in maps:
    suite.add(os.path.basename(os.path.dirname(path)) + "_" + os.path.basename(path)[:-4],
              comes_through(path))
if not maps:

    @suite.case
    def maps_of_the_corpus(s, folder):
        raise Skip(f"no {os.path.join(s.options.shared, 'corpus')} for {folder}")


suite.main()
