#include "q3map2/table.h"

#include <string.h>

#include "brushwork/verbs.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/files.h"
#include "vrad/files.h"
#include "vvis/files.h"

/* Reasons of several options. */
#define HOME          "no folder of the user is searched; name it by -fs_basepath"
#define EPSILON       "planes are exact: those of equal brushes are shared"
#define MERGING       "triangles are merged as long as the limits allow"
#define SRGB          "colours are those of light: give it to -light"
#define DEBUGGING     "debugging of q3map2"
#define FLOW          "visibility is exact, by one method"
#define POINTS        "luxels are placed on the visible part of their surface"
#define SPEED         "lights reach as far as they give light"
#define PACKING       "pages are packed in one way"
#define READ_BSP      "a BSP is read, not a map"
#define COMPRESSED    "archives are compressed in one way, so that they are reproducible"
#define NAMES_MISSING "the messages name what is missing"
#define AS_FOUND      "images of all formats are packed as the game finds them"

static int vbsp(int argc, char **argv)
{
    return vbsp_program(argc, argv, NULL);
}

static int vvis(int argc, char **argv)
{
    return vvis_program(argc, argv, NULL);
}

static int vrad(int argc, char **argv)
{
    return vrad_program(argc, argv, NULL);
}

#define VERB(name, operands, summary) verb_function verb_##name;
#include "brushwork/verbs.def"
#undef VERB

const struct q3_stage q3_stages[Q3_STAGES] = {
#define STAGE(id, word, title, program, line, operands, summary)                                   \
    {(word), (title), (program), (line), (operands), (summary)},
#include "q3map2/stages.def"
#undef STAGE
};

static const struct q3_option options[] = {
#define ROW(stage, name, arguments, means, ours, text, common)                                     \
    {Q3_##stage, (name), (arguments), Q3_##means, (ours), (text), (common)},
#define OPTION(stage, name, arguments, means, ours, text)                                          \
    ROW(stage, name, arguments, means, ours, text, false)
#define USUAL(stage, name, arguments, means, ours, text)                                           \
    ROW(stage, name, arguments, means, ours, text, true)
#include "q3map2/options.def"
#undef USUAL
#undef OPTION
#undef ROW
};

const struct q3_default q3_defaults[] = {
    {Q3_BSP, "meta", {"-nometa"}},
    {Q3_LIGHT, "bounce", {"-bounce", "0"}},
    {Q3_LIGHT, "samples", {"-samples", "1"}},
};

size_t q3_default_count(void)
{
    return sizeof q3_defaults / sizeof *q3_defaults;
}

size_t q3_option_count(void)
{
    return sizeof options / sizeof *options;
}

const struct q3_option *q3_option_at(size_t index)
{
    return &options[index];
}

const struct q3_option *q3_find_option(enum q3_stage_id stage, const char *name)
{
    for (size_t i = 0; i < q3_option_count(); i++)
        if (options[i].stage == stage && str_equal_nocase(options[i].name, name))
            return &options[i];
    return NULL;
}

bool q3_find_stage(const char *name, enum q3_stage_id *out)
{
    for (int i = 0; i < Q3_STAGES; i++)
        if (q3_stages[i].word && str_equal_nocase(q3_stages[i].word, name)) {
            *out = (enum q3_stage_id)i;
            return true;
        }
    return false;
}

static size_t count_words(const char *text, bool optional_too)
{
    size_t count = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        if (optional_too || *text != '[')
            count++;
        text += strcspn(text, " ");
    }
    return count;
}

size_t q3_fewest_arguments(const struct q3_option *option)
{
    return count_words(option->arguments, false);
}

size_t q3_most_arguments(const struct q3_option *option)
{
    return count_words(option->arguments, true);
}

/* The options of a program; stb_ds array. */
struct known {
    const struct option_def **defs;
};

static void collect(const struct option_table *table, void *context)
{
    struct known *known = context;
    size_t count = options_count(table), base;
    for (size_t i = 0; i < count; i++)
        arrput(known->defs, options_at(table, i, &base));
}

static void collect_group(struct option_group group, struct known *known)
{
    for (size_t i = 0; i < group.count; i++)
        arrput(known->defs, &group.defs[i]);
}

