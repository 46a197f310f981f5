#include "q3map2/table.h"

#include <string.h>

#include "common/cli/program.h"
#include "common/core/strings.h"
#include "vbsp/check.h"
#include "vbsp/options.h"
#include "vrad/options.h"
#include "vvis/options.h"

/* Reasons of several options. */
#define HOME      "no folder of the user is searched; name it by -fs_basepath"
#define EPSILON   "planes are exact: those of equal brushes are shared"
#define MERGING   "triangles are merged as long as the limits allow"
#define INFOPARMS "surface parameters are those of the game's engine"
#define SRGB      "colours and images are taken as q3map2 does without the switch"
#define DEBUGGING "debugging of q3map2"
#define FLOW      "visibility is exact, by one method"
#define GRID      "the light grid has the light of its points"
#define CURVE     "light is stored on the curve that the engine expects"
#define POINTS    "luxels are placed on the visible part of their surface"
#define SPEED     "lights reach as far as they give light"
#define STYLES    "lights with a style flicker; without one none does"
#define DIRT      "-ao of vrad is ambient occlusion"
#define PACKING   "pages are packed in one way"

const struct q3_stage q3_stages[Q3_STAGES] = {
#define STAGE(id, word, operands, takes, summary) {(word), (operands), (takes), (summary)},
#include "q3map2/stages.def"
#undef STAGE
};

static const struct q3_option options[] = {
#define OPTION(stage, name, arguments, means, ours, text)                                          \
    {Q3_##stage, (name), (arguments), Q3_##means, (ours), (text)},
#include "q3map2/options.def"
#undef OPTION
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

static const struct option_def *find_in(const struct option_group *group, const char *name)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct option_def *def = &group->defs[i];
        const char *const names[] = {def->name, def->alias, def->hidden};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (names[k] && str_equal_nocase(names[k], name))
                return def;
    }
    return NULL;
}

enum { OWN_GROUPS = 2 };

/* The options of the program that runs the stage, apart from those of all programs. */
static size_t own_groups(enum q3_stage_id stage, struct option_group out[OWN_GROUPS])
{
    if (stage == Q3_BSP) {
        out[0] = vbsp_option_group(0);
        out[1] = vbsp_check_option_group(0);
        return 2;
    }
    if (stage == Q3_VIS || stage == Q3_LIGHT) {
        out[0] = stage == Q3_VIS ? vvis_option_group(0) : vrad_option_group(0);
        return 1;
    }
    return 0;
}

bool q3_is_about_messages(const char *name)
{
    struct option_group groups[PROGRAM_COMMON_GROUPS];
    program_common_groups(NULL, 0, groups);
    return find_in(&groups[0], name);
}

/* A list "v game" has the word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (list += strspn(list, " "); *list; list += strspn(list, " ")) {
        size_t size = strcspn(list, " ");
        if (size == length && strncmp(list, word, size) == 0)
            return true;
        list += size;
    }
    return false;
}

const struct option_def *q3_find_ours(enum q3_stage_id stage, const char *name)
{
    struct option_group groups[OWN_GROUPS + 1], common[PROGRAM_COMMON_GROUPS];
    size_t count = own_groups(stage, groups);
    groups[count++] = standard_option_group(0);
    program_common_groups(NULL, 0, common);
    const struct option_def *def = NULL;
    for (size_t i = 0; i < count && !def; i++)
        def = find_in(&groups[i], name);
    if (def && q3_stages[stage].takes && !has_word(q3_stages[stage].takes, def->name))
        def = NULL;
    for (size_t i = 0; i < PROGRAM_COMMON_GROUPS && !def; i++)
        def = find_in(&common[i], name);
    return def;
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

/* "-super %": the option that its first word names. */
static const struct option_def *find_words(const struct q3_option *option, enum q3_stage_id stage)
{
    char name[32];
    size_t length = strcspn(option->ours + 1, " ");
    if (length >= sizeof name)
        return NULL;
    memcpy(name, option->ours + 1, length);
    name[length] = '\0';
    return find_of(option, stage, name);
}

/* Without the "Quake 3: " of programs that are for Source as well. */
static const char *plain_help(const struct option_def *def)
{
    static const char prefix[] = "Quake 3: ";
    const char *help = def->help ? def->help : "";
    return str_starts_nocase(help, prefix) ? help + strlen(prefix) : help;
}

static struct q3_deed deed_by(const struct q3_option *option, const struct option_def *def)
{
    if (def->kind == OPTION_STANDING)
        return (struct q3_deed){Q3_DONE_ALWAYS, NULL, false,
                                option->text ? option->text : plain_help(def)};
    if (option_is_ignored(def) || def->kind == OPTION_REFUSED)
        return (struct q3_deed){Q3_NOTED, NULL, false,
                                option->text ? option->text : plain_help(def)};
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
            return deed_by(option, def);
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
