/* Compares static and detail props, decoded, and unknown game lumps. */
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diff/light.h"

/* Compares lumps that cannot be decoded. A missing lump has no bytes. */
static void compare_bytes(struct comparison *c, uint32_t id)
{
    static const struct bsp_game_lump none = {0};
    const struct bsp_game_lump *a = bsp_game_lump(c->bsp[0], id), *b = bsp_game_lump(c->bsp[1], id);
    a = a ? a : &none;
    b = b ? b : &none;
    diff_count(c, a->data.size, b->data.size);
    if (a->version == b->version && bytes_equal(&a->data, &b->data))
        return;
    diff_differ(c, "bytes_differ", 1);
    DIFF_EXAMPLE(c, "version %d, %zu bytes in A, version %d, %zu bytes in B", a->version,
                 a->data.size, b->version, b->data.size);
}

/* ---- static props ---- */

struct static_lists {
    const struct comparison *c;
    struct static_props props[2];
};

enum static_field {
    PROP_ANGLES,
    PROP_SKIN,
    PROP_SOLID,
    PROP_FLAGS,
    PROP_FADE,
    PROP_LIGHTING,
    PROP_COLOUR,
    PROP_SCALE,
    PROP_LEVELS,
    PROP_LEAVES,
    PROP_FIELDS
};

static const char *const static_fields[PROP_FIELDS] = {
    [PROP_ANGLES] = "angles", [PROP_SKIN] = "skin",   [PROP_SOLID] = "solid",
    [PROP_FLAGS] = "flags",   [PROP_FADE] = "fade",   [PROP_LIGHTING] = "lighting_origin",
    [PROP_COLOUR] = "colour", [PROP_SCALE] = "scale", [PROP_LEVELS] = "levels",
    [PROP_LEAVES] = "leaves",
};

/* Compares leaves by their partners in B; leaves that only A has are ignored. */
static bool same_leaves(const struct static_lists *lists, const struct static_prop *p,
                        const struct static_prop *q)
{
    const int32_t *to = lists->c->trees.leaves.to[0];
    const int32_t *a = lists->props[0].leaves, *b = lists->props[1].leaves;
    uint64_t sum[2] = {0, 0};
    if (p->first_leaf < 0 || q->first_leaf < 0 || p->leaf_count < 0 || q->leaf_count < 0 ||
        p->leaf_count > arrlen(a) - p->first_leaf || q->leaf_count > arrlen(b) - q->first_leaf)
        return p->first_leaf == q->first_leaf && p->leaf_count == q->leaf_count;
    for (int i = 0; i < p->leaf_count; i++) {
        int leaf = a[p->first_leaf + i];
        if (leaf < 0 || leaf >= arrlen(to) || to[leaf] < 0)
            return true;
        sum[0] += (uint64_t)to[leaf];
    }
    for (int i = 0; i < q->leaf_count; i++)
        sum[1] += (uint64_t)b[q->first_leaf + i];
    return p->leaf_count == q->leaf_count && sum[0] == sum[1];
}

static bool same_static_field(const struct static_lists *lists, enum static_field field, int a,
                              int b)
{
    const struct static_prop *p = &lists->props[0].props[a], *q = &lists->props[1].props[b];
    switch (field) {
    case PROP_ANGLES:
        return diff_alike_all(p->angles, q->angles, 3);
    case PROP_SKIN:
        return p->skin == q->skin;
    case PROP_SOLID:
        return p->solid == q->solid;
    case PROP_FLAGS:
        return p->flags == q->flags && p->flags2 == q->flags2;
    case PROP_FADE:
        return diff_alike((double)p->fade_min, (double)q->fade_min) &&
               diff_alike((double)p->fade_max, (double)q->fade_max) &&
               diff_alike((double)p->forced_fade_scale, (double)q->forced_fade_scale);
    case PROP_LIGHTING:
        return !(p->flags & STATIC_PROP_HAS_LIGHTING_ORIGIN) ||
               diff_near(vec3_from_floats(p->lighting_origin), vec3_from_floats(q->lighting_origin),
                         lists->c->options->distance);
    case PROP_COLOUR:
        return memcmp(p->colour, q->colour, sizeof p->colour) == 0;
    case PROP_SCALE:
        return diff_alike_all(p->scale, q->scale, 3) &&
               p->lightmap_resolution[0] == q->lightmap_resolution[0] &&
               p->lightmap_resolution[1] == q->lightmap_resolution[1];
    case PROP_LEVELS:
        return p->min_dx == q->min_dx && p->max_dx == q->max_dx && p->min_cpu == q->min_cpu &&
               p->max_cpu == q->max_cpu && p->min_gpu == q->min_gpu && p->max_gpu == q->max_gpu &&
               p->disable_x360 == q->disable_x360;
    default:
        return same_leaves(lists, p, q);
    }
}