static void collect_common(struct known *known)
{
    struct option_group groups[PROGRAM_COMMON_GROUPS];
    collect_group(standard_option_group(0), known);
    program_common_groups(NULL, 0, groups);
    for (size_t i = 0; i < PROGRAM_COMMON_GROUPS; i++)
        collect_group(groups[i], known);
}

/* Asked for once and kept: they are those of the process. */
static const struct known *known_of(enum q3_stage_id stage)
{
    static struct known all[Q3_STAGES];
    struct known *known = &all[stage];
    if (known->defs)
        return known;
    if (q3_stages[stage].run) {
        char name[] = "", *argv[] = {name, NULL};
        program_inspect(collect, known);
        (void)q3_stages[stage].run(1, argv);
    } else
        collect_common(known);
    return known;
}

const struct option_def *q3_find_ours(enum q3_stage_id stage, const char *name)
{
    const struct known *known = known_of(stage);
    for (size_t i = 0; i < arrlenu(known->defs); i++)
        if (option_has_name(known->defs[i], name))
            return known->defs[i];
    return NULL;
}

bool q3_is_about_messages(const char *name)
{
    struct option_group groups[PROGRAM_COMMON_GROUPS];
    program_common_groups(NULL, 0, groups);
    for (size_t i = 0; i < groups[0].count; i++)
        if (option_has_name(&groups[0].defs[i], name))
            return true;
    return false;
}

/* As q3_find_ours; a common option may be one of any stage. */
static const struct option_def *find_of(const struct q3_option *option, enum q3_stage_id stage,
                                        const char *name)
{
    const struct option_def *def = q3_find_ours(stage, name);
    static const enum q3_stage_id compile[] = {Q3_BSP, Q3_VIS, Q3_LIGHT};
    for (size_t i = 0; !def && option->stage == Q3_COMMON && i < 3; i++)
        def = q3_find_ours(compile[i], name);
    return def;
}

/* "-super %" or "--super %": the option that its first word names. */
static const struct option_def *find_words(const struct q3_option *option, enum q3_stage_id stage)
{
    char name[32];
    const char *words = option->ours + strspn(option->ours, "-");
    size_t length = strcspn(words, " ");
    if (length >= sizeof name)
        return NULL;
    memcpy(name, words, length);
    name[length] = '\0';
    return find_of(option, stage, name);
}

/* Without the conditions that hold in the stage. */
static const char *plain_help(const struct option_def *def)
{
    static const char *const prefixes[] = {"Quake 3: ", "with --minimap: ", "with --pk3: "};
    const char *help = def->help ? def->help : "";
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts_nocase(help, prefixes[i]))
            return help + strlen(prefixes[i]);
    return help;
}

static struct q3_deed deed_by(const struct option_def *def)
{
    if (def->kind == OPTION_STANDING)
        return (struct q3_deed){Q3_DONE_ALWAYS, NULL, false, plain_help(def)};
    if (option_is_ignored(def) || def->kind == OPTION_REFUSED)
        return (struct q3_deed){Q3_NOTED, NULL, false, plain_help(def)};
    return (struct q3_deed){Q3_DONE, def, false, plain_help(def)};
}

struct q3_deed q3_deed_of(const struct q3_option *option, enum q3_stage_id stage)
{
    const struct option_def *def = NULL;
    switch (option->means) {
    case Q3_HERE:
        return (struct q3_deed){Q3_DONE, NULL, false, option->text};
    case Q3_ALWAYS:
        return (struct q3_deed){Q3_DONE_ALWAYS, NULL, false, option->text};
    case Q3_SAME:
    case Q3_WORDS:
        def = find_of(option, stage, option->name);
        if (def)
            return deed_by(def);
        def = option->means == Q3_WORDS ? find_words(option, stage) : NULL;
        if (def)
            return (struct q3_deed){Q3_DONE, def, true,
                                    option->text ? option->text : plain_help(def)};
        break;
    case Q3_IDLE:
        break;
    }
    return (struct q3_deed){Q3_NOTED, NULL, false, option->text ? option->text : "no effect here"};
}
