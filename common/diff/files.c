/* Compares physics, packed files, and lumps that are only bytes to us. */
#include "common/bsp/codec/format.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"
#include "common/diff/diff_internal.h"

#define METRES 0.0254 /* per unit */

static void compare_blob(struct comparison *c, const char *what, const struct bytes *a,
                         const struct bytes *b)
{
    if (bytes_equal(a, b))
        return;
    diff_differ(c, "bytes_differ", 1);
    DIFF_EXAMPLE(c, "%s: content differs, %zu bytes in A, %zu in B", what, a->size, b->size);
}

/* Points have bytes without meaning, and triangles follow from the points. */
static bool same_solids(const struct comparison *c, const struct physics_solid *p,
                        const struct physics_solid *q)
{
    if (p->kind != PHYSICS_POLY || q->kind != PHYSICS_POLY ||
        arrlen(p->points) != arrlen(q->points) || arrlen(p->ledges) != arrlen(q->ledges) ||
        arrlen(p->triangles) != arrlen(q->triangles))
        return false;
    for (int i = 0; i < arrlen(p->points); i++)
        if (!diff_near(vec3_from_floats(p->points[i].p), vec3_from_floats(q->points[i].p),
                       c->options->distance * METRES))
            return false;
    for (int i = 0; i < arrlen(p->triangles); i++)
        for (int k = 0; k < 3; k++)
            if (p->triangles[i].edges[k].point != q->triangles[i].edges[k].point ||
                p->triangles[i].material != q->triangles[i].material)
                return false;
    return true;
}

static bool same_solid(const struct comparison *c, const struct bytes *a, const struct bytes *b)
{
    struct diag *unheard = diag_new(NULL, NULL);
    struct physics_solid p = {0}, q = {0};
    bool same = bytes_equal(a, b);
    if (!same && physics_solid_decode(a, NULL, unheard, &p) == STATUS_OK &&
        physics_solid_decode(b, NULL, unheard, &q) == STATUS_OK)
        same = same_solids(c, &p, &q);
    physics_solid_free(&p);
    physics_solid_free(&q);
    diag_free(unheard);
    return same;
}

struct physics_counts {
    size_t changed, solids, texts;
};

static void compare_model(struct comparison *c, const struct physics_model *p,
                          const struct physics_model *q, struct physics_counts *counts)
{
    size_t a = arrlenu(p->solids), b = arrlenu(q->solids), solids = a > b ? a - b : b - a;
    for (size_t i = 0; i < a && i < b; i++)
        solids += !same_solid(c, &p->solids[i], &q->solids[i]);
    bool text = !bytes_equal(&p->text, &q->text);
    counts->solids += solids;
    counts->texts += text;
    counts->changed += solids || text;
    if (solids || text)
        DIFF_EXAMPLE(c, "model *%d of A, *%d of B: %zu solids in A, %zu in B, %zu differ%s",
                     p->index, q->index, a, b, solids, text ? ", text differs" : "");
}

