/* Selects the texinfo to write. Faces keep theirs. A brush side without a face takes one with the
 * same flags and surface property if there is one, since only those two matter for collision. All
 * sky is one texinfo. */
#include "common/bsp/overlay_records.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/materials/material_patch.h"

enum { SKY_FLAGS = SURFACE_SKY | SURFACE_SKY2D };

struct texinfo_keeper {
    struct compile *compile;
    bool *kept;  /* stb_ds array, one per texinfo, like the next two */
    int *same;   /* its replacement */
    int *number; /* new number */
};

/* A material whose surface property is unknown (without a VMT) matches only itself and the copies
 * made of it for the map. */
static bool same_surface(struct compile *compile, const struct material *a,
                         const struct material *b)
{
    return a == b || material_patch_base(compile, a) == material_patch_base(compile, b) ||
           (*a->surface_prop && str_equal_nocase(a->surface_prop, b->surface_prop));
}

static bool behaves_alike(struct compile *compile, int a, int b)
{
    const struct texinfo_set *set = &compile->texinfos;
    return set->items[a].flags == set->items[b].flags &&
           same_surface(compile, set->materials[a], set->materials[b]);
}

/* The first texinfo of such a sky that a face shows, or the first at all; -1 without one. */
static int texinfo_of_sky(const struct compile *compile, int kind)
{
    const struct bsp_texinfo *items = compile->texinfos.items;
    const struct bsp *bsp = compile->bsp;
    int first = -1;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        int texinfo = bsp->faces[i].texinfo;
        if (texinfo >= 0 && (items[texinfo].flags & SKY_FLAGS) == kind &&
            (first < 0 || texinfo < first))
            first = texinfo;
    }
    for (int i = 0; i < (int)arrlen(items) && first < 0; i++)
        if ((items[i].flags & SKY_FLAGS) == kind)
            first = i;
    return first;
}

static void join_skies(struct texinfo_keeper *keeper)
{
    static const int kinds[2] = {SURFACE_SKY, SKY_FLAGS};
    const struct texinfo_set *set = &keeper->compile->texinfos;
    for (int i = 0; i < (int)arrlen(set->items); i++) {
        arrput(keeper->same, i);
        arrput(keeper->kept, false);
    }
    for (int k = 0; k < 2; k++) {
        int sky = texinfo_of_sky(keeper->compile, kinds[k]);
        for (int i = 0; i < (int)arrlen(set->items) && sky >= 0; i++)
            if ((set->items[i].flags & SKY_FLAGS) == kinds[k])
                keeper->same[i] = sky;
    }
}

static void keep_texinfo(struct texinfo_keeper *keeper, int32_t *texinfo)
{
    if (*texinfo < 0)
        return;
    *texinfo = keeper->same[*texinfo];
    keeper->kept[*texinfo] = true;
}

/* Replaces it by one that is kept, if any. */
static void replace_texinfo(struct texinfo_keeper *keeper, int32_t *texinfo)
{
    const struct texinfo_set *set = &keeper->compile->texinfos;
    if (*texinfo >= 0 && !keeper->kept[keeper->same[*texinfo]]) {
        for (int i = 0; i < (int)arrlen(set->items); i++) {
            if (keeper->kept[i] && behaves_alike(keeper->compile, i, *texinfo)) {
                *texinfo = i;
                return;
            }
        }
    }
    keep_texinfo(keeper, texinfo);
}

typedef void texinfo_visit(struct texinfo_keeper *keeper, int32_t *texinfo);

/* Visits all references of records: those of drawn faces, and others. */
static void visit_texinfo(struct texinfo_keeper *keeper, texinfo_visit *drawn, texinfo_visit *other)
{
    struct bsp *bsp = keeper->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        drawn(keeper, &bsp->faces[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++)
        drawn(keeper, &bsp->leaf_water[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        other(keeper, &bsp->brush_sides[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->original_faces); i++)
        other(keeper, &bsp->original_faces[i].texinfo);
    /* Last, so that no brush side takes one of these, which have no mapping. */
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        drawn(keeper, &bsp->overlays[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        drawn(keeper, &bsp->water_overlays[i].texinfo);
}

static int32_t add_texdata(struct compile *compile, int *numbers, int texdata)
{
    struct bsp *bsp = compile->bsp;
    if (numbers[texdata] >= 0)
        return numbers[texdata];
    struct bsp_texdata record = compile->texinfos.texdata[texdata];
    const char *name = compile->texinfos.names[texdata];
    size_t size = strlen(name) + 1;
    char *copy = memory_alloc(size);
    memcpy(copy, name, size);
    record.name = (int32_t)arrlen(bsp->texture_names);
    arrput(bsp->texture_names, copy);
    arrput(bsp->texdata, record);
    return numbers[texdata] = (int)arrlen(bsp->texdata) - 1;
}

static void write_kept(struct texinfo_keeper *keeper)
{
    struct compile *compile = keeper->compile;
    int *texdata = NULL;
    for (size_t i = 0; i < arrlenu(compile->texinfos.texdata); i++)
        arrput(texdata, -1);
    for (size_t i = 0; i < arrlenu(compile->texinfos.items); i++) {
        arrput(keeper->number, (int)arrlen(compile->bsp->texinfo));
        if (!keeper->kept[i])
            continue;
        struct bsp_texinfo record = compile->texinfos.items[i];
        record.texdata = add_texdata(compile, texdata, record.texdata);
        arrput(compile->bsp->texinfo, record);
    }
    arrfree(texdata);
}

static void renumber(struct texinfo_keeper *keeper, int32_t *texinfo)
{
    if (*texinfo >= 0)
        *texinfo = keeper->number[*texinfo];
}

void emit_texinfo(struct compile *compile)
{
    struct texinfo_keeper keeper = {.compile = compile};
    join_skies(&keeper);
    visit_texinfo(&keeper, keep_texinfo, replace_texinfo);
    write_kept(&keeper);
    visit_texinfo(&keeper, renumber, renumber);
    arrfree(keeper.kept);
    arrfree(keeper.same);
    arrfree(keeper.number);
}
