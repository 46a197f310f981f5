"""Ends programs by signals: before calls that change files, and at moments spread over a run."""
import signal
import time

from selection import one_of, spread

CHANGES = ("open", "write", "fsync", "rename", "link", "unlink", "copy", "truncate", "chmod", "close")
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def judge_kill(judge, table, what, number, run, sent):
    """The next run, which is not disturbed, must give the result of a clean one."""
    faults = []
    if run.status == "hangs" or (run.status < 0 and run.status != -sent):
        faults.append(f"ended by {run.status}")
    if run.status == 0:
        faults += judge.of_run(run, temporaries_stay=False)
    table.add(judge.program.name, what, number, run.status, faults + judge.of_kill())


def calls(judge, options):
    """(kind, number) of the calls before which the program is ended: one in the short form."""
    every = [(kind, number) for kind in CHANGES
             for number in spread(judge.counts[kind], options.calls if options.long else 2)]
    return every if options.long else [one_of(every, judge.program.name, "calls")]


def at_calls(judge, options, table):
    """SIGKILL before each call that opens or changes something."""
    for kind, number in calls(judge, options):
        judge.folder.restore()
        run = judge.folder.run(f"{kind} {number} {number} signal {int(signal.SIGKILL)}")
        judge_kill(judge, table, f"SIGKILL at {kind}", number, run, signal.SIGKILL)


def at_moments(judge, options, table):
    for sent in SIGNALS if options.long else (one_of(SIGNALS, judge.program.name, "signals"),):
        for moment in range(options.moments):
            judge.folder.restore()
            process = judge.folder.start()
            time.sleep(judge.seconds * (moment + 0.5) / options.moments)
            process.send_signal(sent)
            run = judge.folder.finish(process)
            judge_kill(judge, table, f"{sent.name} at moments", moment + 1, run, sent)
