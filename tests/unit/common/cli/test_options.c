#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/options.h"
#include "common/core/array.h"
#include "common/core/text_stream.h"
#include "common/diag/codes/options.def"
#include "common/diag/codes/usage.def"
#include "common/diag/diag.h"

struct inner {
    bool fast;
    double scale;
    double level;
};

struct values {
    bool verbose, fast;
    bool light;
    int bounce, box[4];
    const char *output, *colour;
    const char **files, **pairs;
    int preset;
    int grain; /* 0: not given */
    struct inner inner;
};

static const char *const presets[] = {"fast", "normal", "final", NULL};

static const char *colour_at(size_t index)
{
    static const char *const colours[] = {"red", "green"};
    return index < 2 ? colours[index] : NULL;
}

static const struct option_def defs[] = {
    {.name = "v",
     .alias = "verbose",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct values, verbose),
     .help = "talk"},
    {.name = "fast", .kind = OPTION_FLAG, .offset = offsetof(struct values, fast), .help = "quick"},
    {.name = "nolight",
     .kind = OPTION_CLEAR,
     .offset = offsetof(struct values, light),
     .help = "dark"},
    {.name = "bounce",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = offsetof(struct values, bounce),
     .min = 0,
     .max = 100,
     .map_key = "_bounce",
     .help = "most bounces"},
    {.name = "grain",
     .hidden = "g",
     .argument = "N",
     .kind = OPTION_INT,
     .min = 1,
     .max = 9,
     .offset = offsetof(struct values, grain),
     .help = "how coarse"},
    {.name = "box",
     .argument = "X0 Y0 X1 Y1",
     .kind = OPTION_INT,
     .arity = 4,
     .offset = offsetof(struct values, box),
     .help = "limits"},
    {.name = "o",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct values, output),
     .help = "result"},
    {.name = "add",
     .argument = "FILE",
     .kind = OPTION_LIST,
     .offset = offsetof(struct values, files),
     .help = "one more"},
    {.name = "pair",
     .argument = "FILE NAME",
     .kind = OPTION_LIST,
     .arity = 2,
     .offset = offsetof(struct values, pairs),
     .help = "two more"},
    {.name = "preset",
     .argument = "P",
     .kind = OPTION_CHOICE,
     .choices = presets,
     .offset = offsetof(struct values, preset),
     .two_dashes = true,
     .help = "how fine"},
    {.name = "colour",
     .argument = "C",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct values, colour),
     .name_at = colour_at,
     .help = "how it looks"},
    {.name = "map",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct values, output),
     .endings = "vmf",
     .help = "with this: a map; or none"},
    {.name = "place",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct values, output),
     .help = "a folder"},
    {.name = "cube", .kind = OPTION_REFUSED, .help = "cubes are not made; take a box"},
    {.name = "low", .kind = OPTION_IGNORED, .help = "no need"},
    {.name = "mpi_pw", .argument = "PW", .kind = OPTION_IGNORED_ARG, .help = "no net"},
    {.name = "bounces", .argument = "[N]", .kind = OPTION_IGNORED_NUMBER, .help = "no"},
    {.name = "centred", .kind = OPTION_STANDING, .help = "it is"},
};

static const struct option_def inner_defs[] = {
    {.name = "fast", .kind = OPTION_FLAG, .offset = offsetof(struct inner, fast), .help = "quick"},
    {.name = "scale",
     .argument = "F",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct inner, scale),
     .help = "a scale\n.and a line that starts with a dot and a back\\slash"},
    {.name = "level",
     .argument = "[N]",
     .kind = OPTION_NUMBER_OR_NONE,
     .offset = offsetof(struct inner, level),
     .min = -1,
     .max = 1,
     .help = "a level, or none"},
};

static const struct option_group groups[] = {
    {"Inner things", inner_defs, 3, offsetof(struct values, inner), "inner"},
};

static const struct values standard = {
    .light = true, .bounce = 8, .colour = "green", .inner.scale = 1.5};

