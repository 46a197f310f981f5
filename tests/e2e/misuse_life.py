"""Misuse of the Python module: runs, callbacks, threads, copies, the collector, processes."""
import concurrent.futures
import copy
import gc
import os
import pickle
import threading
import time
import weakref

from misuse import MiB, holds, raises, rows


class Falsy(Exception):
    def __bool__(self):
        return False


# Runs.

raises(TypeError, "must be",
       program_is_none=lambda w: w.session.run(None),
       program_is_a_number=lambda w: w.session.run(5),
       argument_is_none=lambda w: w.session.run("vbsp", None),
       argument_is_a_list=lambda w: w.session.run("vbsp", ["a.vmf"]),
       compile_of_none=lambda w: w.brushwork.compile(None),
       compile_of_a_number=lambda w: w.brushwork.compile(5),
       compile_to_a_number=lambda w: w.brushwork.compile("a.vmf", output=5),
       compile_with_one_text=lambda w: w.brushwork.compile("a.vmf", arguments="-fast"))
raises(TypeError, "",
       compile_with_a_number=lambda w: w.brushwork.compile("a.vmf", arguments=5),
       compile_with_an_unknown_callback=lambda w: w.brushwork.compile("a.vmf", on_mesage=print),
       run_without_a_program=lambda w: w.session.run())
raises("Error", "",
       program_unknown=lambda w: w.session.run("rm", "-rf", "absent"),
       program_is_a_path=lambda w: w.session.run("/bin/true"),
       program_empty=lambda w: w.session.run(""),
       run_without_arguments=lambda w: w.session.run("vbsp"),
       run_with_an_empty_argument=lambda w: w.session.run("vbsp", ""),
       run_with_a_huge_argument=lambda w: w.session.run("vbsp", "x" * MiB),
       run_with_many_arguments=lambda w: w.session.run("vbsp", *(["a.vmf"] * 20000)),
       run_with_an_option_of_a_process=lambda w: w.session.run("vbsp", "--max-memory", "1G", "a.vmf"),
       compile_of_a_file_named_as_an_option=lambda w: w.brushwork.compile("--help"),
       compile_to_nowhere=lambda w: w.brushwork.compile("a.vmf", output=""))


# Callbacks.

def build(w, session, target="out.bsp"):
    return session.run("build", "-fast", "-bounce", 0, "-o", target, w.map("two_rooms.vmf"))


def during(w, action):
    """Does something in the first callback of a run, and returns what that raised."""
    caught, session = [], None

    def act(*_):
        if not caught:
            try:
                caught.append(action(session))
            except Exception as error:  # pylint: disable=broad-except
                caught.append(error)
    session = w.brushwork.Session(memory=True, on_progress=act)
    build(w, session)
    assert session.get("out.bsp")
    return caught[0]


def refuses(name, action):
    def row(w):
        answer = during(w, lambda session: action(w, session))
        assert isinstance(answer, RuntimeError) and "in use" in str(answer), repr(answer)
    rows.append((name, row))


refuses("run_in_a_callback", build)
refuses("put_in_a_callback", lambda w, session: session.put("a", b""))
refuses("get_in_a_callback", lambda w, session: session.get("out.bsp"))
refuses("open_in_a_callback", lambda w, session: w.open(session=session))


@holds
def closing_in_a_callback_is_refused(w):
    bsp, told = None, []

    def close(*_):
        for action in (bsp.close, lambda: len(bsp.entities), lambda: bsp.mesh):
            try:
                action()
            except RuntimeError as error:
                told.append(str(error))
    session = w.brushwork.Session(on_message=close)
    bsp = w.open(session=session)
    try:
        bsp.entities[0]["a"] = '"'
    except w.brushwork.Error:
        pass
    assert len(told) == 3 and all("in use" in text for text in told), told
    assert bsp.entities[0]["classname"] == "worldspawn"
    bsp.close()


@holds
def dropping_the_last_reference_in_a_callback_waits(w):
    kept = []
    session = w.brushwork.Session(on_message=lambda _: (kept.clear(), gc.collect()))
    kept.append(w.open(session=session))
    handle = kept[0].entities
    del handle
    gone = weakref.ref(kept[0])
    try:
        session.get("absent")
    except w.brushwork.Error:
        pass
    gc.collect()
    assert gone() is None and not session._doomed


