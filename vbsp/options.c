#include "vbsp/options.h"

enum { NO_BLOCK = -100000 }; /* what no command line can give */

#define FIELD(name) offsetof(struct vbsp_settings, name)

static const struct option_def defs[] = {
    {.name = "o",
     .alias = "output",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = FIELD(output),
     .help = "the BSP to write (default: beside the map); - is standard output"},
    {.name = "target",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(target),
     .two_dashes = true,
     .help = "branch of the engine to write for: sdk2013, sdk2013sp or tf2 (default sdk2013)"},
    {.name = "leaktest",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.leak_test),
     .help = "stop at a leak, with only the .lin written"},
    {.name = "nodetail",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_detail),
     .help = "leave out detail brushes"},
    {.name = "fulldetail",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.full_detail),
     .help = "treat detail brushes as structural"},
    {.name = "nowater",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_water),
     .help = "leave out brushes of water and slime"},
    {.name = "nocsg",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_csg),
     .help = "do not cut overlapping brushes against each other"},
    {.name = "noweld",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_weld),
     .help = "do not weld vertices"},
    {.name = "noshare",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_share),
     .help = "do not share edges between faces"},
    {.name = "forceskyvis",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.force_sky_vis),
     .help = "let the leaves of a 3D sky keep their own clusters"},
    {.name = "notjunc",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_tjunc),
     .help = "do not fix T-junctions"},
    {.name = "noopt",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_opt),
     .help = "keep the first tree: no second pass without what lies outside"},
    {.name = "noprune",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_prune),
     .help = "keep nodes whose children are alike"},
    {.name = "nomerge",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_merge),
     .help = "do not merge faces"},
    {.name = "nomergewater",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_merge_water),
     .help = "do not merge faces of water"},
    {.name = "nosubdiv",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_subdiv),
     .help = "do not subdivide faces for lightmaps"},
    {.name = "bumpall",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.bump_all),
     .help = "light every lit surface for bump maps"},
    {.name = "lightifmissing",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.light_if_missing),
     .help = "give lightmaps also to surfaces whose material is missing"},
    {.name = "block",
     .argument = "X Y",
     .kind = OPTION_INT,
     .offset = FIELD(block),
     .arity = 2,
     .min = -1024,
     .max = 1024,
     .help = "only this 1024-unit block"},
    {.name = "blocks",
     .argument = "X0 Y0 X1 Y1",
     .kind = OPTION_INT,
     .offset = FIELD(blocks),
     .arity = 4,
     .min = -1024,
     .max = 1024,
     .help = "only these 1024-unit blocks"},
    {.name = "micro",
     .argument = "VOLUME",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.micro_volume),
     .min = 0,
     .max = 1e9,
     .help = "warn of brushes with less volume than this"},
    {.name = "luxelscale",
     .argument = "F",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.luxel_scale),
     .min = 0.01,
     .max = 100,
     .map_key = "_luxelscale",
     .help = "multiply every lightmap scale by F"},
    {.name = "minluxelscale",
     .argument = "F",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.min_luxel_scale),
     .min = 1,
     .max = 1024,
     .map_key = "_minluxelscale",
     .help = "lightmap scales are at least F"},
};

struct vbsp_settings vbsp_settings_defaults(void)
{
    return (struct vbsp_settings){
        .options = vbsp_defaults, .target = "sdk2013", .block = {NO_BLOCK}, .blocks = {NO_BLOCK}};
}

/* Maps are compiled for Source alone, though others are read. */
static bool is_compiled_for(const struct bsp_format *format)
{
    return format->family == CONTAINER_VBSP && !format->read_only;
}

static void report_target(const char *target, struct diag *diag)
{
    struct arena arena = {0};
    const char *known = "";
    for (size_t i = 0; bsp_format_at(i); i++)
        if (is_compiled_for(bsp_format_at(i)))
            known = arena_printf(&arena, "%s%s%s", known, i ? ", " : "", bsp_format_at(i)->target);
    (void)diag_report(diag, DIAG_USAGE, NULL, "-target: '%s' is not one of %s", target, known);
    arena_free(&arena);
}

enum status vbsp_settings_finish(struct vbsp_settings *settings, struct diag *diag,
                                 const struct bsp_format **format)
{
    struct vbsp_options *options = &settings->options;
    const int *b = settings->blocks, single[] = {settings->block[0], settings->block[1],
                                                 settings->block[0], settings->block[1]};
    if (b[0] == NO_BLOCK)
        b = single;
    options->blocks_limited = b[0] != NO_BLOCK;
    for (int i = 0; i < 2 && options->blocks_limited; i++) {
        options->block_x[i] = b[2 * i];
        options->block_y[i] = b[2 * i + 1];
    }
    *format = bsp_format_find(settings->target);
    if (*format && is_compiled_for(*format)) {
        options->file_version = (*format)->version;
        options->static_prop_version = (*format)->static_prop_version;
        options->of_2007 = (*format)->ambient != AMBIENT_INDEXED;
        return STATUS_OK;
    }
    report_target(settings->target, diag);
    return STATUS_USAGE;
}

struct option_group vbsp_option_group(size_t base)
{
    return (struct option_group){"Compiling the map", defs, sizeof defs / sizeof *defs, base};
}
