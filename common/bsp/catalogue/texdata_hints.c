#include "common/bsp/catalogue/texdata_hints.h"

#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/geom/vec.h"
#include "common/text/keyvalues.h"

/* Minimum cosine between a triangle's normal and that of the brush side that it lies on. */
#define MIN_COSINE 0.999

enum {
    MATERIALS = PHYSICS_MATERIALS_MAX,
    BUDGET_PER_RECORD =
        256, /* budget per record: in a damaged map all hulls may name one brush with all sides */
};

struct tally_cell {
    int64_t key; /* texdata * MATERIALS + material */
    int64_t value;
};

struct search {
    const struct bsp *bsp;
    const char *names[MATERIALS];
    struct tally_cell *tally; /* stb_ds map */
    size_t budget;
};

static void read_table(struct search *search, const struct kv *text)
{
    const struct kv *table = kv_find(text, "materialtable");
    for (const struct kv *node = table ? table->children : NULL; node; node = node->next) {
        int64_t number;
        if (node->value && str_to_int64(node->value, &number) && number > 0 && number < MATERIALS)
            search->names[number] = node->key;
    }
}

static struct vec3 normal_in_map(const struct physics_solid *solid,
                                 const struct physics_triangle *triangle)
{
    struct vec3 corners[3];
    for (int i = 0; i < 3; i++) {
        const float *p = solid->points[triangle->edges[i].point].p;
        corners[i] = vec3((double)p[0], (double)p[2], -(double)p[1]);
    }
    return vec3_normalize(
        vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0])));
}

static bool side_is_valid(const struct bsp *bsp, int64_t number)
{
    if (number < 0 || number >= (int64_t)arrlen(bsp->brush_sides))
        return false;
    const struct bsp_brush_side *side = &bsp->brush_sides[number];
    return !side->bevel && side->texinfo >= 0 && side->texinfo < arrlen(bsp->texinfo) &&
           side->plane >= 0 && side->plane < arrlen(bsp->planes);
}

/* Returns the texinfo of the side that faces along the normal, or -1. */
static int32_t texinfo_facing(struct search *search, int32_t brush, struct vec3 normal)
{
    const struct bsp *bsp = search->bsp;
    const struct bsp_brush *record = &bsp->brushes[brush];
    int32_t best = -1;
    double max = MIN_COSINE;
    for (int64_t i = 0; i < record->side_count && search->budget; i++) {
        search->budget--;
        if (!side_is_valid(bsp, record->first_side + i))
            continue;
        const struct bsp_brush_side *side = &bsp->brush_sides[record->first_side + i];
        const float *n = bsp->planes[side->plane].normal;
        double along = vec3_dot(normal, vec3((double)n[0], (double)n[1], (double)n[2]));
        if (along <= max)
            continue;
        max = along;
        best = side->texinfo;
    }
    return best;
}

static void count_triangle(struct search *search, const struct physics_solid *solid,
                           const struct physics_triangle *triangle, int32_t brush)
{
    const struct bsp *bsp = search->bsp;
    if (!search->names[triangle->material])
        return;
    int32_t texinfo = texinfo_facing(search, brush, normal_in_map(solid, triangle));
    int32_t texdata = texinfo >= 0 ? bsp->texinfo[texinfo].texdata : -1;
    if (texdata < 0 || texdata >= arrlen(bsp->texdata))
        return;
    int64_t key = (int64_t)texdata * MATERIALS + triangle->material;
    ptrdiff_t at = hmgeti(search->tally, key);
    int64_t count = at < 0 ? 1 : search->tally[at].value + 1;
    hmput(search->tally, key, count);
}

static void count_solid(struct search *search, const struct bytes *bytes, struct diag *diag)
{
    struct physics_solid solid;
    if (physics_solid_decode(bytes, NULL, diag, &solid) != STATUS_OK)
        return;
    search->budget += BUDGET_PER_RECORD * arrlenu(solid.triangles);
    for (size_t i = 0; i < arrlenu(solid.ledges); i++) {
        const struct physics_ledge *ledge = &solid.ledges[i];
        bool of_brush =
            !ledge->is_outer && ledge->client >= 0 && ledge->client < arrlen(search->bsp->brushes);
        for (int32_t k = 0; of_brush && k < ledge->triangle_count; k++)
            count_triangle(search, &solid, &solid.triangles[ledge->first_triangle + k],
                           ledge->client);
    }
    physics_solid_free(&solid);
}

static void choose_commonest(const struct search *search, struct arena *arena, const char **names)
{
    int64_t *max = memory_zalloc(arrlenu(search->bsp->texdata) + 1, sizeof *max);
    for (size_t i = 0; i < hmlenu(search->tally); i++) {
        int64_t texdata = search->tally[i].key / MATERIALS;
        if (search->tally[i].value <= max[texdata])
            continue;
        max[texdata] = search->tally[i].value;
        names[texdata] = arena_strdup(arena, search->names[search->tally[i].key % MATERIALS]);
    }
    memory_free(max);
}

const char **texdata_surfaceprops(struct arena *arena, const struct bsp *bsp)
{
    const char **names = ARENA_ARRAY(arena, const char *, arrlenu(bsp->texdata) + 1);
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++)
        names[i] = NULL;
    struct search search = {.bsp = bsp, .budget = BUDGET_PER_RECORD};
    struct diag *silent = diag_new(NULL, NULL);
    struct arena scratch = {0};
    struct physics physics;
    struct kv *text;
    if (physics_decode(&bsp->physics, NULL, silent, &physics) == STATUS_OK) {
        if (arrlen(physics.models) && physics.models[0].index == 0 &&
            physics_text_blocks(&physics.models[0], "text", &scratch, silent, &text) == STATUS_OK) {
            read_table(&search, text);
            for (size_t i = 0; i < arrlenu(physics.models[0].solids); i++)
                count_solid(&search, &physics.models[0].solids[i], silent);
        }
        physics_free(&physics);
    }
    choose_commonest(&search, arena, names);
    hmfree(search.tally);
    arena_free(&scratch);
    diag_free(silent);
    return names;
}

static bool has_wvt_patch_suffix(const char *name)
{
    size_t length = strlen(name), ending = strlen(TEXDATA_WVT_PATCH_SUFFIX);
    return length > ending && strcmp(name + length - ending, TEXDATA_WVT_PATCH_SUFFIX) == 0;
}

const char *texdata_wvt_patch_texture(struct arena *arena, const struct pakfile *pakfile,
                                      const char *name)
{
    const char *file = arena_printf(arena, "materials/%s.vmt", name);
    const struct pakfile_file *found =
        has_wvt_patch_suffix(name) ? pakfile_find(pakfile, file) : NULL;
    if (!found)
        return NULL;
    /* An unreadable one is ignored; the map may still be valid. */
    struct diag *silent = diag_new(NULL, NULL);
    struct bytes text = {0};
    struct kv *root;
    const char *texture = NULL;
    if (pakfile_extract(found, NULL, silent, &text) == STATUS_OK &&
        kv_parse((const char *)text.data, text.size, file, KV_LENIENT, arena, silent, &root) ==
            STATUS_OK &&
        root->children)
        texture = kv_value(root->children, "$basetexture");
    bytes_free(&text);
    diag_free(silent);
    return texture && *texture ? texture : NULL;
}