static const struct option_table table = {
    .program = "thing",
    .summary = "does a thing",
    .operands = "MAP",
    .defs = defs,
    .count = sizeof defs / sizeof *defs,
    .groups = groups,
    .group_count = 1,
    .defaults = &standard,
    .min_operands = 1,
    .max_operands = 1,
};

struct run {
    struct values values;
    struct option_result result;
    struct diag *diag;
    enum status status;
};

/* Arguments in one text, separated by spaces. */
static struct run run(const char *line)
{
    static char text[256];
    static char *argv[32];
    int argc = 1;
    argv[0] = (char *)"thing";
    strncpy(text, line, sizeof text - 1);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    struct run run = {.values = standard, .diag = diag_new(NULL, NULL)};
    run.status = options_parse(&table, &run.values, argc, argv, &run.result, run.diag);
    return run;
}

static void end(struct run *run)
{
    options_free(&run->result);
    arrfree(run->values.files);
    arrfree(run->values.pairs);
    diag_free(run->diag);
}

static void refused(const char *line, const char *message)
{
    struct run r = run(line);
    assert_int_equal(r.status, STATUS_USAGE);
    assert_int_equal(diag_count_code(r.diag, DIAG_USAGE), 1);
    assert_non_null(strstr(diag_entry(r.diag, 0)->message, message));
    end(&r);
}

static void every_kind_is_set(void **state)
{
    (void)state;
    struct run r = run("-verbose --nolight -bounce 3 -box -1 2 -3 4 -o=out.bsp -add a --add b "
                       "--Preset FINAL -colour RED -low -mpi_pw x -scale 0.25 map");
    assert_int_equal(r.status, STATUS_OK);
    assert_true(r.values.verbose);
    assert_false(r.values.light);
    assert_int_equal(r.values.bounce, 3);
    assert_int_equal(r.values.box[0], -1);
    assert_int_equal(r.values.box[3], 4);
    assert_string_equal(r.values.output, "out.bsp");
    assert_int_equal(arrlen(r.values.files), 2);
    assert_string_equal(r.values.files[1], "b");
    assert_int_equal(r.values.preset, 2);
    assert_string_equal(r.values.colour, "red"); /* as in the table */
    assert_true(r.values.inner.scale == 0.25);
    assert_int_equal(arrlen(r.result.operands), 1);
    assert_string_equal(r.result.operands[0], "map");
    end(&r);
}

static void a_number_may_be_left_out(void **state)
{
    (void)state;
    static const char *const lines[] = {"-level 0.5 map", "-level=0.25 map", "-level map",
                                        "-level -fast map", "-level 3"};
    const double levels[] = {0.5, 0.25, -1, -1, -1};
    for (int i = 0; i < 5; i++) {
        struct run r = run(lines[i]);
        assert_int_equal(r.status, STATUS_OK);
        assert_true(r.values.inner.level == levels[i]);
        assert_int_equal(arrlen(r.result.operands), 1);
        end(&r);
    }
    refused("-level 3 map", "out of range");
}

static void options_without_effect_are_listed_once(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct run r = run("-low -bounces 3 -bounces -mpi_pw x -low -centred map");
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(options_ignored(&table, &r.result, &arena), "-low, -mpi_pw, -bounces");
    assert_string_equal(r.result.operands[0], "map");
    end(&r);
    r = run("-centred -bounces 3"); /* a map of that name */
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(r.result.operands[0], "3");
    assert_string_equal(options_ignored(&table, &r.result, &arena), "-bounces");
    end(&r);
    r = run("-centred map");
    assert_null(options_ignored(&table, &r.result, &arena));
    end(&r);
    arena_free(&arena);
}

