#include "vbsp/options.h"

#include "common/core/strings.h"
#include "vbsp/target/target.h"

enum { NO_BLOCK = -100000 }; /* outside of the valid range */

#define FIELD(name) offsetof(struct vbsp_settings, name)

/* Some formats are read-only. */
static bool is_compiled_for(const struct bsp_format *format)
{
    return !format->read_only && vbsp_target_of(format);
}

static const char *target_at(size_t index)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (is_compiled_for(format) && index-- == 0)
            return format->target;
    return NULL;
}

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
     .name_at = target_at,
     .help = "branch of the engine to write for (default: sdk2013 for a VMF, quake3 for a MAP)"},
    {.name = "onlyents",
     .kind = OPTION_FLAG,
     .offset = FIELD(only_ents),
     .help = "keep the BSP that is there, and put the map's entities and static props into it"},
    {.name = "onlyprops",
     .kind = OPTION_FLAG,
     .offset = FIELD(only_props),
     .help = "keep the BSP that is there, and put the map's static and detail props into it"},
    {.name = "keepstalezip",
     .kind = OPTION_FLAG,
     .offset = FIELD(keep_stale_zip),
     .help = "keep the files packed in the BSP that is there, and mark them with a stale.txt"},
    {.name = "embed",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .offset = FIELD(options.embed),
     .help = "pack all files of the folder into the BSP; materials and models are looked up there "
             "first"},
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
    {.name = "snapaxial",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.snap_axial),
     .help = "round the distances of axial planes to whole units"},
    {.name = "allowdetailcracks",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.allow_detail_cracks),
     .help = "do not split edges of structural faces at vertices of detail"},
    {.name = "nodrawtriggers",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_draw_triggers),
     .help = "write no faces for the sides of trigger materials"},
    {.name = "xbox",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.xbox),
     .help = "as -nodrawtriggers, and give water no lightmaps"},
    {.name = "dxlevel",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(options.dx_level),
     .max = 100,
     .help = "DirectX level, such as 81, that the map is for: entities for others (mindxlevel, "
             "maxdxlevel) are left out; below 80 -bumpall is off, at 70 lightmaps are four times "
             "as coarse, below 70 there are no cubemaps; 0: any"},
    {.name = "verboseentities",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.verbose_entities),
     .help = "tell the time of each brush entity"},
    {.name = "glview",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.gl_view),
     .help = "write faces to MAP.gl and portals to MAP.portals.gl, as polygons for a viewer"},
    {.name = "tmpout",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.temporary_out),
     .help = "put the .gl files into /tmp"},
    {.name = "dumpcollide",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.collide),
     .help = "write the collision hulls to MAP.collide.txt"},
    {.name = "dumpstaticprops",
     .alias = "dumpstaticprop",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.static_props),
     .help = "write the static props to MAP.staticprops.txt"},
    {.name = "virtualdispphysics", .kind = OPTION_IGNORED}, /* the default */
    {.name = "bumpall",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.bump_all),
     .help = "light every lit surface for bump maps"},
    {.name = "lightifmissing",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.light_if_missing),
     .help = "give lightmaps also to surfaces whose material is missing"},
    {.name = "novirtualmesh",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_virtual_mesh),
     .help = "put displacements among the world's collision hulls"},
    {.name = "replacematerials",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.replace_materials),
     .help = "use other materials, as maps/materialsub.txt of the game says"},
    {.name = "nofog",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_fog),
     .help = "Quake 3: leave out brushes of fog"},
    {.name = "nohint",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_hint),
     .help = "leave out hints"},
    {.name = "nocurves",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_curves),
     .help = "leave out patches"},
    {.name = "nometa",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_meta),
     .help = "Quake 3: leave surfaces as their brushes have them, do not join them"},
    {.name = "meta", .kind = OPTION_IGNORED}, /* the default */
    {.name = "patchmeta",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.patch_meta),
     .help = "Quake 3: draw patches as triangles that are joined like others (an entity's key "
             "_patchMeta says it of its own)"},
    {.name = "subdivisions",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.subdivisions),
     .min = 0.25,
     .max = 1024,
     .help = "Quake 3: how far triangles of -patchmeta may stray from their curve, where no shader "
             "says it (default: 8)"},
    {.name = "mv",
     .argument = "COUNT",
     .kind = OPTION_INT,
     .offset = FIELD(options.max_vertices),
     .min = 3,
     .max = 999,
     .help = "Quake 3: vertices of a surface, at most; of one with a lightmap never above 64"},
    {.name = "mi",
     .argument = "COUNT",
     .kind = OPTION_INT,
     .offset = FIELD(options.max_indices),
     .min = 3,
     .max = 5997,
     .help = "Quake 3: indices of a surface, at most, three a triangle"},
    {.name = "blocksize",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.block_size),
     .min = 0,
     .max = 65536,
     .help =
         "Quake 3: cut the world into blocks of this size first, by default its key _blocksize, "
         "or 1024; 0: do not"},
    {.name = "samplesize",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.sample_size),
     .min = 1,
     .max = 1024,
     .help = "Quake 3: size of a luxel where neither map nor shader says one; by default 16"},
    {.name = "np",
     .argument = "DEGREES",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.shade_angle),
     .max = 180,
     .help = "Quake 3: light edges below this angle as if they were round, where neither map nor "
             "shader says another"},
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
        .options = vbsp_defaults, .block = {NO_BLOCK}, .blocks = {NO_BLOCK}};
}

static void report_target(const char *target, struct diag *diag)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "-target: unsupported target '%s'", target);
}

/* An update does not combine with options of a full compile. */
static enum status check_update(const struct vbsp_settings *settings, struct diag *diag)
{
    bool update = settings->only_ents || settings->only_props;
    const char *other = settings->only_ents && settings->only_props ? "-onlyprops"
                        : settings->options.embed                   ? "-embed"
                        : settings->keep_stale_zip                  ? "-keepstalezip"
                                                                    : NULL;
    if (!update || !other)
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s and %s cannot be combined", other,
                      settings->only_ents ? "-onlyents" : "-onlyprops");
    return STATUS_USAGE;
}

static bool is_quake_level(const char *path)
{
    return str_ends_nocase(path, ".map") || str_ends_nocase(path, ".reg");
}

enum status vbsp_settings_finish(struct vbsp_settings *settings, const char *level,
                                 struct diag *diag, const struct bsp_format **format)
{
    TRY(check_update(settings, diag));
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
    const char *target = settings->target        ? settings->target
                         : is_quake_level(level) ? "quake3"
                                                 : "sdk2013";
    *format = bsp_format_find(target);
    if (*format && is_compiled_for(*format)) {
        options->target = vbsp_target_of(*format);
        options->file_version = (*format)->version;
        options->static_prop_version = (*format)->static_prop_version;
        options->of_2007 = (*format)->ambient != AMBIENT_INDEXED;
        return STATUS_OK;
    }
    report_target(target, diag);
    return STATUS_USAGE;
}

struct option_group vbsp_option_group(size_t base)
{
    return (struct option_group){"Compiling the map", defs, sizeof defs / sizeof *defs, base,
                                 "vbsp"};
}
