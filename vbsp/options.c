#include "vbsp/options.h"

#include "ballance/compile/convert.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"
#include "vbsp/csg/brush_options.h"
#include "vbsp/csg/csg_options.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"
#include "vbsp/target/source/combine/combine_options.h"
#include "vbsp/target/source/update/update_options.h"
#include "vbsp/target/target.h"

enum { NO_BLOCK = -100000 }; /* outside of the valid range */

#define FIELD(name) offsetof(struct vbsp_settings, name)

/* Reasons of options without effect. */
#define SAME_CLUSTER "combined props are in one cluster or see each other"
#define NO_SOURCES   "combined models have no source files"
#define NO_COLOURS   "use brushwork render --debug to see props"
#define SKY_CUBEMAPS "default cubemaps show the sky"
#define SAME_PHYSICS "clients and servers of all systems share the collision data"
#define HIDDEN       "all maps of a manifest are compiled"

/* Some formats are read-only. */
static bool is_compiled_for(const struct bsp_format *format)
{
    return !format->read_only && vbsp_target_of(format->engine);
}

static const char *target_at(size_t index)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (is_compiled_for(format) && index-- == 0)
            return format->target;
    return index == 0 ? BALLANCE_TARGET : NULL;
}

static const char *const missing_instances_names[] = {"error", "warn", NULL};

static const struct option_part combine_part = {FIELD(options.combine),
                                                sizeof(struct combine_options)};

static const struct option_part brush_part = {FIELD(options.brushes), sizeof(struct brush_options)};
static const struct option_part surface_part = {FIELD(options.surfaces),
                                                sizeof(struct surface_options)};

static const struct option_part csg_part = {FIELD(options.csg), sizeof(struct csg_options)};
static const struct option_part update_part = {FIELD(update), sizeof(struct update_options)};