static void quotes_of_batch_files_are_removed(void **state)
{
    (void)state;
    struct run r = run("\"-fast\" -o \"out.bsp\" \"-preset=final\" -colour=\"red\" map\"");
    assert_int_equal(r.status, STATUS_OK);
    assert_true(r.values.fast);
    assert_string_equal(r.values.output, "out.bsp");
    assert_int_equal(r.values.preset, 2);
    assert_string_equal(r.values.colour, "red");
    assert_string_equal(r.result.operands[0], "map");
    end(&r);
    r = run("-o \"a\"b\" map"); /* text with quotes */
    assert_string_equal(r.values.output, "\"a\"b\"");
    end(&r);
}

static void a_number_may_follow_a_letter(void **state)
{
    (void)state;
    struct run r = run("-g4 map");
    assert_int_equal(r.status, STATUS_OK);
    assert_int_equal(r.values.grain, 4);
    end(&r);
    refused("map -g12", "12 is out of range");
    refused("map -g4x", "unknown option '-g4x'");
    refused("map -v1", "unknown option '-v1'");
    refused("map -grain4", "unknown option '-grain4'");
}

static void a_list_takes_several_at_a_time(void **state)
{
    (void)state;
    struct run r = run("-pair a b -pair c d map");
    assert_int_equal(r.status, STATUS_OK);
    assert_int_equal(arrlen(r.values.pairs), 4);
    assert_string_equal(r.values.pairs[0], "a");
    assert_string_equal(r.values.pairs[3], "d");
    end(&r);
    refused("map -pair a", "-pair requires 2 arguments");
}

static void a_name_in_two_groups_sets_both(void **state)
{
    (void)state;
    struct run r = run("-fast map");
    assert_true(r.values.fast && r.values.inner.fast);
    end(&r);
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
    refused("-bonuce 3 map", "unknown option '-bonuce' (did you mean '-bounce'?)");
    refused("-prset fast map", "(did you mean '--preset'?)");
    refused("-quite_another map", "unknown option '-quite_another'");
    refused("-bounce 101 map", "101 is out of range (0 to 100)");
    refused("-bounce 2.5 map", "not an integer");
    refused("-bounce 99999999999999999999 map", "not an integer");
    refused("-scale nan map", "not a number");
    refused("-preset best map", "one of fast, normal, final");
    refused("-colour blue map", "'blue' is not one of red, green");
    refused("-cube map", "-cube: cubes are not made; take a box");
    refused("-cube=3 map", "no argument");
    refused("-fast=1 map", "no argument");
    refused("-box=1 map", "several");
    refused("map -o", "-o requires an argument: ");
    refused("-box 1 2 3", "requires 4 arguments");
    refused("a b", "unexpected argument 'b'");
    refused("", "missing argument: MAP");
    refused("\"\"", "an argument is empty");
    refused("\xe2\x80\x93"
            "fast map",
            "typographic dash");
}

static void missing_operands_are_named(void **state)
{
    (void)state;
    static const char *const messages[] = {"missing arguments: IN and OUT",
                                           "missing argument: OUT"};
    char *const argv[] = {(char *)"thing", (char *)"a"};
    struct option_table two = table;
    two.operands = "IN OUT";
    two.min_operands = two.max_operands = 2;
    for (int given = 0; given < 2; given++) {
        struct run r = {.values = standard, .diag = diag_new(NULL, NULL)};
        r.status = options_parse(&two, &r.values, 1 + given, argv, &r.result, r.diag);
        assert_int_equal(r.status, STATUS_USAGE);
        assert_string_equal(diag_entry(r.diag, 0)->message, messages[given]);
        end(&r);
    }
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct run r = run("-- -fast");
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(r.result.operands[0], "-fast");
    end(&r);
    r = run("-");
    assert_string_equal(r.result.operands[0], "-");
    end(&r);
}

static void help_needs_no_operand(void **state)
{
    (void)state;
    struct run r = run("-help");
    assert_int_equal(r.status, STATUS_OK);
    assert_true(r.result.page == options_help);
    assert_null(r.result.topic);
    end(&r);
}

