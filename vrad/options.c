#include "vrad/vrad.h"

#include "common/cli/options.h"
#include "vrad/luxels/sample_options.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/scene/prop_scene_options.h"
#include "vrad/target/quake3/level/dirt_options.h"
#include "vrad/target/quake3/pages/tone_options.h"

#define FIELD(name) offsetof(struct vrad_options, name)

/* Number of values in an array of numbers; 1 for a single one. */
#define OPTION_VALUES(field, kind)                                                                 \
    (int)(sizeof(((struct vrad_options *)0)->field) /                                              \
          ((kind) == OPTION_NUMBER ? sizeof(double) : sizeof(((struct vrad_options *)0)->field)))

/* Reasons of options without effect. */
#define NO_PATCHES   "bounces use no patches"
#define AS_FLAT      "displacements are sampled like flat faces"
#define DEBUGGING    "debugging of Valve's vrad"
#define SAME_BOUNCES "props get bounced and ambient light from the same scene as the world"

const struct option_part sample_part = {FIELD(samples), sizeof(struct sample_options)};
const struct option_part prop_ray_part = {FIELD(prop_rays), sizeof(struct prop_ray_options)};
const struct option_part prop_scene_part = {FIELD(prop_scene), sizeof(struct prop_scene_options)};
const struct option_part tone_part = {FIELD(quake3.tone), sizeof(struct tone_options)};
const struct option_part dirt_part = {FIELD(quake3.dirt), sizeof(struct dirt_options)};

/* A field of struct PART_options. */
#define PART(part_, field_)                                                                        \
    .part = &part_##_part, .offset = offsetof(struct part_##_options, field_)

/* Paths per luxel at most when only their error is given. */
enum { MAX_PATHS = 1 << 16 };