#define CSG(field)      .part = &csg_part, .offset = offsetof(struct csg_options, field)
#define UPDATE(field)   .part = &update_part, .offset = offsetof(struct update_options, field)
#define BRUSHES(field)  .part = &brush_part, .offset = offsetof(struct brush_options, field)
#define SURFACES(field) .part = &surface_part, .offset = offsetof(struct surface_options, field)
#define COMBINE(field)  .part = &combine_part, .offset = offsetof(struct combine_options, field)
#define COMBINE_IGNORE(name_, of_, what_)                                                          \
    {.name = "combineignore_" name_,                                                               \
     .kind = OPTION_FLAG,                                                                          \
     COMBINE(ignore[COMBINE_##of_]),                                                               \
     .help = "with -staticpropcombine: combine also props of which only some " what_}

/* The first is not in vbsp_source_option_group. */
static const struct option_def defs[] = {
    {.name = "o",
     .alias = "output",
     .hidden = "out",
     .argument = "FILE",
     .endings = "bsp",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(output),
     .use = OPTION_MAIN,
     .help = "BSP to write (default: beside the map); - is standard output"},
    {.name = "tempname",
     .argument = "FILE",
     .endings = "vmf map reg",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(source),
     .help = "read the map from this file; outputs are named after MAP"},
    {.name = "target",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(target),
     .two_dashes = true,
     .name_at = target_at,
     .use = OPTION_MAIN,
     .help = "engine branch to compile for (default: sdk2013 for a VMF, quake3 for a MAP); "
             "ballance writes a BM file (.bmx) instead of a BSP"},
    {.name = "engine",
     .argument = "FILE",
     .endings = "json",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(engine),
     .two_dashes = true,
     .help = "Quake 3: compile for the game that the file describes: a target, names of "
             "surfaceparm, the file, lightmaps and limits (docs/formats/sisters.md)"},
    {.name = "materials",
     .argument = "FILE",
     .endings = "materials",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(ballance.materials),
     .two_dashes = true,
     .help = "Ballance: table of materials by texture names (default: MAP.materials beside the "
             "map, or OUT.materials)"},
    {.name = "bmx-scale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(ballance.scale),
     .min = 0.001,
     .max = 4096,
     .two_dashes = true,
     .help = "Ballance: map units per unit of the game (default: 16)"},
    {.name = "onlyents",
     .kind = OPTION_FLAG,
     UPDATE(only_ents),
     .use = OPTION_COMMON,
     .help = "update only the entities and static props of the existing BSP"},
    {.name = "onlyprops",
     .kind = OPTION_FLAG,
     UPDATE(only_props),
     .help = "update only the static and detail props of the existing BSP"},
    {.name = "keepstalezip",
     .kind = OPTION_FLAG,
     UPDATE(keep_stale_zip),
     .help = "keep the pakfile of the existing BSP, and mark it with stale.txt"},
    {.name = "embed",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .path = OPTION_COPIES,
     .offset = FIELD(options.embed),
     .help = "pack all files of the folder into the BSP; materials and models are searched "
             "there first"},
    {.name = "missing-instances",
     .argument = "ACTION",
     .kind = OPTION_CHOICE,
     .choices = missing_instances_names,
     .offset = FIELD(missing_instances),
     .two_dashes = true,
     .help = "on a func_instance whose file is missing: error stops the compile, warn continues "
             "without it"},
    {.name = "leaktest",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.leak_test),
     .use = OPTION_MAIN,
     .help = "stop at a leak, writing only the .lin"},
    {.name = "nodetail",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_detail),
     .use = OPTION_COMMON,
     .help = "ignore detail brushes"},
    {.name = "fulldetail",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.full_detail),
     .help = "treat detail brushes as structural"},
    {.name = "nowater",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_water),
     .help = "ignore water and slime brushes"},
    {.name = "nocsg",
     .kind = OPTION_FLAG,
     CSG(no_csg),
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
     .help = "give the leaves of a 3D skybox clusters of their own"},
    {.name = "notjunc",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_tjunc),
     .help = "do not fix T-junctions"},
    {.name = "noopt",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_opt),
     .help = "keep the first tree: no second pass that splits by visible sides first"},
    {.name = "noprune",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_prune),
     .help = "do not prune nodes whose leaves are both solid"},
    {.name = "nomerge",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_merge),
     .help = "do not merge faces; Ballance: keep the sides of brushes as they are"},
    {.name = "nomergewater",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_merge_water),
     .help = "do not merge water faces"},
    {.name = "nosubdiv",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_subdiv),
     .help = "do not subdivide faces for lightmaps"},
    {.name = "snapaxial",
     .kind = OPTION_FLAG,
     CSG(snap_axial),
     .help = "snap axial planes to integer coordinates"},
    {.name = "allowdetailcracks",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.allow_detail_cracks),
     .help = "do not add vertices of detail brushes to structural faces"},
    {.name = "nodrawtriggers",
     .kind = OPTION_FLAG,
     BRUSHES(no_draw_triggers),
     .help = "make no faces for sides with trigger materials"},
    {.name = "xbox",
     .kind = OPTION_FLAG,
     BRUSHES(xbox),
     .help = "as -nodrawtriggers, and no lightmaps on water"},
    {.name = "dxlevel",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(options.dx_level),
     .max = 100,
     .help = "DirectX level to compile for, such as 81: entities for others (mindxlevel, "
             "maxdxlevel) are ignored; below 80 -bumpall is off, at 70 lightmaps are four "
             "times as coarse, below 70 there are no cubemaps; 0: any"},
    {.name = "verboseentities",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.verbose_entities),
     .help = "print the time of each brush entity"},
    {.name = "glview",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.gl_view),
     .touches_files = true,
     .help = "write faces to MAP.gl and portals to MAP.portals.gl, as polygons for a viewer"},
    {.name = "tmpout",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.temporary_out),
     .touches_files = true,
     .help = "write the .gl files to /tmp"},
    {.name = "dumpcollide",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.collide),
     .touches_files = true,
     .help = "write the collision models to MAP.collide.txt"},
    {.name = "dumpstaticprops",
     .alias = "dumpstaticprop",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.static_props),
     .touches_files = true,
     .help = "write the static props to MAP.staticprops.txt"},
    {.name = "virtualdispphysics",
     .kind = OPTION_STANDING,
     .help = "displacements collide by virtual meshes, but for -novirtualmesh"},
    {.name = "bumpall",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.bump_all),
     .help = "make bumped lightmaps for all lit surfaces"},
    {.name = "lightifmissing",
     .kind = OPTION_FLAG,
     BRUSHES(light_if_missing),
     .help =
         "Source: make lightmaps also for missing materials, but those of tools/ (the default)"},
    {.name = "nolightifmissing",
     .kind = OPTION_CLEAR,
     BRUSHES(light_if_missing),
     .help = "Source: make no lightmaps for missing materials"},
    {.name = "novirtualmesh",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_virtual_mesh),
     .help = "write displacements as collision hulls of the world instead of virtual meshes"},
    {.name = "replacematerials",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.replace_materials),
     .help = "replace materials according to the game's maps/materialsub.txt"},
    {.name = "nofog",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_fog),
     .help = "Quake 3: ignore fog brushes"},
    {.name = "nohint",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_hint),
     .help = "ignore hint brushes"},
    {.name = "nocurves", .kind = OPTION_FLAG, SURFACES(no_curves), .help = "ignore patches"},
    {.name = "keeplights",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.keep_lights),
     .help = "Quake 3: light entities stay in the BSP (key _keepLights)"},
    {.name = "keepmodels",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.keep_models),
     .help = "Quake 3: misc_model entities stay in the BSP"},
    {.name = "clipdepth",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.clip_depth),
     .min = 0.1,
     .max = 1024,
     .help = "Quake 3: thickness of the clip brushes of models unless key _clipdepth sets it "
             "(default: 2)"},
    {.name = "flares",
     .kind = OPTION_FLAG,
     SURFACES(flares),
     .help = "Quake 3: write flares (q3map_flareShader, and _flareshader and _flare of lights)"},
    {.name = "noflares", .kind = OPTION_STANDING, .help = "Quake 3: but for -flares"},
    {.name = "nometa",
     .kind = OPTION_FLAG,
     SURFACES(no_meta),
     .help = "Quake 3: do not merge surfaces"},
    {.name = "meta", .kind = OPTION_STANDING, .help = "Quake 3: but for -nometa"},
    {.name = "patchmeta",
     .kind = OPTION_FLAG,
     SURFACES(patch_meta),
     .help = "Quake 3: triangulate patches and merge them with other surfaces (for one entity: "
             "key _patchMeta)"},
    {.name = "subdivisions",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     SURFACES(subdivisions),
     .min = 0.25,
     .max = 1024,
     .help = "Quake 3: maximum distance of the triangles of -patchmeta from the curve, unless "
             "a shader sets it (default: 8)"},
    {.name = "mv",
     .argument = "COUNT",
     .kind = OPTION_INT,
     SURFACES(max_vertices),
     .min = 3,
     .max = 999,
     .help = "Quake 3: maximum vertices per surface; at most 64 with a lightmap"},
    {.name = "mi",
     .argument = "COUNT",
     .kind = OPTION_INT,
     SURFACES(max_indices),
     .min = 3,
     .max = 5997,
     .help = "Quake 3: maximum indices per surface, three per triangle"},
    {.name = "maxarea",
     .kind = OPTION_FLAG,
     SURFACES(max_area),
     .help = "Quake 3: cut polygons into the largest triangles first, instead of those without "
             "small angles"},
    {.name = "nosubdivide",
     .kind = OPTION_FLAG,
     SURFACES(no_tessellation),
     .help = "Quake 3: do not cut surfaces by q3map_tessSize"},
    {.name = "celshader",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(options.cel_shader),
     .is_word = true,
     .help = "Quake 3: draw each surface again with the shader textures/NAME, unless key "
             "_celshader of its entity or the world names one"},
    {.name = "blocksize",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.block_size),
     .min = 0,
     .max = 65536,
     .help = "Quake 3: block size of the world's tree (default: key _blocksize, or 1024); 0: "
             "no blocks"},
    {.name = "samplesize",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.sample_size),
     .min = 1,
     .max = 1024,
     .use = OPTION_COMMON,
     .help = "Quake 3: units per luxel unless the map or shader sets it (default: 16)"},
    {.name = "minsamplesize",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.min_sample_size),
     .min = 1,
     .max = 1024,
     .help = "Quake 3: minimum units per luxel, also where the map or shader sets less"},
    {.name = "np",
     .argument = "DEGREES",
     .kind = OPTION_NUMBER,
     SURFACES(shade_angle),
     .max = 180,
     .help = "Quake 3: smoothing angle unless the map or shader sets it"},
    {.name = "noob",
     .kind = OPTION_FLAG,
     .offset = FIELD(no_overbounces),
     .help = "Quake 3: as -globalflag noob, which turns overbounces off in DeFRaG"},
    {.name = "globalflag",
     .argument = "PARM",
     .kind = OPTION_LIST,
     .offset = FIELD(shader_parms),
     .is_word = true,
     .help = "Quake 3: surfaceparm PARM for all shaders of the map; repeatable"},
    {.name = "custinfoparms",
     .kind = OPTION_FLAG,
     .offset = FIELD(custom_parms),
     .help = "Quake 3: read names and flags of surfaceparm from the game's "
             "scripts/custinfoparms.txt"},
    {.name = "block",
     .argument = "X Y",
     .kind = OPTION_INT,
     .offset = FIELD(block),
     .arity = 2,
     .min = -1024,
     .max = 1024,
     .help = "compile only this 1024-unit block"},
    {.name = "blocks",
     .argument = "X0 Y0 X1 Y1",
     .kind = OPTION_INT,
     .offset = FIELD(blocks),
     .arity = 4,
     .min = -1024,
     .max = 1024,
     .help = "compile only these 1024-unit blocks"},
    {.name = "micro",
     .argument = "VOLUME",
     .kind = OPTION_NUMBER,
     BRUSHES(micro_volume),
     .min = 0,
     .max = 1e9,
     .help = "warn about brushes with less volume"},
    {.name = "luxelscale",
     .argument = "F",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.luxel_scale),
     .min = 0.01,
     .max = 100,
     .map_key = "_luxelscale",
     .help = "multiply all lightmap scales by F"},
    {.name = "minluxelscale",
     .argument = "F",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.min_luxel_scale),
     .min = 1,
     .max = 1024,
     .map_key = "_minluxelscale",
     .help = "minimum lightmap scale"},
    {.name = "lightmap-border",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.lightmap_border),
     .map_key = "_lightmapborder",
     .two_dashes = true,
     .help = "Source: one more luxel around each lightmap, so that bicubic filtering takes no "
             "light of other faces (more memory; large faces are cut smaller)"},
    /* Of branches of Source. */
    {.name = "defaultluxelsize",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     BRUSHES(default_luxel_size),
     .min = 1,
     .max = 1024,
     .help = "lightmap scale of sides that have none"},
    {.name = "maxlightmapdim",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(options.max_lightmap_dim),
     .min = 4,
     .max = 1024,
     .help = "Source: luxels that a flat face spans at most; larger ones are cut (default: 32, "
             "and engines take no more)"},
    {.name = "allowdynamicpropsasstatic",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.dynamic_props),
     .help = "place static props also of models that were not compiled with $staticprop"},
    {.name = "staticpropcombine",
     .kind = OPTION_FLAG,
     COMBINE(on),
     .map_key = "_staticpropcombine",
     .help = "combine static props that are alike and near each other into one model, which is "
             "packed into the map (Source)"},
    {.name = "staticpropcombine_mininstances",
     .argument = "N",
     .kind = OPTION_INT,
     COMBINE(minimum),
     .min = 2,
     .max = 1000,
     .help = "minimum props of a combined model"},
    {.name = "combine-distance",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     COMBINE(distance),
     .min = 1,
     .max = 65536,
     .two_dashes = true,
     .help = "with -staticpropcombine: how far from the first prop of a combined model the "
             "others may be"},
    {.name = "combine-vertices",
     .argument = "N",
     .kind = OPTION_INT,
     COMBINE(vertices),
     .min = 3,
     .max = 65535,
     .two_dashes = true,
     .help = "with -staticpropcombine: maximum vertices of a combined model"},
    {.name = "staticpropcombine_considervis", .kind = OPTION_STANDING, .help = SAME_CLUSTER},
    {.name = "combine-rules",
     .argument = "FILE",
     .endings = "txt",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     COMBINE(rules),
     .two_dashes = true,
     .help = "with -staticpropcombine: combine only what the rules of this file name (see "
             "docs/guides/combining.md)"},
    {.name = "staticpropcombine_autocombine",
     .kind = OPTION_FLAG,
     COMBINE(others),
     .help = "with --combine-rules: also combine props that no rule names"},
    {.name = "staticpropcombine_printcombinerules",
     .kind = OPTION_FLAG,
     COMBINE(print),
     .help = "a note of each rule of --combine-rules with the props that it combined (V192)"},
    {.name = "staticpropcombine_suggestrules",
     .kind = OPTION_FLAG,
     .offset = FIELD(dumps.combine_rules),
     .touches_files = true,
     .help = "write rules for the static props of the map to MAP.combine.txt"},
    {.name = "keepsources", .kind = OPTION_IGNORED, .help = NO_SOURCES},
    {.name = "staticpropcombine_colorinstances", .kind = OPTION_IGNORED, .help = NO_COLOURS},
    COMBINE_IGNORE("fastreflection", FAST_REFLECTION, "are in fast reflections"),
    COMBINE_IGNORE("normals", NORMALS, "ignore normals"),
    COMBINE_IGNORE("noshadow", SHADOWS, "cast shadows"),
    COMBINE_IGNORE("novertexlighting", VERTEX_LIGHTING, "have light of vertices"),
    COMBINE_IGNORE("noflashlight", FLASHLIGHT, "are lit by flashlights"),
    COMBINE_IGNORE("noselfshadowing", SELF_SHADOWING, "shadow themselves"),
    COMBINE_IGNORE("disableshadowdepth", SHADOW_DEPTH, "are in shadow depth maps"),
    {.name = "staticpropformat",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(options.static_prop_version),
     .min = 5,
     .max = 11,
     .help = "version of the static props, in the place of the target's: a game that has been "
             "extended reads 11, with scales and colours (Source; docs/formats/props.md)"},
    {.name = "instancepath",
     .argument = "FOLDER",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(options.instance_path),
     .help = "look for instances below this folder, too, after those of the map"},
    {.name = "visgranularity",
     .argument = "X Y Z",
     .kind = OPTION_IGNORED_ARG,
     .arity = 3,
     .help = "leaves are cut where it helps the tree; see -block, func_viscluster and hints"},
    {.name = "DefaultPropperModelsStatic",
     .kind = OPTION_IGNORED,
     .help = "no models are made of brushes; brush entities stay what they are"},
    {.name = "alldetail",
     .kind = OPTION_IGNORED,
     .help = "of a puzzle editor: brushes are structural or detail as the map says; see "
             "-fulldetail and -nodetail"},
    {.name = "entity_limit",
     .argument = "N",
     .kind = OPTION_IGNORED_ARG,
     .help = "the limits are those of the target; see --fail-if"},
    {.name = "nodefaultcubemap",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.no_default_cubemap),
     .help =
         "pack no textures of the sky for cubemaps, which the game shows until its own or those "
         "of brushwork cubemaps are there (Source)"},
    {.name = "defaultcubemapres",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(options.default_cubemap_side),
     .min = 1,
     .max = 256,
     .help = "width and height of these textures in pixels, a power of two (Source)"},
    {.name = "skyboxcubemap", .kind = OPTION_STANDING, .help = SKY_CUBEMAPS},
    {.name = "linuxdata", .kind = OPTION_STANDING, .help = SAME_PHYSICS},
    {.name = "nolinuxdata", .kind = OPTION_IGNORED, .help = SAME_PHYSICS},
    {.name = "usehiddenmaps", .kind = OPTION_IGNORED, .help = HIDDEN},
    {.name = "nohiddenmaps", .kind = OPTION_IGNORED, .help = HIDDEN},
};

