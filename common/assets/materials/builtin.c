/* Materials without files: the built-in set of tool materials. */
#include <string.h>

#include "common/assets/materials/material_set.h"
#include "common/bsp/flags.h"

#define WATER  (SURFACE_WARP | SURFACE_NOLIGHT | SURFACE_NOSHADOWS | SURFACE_NODECALS)
#define UNSEEN (SURFACE_NODRAW | SURFACE_NOLIGHT)
#define CLIP   (CONTENTS_PLAYERCLIP | CONTENTS_MONSTERCLIP)

/* Initialisers of a material; sizes are for both axes. */
#define TEXTURE(material, size, r, g, b, prop)                                                     \
    .name = material, .width = size, .height = size, .view_width = size, .view_height = size,      \
    .reflectivity = {r, g, b}, .shader = "", .surface_prop = prop, .origin = MATERIAL_BUILT_IN
#define PLAIN(material, size, r, g, b, prop)                                                       \
    {TEXTURE(material, size, r, g, b, prop), .contents = CONTENTS_SOLID}
#define TOOL(material, size, r, g, b, flags, makes, prop)                                          \
    {TEXTURE(material, size, r, g, b, prop),                                                       \
     .surface_flags = (flags),                                                                     \
     .contents = (makes),                                                                          \
     .translucent = ((flags) & SURFACE_TRANS) || ((makes) & (CONTENTS_WINDOW | CONTENTS_GRATE)),   \
     .water = ((makes) & CONTENTS_WATER) != 0,                                                     \
     .is_clip = ((makes) & CLIP) != 0}

/* Rails, drawn on a brush that bullets pass. */
#define RAILS(material, across, up, r, g, b, prop)                                                 \
    {.name = material,                                                                             \
     .width = across,                                                                              \
     .height = up,                                                                                 \
     .view_width = across,                                                                         \
     .view_height = up,                                                                            \
     .reflectivity = {r, g, b},                                                                    \
     .shader = "",                                                                                 \
     .surface_prop = prop,                                                                         \
     .origin = MATERIAL_BUILT_IN,                                                                  \
     .surface_flags = SURFACE_TRANS,                                                               \
     .contents = CONTENTS_GRATE,                                                                   \
     .translucent = true}

/* Sorted by name. Sizes, reflectivities, flags, contents and surface properties are those of
 * compiled maps, if any of them uses the material. */