@holds
def another_session_is_open_to_a_callback(w):
    assert during(w, lambda _: len(w.open().entities)) > 3


@holds
def exceptions_of_callbacks_are_raised(w):
    for error in (KeyError("mine"), Falsy(), KeyboardInterrupt(), SystemExit(3), MemoryError(), GeneratorExit()):
        def fail(*_, error=error):
            raise error
        session = w.brushwork.Session(memory=True, on_progress=fail)
        try:
            build(w, session)
        except BaseException as raised:  # pylint: disable=broad-except
            assert raised is error, repr(raised)
        else:
            raise AssertionError(f"{error!r} was lost")
        try:
            session.get("out.bsp")
        except w.brushwork.Error:
            continue
        raise AssertionError("an output of a run that failed")


@holds
def an_exception_outside_of_a_run_does_not_end_the_next(w):
    def fail(_):
        raise KeyError("mine")
    session = w.brushwork.Session(memory=True, on_message=fail)
    try:
        session.get("absent")
    except KeyError:
        pass
    session._sink.on_message = None
    assert build(w, session).status == 0


@holds
def callbacks_with_other_arguments_are_raised(w):
    session = w.brushwork.Session(memory=True, on_progress=lambda: None)
    try:
        build(w, session)
    except TypeError as error:
        assert "argument" in str(error)
        return
    raise AssertionError("the wrong arguments were lost")


@holds
def a_callback_may_cancel(w):
    session = None
    session = w.brushwork.Session(memory=True, on_progress=lambda *_: session.cancel())
    try:
        build(w, session)
    except w.brushwork.Error as error:
        assert [d.code for d in error.diagnostics if d.severity == "error"] == ["C352"], str(error)
        return
    raise AssertionError("it went on")


@holds
def a_cancel_without_a_run_asks_the_next_alone(w):
    session = w.memory
    session.cancel()
    try:
        build(w, session)
    except w.brushwork.Error:
        pass
    else:
        raise AssertionError("it went on")
    assert build(w, session).status == 0


@holds
def diagnostics_outlive_their_callback(w):
    seen = []
    session = w.brushwork.Session(memory=True, on_message=seen.append)
    session.run("vbsp", "-o", "leak.bsp", w.map("leak.vmf"))
    del session
    gc.collect()
    assert any(d.code == "V001" and d.point and str(d) for d in seen)


# Threads.

def paused_run(w):
    """A session with a run that stands still in a callback, until the event is set."""
    inside, go = threading.Event(), threading.Event()

    def wait(*_):
        inside.set()
        go.wait(60)
    session = w.brushwork.Session(memory=True, on_progress=wait)
    bsp = w.open(session=session)
    outcome = []

    def run():
        try:
            outcome.append(build(w, session).status)
        except Exception as error:  # pylint: disable=broad-except
            outcome.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    assert inside.wait(60)
    return session, bsp, go, thread, outcome


def refuses_meanwhile(name, action):
    def row(w):
        session, bsp, go, thread, outcome = paused_run(w)
        try:
            try:
                value = action(w, session, bsp)
            except RuntimeError as error:
                assert "in use" in str(error), error
            else:
                raise AssertionError(f"returned {value!r}")
        finally:
            go.set()
            thread.join(60)
        assert outcome == [0], outcome
        assert len(bsp.entities) > 3
    rows.append((name, row))


refuses_meanwhile("run_during_a_run", lambda w, session, bsp: build(w, session))
refuses_meanwhile("open_during_a_run", lambda w, session, bsp: w.open(session=session))
refuses_meanwhile("close_during_a_run", lambda w, session, bsp: bsp.close())
refuses_meanwhile("entities_during_a_run", lambda w, session, bsp: len(bsp.entities))
refuses_meanwhile("write_during_a_run", lambda w, session, bsp: bsp.write("absent/a.bsp"))
refuses_meanwhile("put_during_a_run", lambda w, session, bsp: session.put("a", b""))


@holds
def cancel_from_another_thread(w):
    session, _, go, thread, outcome = paused_run(w)
    session.cancel()
    go.set()
    thread.join(60)
    assert isinstance(outcome[0], w.brushwork.Error) and "C352" in str(outcome[0]), outcome


@holds
def dropping_a_bsp_during_a_run(w):
    session, bsp, go, thread, outcome = paused_run(w)
    del bsp
    gc.collect()
    assert len(session._doomed) == 1
    go.set()
    thread.join(60)
    assert outcome == [0] and not session._doomed


