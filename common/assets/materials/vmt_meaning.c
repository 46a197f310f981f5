/* Properties that a compiler derives from a material's keys. The mutually exclusive %compile keys
 * come first; the others add up. Checked against the flags and contents in maps that Valve's tools
 * compiled with the same materials. */
#include "common/assets/materials/vmt.h"

#include <string.h>

#include "common/bsp/flags.h"
#include "common/core/strings.h"

#define UNSEEN (SURFACE_NODRAW | SURFACE_NOLIGHT)

/* Only the first key that is set counts. */
static const struct {
    const char *key;
    int flags, contents;
} exclusive[] = {
    {"%compilesky", SURFACE_SKY | SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"%compile2dsky", SURFACE_SKY | SURFACE_SKY2D | SURFACE_NOLIGHT, CONTENTS_SOLID},
    {"%compilehint", UNSEEN | SURFACE_HINT, 0},
    {"%compileskip", UNSEEN | SURFACE_SKIP, 0},
    {"%compileorigin", UNSEEN, CONTENTS_ORIGIN | CONTENTS_DETAIL},
    {"%compileclip", UNSEEN, CONTENTS_PLAYERCLIP | CONTENTS_MONSTERCLIP},
    {"%playerclip", UNSEEN, CONTENTS_PLAYERCLIP},
    {"%compilenpcclip", UNSEEN, CONTENTS_MONSTERCLIP},
    {"%compilenochop", SURFACE_NOCHOP, CONTENTS_SOLID},
    {"%compiletrigger", SURFACE_NOLIGHT | SURFACE_TRIGGER, CONTENTS_SOLID},
};

/* Returns true for shaders without a lightmap. An unknown shader has one: too much light data does
 * no harm, too little makes a black wall. */
static bool is_unlit_shader(const char *shader)
{
    static const char *const unlit[] = {
        "unlitgeneric",
        "unlittwotexture",
        "vertexlitgeneric",
        "refract",
        "sky",
        "sprite",
        "spritecard",
        "modulate",
        "decalmodulate",
        "splinerope",
        "cable",
        "eyes",
        "eyerefract",
        "teeth",
        "shadow",
        "wireframe",
        "monitorscreen",
    };
    for (size_t i = 0; i < sizeof unlit / sizeof *unlit; i++)
        if (strcmp(shader, unlit[i]) == 0)
            return true;
    return str_starts_nocase(shader, "water");
}

/* `Refract` draws the background whatever its keys are (measured: glass with that shader and
 * without $translucent has TRANS in the BSP). */
static bool is_translucent(const struct vmt *vmt)
{
    return vmt_flag(vmt, "$translucent") || strcmp(vmt->shader, "refract") == 0;
}

static bool is_see_through(const struct vmt *vmt)
{
    const char *alpha = vmt_value(vmt, "$alpha");
    double number = 1;
    if (alpha)
        str_to_doubles(alpha, &number, 1);
    return is_translucent(vmt) || number < 1 || vmt_flag(vmt, "$additive") ||
           vmt_flag(vmt, "$alphatest");
}

static bool wants_bump(const struct vmt *vmt)
{
    const char *map = vmt_value(vmt, "$bumpmap");
    return map && *map && !vmt_flag(vmt, "$nodiffusebumplighting");
}

static int added_contents(const struct vmt *vmt)
{
    static const struct {
        const char *key;
        int contents;
    } adds[] = {
        {"%compileladder", CONTENTS_LADDER},   {"%compilepassbullets", CONTENTS_GRATE},
        {"%compileinvisible", CONTENTS_GRATE}, {"%compileblocklos", CONTENTS_BLOCKLOS},
        {"%compilewater", CONTENTS_WATER},     {"%compileslime", CONTENTS_SLIME},
        {"%compiledetail", CONTENTS_DETAIL},
    };
    if (vmt_flag(vmt, "%compilenonsolid"))
        return CONTENTS_OPAQUE | (vmt_flag(vmt, "%compiledetail") ? CONTENTS_DETAIL : 0);
    int contents = 0;
    for (size_t i = 0; i < sizeof adds / sizeof *adds; i++)
        if (vmt_flag(vmt, adds[i].key))
            contents |= adds[i].contents;
    int substance = contents & ~(CONTENTS_LADDER | CONTENTS_DETAIL);
    if (!substance)
        contents |= is_see_through(vmt) ? CONTENTS_WINDOW : CONTENTS_SOLID;
    return contents;
}