static const struct option_def defs[] = {
    {.name = "ldr",
     .kind = OPTION_FLAG,
     .offset = FIELD(ldr),
     .use = OPTION_COMMON,
     .help = "light for LDR (the default)"},
    {.name = "hdr",
     .kind = OPTION_FLAG,
     .offset = FIELD(hdr),
     .use = OPTION_MAIN,
     .help = "light for HDR"},
    {.name = "both",
     .kind = OPTION_FLAG,
     .offset = FIELD(ldr),
     .use = OPTION_MAIN,
     .help = "light for both LDR and HDR"},
    {.name = "both", .kind = OPTION_FLAG, .offset = FIELD(hdr)},
    {.name = "fast",
     .kind = OPTION_FLAG,
     .offset = FIELD(fast),
     .use = OPTION_COMMON,
     .help = "fewer rays and samples: faster, noisier"},
    {.name = "final",
     .kind = OPTION_FLAG,
     .offset = FIELD(final),
     .use = OPTION_COMMON,
     .help = "more rays and samples: slower, less noise"},
    {.name = "preview",
     .kind = OPTION_FLAG,
     .offset = FIELD(preview),
     .two_dashes = true,
     .help = "coarse light for a first picture, in half to two thirds of the time of -fast; "
             "implies -fast and -fastambient"},
    {.name = "preview", .kind = OPTION_FLAG, .offset = FIELD(fast), .two_dashes = true},
    {.name = "preview", .kind = OPTION_FLAG, .offset = FIELD(fast_ambient), .two_dashes = true},
    {.name = "bounce",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(bounce),
     .min = 0,
     .max = 1000,
     .map_key = "_bounce",
     .use = OPTION_MAIN,
     .help = "maximum number of light bounces"},
    {.name = "extrasky",
     .argument = "N",
     .kind = OPTION_NUMBER,
     PART(sample, extra_sky),
     .min = 0,
     .max = 1000,
     .map_key = "_extrasky",
     .help = "multiplier of the number of sky rays; 0: as -fast and -final imply"},
    {.name = "noextra", .kind = OPTION_FLAG, PART(sample, no_extra), .help = "no supersampling"},
    {.name = "fastambient",
     .kind = OPTION_FLAG,
     .offset = FIELD(fast_ambient),
     .help = "one ambient sample per leaf"},
    {.name = "smooth",
     .argument = "DEGREES",
     .kind = OPTION_NUMBER,
     .offset = FIELD(smooth_degrees),
     .min = 0,
     .max = 180,
     .map_key = "_smooth",
     .help = "smoothing angle of faces that are in no smoothing group"},
    {.name = "softsun",
     .argument = "DEGREES",
     .kind = OPTION_NUMBER,
     .offset = FIELD(soft_sun_degrees),
     .min = 0,
     .max = 90,
     .map_key = "_softsun",
     .help = "angular spread of the sun; 0: from light_environment"},
    {.name = "noskyboxrecurse",
     .kind = OPTION_FLAG,
     .offset = FIELD(no_sky_recurse),
     .help = "the 3D skybox casts no shadows on the map"},
    {.name = "StaticPropLighting",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.lighting),
     .use = OPTION_MAIN,
     .help = "light static props; vertex lighting, and texel lighting where a prop enables it"},
    {.name = "StaticPropLightingFinal",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.lighting),
     .help = "the same as -StaticPropLighting"},
    {.name = "StaticPropLightingOld",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.lighting),
     .help = "the same as -StaticPropLighting"},
    {.name = "StaticPropPolys",
     .kind = OPTION_FLAG,
     PART(prop_scene, triangles),
     .use = OPTION_MAIN,
     .help = "static props cast shadows of their render meshes, not of their collision hulls"},
    {.name = "StaticPropBounce",
     .argument = "[N]",
     .kind = OPTION_NUMBER_OR_NONE,
     PART(prop_scene, bounces),
     .help = "static props reflect light by the reflectivity of their materials, up to its bounce "
             "N; without N up to -bounce. Otherwise they are black"},
    {.name = "StaticPropSampleScale",
     .argument = "F",
     .kind = OPTION_NUMBER,
     PART(prop_ray, sample_scale),
     .help = "samples of each vertex and texel of static props: 16 slow, 4 normal (default), 0.25 "
             "fast; -fast and -final choose others"},
    {.name = "nossprops",
     .kind = OPTION_FLAG,
     PART(prop_ray, no_self_shadows),
     .help = "static props do not shadow themselves"},
    {.name = "StaticPropNormals",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.normals),
     .help = "write the normals of static props in the place of their lighting"},
    {.name = "OnlyStaticProps",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.only_static),
     .help = "relight static props only, with direct light only"},
    {.name = "nodetaillight",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.no_detail),
     .help = "keep the lighting of detail props"},
    {.name = "onlydetail",
     .kind = OPTION_FLAG,
     .offset = FIELD(props.only_detail),
     .help = "relight detail props and ambient samples only"},
    {.name = "lights",
     .argument = "FILE",
     .endings = "rad",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(lights_file),
     .use = OPTION_MAIN,
     .help = "additional .rad file with texture lights"},
    {.name = "chop",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(chop),
     .min = 1,
     .max = 1024,
     .help = "maximum side of a texture-light patch in luxels; bounces use no patches"},
    {.name = "dispchop",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(disp_chop),
     .min = 1,
     .max = 1024,
     .help = "the same for displacements"},
    {.name = "reference",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(reference),
     .min = 0,
     .max = 1 << 20,
     .touches_files = true,
     .two_dashes = true,
     .help = "path-traced ground truth, N paths per luxel (slow); standard errors in MAP.error"},
    {.name = "reference-error",
     .argument = "PERCENT",
     .kind = OPTION_NUMBER,
     .offset = FIELD(reference_error),
     .min = 0,
     .max = 100,
     .touches_files = true,
     .two_dashes = true,
     .help = "the same with as many paths as bring the standard error of a luxel below PERCENT, at "
             "most N of --reference, or 65536; 0: N paths"},
    {.name = "physical",
     .kind = OPTION_FLAG,
     .offset = FIELD(physical),
     .two_dashes = true,
     .help = "lights of Quake 3 maps are physical beside shining surfaces as well, and do not end "
             "where they are weak; those of Source maps always are"},
    {.name = "ao",
     .alias = "aoscale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(occlusion),
     .min = 0,
     .max = 4,
     .map_key = "_ao",
     .help = "strength of ambient occlusion, in addition to bounced light; 0: none"},
    {.name = "ambientocclusion",
     .kind = OPTION_FLAG,
     .offset = FIELD(ambient_occlusion),
     .help = "ambient occlusion of strength 1, unless -ao sets another"},
    {.name = "noao",
     .kind = OPTION_FLAG,
     .offset = FIELD(no_occlusion),
     .help = "no ambient occlusion, whatever else sets it"},
    {.name = "aoradius",
     .argument = "UNITS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(occlusion_radius),
     .min = 1,
     .max = 4096,
     .map_key = "_aoradius",
     .help = "radius of ambient occlusion"},
    {.name = "aosamples",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(occlusion_rays),
     .min = 1,
     .max = 4096,
     .help = "rays of each luxel for ambient occlusion (default: 64)"},
    {.name = "finitefalloff",
     .kind = OPTION_FLAG,
     .offset = FIELD(finite_falloff),
     .help = "lights with a _fifty_percent_distance end at their _zero_percent_distance, as with "
             "key _hardfalloff (Source)"},
    {.name = "textureshadows",
     .kind = OPTION_FLAG,
     .offset = FIELD(texture_shadows),
     .use = OPTION_MAIN,
     .help = "alpha-tested and translucent materials cast alpha shadows"},
    {.name = "worldtextureshadows",
     .kind = OPTION_FLAG,
     .offset = FIELD(texture_shadows),
     .help = "-textureshadows, which is of the world and of props alike"},
    {.name = "translucentshadows",
     .kind = OPTION_FLAG,
     .offset = FIELD(texture_shadows),
     .help = "-textureshadows, which is of translucent materials, too"},
    {.name = "luxeldensity",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(luxel_density),
     .min = 0,
     .max = 16384,
     .help = "maximum number of luxels per unit (N above 1: minimum number of units per luxel); "
             "coarser lightmaps are kept"},
    {.name = "noseams",
     .kind = OPTION_FLAG,
     .offset = FIELD(no_seams),
     .two_dashes = true,
     .help = "do not match luxels along seams between faces"},
    {.name = "dlightmap",
     .kind = OPTION_FLAG,
     .offset = FIELD(direct_apart),
     .help = "store direct light in a separate lightmap, also for style 0"},
    {.name = "rederrors",
     .kind = OPTION_FLAG,
     .offset = FIELD(red_errors),
     .help = "show luxels inside of solids in red instead of filling them from their neighbours"},
    {.name = "debugextra",
     .kind = OPTION_FLAG,
     .offset = FIELD(debug_extra),
     .help = "show supersampled luxels in blue"},
    {.name = "scale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(scale),
     .min = 0,
     .max = 1000,
     .map_key = "_scale",
     .help = "multiplier of the lightmaps"},
    {.name = "ambient",
     .argument = "R G B",
     .kind = OPTION_NUMBER,
     .offset = FIELD(ambient),
     .min = 0,
     .max = 1000,
     .arity = 3,
     .help = "light added to all lightmaps; 1 is half of white"},
    {.name = "coring",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(coring),
     .min = 0,
     .max = 255,
     .help = "minimum light of a luxel (255 is white); less becomes 0"},
    {.name = "sky",
     .alias = "skyscale",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(sky_scale),
     .min = 0,
     .max = 1000,
     .help = "multiplier of the sky's ambient light"},
    {.name = "dlight",
     .argument = "N",
     .kind = OPTION_NUMBER,
     .offset = FIELD(min_emission),
     .min = 1e-6,
     .max = 1e6,
     .help = "minimum emission of a texture light, mean of the channels; others emit nothing"},