def hammer(w, actions, seconds=0.3):
    """Each action again and again in a thread of its own; only RuntimeError may come."""
    end, wrong, done = time.monotonic() + seconds, [], [0] * len(actions)

    def work(i):
        while time.monotonic() < end:
            try:
                actions[i]()
                done[i] += 1
            except RuntimeError:
                pass
            except BaseException as error:  # pylint: disable=broad-except
                wrong.append(error)
                return
    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and sum(done), (wrong, done)


@holds
def threads_on_one_bsp(w):
    bsp = w.open()
    entity = bsp.entities[0]
    hammer(w, [lambda: bsp.entities.add(a="b"), lambda: bsp.entities.__delitem__(-1) if len(bsp.entities) > 4 else 0,
               lambda: entity.__setitem__("a", "c"), lambda: entity.pairs, lambda: bsp.mesh,
               lambda: (bsp.use_hdr(), bsp.use_hdr(False)), lambda: [e.pairs for e in bsp.entities[:2]],
               bsp.to_bytes, lambda: bsp.pack("a", b"b"), lambda: bsp.packed])
    assert entity["classname"] == "worldspawn"


@holds
def threads_that_open_and_close_in_one_session(w):
    session = w.brushwork.Session()
    hammer(w, [lambda: w.open(session=session).close()] * 3 + [lambda: w.open(session=session)] * 2)
    gc.collect()


@holds
def threads_that_close_one_bsp(w):
    for _ in range(20):
        bsp = w.open()
        def work(bsp=bsp):
            for _ in range(20):
                try:
                    bsp.close()
                except RuntimeError:
                    pass
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        bsp.close()


@holds
def sessions_of_their_own_run_at_once(w):
    def one(_):
        session = w.memory
        build(w, session)
        return session.get("out.bsp")
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        files = list(pool.map(one, range(3)))
    assert files[0] == files[1] == files[2]


@holds
def a_session_may_move_to_another_thread(w):
    session = w.memory
    for _ in range(2):
        thread = threading.Thread(target=build, args=(w, session))
        thread.start()
        thread.join(60)
    assert session.get("out.bsp")


# Copies, subclasses, and the collector.

raises(TypeError, "cannot be copied or pickled",
       pickle_session=lambda w: pickle.dumps(w.session),
       pickle_bsp=lambda w: pickle.dumps(w.bsp),
       pickle_entities=lambda w: pickle.dumps(w.bsp.entities),
       pickle_entity=lambda w: pickle.dumps(w.world),
       pickle_lightmap=lambda w: pickle.dumps(w.bsp.lightmaps[0]),
       copy_session=lambda w: copy.copy(w.session),
       copy_bsp=lambda w: copy.copy(w.bsp),
       copy_entity=lambda w: copy.copy(w.world),
       deepcopy_bsp=lambda w: copy.deepcopy(w.bsp),
       deepcopy_session=lambda w: copy.deepcopy([w.session]))

raises(ValueError, "is not initialised",
       forgetful_session_runs=lambda w: w.subclass("Session").run("vbsp"),
       forgetful_session_puts=lambda w: w.subclass("Session").put("a", b""),
       forgetful_session_cancels=lambda w: w.subclass("Session").cancel(),
       forgetful_session_opens=lambda w: w.open(session=w.subclass("Session")),
       forgetful_bsp_has_entities=lambda w: len(w.subclass("Bsp").entities),
       forgetful_bsp_has_a_mesh=lambda w: w.subclass("Bsp").mesh,
       bare_bsp_has_a_version=lambda w: w.brushwork.Bsp.__new__(w.brushwork.Bsp).version,
       bare_session_runs=lambda w: w.brushwork.Session.__new__(w.brushwork.Session).run("vbsp"))

raises(RuntimeError, "initialised twice",
       session_initialised_twice=lambda w: w.session.__init__(),
       bsp_initialised_twice=lambda w: w.bsp.__init__("a"))

raises(AttributeError, "", session_of_a_bsp_is_set=lambda w: setattr(w.bsp, "session", None))
raises(TypeError, "",
       entity_is_hashed=lambda w: {w.world: 1},
       bsp_is_looped_over=lambda w: list(w.bsp),
       bsp_without_a_source=lambda w: w.brushwork.Bsp())


