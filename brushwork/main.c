#include <stdio.h>
#include <string.h>

#include "brushwork/verbs.h"
#include "common/core/diag.h"
#include "common/core/strings.h"

struct verb {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

static const struct verb verbs[] = {
    {"bmx", "look into BM files, check, unpack, pack and compare them", verb_bmx},
    {"build", "compile a map in one go: BSP, visibility and light", verb_build},
    {"bspzip", "take the command lines of Valve's bspzip", verb_bspzip},
    {"checksum", "print the checksum that the engine compares", verb_checksum},
    {"convert", "write a BSP for another branch of the engine", verb_convert},
    {"diff", "tell what two BSPs say differently", verb_diff},
    {"info", "tell what a BSP holds", verb_info},
    {"pack", "put files and entities into a BSP", verb_pack},
    {"texdata", "make a catalogue of the materials of BSP files", verb_texdata},
    {"unpack", "take files, entities and lumps out of a BSP", verb_unpack},
    {"verify", "check every index and invariant of a BSP", verb_verify},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_help(FILE *out)
{
    fputs("Usage: brushwork VERB [options] FILE\n\n", out);
    for (int i = 0; i < VERBS; i++)
        fprintf(out, "  %-10s%s\n", verbs[i].name, verbs[i].summary);
    fputs("\nbrushwork VERB --help tells the options of a verb, brushwork VERB --man prints its "
          "manual page.\nThe stages are programs of their own too: vbsp, vvis, vrad.\n",
          out);
}

static void print_man_page(void)
{
    puts(".Dd November 21, 2026\n.Dt BRUSHWORK 1\n.Os Brushwork " BRUSHWORK_VERSION "\n"
         ".Sh NAME\n.Nm brushwork\n.Nd compile maps into BSP files, and look into them\n"
         ".Sh SYNOPSIS\n.Nm brushwork\n.Ar VERB\n.Op Ar options\n.Ar FILE\n"
         ".Sh DESCRIPTION\nEach verb has a manual page of its own.\n.Bl -tag -width Ds");
    for (int i = 0; i < VERBS; i++)
        printf(".It Cm %s\n%s:\n.Xr brushwork-%s 1\n", verbs[i].name, verbs[i].summary,
               verbs[i].name);
    puts(".El\n.Sh SEE ALSO\n.Xr vbsp 1 ,\n.Xr vrad 1 ,\n.Xr vvis 1");
}

/* The verb whose name is nearest to what was asked for. */
static const char *nearest_verb(const char *name)
{
    const struct verb *best = &verbs[0];
    for (int i = 1; i < VERBS; i++)
        if (str_distance(verbs[i].name, name) < str_distance(best->name, name))
            best = &verbs[i];
    return best->name;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    for (int i = 0; i < VERBS; i++)
        if (str_equal_nocase(argv[1], verbs[i].name))
            return verbs[i].run(argc - 1, argv + 1);
    const char *option = argv[1] + strspn(argv[1], "-");
    if (str_equal_nocase(option, "help") || strcmp(argv[1], "-h") == 0)
        print_help(stdout);
    else if (strcmp(argv[1], "--version") == 0)
        puts("brushwork " BRUSHWORK_VERSION);
    else if (strcmp(argv[1], "--man") == 0)
        print_man_page();
    else {
        fprintf(stderr, "brushwork: error %s: %s: '%s' is no verb; the nearest is %s\n",
                diag_info(DIAG_USAGE)->code, diag_info(DIAG_USAGE)->title, argv[1],
                nearest_verb(argv[1]));
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