/* Quake 3 only. */
#define QUAKE3_FLAG(name_, alias_, field_, key_, help_)                                            \
    {.name = name_,                                                                                \
     .alias = alias_,                                                                              \
     .kind = OPTION_FLAG,                                                                          \
     .offset = FIELD(quake3.field_),                                                               \
     .map_key = key_,                                                                              \
     .help = "Quake 3: " help_},
#define QUAKE3_CLEAR(name_, alias_, field_, help_)                                                 \
    {.name = name_,                                                                                \
     .alias = alias_,                                                                              \
     .kind = OPTION_CLEAR,                                                                         \
     .offset = FIELD(quake3.field_),                                                               \
     .help = "Quake 3: " help_},
#define QUAKE3_VALUE(kind_, name_, alias_, argument_, field_, min_, max_, key_, help_)             \
    {.name = name_,                                                                                \
     .alias = alias_,                                                                              \
     .argument = argument_,                                                                        \
     .kind = kind_,                                                                                \
     .offset = FIELD(quake3.field_),                                                               \
     .min = min_,                                                                                  \
     .max = max_,                                                                                  \
     .map_key = key_,                                                                              \
     .arity = OPTION_VALUES(quake3.field_, kind_),                                                 \
     .help = "Quake 3: " help_},
#define QUAKE3_FILES(kind_, name_, argument_, field_, min_, max_, help_)                           \
    {.name = name_,                                                                                \
     .argument = argument_,                                                                        \
     .kind = kind_,                                                                                \
     .offset = FIELD(quake3.field_),                                                               \
     .min = min_,                                                                                  \
     .max = max_,                                                                                  \
     .touches_files = true,                                                                        \
     .help = "Quake 3: " help_},
#define PART_FLAG(part_, name_, alias_, field_, key_, help_)                                       \
    {.name = name_,                                                                                \
     .alias = alias_,                                                                              \
     .kind = OPTION_FLAG,                                                                          \
     PART(part_, field_),                                                                          \
     .map_key = key_,                                                                              \
     .help = "Quake 3: " help_},
#define PART_CLEAR(part_, name_, alias_, field_, help_)                                            \
    {.name = name_,                                                                                \
     .alias = alias_,                                                                              \
     .kind = OPTION_CLEAR,                                                                         \
     PART(part_, field_),                                                                          \
     .help = "Quake 3: " help_},
#define PART_VALUE(part_, kind_, name_, alias_, argument_, field_, min_, max_, key_, help_)        \
    {.name = name_,                                                                                \
     .alias = alias_,                                                                              \
     .argument = argument_,                                                                        \
     .kind = kind_,                                                                                \
     PART(part_, field_),                                                                          \
     .min = min_,                                                                                  \
     .max = max_,                                                                                  \
     .map_key = key_,                                                                              \
     .help = "Quake 3: " help_},