struct vbsp_settings vbsp_settings_defaults(void)
{
    static const struct update_options no_update = {0};
    return (struct vbsp_settings){
        .options = vbsp_defaults, .update = &no_update, .block = {NO_BLOCK}, .blocks = {NO_BLOCK}};
}

void vbsp_settings_free(struct vbsp_settings *settings)
{
    arrfree(settings->shader_parms);
}

static void report_target(const char *target, struct diag *diag)
{
    if (strcmp(target, BALLANCE_TARGET) == 0)
        (void)diag_report(diag, DIAG_USAGE, NULL,
                          "-target: levels of Ballance have no BSP; use vbsp --target %s", target);
    else
        (void)diag_report(diag, DIAG_USAGE, NULL, "-target: unsupported target '%s'", target);
}

/* An update does not combine with options of a full compile. */
static enum status check_update(const struct vbsp_settings *settings, struct diag *diag)
{
    const struct update_options *update = settings->update;
    bool updates = update->only_ents || update->only_props;
    const char *other = update->only_ents && update->only_props ? "-onlyprops"
                        : settings->options.embed               ? "-embed"
                        : update->keep_stale_zip                ? "-keepstalezip"
                                                                : NULL;
    if (!updates || !other)
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s and %s cannot be combined", other,
                      update->only_ents ? "-onlyents" : "-onlyprops");
    return STATUS_USAGE;
}