static const struct material table[] = {
    PLAIN("dev/dev_blendmeasure", 128, 0.112, 0.11, 0.11, "concrete"),
    PLAIN("dev/dev_blendmeasure2", 512, 0.117, 0.114, 0.114, "default"),
    PLAIN("dev/dev_concretefloor001a", 512, 0.25, 0.24, 0.22, "concrete"),
    PLAIN("dev/dev_concretefloor004a", 512, 0.101, 0.067, 0.053, "concrete"),
    PLAIN("dev/dev_concretewall001a", 512, 0.3, 0.29, 0.27, "concrete"),
    PLAIN("dev/dev_corrugatedmetal", 1024, 0.176, 0.177, 0.17, "metal"),
    PLAIN("dev/dev_hazzardstripe01a", 128, 0.4, 0.3, 0.02, "metal"),
    PLAIN("dev/dev_interiorfloorgrid03b", 512, 0.112, 0.11, 0.11, "concrete"),
    PLAIN("dev/dev_interiorwall01b", 512, 0.112, 0.11, 0.11, "concrete"),
    PLAIN("dev/dev_interiorwall02c", 512, 0.3, 0.3, 0.3, "concrete"),
    PLAIN("dev/dev_interiorwall03d", 512, 0.45, 0.45, 0.45, "concrete"),
    PLAIN("dev/dev_measurecomputer01", 128, 0.768, 0.22, 0.011, "metal"),
    PLAIN("dev/dev_measurecrate01", 128, 0.768, 0.22, 0.011, "wood"),
    PLAIN("dev/dev_measurecrate02", 128, 0.112, 0.11, 0.11, "wood"),
    PLAIN("dev/dev_measurecrate03", 128, 0.112, 0.11, 0.11, "wood"),
    PLAIN("dev/dev_measuredesk", 128, 0.768, 0.22, 0.011, "wood"),
    PLAIN("dev/dev_measuredoor01", 128, 0.768, 0.22, 0.011, "wood"),
    PLAIN("dev/dev_measuregeneric01", 128, 0.768, 0.216, 0.002, "concrete"),
    PLAIN("dev/dev_measuregeneric01b", 128, 0.112, 0.11, 0.11, "concrete"),
    PLAIN("dev/dev_measuregeneric01blu", 128, 0.072, 0.125, 0.181, "concrete"),
    PLAIN("dev/dev_measuregeneric01green", 128, 0.12, 0.42, 0.09, "concrete"),
    PLAIN("dev/dev_measuregeneric01red", 128, 0.5, 0.08, 0.06, "concrete"),
    PLAIN("dev/dev_measurehall01", 512, 0.768, 0.22, 0.011, "concrete"),
    PLAIN("dev/dev_measureladder01", 128, 0.768, 0.22, 0.011, "metal"),
    RAILS("dev/dev_measurerails01", 512, 128, 0.39, 0.26, 0.21, "metal"),
    PLAIN("dev/dev_measurestairs01a", 128, 0.768, 0.22, 0.011, "concrete"),
    PLAIN("dev/dev_measurestairs01b", 128, 0.112, 0.11, 0.11, "concrete"),
    PLAIN("dev/dev_measureswitch01", 128, 0.768, 0.22, 0.011, "metal"),
    PLAIN("dev/dev_measureswitch02", 128, 0.768, 0.22, 0.011, "metal"),
    PLAIN("dev/dev_measureswitch03", 128, 0.768, 0.22, 0.011, "metal"),
    PLAIN("dev/dev_measurewall01a", 512, 0.768, 0.22, 0.011, "concrete"),
    PLAIN("dev/dev_measurewall01b", 512, 0.112, 0.11, 0.11, "concrete"),
    PLAIN("dev/dev_measurewall01blu", 512, 0.072, 0.125, 0.181, "concrete"),
    PLAIN("dev/dev_measurewall01c", 512, 0.3, 0.3, 0.3, "concrete"),
    PLAIN("dev/dev_measurewall01d", 512, 0.45, 0.45, 0.45, "concrete"),
    PLAIN("dev/dev_measurewall01green", 512, 0.12, 0.42, 0.09, "concrete"),
    PLAIN("dev/dev_measurewall01red", 512, 0.5, 0.08, 0.06, "concrete"),
    TOOL("dev/dev_water2", 256, 0.2, 0.2, 0.2, WATER, CONTENTS_WATER, "water"),
    TOOL("dev/dev_water3", 256, 0.2, 0.2, 0.2, WATER, CONTENTS_WATER, "water"),
    TOOL("dev/dev_water4", 256, 0.2, 0.2, 0.2, WATER, CONTENTS_WATER, "water"),
    TOOL("dev/dev_water5", 256, 0.2, 0.2, 0.2, WATER, CONTENTS_WATER, "water"),
    PLAIN("dev/graygrid", 256, 0.2, 0.2, 0.2, "concrete"),
    PLAIN("dev/reflectivity_10", 512, 0.099, 0.099, 0.099, "concrete"),
    PLAIN("dev/reflectivity_20", 512, 0.197, 0.197, 0.197, "concrete"),
    PLAIN("dev/reflectivity_30", 512, 0.295, 0.295, 0.295, "concrete"),
    PLAIN("dev/reflectivity_40", 512, 0.394, 0.394, 0.394, "concrete"),
    PLAIN("dev/reflectivity_50", 512, 0.492, 0.492, 0.492, "concrete"),
    PLAIN("dev/reflectivity_60", 512, 0.591, 0.591, 0.591, "concrete"),
    PLAIN("dev/reflectivity_70", 512, 0.69, 0.69, 0.69, "concrete"),
    PLAIN("dev/reflectivity_80", 512, 0.788, 0.788, 0.788, "concrete"),
    PLAIN("dev/reflectivity_90", 512, 0.886, 0.886, 0.886, "concrete"),
    TOOL("tools/climb_alpha", 128, 0.007, 0.048, 0.003, SURFACE_NOLIGHT,
         CONTENTS_GRATE | CONTENTS_TEAM2 | CONTENTS_LADDER, "default"),
    TOOL("tools/climb_versus", 128, 0.002, 0.013, 0.001, SURFACE_NOLIGHT | SURFACE_TRANS,
         CONTENTS_GRATE | CONTENTS_TEAM2 | CONTENTS_LADDER, "default"),
    TOOL("tools/invismetal", 64, 0.356, 0.132, 0, UNSEEN | SURFACE_TRANS, CONTENTS_WINDOW, "metal"),
    TOOL("tools/toolsareaportal", 64, 0, 0.896, 0.705, SURFACE_NOLIGHT, CONTENTS_SOLID, "default"),
    TOOL("tools/toolsblack", 64, 0, 0, 0, SURFACE_NOLIGHT, CONTENTS_SOLID, "default"),
    TOOL("tools/toolsblack_noportal", 64, 0, 0, 0, SURFACE_NOLIGHT | SURFACE_NOPORTAL,
         CONTENTS_SOLID, "default"),
    TOOL("tools/toolsblock_los", 64, 0.064, 0.064, 1, UNSEEN, CONTENTS_BLOCKLOS | CONTENTS_DETAIL,
         "default"),
    TOOL("tools/toolsblockbullets", 64, 0.914, 0.204, 0, UNSEEN | SURFACE_TRANS, CONTENTS_WINDOW,
         "default"),
    TOOL("tools/toolsblocklight", 64, 0.376, 0.582, 0.129, UNSEEN,
         CONTENTS_OPAQUE | CONTENTS_DETAIL, "default"),
    TOOL("tools/toolsclip", 64, 0.665, 0.051, 0.024, UNSEEN, CLIP, "default"),
    TOOL("tools/toolsclip_concrete", 64, 0.645, 0.098, 0.071, UNSEEN, CLIP, "concrete"),
    TOOL("tools/toolsclip_dirt", 64, 0.633, 0.07, 0.043, UNSEEN, CLIP, "dirt"),
    TOOL("tools/toolsclip_glass", 64, 0.637, 0.079, 0.052, UNSEEN, CLIP, "glass"),
    TOOL("tools/toolsclip_grass", 64, 0.638, 0.082, 0.055, UNSEEN, CLIP, "grass"),
    TOOL("tools/toolsclip_gravel", 64, 0.639, 0.085, 0.058, UNSEEN, CLIP, "gravel"),
    TOOL("tools/toolsclip_metal", 64, 0.637, 0.08, 0.053, UNSEEN, CLIP, "metal"),
    TOOL("tools/toolsclip_metal_sand_barrel", 64, 0.601, 0.128, 0.101, UNSEEN, CLIP,
         "metal_sand_barrel"),
    TOOL("tools/toolsclip_metalgrate", 64, 0.619, 0.111, 0.083, UNSEEN, CLIP, "metalgrate"),
    TOOL("tools/toolsclip_metalvehicle", 64, 0.62, 0.108, 0.082, UNSEEN, CLIP, "metalvehicle"),
    TOOL("tools/toolsclip_plastic", 64, 0.606, 0.084, 0.057, UNSEEN, CLIP, "plastic"),
    TOOL("tools/toolsclip_rubber", 64, 0.641, 0.09, 0.063, UNSEEN, CLIP, "rubber"),
    TOOL("tools/toolsclip_rubbertire", 64, 0.554, 0.103, 0.076, UNSEEN, CLIP, "rubbertire"),
    TOOL("tools/toolsclip_sand", 64, 0.636, 0.077, 0.05, UNSEEN, CLIP, "sand"),
    TOOL("tools/toolsclip_snow", 64, 0.665, 0.051, 0.024, UNSEEN, CLIP, "snow"),
    TOOL("tools/toolsclip_tile", 64, 0.632, 0.067, 0.04, UNSEEN, CLIP, "tile"),
    TOOL("tools/toolsclip_wood", 64, 0.637, 0.079, 0.052, UNSEEN, CLIP, "wood"),
    TOOL("tools/toolsclip_wood_basket", 64, 0.592, 0.109, 0.082, UNSEEN, CLIP, "wood_basket"),
    TOOL("tools/toolsclip_wood_crate", 64, 0.526, 0.102, 0.075, UNSEEN, CLIP, "wood_crate"),
    TOOL("tools/toolscontrolclip", 64, 0.6, 0.1, 0.3, UNSEEN, CONTENTS_PLAYERCLIP, "default"),
    TOOL("tools/toolsdotted", 64, 0.3, 0.3, 0.3, SURFACE_NOLIGHT | SURFACE_TRANS, CONTENTS_WINDOW,
         "default"),
    TOOL("tools/toolsfog", 64, 0.5, 0.5, 0.5, UNSEEN, CONTENTS_SOLID, "default"),
    TOOL("tools/toolshint", 64, 0.361, 0.066, 0.575, UNSEEN | SURFACE_HINT, 0, "default"),
    TOOL("tools/toolsinvisible", 64, 0.705, 0, 0.256, UNSEEN | SURFACE_TRANS, CONTENTS_GRATE,
         "default"),
    TOOL("tools/toolsinvisibleladder", 64, 0.947, 0.066, 0, UNSEEN,
         CONTENTS_GRATE | CONTENTS_LADDER, "default"),
    TOOL("tools/toolsnodraw", 64, 0.913, 0.67, 0.012, UNSEEN, CONTENTS_SOLID, "default"),
    TOOL("tools/toolsnodraw_concrete", 64, 0.866, 0.635, 0.011, UNSEEN, CONTENTS_SOLID, "concrete"),
    TOOL("tools/toolsnodraw_dirt", 64, 0.866, 0.635, 0.011, UNSEEN, CONTENTS_SOLID, "dirt"),
    TOOL("tools/toolsnodraw_grass", 64, 0.866, 0.635, 0.011, UNSEEN, CONTENTS_SOLID, "grass"),
    TOOL("tools/toolsnodraw_metal", 64, 0.866, 0.635, 0.011, UNSEEN, CONTENTS_SOLID, "metal"),
    TOOL("tools/toolsnodraw_roof", 64, 0.866, 0.635, 0.011, UNSEEN, CONTENTS_SOLID, "default"),
    TOOL("tools/toolsnodraw_wood", 64, 0.866, 0.635, 0.011, UNSEEN, CONTENTS_SOLID, "wood"),
    TOOL("tools/toolsnolight", 64, 0.5, 0.5, 0.5, SURFACE_NOLIGHT, CONTENTS_SOLID, "default"),
    TOOL("tools/toolsnpcclip", 64, 0.29, 0.037, 0.67, UNSEEN, CONTENTS_MONSTERCLIP, "default"),
    TOOL("tools/toolsoccluder", 64, 0.2, 0.6, 0.6, SURFACE_NOLIGHT | SURFACE_TRIGGER,
         CONTENTS_SOLID, "default"),
    TOOL("tools/toolsorigin", 64, 0.8, 0.5, 0.1, UNSEEN, CONTENTS_ORIGIN | CONTENTS_DETAIL,
         "default"),
    TOOL("tools/toolsplayerclip", 64, 0.629, 0.08, 0.28, UNSEEN, CONTENTS_PLAYERCLIP, "default"),
    TOOL("tools/toolsskip", 64, 0.014, 0.498, 0.94, UNSEEN | SURFACE_SKIP, 0, "default"),
    TOOL("tools/toolsskybox", 128, 0.441, 0.742, 0.967, SURFACE_SKY | SURFACE_NOLIGHT,
         CONTENTS_SOLID, "default_silent"),
    TOOL("tools/toolsskybox2d", 128, 0.638, 0.629, 0.94,
         SURFACE_SKY | SURFACE_SKY2D | SURFACE_NOLIGHT, CONTENTS_SOLID, "default_silent"),
    TOOL("tools/toolsskyfog", 64, 0.2, 0.2, 0.2, SURFACE_NOLIGHT, CONTENTS_SOLID, "default"),
    TOOL("tools/toolstrigger", 64, 0.95, 0.322, 0, SURFACE_NOLIGHT | SURFACE_TRIGGER,
         CONTENTS_SOLID, "default"),
    TOOL("tools/toolswhite", 16, 1, 1, 1, SURFACE_NOLIGHT, CONTENTS_SOLID, "glass"),
};

const struct material *builtin_material(const char *clean_name)
{
    size_t low = 0, high = sizeof table / sizeof *table;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(table[middle].name, clean_name);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