static void help_is_asked_about_what_follows_it(void **state)
{
    (void)state;
    static const char *const questions[] = {"-help all", "--help=bounce", "-h -bounce",
                                            "-? inner",  "-help -cube",   "-help -g"};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct run r = run(questions[i]);
        assert_int_equal(r.status, STATUS_OK);
        assert_string_equal(r.result.topic, questions[i] + strcspn(questions[i], " =") + 1);
        end(&r);
    }
    struct run r = run("-help bonce map");
    assert_int_equal(r.status, STATUS_USAGE);
    assert_string_equal(diag_entry(r.diag, 0)->message,
                        "no option is about 'bonce'; --help all lists all options");
    end(&r);
    r = run("-help -bonce");
    assert_int_equal(r.status, STATUS_USAGE);
    assert_non_null(strstr(diag_entry(r.diag, 0)->message, "did you mean '-bounce'?"));
    end(&r);
    r = run("-help --man");
    assert_true(r.result.page == options_man_page);
    end(&r);
}

static void map_keys_are_weaker_than_the_command_line(void **state)
{
    (void)state;
    struct run r = run("map");
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "_BOUNCE", "5", r.diag),
                     0);
    assert_int_equal(r.values.bounce, 5);
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "skyname", "x", r.diag),
                     0);
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "_bounce", "x", r.diag),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(r.diag, DIAG_MAP_OPTION), 1);
    end(&r);
    r = run("-bounce 7 map");
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "_bounce", "5", r.diag),
                     0);
    assert_int_equal(r.values.bounce, 7);
    end(&r);
}

static enum status configure(struct run *r, const char *tool, const char *a, const char *b)
{
    const char *const arguments[] = {a, b};
    return options_parse_config(&table, &r->values, &r->result, tool, arguments, b ? 2 : 1, "a.cfg",
                                r->diag);
}

static void settings_of_a_file_stand_between(void **state)
{
    (void)state;
    struct run r = run("map");
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "_bounce", "5", r.diag),
                     0);
    assert_int_equal(configure(&r, "thing", "-bounce", "6"), STATUS_OK);
    assert_int_equal(r.values.bounce, 6); /* overrides the map */
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "_bounce", "5", r.diag),
                     0);
    assert_int_equal(r.values.bounce, 6);
    end(&r);
    r = run("-bounce 7 -add x map");
    assert_int_equal(configure(&r, "thing", "-bounce", "6"), STATUS_OK);
    assert_int_equal(configure(&r, "thing", "-add", "y"), STATUS_OK);
    assert_int_equal(r.values.bounce, 7); /* overridden by the command line */
    assert_int_equal(arrlen(r.values.files), 1);
    assert_int_equal(configure(&r, "thing", "-pair", "y"), STATUS_USAGE);
    assert_int_equal(configure(&r, "thing", "-help", NULL), STATUS_USAGE);
    assert_int_equal(configure(&r, "thing", "word", NULL), STATUS_USAGE);
    assert_int_equal(configure(&r, "thing", "-", NULL), STATUS_USAGE);
    assert_string_equal(diag_entry(r.diag, 0)->where.file, "a.cfg");
    assert_int_equal(arrlen(r.result.operands), 1);
    end(&r);
}