static enum status check_cubemaps(const struct vbsp_settings *settings, struct diag *diag)
{
    int side = settings->options.default_cubemap_side;
    if ((side & (side - 1)) == 0)
        return STATUS_OK;
    (void)diag_report(diag, DIAG_USAGE, NULL, "-defaultcubemapres: a power of two is needed");
    return STATUS_USAGE;
}

enum status vbsp_settings_finish(struct vbsp_settings *settings, const char *level,
                                 struct diag *diag, const struct bsp_format **format)
{
    TRY(check_update(settings, diag));
    TRY(check_cubemaps(settings, diag));
    struct vbsp_options *options = &settings->options;
    if (settings->no_overbounces)
        arrput(settings->shader_parms, "noob");
    if (settings->missing_instances == MISSING_INSTANCES_WARN)
        options->missing_instances = DIAG_WARNING;
    const int *b = settings->blocks, single[] = {settings->block[0], settings->block[1],
                                                 settings->block[0], settings->block[1]};
    if (b[0] == NO_BLOCK)
        b = single;
    options->blocks_limited = b[0] != NO_BLOCK;
    for (int i = 0; i < 2 && options->blocks_limited; i++) {
        options->block_x[i] = b[2 * i];
        options->block_y[i] = b[2 * i + 1];
    }
    const char *target = settings->target ? settings->target : engine_of_level(level)->target;
    *format = bsp_format_find(target);
    if (*format && is_compiled_for(*format)) {
        options->engine = (*format)->engine;
        options->file_version = (*format)->version;
        if (!options->static_prop_version)
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

struct option_group vbsp_source_option_group(size_t base)
{
    struct option_group group = vbsp_option_group(base);
    group.defs++;
    group.count--;
    return group;
}