#define QUAKE3_NOTED(kind_, name_, alias_, argument_, help_)                                       \
    {.name = name_, .alias = alias_, .argument = argument_, .kind = kind_, .help = help_},
#include "vrad/target/quake3_options.def"
    {.name = "faster", .kind = OPTION_FLAG, .offset = FIELD(fast)},
    {.name = "sRGB",
     .kind = OPTION_FLAG,
     .offset = FIELD(quake3.srgb_textures),
     .help = "Quake 3: -sRGBtex, -sRGBcolor and -sRGBlight"},
    {.name = "sRGB", .kind = OPTION_FLAG, .offset = FIELD(quake3.srgb_colours)},
    {.name = "sRGB", .kind = OPTION_FLAG, PART(tone, srgb_light)},
    {.name = "nosRGB",
     .kind = OPTION_CLEAR,
     .offset = FIELD(quake3.srgb_textures),
     .help = "the opposite of -sRGB (the default)"},
    {.name = "nosRGB", .kind = OPTION_CLEAR, .offset = FIELD(quake3.srgb_colours)},
    {.name = "nosRGB", .kind = OPTION_CLEAR, PART(tone, srgb_light)},
    /* Of Valve's and other branches. */
    {.name = "maxchop", .argument = "N", .kind = OPTION_IGNORED_ARG, .help = NO_PATCHES},
    {.name = "choptexlights", .kind = OPTION_IGNORED, .help = NO_PATCHES},
    {.name = "disppatchradius",
     .argument = "UNITS",
     .kind = OPTION_IGNORED_ARG,
     .help = NO_PATCHES},
    {.name = "maxdispsamplesize", .argument = "UNITS", .kind = OPTION_IGNORED_ARG, .help = AS_FLAT},
    {.name = "LargeDispSampleRadius", .kind = OPTION_IGNORED, .help = AS_FLAT},
    {.name = "centersamples",
     .kind = OPTION_STANDING,
     .help = "luxels are sampled at their centres"},
    {.name = "culllights",
     .kind = OPTION_STANDING,
     .help = "local lights are culled where they give less than 0.001 of 255"},
    {.name = "notexscale",
     .kind = OPTION_STANDING,
     .help = "surface lights respect the scale of their texture"},
    {.name = "allowdynamicpropsasstatic",
     .kind = OPTION_STANDING,
     .help = "the models of all props that the BSP has are lit"},
    {.name = "compressconstant",
     .argument = "N",
     .kind = OPTION_IGNORED_ARG,
     .help = "lightmaps of one colour are kept: formats of today have no short form of them"},
    {.name = "SunSamplesAreaLight",
     .argument = "N",
     .kind = OPTION_IGNORED_ARG,
     .help = "rays to the sun are as many as the quality asks for; see -fast and -final"},
    {.name = "AmbientCubesPerLeaf",
     .argument = "N",
     .kind = OPTION_IGNORED_ARG,
     .help = "ambient light of leaves is sampled where it changes, by the quality"},
    {.name = "StaticPropIndirectMode",
     .argument = "N",
     .kind = OPTION_IGNORED_ARG,
     .help = SAME_BOUNCES},
    {.name = "propambient", .kind = OPTION_IGNORED, .help = SAME_BOUNCES},
    {.name = "propmapvertexfallbacks",
     .kind = OPTION_IGNORED,
     .help = "a prop has the light of vertices or a lightmap, as its keys say"},
    {.name = "softencosine",
     .kind = OPTION_IGNORED,
     .help = "light falls on surfaces by the cosine of its angle"},
    {.name = "IndirectOnly",
     .kind = OPTION_IGNORED,
     .help = "lightmaps have direct and bounced light"},
    {.name = "dump", .kind = OPTION_IGNORED, .help = DEBUGGING},
    {.name = "dumpnormals", .kind = OPTION_IGNORED, .help = DEBUGGING},
    {.name = "dumptrace", .kind = OPTION_IGNORED, .help = DEBUGGING},
    {.name = "dumppropmaps", .kind = OPTION_IGNORED, .help = DEBUGGING},
    {.name = "loghash", .kind = OPTION_IGNORED, .help = DEBUGGING},
    {.name = "stoponexit", .kind = OPTION_IGNORED, .help = DEBUGGING},
};

struct option_group vrad_option_group(size_t base)
{
    return (struct option_group){"Light", defs, sizeof defs / sizeof *defs, base, "vrad"};
}

int vrad_reference_paths(const struct vrad_options *options)
{
    if (options->reference > 0)
        return options->reference;
    return options->reference_error > 0 ? MAX_PATHS : 0;
}
