#!/usr/bin/env python3
"""--help of each program and verb: what most people need, within a screen or two; --help all has the rest, and
--help WORD what is about a word."""
import re

from e2e import Suite, check

suite = Suite()

MOST_LINES = 67
SHORT_OF = ("vbsp", "vvis", "vrad", "q3map2", "brushwork build")  # with many options, which few people need


def verbs_of(s, *words):
    lines = s.run(*words, "--completion").expect(0).out.decode().splitlines()
    return [(*words, line.split("\t")[1]) for line in lines if line.startswith("verb\t")]


def commands(s):
    verbs = [words for words in verbs_of(s, "brushwork") if words[1] != "bmx"]
    return [("vbsp",), ("vvis",), ("vrad",), ("q3map2",)] + verbs + verbs_of(s, "brushwork", "bmx")


def options_of(text):
    return re.findall(r"^  (-[^ ,\n]+)", text, re.M)


def help_of(s, words, *topic):
    return s.run(*words, "--help", *topic).expect(0).out.decode()


@suite.case
def a_part_is_in_the_help_and_all_in_help_all(s, _):
    for words in commands(s):
        name = " ".join(words)
        text, everything = help_of(s, words), help_of(s, words, "all")
        common, every = options_of(text), options_of(everything)
        lines = len(text.splitlines())
        check(lines <= MOST_LINES, f"{name}: {lines} lines")
        check(set(common) < set(every) and len(common) <= 26, f"{name}: {set(common) - set(every)}")
        check(len(common) >= (12 if name in SHORT_OF else 3), f"{name}: {common}")
        told = re.search(rf"{name} --help all lists (\d+) more options", " ".join(text.split()))
        left_out = len(every) - len(common) - 3  # --help, --version and --man
        check(told and (name == "q3map2" or int(told.group(1)) == left_out), f"{name}: {told}, {left_out}")
        check("Exit status: " in text, name)


@suite.case
def what_people_use_daily_is_in_the_help(s, _):
    for words, wanted in ((("vbsp",), "-o -game -v -onlyents -leaktest --target --texdata --check -threads --json"),
                          (("vvis",), "-o -fast -game -radius_override --budget-seconds --resume -threads"),
                          (("vrad",), "-final -fast -hdr -ldr -both -bounce -lights -StaticPropLighting "
                                      "-StaticPropPolys -textureshadows -game --resume"),
                          (("brushwork", "build"), "--preset --resume --cache -o -both -game --target -j"),
                          (("q3map2",), "-bsp -vis -light -meta -fast -samples -bounce -game -fs_basepath -v"),
                          (("brushwork", "render"), "--out --from --size --debug -game")):
        missing = set(wanted.split()) - set(options_of(help_of(s, words)))
        check(not missing, f"{words}: {missing}")


@suite.case
def all_forms_of_the_question_have_one_answer(s, folder):
    text = help_of(s, ("vrad",))
    for question in (("-help",), ("-h",), ("-?",), ("/?",), ("-HELP",), ("-v", "--help")):
        check(s.run("vrad", *question, cwd=folder).expect(0).out.decode() == text, question)
    everything = help_of(s, ("vrad",), "all")
    for question in (("-help", "all"), ("-h", "ALL"), ("--help=all",)):
        check(s.run("vrad", *question, cwd=folder).expect(0).out.decode() == everything, question)
    check(s.run("vrad", "--help", "--version").expect(0).out == s.run("vrad", "--version").out, "--version")
    text = help_of(s, ("brushwork", "build"), "resume")
    for question in (("help", "build", "resume"), ("--help", "build", "resume")):
        check(s.run("brushwork", *question).expect(0).out.decode() == text, question)
    check(s.run("brushwork", "--help", "all").expect(0).out == s.run("brushwork", "--help").out, "brushwork")
    text = help_of(s, ("brushwork", "bmx", "info"), "all")
    check(s.run("brushwork", "help", "bmx", "info", "all").expect(0).out.decode() == text, "bmx")


@suite.case
def a_word_or_an_option_is_explained(s, _):
    text = help_of(s, ("vrad",), "-bounce")
    check(options_of(text) == ["-bounce"] and "(0 to 1000; default 100; map key _bounce)" in " ".join(text.split()), text)
    check(options_of(help_of(s, ("vrad",), "BOUNCE")) ==
          ["-bounce", "-StaticPropBounce", "-bouncegrid", "-bouncescale", "-bouncecolorratio", "-bounceonly", "-fastbounce"],
          "bounce")
    check("--cache-size" in options_of(help_of(s, ("brushwork", "build"), "cache")), "a heading")
    check("without effect, for compatibility: " in " ".join(help_of(s, ("vbsp",), "-mpi").split()), "-mpi")
    check("always so: " in help_of(s, ("vbsp",), "-nox360"), "-nox360")
    for word in ("fsat", "-bouncee", "map.vmf"):
        done = s.run("vrad", "--help", word, "--json").expect(2)
        check(word in done.find("T001")["message"], done)


suite.main()