static double static_cost(const void *context, int a, int b)
{
    int cost = 0;
    for (int field = 0; field < PROP_FIELDS; field++)
        cost += !same_static_field(context, (enum static_field)field, a, b);
    return cost;
}

static const char *model_of(char *const *models, int model)
{
    return model >= 0 && model < arrlen(models) ? models[model] : "(no model)";
}

static const char *static_text(struct comparison *c, const struct static_lists *lists, int side,
                               int index)
{
    const struct static_props *props = &lists->props[side];
    const struct static_prop *prop = &props->props[index];
    return arena_printf(&c->scratch, "%s at %s, angles %.6g %.6g %.6g",
                        model_of(props->models, prop->model),
                        diff_point_text(c, vec3_from_floats(prop->origin)), (double)prop->angles[0],
                        (double)prop->angles[1], (double)prop->angles[2]);
}

static void tell_statics(struct comparison *c, const struct static_lists *lists,
                         const struct diff_match *match)
{
    size_t counts[PROP_FIELDS] = {0}, changed = 0, only[2] = {0, 0};
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        int b = match->to[0][i];
        if (b < 0 || static_cost(lists, i, b) <= 0)
            continue;
        changed++;
        for (int field = 0; field < PROP_FIELDS; field++) {
            if (same_static_field(lists, (enum static_field)field, i, b))
                continue;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s: %s differs", static_text(c, lists, 0, i), static_fields[field]);
        }
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(match->to[side]); i++) {
            if (match->to[side][i] >= 0)
                continue;
            only[side]++;
            DIFF_EXAMPLE(c, "only in %c: %s", 'A' + side, static_text(c, lists, side, i));
        }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < PROP_FIELDS; field++)
        diff_figure(c, static_fields[field], (double)counts[field]);
    diff_differ(c, "only_in_a", only[0]);
    diff_differ(c, "only_in_b", only[1]);
}

static void match_statics(struct comparison *c, struct static_lists *lists)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    for (int side = 0; side < 2; side++) {
        const struct static_props *props = &lists->props[side];
        for (size_t i = 0; i < arrlenu(props->props); i++) {
            const struct static_prop *prop = &props->props[i];
            const char *model = model_of(props->models, prop->model);
            arrput(points[side],
                   ((struct diff_point){vec3_from_floats(prop->origin), diff_hash_text(0, model)}));
        }
    }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, static_cost, lists, &match);
    tell_statics(c, lists, &match);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}

void diff_static_props(struct comparison *c)
{
    struct static_lists lists = {.c = c};
    struct diag *unheard = diag_new(NULL, NULL);
    bool known = true;
    diff_need_trees(c);
    for (int side = 0; side < 2; side++) {
        const struct bsp_game_lump *lump = bsp_game_lump(c->bsp[side], STATIC_PROPS_ID);
        enum static_prop_form form;
        known = known &&
                (!lump || static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                              unheard, &lists.props[side], &form) == STATUS_OK);
    }
    if (known)
        match_statics(c, &lists);
    else
        compare_bytes(c, STATIC_PROPS_ID);
    static_props_free(&lists.props[0]);
    static_props_free(&lists.props[1]);
    diag_free(unheard);
}

/* ---- detail props ---- */

struct detail_lists {
    const struct comparison *c;
    struct detail_props props[2];
};

static bool same_sprite(const struct detail_lists *lists, const struct detail_object *p,
                        const struct detail_object *q)
{
    const struct detail_sprite *a = lists->props[0].sprites, *b = lists->props[1].sprites;
    bool has_a = p->model >= 0 && p->model < arrlen(a),
         has_b = q->model >= 0 && q->model < arrlen(b);
    if (!has_a || !has_b)
        return has_a == has_b;
    a += p->model;
    b += q->model;
    return diff_alike_all(a->upper_left, b->upper_left, 2) &&
           diff_alike_all(a->lower_right, b->lower_right, 2) &&
           diff_alike_all(a->texture_upper_left, b->texture_upper_left, 2) &&
           diff_alike_all(a->texture_lower_right, b->texture_lower_right, 2);
}

static bool same_shape(const struct detail_lists *lists, const struct detail_object *p,
                       const struct detail_object *q)
{
    if (p->type == DETAIL_MODEL) {
        uint64_t a = diff_hash_text(0, model_of(lists->props[0].models, p->model));
        if (a != diff_hash_text(0, model_of(lists->props[1].models, q->model)))
            return false;
    } else if (!same_sprite(lists, p, q)) {
        return false;
    }
    return diff_alike_all(p->angles, q->angles, 3) && p->orientation == q->orientation &&
           p->sway == q->sway && p->shape_angle == q->shape_angle &&
           p->shape_size == q->shape_size && diff_alike((double)p->scale, (double)q->scale);
}