/* Whoever forgets to say what a text is gets the safe side. */
static void only_the_command_line_names_files(void **state)
{
    (void)state;
    const struct option_def text = {.name = "a", .kind = OPTION_TEXT, .map_key = "_a"};
    const struct option_def list = {.name = "a", .kind = OPTION_LIST};
    const struct option_def flag = {.name = "a", .kind = OPTION_FLAG, .map_key = "_a"};
    struct option_def other = text;
    assert_true(option_is_for_caller(&text));
    assert_true(option_is_for_caller(&list));
    assert_false(option_is_for_caller(&flag));
    other.is_word = true;
    assert_false(option_is_for_caller(&other));
    other.path = OPTION_READS;
    assert_true(option_is_for_caller(&other));
    other = text;
    other.name_at = colour_at;
    assert_false(option_is_for_caller(&other));
    other = flag;
    other.touches_files = true;
    assert_true(option_is_for_caller(&other));

    const struct option_def both[] = {text, other};
    const struct option_table own = {.program = "thing", .defs = both, .count = 2};
    const char *value = NULL;
    struct option_result result = {0};
    struct diag *diag = diag_new(NULL, NULL);
    for (int i = 0; i < 2; i++)
        arrput(result.sources, OPTION_DEFAULT);
    assert_int_equal(options_apply_map_key(&own, &value, &result, "_a", "1", diag), STATUS_OK);
    assert_null(value);
    const char *const words[] = {"-a", "x"};
    assert_int_equal(options_parse_config(&own, &value, &result, NULL, words, 2, "a.cfg", diag),
                     STATUS_USAGE);
    assert_null(value);
    assert_int_equal(result.sources[0], OPTION_DEFAULT);
    options_free(&result);
    diag_free(diag);
}

static void settings_of_a_file_are_of_one_tool(void **state)
{
    (void)state;
    struct run r = run("map");
    assert_int_equal(configure(&r, "other", "-fast", NULL), STATUS_OK);
    assert_true(r.values.fast); /* of no tool */
    assert_false(r.values.inner.fast);
    assert_int_equal(configure(&r, "other", "-scale", "2"), STATUS_USAGE);
    assert_int_equal(configure(&r, "inner", "-scale", "2"), STATUS_OK);
    assert_int_equal(configure(&r, "inner", "-fast", NULL), STATUS_OK);
    assert_true(r.values.inner.fast);
    end(&r);
}

typedef void writer(const struct option_table *table, FILE *out);

static char *text_of(writer *write, const struct option_table *of)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    write(of, stream.out);
    text_stream_close(&stream);
    return stream.text;
}

static void texts_tell_every_option(void **state)
{
    (void)state;
    char *help = text_of(options_help_all, &table), *page = text_of(options_man_page, &table);
    assert_non_null(strstr(help, "  -bounce N "));
    assert_non_null(strstr(help, "0 to 100; default 8; map key _bounce"));
    assert_non_null(strstr(help, "  --preset P"));
    assert_non_null(strstr(help, "default fast"));
    assert_non_null(strstr(help, "one of red, green; default green"));
    assert_non_null(strstr(help, "how coarse (1 to 9)\n"));
    assert_null(strstr(help, "cube"));
    assert_null(strstr(page, "cube"));
    assert_non_null(strstr(help, "Inner things:\n"));
    assert_non_null(
        strstr(help, "\nWithout effect, for compatibility: -low, -mpi_pw PW, -bounces [N].\n"));
    assert_non_null(strstr(help, "\nAlways so: -centred.\n"));
    assert_non_null(strstr(page, ".It Fl bounce Ar N\n"));
    assert_non_null(strstr(page, ".It Fl -preset Ar P\n"));
    assert_non_null(strstr(page, "\n\\&.and a line"));
    assert_non_null(strstr(page, "back\\eslash"));
    free(help);
    free(page);
}

static const struct option_def marked_defs[] = {
    {.name = "daily",
     .kind = OPTION_FLAG,
     .help = "asked for (a; b) often; with details",
     .min = 1,
     .max = 2},
    {.name = "seldom", .kind = OPTION_FLAG, .use = OPTION_RARE, .help = "for few"},
};

static const struct option_def stage_defs[] = {
    {.name = "unmarked", .kind = OPTION_FLAG, .help = "of a group"},
    {.name = "common", .kind = OPTION_FLAG, .use = OPTION_COMMON, .help = "in its program"},
    {.name = "main", .kind = OPTION_FLAG, .use = OPTION_MAIN, .help = "everywhere"},
};