static const struct physics_model *find_model(const struct physics *physics, int index)
{
    ptrdiff_t low = 0, high = arrlen(physics->models);
    while (low < high) {
        ptrdiff_t middle = (low + high) / 2;
        if (physics->models[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arrlen(physics->models) && physics->models[low].index == index
               ? &physics->models[low]
               : NULL;
}

static size_t solid_count(const struct physics *physics)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(physics->models); i++)
        count += arrlenu(physics->models[i].solids);
    return count;
}

static void compare_models(struct comparison *c, const struct physics lists[2])
{
    struct physics_counts counts = {0};
    size_t only[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        const int32_t *to = c->models.to[side];
        for (int i = 0; i < arrlen(lists[side].models); i++) {
            const struct physics_model *model = &lists[side].models[i], *other = NULL;
            if (model->index >= 0 && model->index < arrlen(to) && to[model->index] >= 0)
                other = find_model(&lists[!side], to[model->index]);
            if (other && !side)
                compare_model(c, model, other, &counts);
            if (other)
                continue;
            only[side]++;
            DIFF_EXAMPLE(c, "only in %c: physics of model *%d, %zu solids", 'A' + side,
                         model->index, arrlenu(model->solids));
        }
    }
    diff_differ(c, "changed", counts.changed);
    diff_figure(c, "solids", (double)counts.solids);
    diff_figure(c, "texts", (double)counts.texts);
    diff_differ(c, "only_in_a", only[0]);
    diff_differ(c, "only_in_b", only[1]);
}

/* Returns true when each model of the map has at most one entry, in order, and there are no
 * others. */
static bool is_of_models(const struct physics *physics, const struct bsp *bsp)
{
    int last = -1;
    for (size_t i = 0; i < arrlenu(physics->models); i++) {
        if (physics->models[i].index <= last || physics->models[i].index >= arrlen(bsp->models))
            return false;
        last = physics->models[i].index;
    }
    return true;
}

/* By models; by bytes when the lump cannot be decoded or is not of these models. */
static void compare_physics(struct comparison *c)
{
    struct diag *unheard = diag_new(NULL, NULL);
    struct physics lists[2] = {{0}, {0}};
    bool known = true;
    for (int side = 0; side < 2; side++)
        known = known &&
                physics_decode(&c->bsp[side]->physics, NULL, unheard, &lists[side]) == STATUS_OK &&
                is_of_models(&lists[side], c->bsp[side]);
    if (known) {
        diff_count(c, solid_count(&lists[0]), solid_count(&lists[1]));
        compare_models(c, lists);
    } else {
        diff_count(c, c->bsp[0]->physics.size, c->bsp[1]->physics.size);
        compare_blob(c, "physics", &c->bsp[0]->physics, &c->bsp[1]->physics);
    }
    physics_free(&lists[0]);
    physics_free(&lists[1]);
    diag_free(unheard);
}

/* Hulls are in the order of the displacements. */
static void compare_hulls(struct comparison *c)
{
    struct diag *unheard = diag_new(NULL, NULL);
    struct physics_displacements lists[2] = {{0}, {0}};
    bool known = true;
    size_t changed = 0;
    for (int side = 0; side < 2; side++)
        known = known && physics_displacements_decode(&c->bsp[side]->displacement_physics, NULL,
                                                      unheard, &lists[side]) == STATUS_OK;
    diff_need_displacements(c);
    size_t a = arrlenu(lists[0].items), b = arrlenu(lists[1].items);
    for (int i = 0; known && i < (int)a && i < arrlen(c->displacements.to[0]); i++) {
        int k = c->displacements.to[0][i];
        if (k < 0 || k >= (int)b || bytes_equal(&lists[0].items[i].hull, &lists[1].items[k].hull))
            continue;
        changed++;
        DIFF_EXAMPLE(c, "hull of displacement %d of A: content differs, %zu bytes in A, %zu in B",
                     i, lists[0].items[i].hull.size, lists[1].items[k].hull.size);
    }
    if (!known)
        compare_blob(c, "displacement physics", &c->bsp[0]->displacement_physics,
                     &c->bsp[1]->displacement_physics);
    diff_differ(c, "displacements_changed", changed);
    if (known)
        diff_differ(c, "displacements_in_one", a > b ? a - b : b - a);
    physics_displacements_free(&lists[0]);
    physics_displacements_free(&lists[1]);
    diag_free(unheard);
}

void diff_physics(struct comparison *c)
{
    diff_need_models(c);
    compare_physics(c);
    compare_hulls(c);
    /* In older maps a copy of the physics. */
    if (c->bsp[0]->physics_surface.size && c->bsp[1]->physics_surface.size &&
        !bytes_equal(&c->bsp[0]->physics_surface, &c->bsp[0]->physics))
        compare_blob(c, "physics surfaces", &c->bsp[0]->physics_surface,
                     &c->bsp[1]->physics_surface);
}

/* Compares packed files: by name, then by unpacked contents. */

static bool same_file(const struct pakfile_file *a, const struct pakfile_file *b)
{
    struct diag *unheard = diag_new(NULL, NULL);
    struct bytes p = {0}, q = {0};
    bool same = a->member->size == b->member->size && a->member->crc == b->member->crc;
    if (same && (a->member->method != b->member->method ||
                 a->member->packed_size != b->member->packed_size ||
                 memcmp(a->member->packed, b->member->packed, a->member->packed_size) != 0)) {
        same = pakfile_extract(a, NULL, unheard, &p) == STATUS_OK &&
               pakfile_extract(b, NULL, unheard, &q) == STATUS_OK && bytes_equal(&p, &q);
    }
    bytes_free(&p);
    bytes_free(&q);
    diag_free(unheard);
    return same;
}

static void compare_files(struct comparison *c, const struct pakfile paks[2])
{
    uint64_t *keys[2] = {NULL, NULL};
    struct diff_match match = {0};
    size_t changed = 0, only[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(paks[side].files); i++)
            arrput(keys[side], diff_hash_asset(paks[side].files[i].name));
    diff_count(c, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_init(&match, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_keys(keys[0], keys[1], &match);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(match.to[side]); i++) {
            const struct pakfile_file *file = &paks[side].files[i];
            int k = match.to[side][i];
            if (k < 0) {
                only[side]++;
                DIFF_EXAMPLE(c, "only in %c: %s, %llu bytes", 'A' + side, file->name,
                             (unsigned long long)file->member->size);
            } else if (!side && !same_file(file, &paks[1].files[k])) {
                changed++;
                DIFF_EXAMPLE(c, "%s: content differs, %llu bytes in A, %llu in B", file->name,
                             (unsigned long long)file->member->size,
                             (unsigned long long)paks[1].files[k].member->size);
            }
        }
    diff_differ(c, "changed", changed);
    diff_differ(c, "only_in_a", only[0]);
    diff_differ(c, "only_in_b", only[1]);
    diff_match_free(&match);
    arrfree(keys[0]);
    arrfree(keys[1]);
}

void diff_pakfile(struct comparison *c)
{
    struct diag *unheard = diag_new(NULL, NULL);
    struct pakfile paks[2] = {{0}, {0}};
    bool known = true;
    for (int side = 0; side < 2; side++)
        known = known &&
                pakfile_decode(&c->bsp[side]->pakfile, NULL, unheard, &paks[side]) == STATUS_OK;
    if (known)
        compare_files(c, paks);
    else
        compare_blob(c, "unreadable pakfile", &c->bsp[0]->pakfile, &c->bsp[1]->pakfile);
    pakfile_free(&paks[0]);
    pakfile_free(&paks[1]);
    diag_free(unheard);
}

/* IBSP and VBSP number their lumps differently. */
void diff_carried(struct comparison *c)
{
    const struct bsp *a = c->bsp[0], *b = c->bsp[1];
    size_t counts[2] = {0, 0}, changed = 0;
    for (int i = 0; i < BSP_LUMPS; i++) {
        const struct bytes *p = &a->carried[i].data, *q = &b->carried[i].data;
        counts[0] += p->size > 0;
        counts[1] += q->size > 0;
        if (bytes_equal(p, q))
            continue;
        changed++;
        const char *name = a->format ? bsp_lump_name(a->format, i) : "";
        DIFF_EXAMPLE(c, "lump %d %s: content differs, %zu bytes in A, %zu in B", i, name, p->size,
                     q->size);
    }
    diff_count(c, counts[0], counts[1]);
    diff_differ(c, "bytes_differ", changed);
}
