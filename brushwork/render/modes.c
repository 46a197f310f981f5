/* The options of brushwork render that go together. */
#include "brushwork/render/modes.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/usage.def"
#include "render/debug/debug.h"

/* The subject of a picture: `VIEWS` are those of --from and --spawns, and the one that nobody
 * names. */
enum mode {
    VIEWS = 1,
    TURNTABLE = 2,
    OVERVIEW = 4,
    LEVELSHOT = 8,
    MINIMAP = 16,
    LEAK = 32,
    COMPARISON = 64,
    LIT = VIEWS | TURNTABLE | OVERVIEW | LEVELSHOT | COMPARISON, /* by the map's own light */
};

/* An option that does not go with everything. */
struct use {
    const char *option;
    unsigned modes;     /* it has an effect in these */
    bool without_debug; /* but none with --debug */
    const char *needs;  /* that it is only for; or NULL */
};

static const struct use uses[] = {
    {"fov", (LIT | LEAK) & ~(unsigned)OVERVIEW, false, NULL},
    {"samples", LIT | LEAK | MINIMAP, true, NULL},
    {"exposure", LIT | LEAK, true, NULL},
    {"raise-dark", LIT, true, NULL},
    {"time", LIT, true, NULL},
    {"hdr", LIT, false, NULL},
    {"lightmap-only", LIT | LEAK, true, NULL},
    {"filter", LIT, true, NULL},
    {"foreign-luxels", LIT, true, NULL},
    {"debug", LIT & ~(unsigned)LEVELSHOT, false, NULL},
    {"cut", OVERVIEW, false, "--overview"},
    {"border", MINIMAP, false, "--minimap"},
    {"boost", MINIMAP, false, "--minimap"},
    {"sharpen", MINIMAP, false, "--minimap"},
    {"brightness", MINIMAP, false, "--minimap"},
    {"contrast", MINIMAP, false, "--minimap"},
    {"minmax", MINIMAP, false, "--minimap"},
    {"no-keepaspect", MINIMAP, false, "--minimap"},
    {"no-autolevel", MINIMAP, false, "--minimap"},
    {"black", MINIMAP, false, "--minimap"},
    {"white", MINIMAP, false, "--minimap"},
};

struct choice {
    const char *name;
    enum mode mode;
    bool is_wanted;
};

/* Returns false for a default. */
static bool is_given(const struct program *program, const char *option)
{
    size_t base;
    for (size_t i = 0; i < options_count(program->table); i++)
        if (strcmp(options_at(program->table, i, &base)->name, option) == 0)
            return program->result->sources[i] != OPTION_DEFAULT;
    return false;
}

static enum status refuse(const struct program *program, const char *option, const char *relation,
                          const char *other)
{
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s%s %s", option, relation, other);
    return STATUS_USAGE;
}

/* Each chooses what is drawn, so that there can be one only. */
static enum status choose(const struct program *program, struct choice *out)
{
    const struct render_values *values = program->values;
    const struct choice choices[] = {
        {"--from", VIEWS, arrlen(values->from) > 0 && !values->compare},
        {"--spawns", VIEWS, values->spawns},
        {"--turntable", TURNTABLE, values->turntable > 0},
        {"--overview", OVERVIEW, values->overview},
        {"--levelshot", LEVELSHOT, values->levelshot},
        {"--minimap", MINIMAP, values->minimap.wanted},
        {"--leak", LEAK, values->leak},
        {"--compare", COMPARISON, values->compare}};
    *out = (struct choice){NULL, VIEWS, false};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (!choices[i].is_wanted)
            continue;
        if (out->name) {
            (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                              "%s and %s are mutually exclusive", out->name, choices[i].name);
            return STATUS_USAGE;
        }
        *out = choices[i];
    }
    return STATUS_OK;
}

/* An option that would change nothing is a mistake of who gives it. */
static enum status check_uses(const struct program *program, const struct choice *choice)
{
    const struct render_values *values = program->values;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof uses / sizeof *uses && status == STATUS_OK; i++) {
        const struct use *use = &uses[i];
        if (!is_given(program, use->option))
            continue;
        const char *option = arena_printf(&arena, "--%s", use->option);
        if (!(use->modes & choice->mode))
            status = use->needs ? refuse(program, option, " needs", use->needs)
                                : refuse(program, option, " has no effect with", choice->name);
        else if (use->without_debug && values->debug != DEBUG_NONE)
            status = refuse(program, option, " has no effect with", "--debug");
    }
    if (status == STATUS_OK && values->pvs_from && values->debug != DEBUG_PVS)
        status = refuse(program, "--pvs-from", " needs", "--debug pvs");
    if (status == STATUS_OK && values->render.scene.foreign != FOREIGN_NONE &&
        values->render.scene.filter != LIGHT_BICUBIC)
        status = refuse(program, "--foreign-luxels", " needs", "--filter bicubic");
    arena_free(&arena);
    return status;
}

enum status render_check_modes(const struct program *program)
{
    const struct render_values *values = program->values;
    struct choice choice;
    TRY(choose(program, &choice));
    if (arrlenu(program->result->operands) == (values->compare ? 2 : 1))
        return check_uses(program, &choice);
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                      values->compare ? "--compare needs two files" : "two files need --compare");
    return STATUS_USAGE;
}