static void help_lists_the_common_options(void **state)
{
    (void)state;
    struct option_group group = {"Stage", stage_defs, 3, 0, "thing"};
    const struct option_table own = {.program = "thing",
                                     .summary = "does",
                                     .details = "First.\n\nSecond.",
                                     .operands = "MAP",
                                     .defs = marked_defs,
                                     .count = 2,
                                     .groups = &group,
                                     .group_count = 1};
    char *help = text_of(options_help, &own);
    assert_non_null(strstr(help, "asked for (a; b) often\n"));
    assert_non_null(strstr(help, "First.\n"));
    assert_null(strstr(help, "Second."));
    assert_null(strstr(help, "-seldom"));
    assert_null(strstr(help, "-unmarked"));
    assert_non_null(strstr(help, "  -common "));
    assert_non_null(strstr(help, "  -main "));
    assert_non_null(strstr(help, "thing --help all lists 2 more options,"));
    free(help);
    group.tool = "other";
    help = text_of(options_help, &own);
    assert_null(strstr(help, "  -common "));
    assert_non_null(strstr(help, "  -main "));
    assert_non_null(strstr(help, "lists 3 more options,"));
    free(help);
    help = text_of(options_help_all, &own);
    assert_non_null(strstr(help, "often; with details (1 to 2)\n"));
    assert_non_null(strstr(help, "Second."));
    assert_non_null(strstr(help, "-seldom"));
    assert_non_null(strstr(help, "-unmarked"));
    assert_null(strstr(help, "more options"));
    free(help);
}

static void a_help_without_more_says_nothing_of_it(void **state)
{
    (void)state;
    const struct option_table own = {
        .program = "thing", .summary = "does", .operands = "MAP", .defs = marked_defs, .count = 1};
    char *help = text_of(options_help, &own);
    assert_non_null(strstr(help, "  -daily "));
    assert_null(strstr(help, "--help all"));
    free(help);
}

static void a_page_of_options_escapes_what_markdown_reads(void **state)
{
    (void)state;
    char *page = text_of(options_markdown, &table);
    assert_non_null(strstr(page, "## Inner things\n\n| option | meaning |\n|---|---|\n| `"));
    assert_non_null(strstr(page, "| `-bounce N`"));
    assert_non_null(strstr(page, "default 8; map key \\_bounce"));
    assert_non_null(strstr(page, "back\\\\slash"));
    assert_null(strstr(page, "cube"));
    assert_non_null(strstr(page, "| `-mpi_pw PW` | no net |\n"));
    free(page);
}

static void lines_for_completions_tell_what_follows_an_option(void **state)
{
    (void)state;
    struct option_table own = table;
    own.endings = "vmf map";
    char *lines = text_of(options_completion, &own);
    assert_non_null(strstr(lines, "option\t-v\t0\tnone\t\t\ttalk\noption\t-verbose\t0\tnone\t"));
    assert_non_null(strstr(lines, "option\t-box\t4\ttext\t\tX0 Y0 X1 Y1\tlimits\n"));
    assert_non_null(strstr(lines, "option\t--preset\t1\twords\tfast normal final\tP\thow fine\n"));
    assert_non_null(strstr(lines, "option\t-colour\t1\twords\tred green\tC\t"));
    assert_non_null(strstr(lines, "option\t-map\t1\tfiles\tvmf\tFILE\twith this: a map\n"));
    assert_non_null(strstr(lines, "option\t-place\t1\tfolders\t\tDIR\ta folder\n"));
    /* Without a help: taken, and not offered. */
    assert_non_null(strstr(lines, "option\t-mpi_pw\t1\ttext\t\tPW\t\n"));
    assert_non_null(strstr(lines, "option\t-cube\t0\tnone\t\t\t\n"));
    assert_non_null(strstr(lines, "\noperand\tMAP\tvmf map\n"));
    free(lines);
}

static void exit_statuses_are_the_usual_ones_or_a_programs_own(void **state)
{
    (void)state;
    struct option_table own = table;
    own.exit_statuses = "0 the same; 1 different";
    char *help = text_of(options_help, &table), *page = text_of(options_man_page, &own);
    assert_non_null(strstr(help, "Exit status: 0 success; 1 failure;"));
    assert_non_null(strstr(page, ".Sh EXIT STATUS\n0 the same; 1 different.\n"));
    assert_null(strstr(page, "0 success"));
    free(help);
    free(page);
}