static int added_flags(const struct vmt *vmt)
{
    int flags = 0;
    bool water = vmt_flag(vmt, "%compilewater");
    if (vmt_flag(vmt, "%noportal"))
        flags |= SURFACE_NOPORTAL;
    if (vmt_flag(vmt, "%compilenodraw") || vmt_flag(vmt, "%compileinvisible"))
        flags |= UNSEEN;
    if (water)
        flags |= SURFACE_WARP | SURFACE_NOSHADOWS | SURFACE_NODECALS;
    if (vmt_flag(vmt, "%compileslime"))
        flags |= SURFACE_NODECALS;
    if (is_translucent(vmt) && !water)
        flags |= SURFACE_TRANS;
    if (is_unlit_shader(vmt->shader) && !(water && vmt_flag(vmt, "%compilekeeplight")))
        flags |= SURFACE_NOLIGHT;
    if (wants_bump(vmt) && !(flags & SURFACE_NOLIGHT))
        flags |= SURFACE_BUMPLIGHT;
    return flags;
}

static void decide(const struct vmt *vmt, int *flags, int *contents)
{
    for (size_t i = 0; i < sizeof exclusive / sizeof *exclusive; i++) {
        if (!vmt_flag(vmt, exclusive[i].key))
            continue;
        *flags = exclusive[i].flags;
        *contents = exclusive[i].contents;
        return;
    }
    if (vmt_flag(vmt, "%compilenolight") && !vmt_flag(vmt, "%compilewater")) {
        *flags = SURFACE_NOLIGHT;
        *contents = CONTENTS_SOLID;
        return;
    }
    *flags = added_flags(vmt);
    *contents = added_contents(vmt);
}

static const char *text_or(const struct vmt *vmt, const char *key, const char *otherwise)
{
    const char *value = vmt_value(vmt, key);
    return value && *value ? value : otherwise;
}

static void find_dependents(const struct vmt *vmt, const char *out[MATERIAL_DEPENDENTS])
{
    static const char *const keys[MATERIAL_DEPENDENTS] = {"$bottommaterial", "$crackmaterial",
                                                          "$fallbackmaterial"};
    for (int i = 0; i < MATERIAL_DEPENDENTS; i++) {
        const char *name = kv_value(vmt->keys, keys[i]);
        out[i] = name && *name ? name : NULL;
    }
}

void vmt_compile_meaning(const struct vmt *vmt, struct material *material)
{
    decide(vmt, &material->surface_flags, &material->contents);
    int liquid = material->contents & (CONTENTS_WATER | CONTENTS_SLIME);
    material->translucent = is_see_through(vmt);
    material->water = liquid != 0;
    material->is_clip = (material->contents & CONTENTS_CLIP) != 0;
    material->no_chop = (material->surface_flags & SURFACE_NOCHOP) != 0;
    material->bump = (material->surface_flags & SURFACE_BUMPLIGHT) != 0;
    material->envmap_cubemap = str_equal_nocase(text_or(vmt, "$envmap", ""), "env_cubemap");
    material->shader = vmt->shader;
    material->surface_prop = text_or(vmt, "$surfaceprop", "default");
    material->bottom_material = text_or(vmt, "$bottommaterial", NULL);
    material->detail_type = text_or(vmt, "%detailtype", NULL);
    find_dependents(vmt, material->dependents);
}