@holds
def subclasses_with_init_work(w):
    class Mine(w.brushwork.Bsp):
        def __init__(self, data):
            self.mine = 1
            super().__init__(data)

        def __len__(self):
            return 0

        def __bool__(self):
            return False

    class Session(w.brushwork.Session):
        def __len__(self):
            return 0
    session = Session()
    bsp = Mine(w.file("two_rooms.vmf"))
    assert bsp.entities[0]["classname"] and w.open(session=session).session is session
    bsp.close()


@holds
def a_bsp_that_failed_to_open_is_collected(w):
    for source in (5, b"VBSP", "absent"):
        bsp = w.brushwork.Bsp.__new__(w.brushwork.Bsp)
        try:
            bsp.__init__(source)
        except (TypeError, w.brushwork.Error):
            pass
        bsp.close()
        del bsp
    gc.collect()


@holds
def sessions_are_freed_at_once(w):
    session = w.memory
    build(w, session)
    gone = weakref.ref(session)
    gc.disable()
    try:
        del session
        assert gone() is None
    finally:
        gc.enable()


@holds
def the_collector_may_take_any_order(w):
    for order in range(6):
        session = w.brushwork.Session(on_message=lambda _: None)
        bsps = [w.open(session=session) for _ in range(2)]
        parts = [bsps[0].entities, bsps[1].entities[0], bsps[0].lightmaps[0]]
        knot = [session, *bsps, *parts]
        knot = knot[order:] + knot[:order]
        session._sink.on_message = lambda _, knot=knot: knot  # the session is part of its own cycle
        knot.append(knot)
        del session, bsps, parts, knot
        gc.collect()


@holds
def finalizers_may_come_before_those_of_bsps(w):
    session = w.session
    bsp = w.open(session=session)
    session.__del__()
    session.__del__()
    bsp.__del__()
    bsp.__del__()
    try:
        bsp.version
    except ValueError:
        return
    raise AssertionError("it is used")


@holds
def errors_cross_processes(w):
    try:
        w.brushwork.compile("absent.vmf")
    except w.brushwork.Error as error:
        again = pickle.loads(pickle.dumps(error))
        assert again.status == error.status and str(again) == str(error)
        assert again.diagnostics[0].code == error.diagnostics[0].code


@holds
def geometry_and_results_cross_processes(w):
    mesh = pickle.loads(pickle.dumps(w.bsp.mesh))
    assert len(mesh.vertices) > 10
    result = build(w, w.memory)
    assert pickle.loads(pickle.dumps(result)).files == result.files


# Processes.

@holds
def a_fork_has_copies(w):
    session = w.memory
    bsp = w.open(session=session)
    build(w, session)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            bsp.entities[0]["a"] = "child"
            build(w, session)
            bsp.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert "a" not in bsp.entities[0]


@holds
def a_fork_during_a_run_finds_the_session_busy(w):
    session, bsp, go, thread, outcome = paused_run(w)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            len(bsp.entities)
        except RuntimeError:
            del bsp
            status = 0
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    go.set()
    thread.join(60)
    assert code == 0 and outcome == [0], (code, outcome)


@holds
def the_interpreter_may_end_with_all_of_it_open(w):
    w.child("""
        import brushwork, sys
        session = brushwork.Session(memory=True)
        session.run("vbsp", "-o", "a.bsp", sys.argv[1])
        bsp = brushwork.Bsp(session.get("a.bsp"), session=session)
        entities, entity, mesh = bsp.entities, bsp.entities[0], bsp.mesh
        knot = [session, bsp, entity]
        knot.append(knot)
        session.knot = knot
        """)


@holds
def the_interpreter_may_end_during_a_run(w):
    w.child("""
        import brushwork, sys, threading
        inside = threading.Event()
        session = brushwork.Session(memory=True, on_progress=lambda *_: inside.set())
        threading.Thread(target=session.run, daemon=True,
                         args=("build", "-o", "a.bsp", sys.argv[1])).start()
        inside.wait(60)
        """)


@holds
def a_library_that_is_none_is_told(w):
    out = w.child("""
        import os, sys
        for path in (sys.argv[1], "/absent/libbrushwork.so.0", "libc.so.6"):
            os.environ["BRUSHWORK_LIBRARY"] = path
            try:
                import brushwork
            except ImportError as error:
                print("BRUSHWORK_LIBRARY" in str(error))
        """)
    assert out.split() == ["True"] * 3, out