static void the_summary_tells_who_set_what(void **state)
{
    (void)state;
    struct run r = run("-fast -box 1 2 3 4 map");
    assert_int_equal(options_apply_map_key(&table, &r.values, &r.result, "_bounce", "5", r.diag),
                     0);
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    options_summary(&table, &r.values, &r.result, stream.out);
    text_stream_close(&stream);
    assert_string_equal(stream.text, "  fast (command line)\n  bounce 5 (map)\n"
                                     "  box 1 2 3 4 (command line)\n  fast (command line)\n");
    free(stream.text);
    end(&r);
}

/* A struct that the values point to: a program changes a copy of its own. */
static void a_part_is_copied_before_it_is_changed(void **state)
{
    (void)state;
    static const struct inner standard_part = {.scale = 2, .level = 7};
    struct pointing {
        int before;
        const struct inner *part;
    } values = {.part = &standard_part};
    static const struct option_part part = {offsetof(struct pointing, part), sizeof(struct inner)};
    static const struct option_def rows[] = {{.name = "scale",
                                              .argument = "N",
                                              .kind = OPTION_NUMBER,
                                              .part = &part,
                                              .offset = offsetof(struct inner, scale),
                                              .map_key = "_scale",
                                              .help = "size"}};
    const struct option_group group = {.title = "Part", .defs = rows, .count = 1};
    const struct option_table of_part = {.program = "thing", .groups = &group, .group_count = 1};
    struct option_result result;
    struct diag *diag = diag_new(NULL, NULL);
    char *argv[] = {(char *)"thing", (char *)"-scale", (char *)"5"};
    assert_int_equal(options_parse(&of_part, &values, 3, argv, &result, diag), STATUS_OK);
    assert_true(values.part->scale == 5 && values.part->level == 7);
    assert_true(standard_part.scale == 2);
    options_free(&result);
    values.part = &standard_part;
    assert_int_equal(options_parse(&of_part, &values, 1, argv, &result, diag), STATUS_OK);
    assert_int_equal(options_apply_map_key(&of_part, &values, &result, "_scale", "3", diag),
                     STATUS_OK);
    assert_true(values.part->scale == 3 && standard_part.scale == 2);
    options_free(&result);
    diag_free(diag);
}

SUITE(test_options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_set),
        cmocka_unit_test(a_number_may_be_left_out),
        cmocka_unit_test(options_without_effect_are_listed_once),
        cmocka_unit_test(quotes_of_batch_files_are_removed),
        cmocka_unit_test(a_number_may_follow_a_letter),
        cmocka_unit_test(a_list_takes_several_at_a_time),
        cmocka_unit_test(a_name_in_two_groups_sets_both),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(missing_operands_are_named),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(help_needs_no_operand),
        cmocka_unit_test(help_is_asked_about_what_follows_it),
        cmocka_unit_test(help_lists_the_common_options),
        cmocka_unit_test(a_help_without_more_says_nothing_of_it),
        cmocka_unit_test(map_keys_are_weaker_than_the_command_line),
        cmocka_unit_test(settings_of_a_file_stand_between),
        cmocka_unit_test(only_the_command_line_names_files),
        cmocka_unit_test(settings_of_a_file_are_of_one_tool),
        cmocka_unit_test(texts_tell_every_option),
        cmocka_unit_test(a_page_of_options_escapes_what_markdown_reads),
        cmocka_unit_test(lines_for_completions_tell_what_follows_an_option),
        cmocka_unit_test(exit_statuses_are_the_usual_ones_or_a_programs_own),
        cmocka_unit_test(the_summary_tells_who_set_what),
        cmocka_unit_test(a_part_is_copied_before_it_is_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