static bool same_detail_light(const struct detail_lists *lists, const struct detail_object *p,
                              const struct detail_object *q)
{
    struct diff_light light = {0};
    struct diff_rgb a = diff_colour(p->light), b = diff_colour(q->light);
    for (int k = 0; k < 3; k++) {
        a.c[k] *= 255;
        b.c[k] *= 255;
    }
    return !diff_light_add(&light, &a, &b, lists->c->options->light) &&
           p->light_count == q->light_count;
}

static double detail_cost(const void *context, int a, int b)
{
    const struct detail_lists *lists = context;
    const struct detail_object *p = &lists->props[0].objects[a], *q = &lists->props[1].objects[b];
    return 2 * !same_shape(lists, p, q) + !same_detail_light(lists, p, q);
}

static void tell_details(struct comparison *c, const struct detail_lists *lists,
                         const struct diff_match *match)
{
    size_t shapes = 0, lights = 0, changed = 0, only[2] = {0, 0};
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        int b = match->to[0][i];
        if (b < 0 || detail_cost(lists, i, b) <= 0)
            continue;
        const struct detail_object *p = &lists->props[0].objects[i],
                                   *q = &lists->props[1].objects[b];
        bool shape = !same_shape(lists, p, q);
        shapes += shape;
        lights += !same_detail_light(lists, p, q);
        changed++;
        DIFF_EXAMPLE(c, "detail prop at %s: %s differs",
                     diff_point_text(c, vec3_from_floats(p->origin)), shape ? "shape" : "light");
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(match->to[side]); i++) {
            if (match->to[side][i] >= 0)
                continue;
            only[side]++;
            DIFF_EXAMPLE(
                c, "only in %c: detail prop at %s", 'A' + side,
                diff_point_text(c, vec3_from_floats(lists->props[side].objects[i].origin)));
        }
    diff_differ(c, "changed", changed);
    diff_figure(c, "shape", (double)shapes);
    diff_figure(c, "light", (double)lights);
    diff_differ(c, "only_in_a", only[0]);
    diff_differ(c, "only_in_b", only[1]);
}

static void match_details(struct comparison *c, struct detail_lists *lists)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(lists->props[side].objects); i++) {
            const struct detail_object *object = &lists->props[side].objects[i];
            arrput(points[side],
                   ((struct diff_point){vec3_from_floats(object->origin), object->type}));
        }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, detail_cost, lists, &match);
    tell_details(c, lists, &match);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}

void diff_detail_props(struct comparison *c)
{
    struct detail_lists lists = {.c = c};
    struct diag *unheard = diag_new(NULL, NULL);
    bool known = true;
    for (int side = 0; side < 2; side++) {
        const struct bsp_game_lump *lump = bsp_game_lump(c->bsp[side], DETAIL_PROPS_ID);
        known =
            known && (!lump || detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                                   unheard, &lists.props[side]) == STATUS_OK);
    }
    if (known)
        match_details(c, &lists);
    else
        compare_bytes(c, DETAIL_PROPS_ID);
    detail_props_free(&lists.props[0]);
    detail_props_free(&lists.props[1]);
    diag_free(unheard);
}

/* ---- other game lumps, and the light styles of detail props ---- */

static const char *id_text(struct comparison *c, uint32_t id)
{
    char text[5] = {0};
    for (int i = 0; i < 4; i++) {
        char letter = (char)(id >> (24 - 8 * i));
        text[i] = (char)(letter > ' ' && letter < 127 ? letter : '?');
    }
    return arena_strdup(&c->scratch, text);
}

static void compare_game_lumps(struct comparison *c, int side, const struct bsp_game_lump *lump,
                               size_t *changed, size_t only[2])
{
    const struct bsp_game_lump *other = bsp_game_lump(c->bsp[!side], lump->id);
    if (!other && lump->data.size) {
        only[side]++;
        DIFF_EXAMPLE(c, "only in %c: %s, %zu bytes", 'A' + side, id_text(c, lump->id),
                     lump->data.size);
    } else if (other && !side &&
               (other->version != lump->version || !bytes_equal(&lump->data, &other->data))) {
        (*changed)++;
        DIFF_EXAMPLE(
            c, "%s: content differs, version %d, %zu bytes in A, version %d, %zu bytes in B",
            id_text(c, lump->id), lump->version, lump->data.size, other->version, other->data.size);
    }
}

void diff_game_lumps(struct comparison *c)
{
    size_t changed = 0, only[2] = {0, 0}, counts[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(c->bsp[side]->game_lumps); i++) {
            const struct bsp_game_lump *lump = &c->bsp[side]->game_lumps[i];
            if (lump->id == STATIC_PROPS_ID || lump->id == DETAIL_PROPS_ID)
                continue;
            counts[side]++;
            compare_game_lumps(c, side, lump, &changed, only);
        }
    diff_count(c, counts[0], counts[1]);
    diff_differ(c, "changed", changed);
    diff_differ(c, "only_in_a", only[0]);
    diff_differ(c, "only_in_b", only[1]);
}
