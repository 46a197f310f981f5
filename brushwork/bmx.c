/* brushwork bmx: BM files, the levels of Ballance mappers. */
#include "brushwork/bmx.h"

#include <errno.h>
#include <string.h>

#include "brushwork/verbs.h"
#include "common/core/strings.h"

struct verb {
    const char *name, *synopsis, *summary;
    int (*run)(int argc, char **argv);
};

static const struct verb verbs[] = {
    {"info", "FILE", "tell what a BM file holds", bmx_verb_info},
    {"check", "FILE...", "check every rule of the standard", bmx_verb_check},
    {"unpack", "FILE DIR", "write a BM file as text and textures", bmx_verb_unpack},
    {"pack", "DIR FILE", "make a BM file of what unpack wrote", bmx_verb_pack},
    {"diff", "A B", "compare two BM files by what they mean", bmx_verb_diff},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

enum status bmx_input_read(const struct env *env, const char *path, struct bmx_input *input)
{
    struct bytes file = {0};
    input->path = path;
    TRY(fs_load(env->fs, env->diag, path, &file));
    input->bytes = file.size;
    input->bmx = bmx_check(file.data, file.size, NULL, &input->findings, &input->stats);
    bytes_free(&file);
    return STATUS_OK;
}

enum status bmx_input_need(const struct env *env, const char *path, struct bmx_input *input)
{
    TRY(bmx_input_read(env, path, input));
    return input->bmx ? STATUS_OK : bmx_report(&input->findings, path, env->diag);
}

void bmx_input_free(struct bmx_input *input)
{
    bmx_free(input->bmx);
    bmx_findings_free(&input->findings);
}

enum status bmx_flush_output(struct diag *diag)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return diag_report(diag, DIAG_FILE_WRITE, NULL, "standard output: %s", strerror(errno));
}

json_t *bmx_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct arena arena = {0};
    struct bmx_text sound = bmx_text_make(text);
    value = json_string(bmx_text_utf8(&sound, &arena));
    bmx_text_free(&sound);
    arena_free(&arena);
    return value;
}

void bmx_print_safely(const char *text, FILE *out)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, out);
}

static void print_help(FILE *out)
{
    fputs("Usage: brushwork bmx VERB [options] FILE...\n\n"
          "BM files (.bmx, BM standard 1.4) hold levels of the game Ballance.\n\n",
          out);
    for (int i = 0; i < VERBS; i++)
        fprintf(out, "  %-8s%-10s%s\n", verbs[i].name, verbs[i].synopsis, verbs[i].summary);
    fputs(
        "\nbrushwork bmx VERB --help tells the options of a verb, brushwork bmx VERB --man prints "
        "its\nmanual page.\n",
        out);
}

static void print_man_page(void)
{
    puts(".Dd November 21, 2026\n.Dt BRUSHWORK-BMX 1\n.Os Brushwork " BRUSHWORK_VERSION "\n"
         ".Sh NAME\n.Nm brushwork bmx\n.Nd look into BM files, check, unpack, pack and compare "
         "them\n"
         ".Sh SYNOPSIS\n.Nm\n.Ar VERB\n.Op Ar options\n.Ar\n"
         ".Sh DESCRIPTION\nBM files\n.Pq .bmx, BM standard 1.4\n"
         "hold levels of the game Ballance.\nEach verb tells its options with\n.Fl -help\n"
         "and prints a manual page of its own with\n.Fl -man .\n.Bl -tag -width Ds");
    for (int i = 0; i < VERBS; i++)
        printf(".It Cm %s Ar %s\n%s\n", verbs[i].name, verbs[i].synopsis, verbs[i].summary);
    puts(".El\n.Sh SEE ALSO\n.Xr brushwork 1");
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

int verb_bmx(int argc, char **argv)
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
        puts("brushwork bmx " BRUSHWORK_VERSION);
    else if (strcmp(argv[1], "--man") == 0)
        print_man_page();
    else {
        fprintf(stderr, "brushwork bmx: error %s: %s: '%s' is no verb; the nearest is %s\n",
                diag_info(DIAG_USAGE)->code, diag_info(DIAG_USAGE)->title, argv[1],
                nearest_verb(argv[1]));
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
