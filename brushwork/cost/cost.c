#include "brushwork/cost/cost.h"

#include <math.h>
#include <string.h>

#include "common/bsp/flags.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/text/entities.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/graph/portals.h"

const char cost_machine[] = "AMD EPYC, one thread, a release build of gcc 12";

enum {
    LUXEL_UNITS = 16,   /* of a lightmap of Quake 3, by default */
    GRID_UNITS = 64,    /* of the light grid, in x and y; */
    GRID_HEIGHT = 128,  /* in z */
    BLOCK_UNITS = 1024, /* of the tree, which is made of blocks of that size */
    LIGHT_UNITS = 100,  /* from a light where it has the brightness that it is given */
    WHITE = 255,
    SAMPLES = 4096, /* pairs of portals */
    DEEPEST = 2000  /* levels of a tree */
};

/* Coefficients of a count. */
struct term {
    const char *title;
    double vbsp[2], vvis[2]; /* seconds, bytes */
    double vrad[BUILD_PRESETS], vrad_bytes;
};

static const struct term terms[COST_COUNTS] = {
#define COST(name, title, s0, b0, s1, b1, fast, normal, final, b2)                                 \
    [COST_##name] = {title, {s0, b0}, {s1, b1}, {fast, fast, normal, final}, b2},
#include "brushwork/cost/cost_model.def"
#undef COST
};

const char *cost_count_title(enum cost_count count)
{
    return terms[count].title;
}

/* --- light --- */

/* A light reaches as far as it is as bright as one of 255. */
struct reach {
    struct vec3 origin;
    double distance;
};

static struct reach reach_of(const struct entity *entity)
{
    struct reach reach = {.distance = 0};
    const char *light = entity_value(entity, "_light");
    double rgbi[4] = {0};
    size_t count = light ? str_to_doubles(light, rgbi, 4) : 0;
    double brightness = portable_fmax(portable_fmax(rgbi[0], rgbi[1]), rgbi[2]) / WHITE *
                        (count > 3 ? rgbi[3] : WHITE);
    if (entity_vector(entity, "origin", &reach.origin) && brightness > 0)
        reach.distance = LIGHT_UNITS * sqrt(brightness);
    return reach;
}

/* Lights that are no sun, an stb_ds array. */
static struct reach *find_lights(const struct bsp *bsp, struct cost *out, bool *has_sky)
{
    struct entity_list list = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    struct reach *reaches = NULL;
    *has_sky = false;
    if (entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities), "entities",
                       quiet, &list) == STATUS_OK)
        for (size_t i = 0; i < arrlenu(list.entities); i++) {
            const char *class = entity_value(&list.entities[i], "classname");
            if (!class || !str_starts_nocase(class, "light"))
                continue;
            out->counts[COST_LIGHTS]++;
            if (str_equal_nocase(class, "light_environment"))
                *has_sky = true;
            else
                arrput(reaches, reach_of(&list.entities[i]));
        }
    entities_free(&list);
    diag_free(quiet);
    return reaches;
}

/* Returns true when a light reaches the middle of the face, on its side. */
static bool is_reached(const struct bsp *bsp, const struct bsp_face *face,
                       const struct reach *reaches)
{
    const struct plane plane = bsp_plane_at(bsp, face->plane);
    struct vec3 middle = vec3(0, 0, 0);
    for (int i = 0; i < face->edge_count; i++)
        middle = vec3_add(middle, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i)));
    middle = vec3_scale(middle, 1.0 / (face->edge_count ? face->edge_count : 1));
    for (size_t i = 0; i < arrlenu(reaches); i++) {
        const struct vec3 away = vec3_sub(reaches[i].origin, middle);
        if (vec3_dot(plane.normal, away) > 0 && vec3_length(away) < reaches[i].distance)
            return true;
    }
    return false;
}

static void count_face(const struct bsp *bsp, const struct bsp_face *face,
                       const struct reach *reaches, bool has_sky, struct cost *out)
{
    const int flags = face->texinfo >= 0 && face->texinfo < (int)arrlenu(bsp->texinfo)
                          ? bsp->texinfo[face->texinfo].flags
                          : 0;
    if (flags & SURFACE_NOLIGHT)
        return;
    double luxels = (face->lightmap_size[0] + 1.0) * (face->lightmap_size[1] + 1.0);
    luxels = luxels > 0 ? luxels : 0;
    const double area = portable_fmax((double)face->area, 0);
    const bool is_bumped = flags & SURFACE_BUMPLIGHT;
    out->counts[COST_LUXELS] += luxels;
    out->counts[COST_BUMPED_LUXELS] += is_bumped ? luxels : 0;
    out->counts[COST_SKY_LUXELS] += has_sky ? luxels : 0;
    if (!has_sky && !is_reached(bsp, face, reaches))
        return;
    out->counts[COST_LIT_FACES]++;
    out->counts[COST_LIT_AREA] += area;
    out->counts[COST_BUMPED_AREA] += is_bumped ? area : 0;
}

/* A sky lights what it can without a light_environment too, but by few rays. */
static void count_light(const struct bsp *bsp, struct cost *out)
{
    bool has_sky;
    struct reach *reaches = find_lights(bsp, out, &has_sky);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        count_face(bsp, &bsp->faces[i], reaches, has_sky, out);
    arrfree(reaches);
}

/* --- Quake 3 --- */

static double triangle_area(const struct bsp *bsp, const struct bsp_surface *surface, int index)
{
    struct vec3 corners[3];
    for (int i = 0; i < 3; i++) {
        const int vertex =
            surface->first_vertex + bsp->draw_indices[surface->first_index + index + i];
        const float *p = bsp->draw_vertices[vertex].p;
        corners[i] = vec3((double)p[0], (double)p[1], (double)p[2]);
    }
    return 0.5 * vec3_length(vec3_cross(vec3_sub(corners[1], corners[0]),
                                        vec3_sub(corners[2], corners[0])));
}

static void count_surface(const struct bsp *bsp, const struct bsp_surface *surface,
                          struct cost *out)
{
    const int32_t unlit = Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_SKY;
    const double luxel = (double)LUXEL_UNITS * LUXEL_UNITS;
    if (surface->shader >= 0 && bsp_shader_surface(bsp, surface->shader) & unlit)
        return;
    double area = 0;
    for (int i = 0; i + 3 <= surface->index_count; i += 3)
        area += triangle_area(bsp, surface, i);
    /* The luxels of a patch are as many as those of its points. */
    out->counts[COST_SURFACE_LUXELS] += area / luxel + surface->vertex_count;
}

static void count_surfaces(const struct bsp *bsp, struct cost *out)
{
    if (!arrlenu(bsp->surfaces))
        return;
    out->counts[COST_SURFACES] = (double)arrlenu(bsp->surfaces);
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        count_surface(bsp, &bsp->surfaces[i], out);
    const struct bsp_model *world = &bsp->models[0];
    double points = 1;
    for (int i = 0; i < 3; i++)
        points *= portable_fmax((double)world->maxs[i] - (double)world->mins[i], 0) /
                      (i < 2 ? GRID_UNITS : GRID_HEIGHT) +
                  1;
    out->counts[COST_GRID_POINTS] = points;
}

/* --- visibility --- */

/* Returns true when the segment passes through a leaf without a cluster, as solid ones are. `depth`
 * is that of the node: a file may have a tree that is none. */
static bool is_blocked(const struct bsp *bsp, int node, int depth, struct vec3 from, struct vec3 to)
{
    for (; node >= 0; depth++) {
        if (depth > DEEPEST)
            return false;
        const struct plane plane = bsp_plane_at(bsp, bsp->nodes[node].plane);
        const double a = vec3_dot(plane.normal, from) - plane.dist;
        const double b = vec3_dot(plane.normal, to) - plane.dist;
        if ((a < 0) == (b < 0)) {
            node = bsp->nodes[node].children[a < 0];
            continue;
        }
        const struct vec3 middle = vec3_add(from, vec3_scale(vec3_sub(to, from), a / (a - b)));
        if (is_blocked(bsp, bsp->nodes[node].children[a < 0], depth + 1, from, middle))
            return true;
        node = bsp->nodes[node].children[a >= 0];
        from = middle;
    }
    return bsp->leaves[-1 - node].cluster < 0;
}

static struct vec3 middle_of(const struct portals *portals, int portal)
{
    const struct portal_lanes *lanes = &portals->lanes;
    const int pair = portal / 2;
    return vec3(lanes->center[0][pair], lanes->center[1][pair], lanes->center[2][pair]);
}

/* The share of pairs of portals that cheap tests leave and whose middles do not see each other: the
 * flow has to prove that. Of samples, the same in each run. */
static double hidden_share(const struct bsp *bsp, const struct portals *portals,
                           const struct bit_rows *rows)
{
    int tried = 0, hidden = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const int p = (int)(random_unit(i, 0) * portals->count);
        const uint64_t *row = bit_row(rows, (size_t)p);
        const size_t q = bit_next(row, rows->words, (size_t)(random_unit(i, 1) * portals->count));
        if (q == SIZE_MAX)
            continue;
        tried++;
        hidden += is_blocked(bsp, 0, 0, middle_of(portals, p), middle_of(portals, (int)q));
    }
    return tried ? (double)hidden / tried : 0;
}

/* Pairs of portals that cheap tests leave, and how many chains of portals the flow has to follow:
 * behind a portal that sees many, many have to be tried. */
static void count_seen(const struct env *env, const struct bsp *bsp, const struct portals *portals,
                       struct cost *out)
{
    struct bit_rows rows = base_vis(env, portals, 0);
    double squares = 0;
    for (int p = 0; p < portals->count; p++) {
        const double seen = (double)bit_count(bit_row(&rows, (size_t)p), rows.words);
        out->counts[COST_SEEN_PORTALS] += seen;
        squares += seen * seen;
    }
    out->counts[COST_HIDDEN_CHAINS] = squares * hidden_share(bsp, portals, &rows);
    memory_free(rows.data);
}

static void count_portals(const struct env *env, const struct bsp *bsp, const struct prt *prt,
                          struct cost *out)
{
    struct portals portals = {0};
    portals_build(prt, &portals);
    out->counts[COST_PORTALS] = (double)arrlenu(prt->portals);
    if (portals.count && arrlenu(bsp->nodes))
        count_seen(env, bsp, &portals, out);
    portals_free(&portals);
}

/* --- */

static double count_props(const struct bsp *bsp)
{
    const struct bsp_game_lump *lump = bsp_game_lump(bsp, STATIC_PROPS_ID);
    struct static_props props = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    enum static_prop_form form;
    double count = 0;
    if (lump && static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, quiet, &props,
                                    &form) == STATUS_OK)
        count = (double)arrlenu(props.props);
    static_props_free(&props);
    diag_free(quiet);
    return count;
}

/* Of the world with what is outside of it, which the first tree has, too. */
static double count_blocks(const struct bsp *bsp)
{
    double blocks = 1;
    for (int i = 0; i < 2 && arrlenu(bsp->models); i++)
        blocks *=
            portable_fmax((double)bsp->models[0].maxs[i] - (double)bsp->models[0].mins[i], 0) /
                BLOCK_UNITS +
            1;
    return blocks;
}

enum status cost_count(const struct env *env, const struct bsp *bsp, const struct prt *prt,
                       struct cost *out)
{
    double *counts = out->counts;
    *out = (struct cost){0};
    counts[COST_RUN] = 1;
    counts[COST_SIDES] = (double)arrlenu(bsp->brush_sides);
    counts[COST_FACES] = (double)arrlenu(bsp->faces);
    counts[COST_LEAVES] = (double)arrlenu(bsp->leaves);
    counts[COST_DISPLACEMENT_VERTICES] = (double)arrlenu(bsp->disp_vertices);
    counts[COST_PROPS] = count_props(bsp);
    counts[COST_BLOCKS] = count_blocks(bsp);
    count_light(bsp, out);
    count_surfaces(bsp, out);
    if (prt)
        count_portals(env, bsp, prt, out);
    return env_stopped(env) ? STATUS_FAILED : STATUS_OK;
}

void cost_estimate(struct cost *cost, enum build_preset preset)
{
    memset(cost->seconds, 0, sizeof cost->seconds);
    memset(cost->bytes, 0, sizeof cost->bytes);
    for (int i = 0; i < COST_COUNTS; i++) {
        const double count = cost->counts[i];
        cost->seconds[COST_VBSP] += count * terms[i].vbsp[0];
        cost->bytes[COST_VBSP] += count * terms[i].vbsp[1];
        cost->seconds[COST_VVIS] += count * terms[i].vvis[0];
        cost->bytes[COST_VVIS] += count * terms[i].vvis[1];
        cost->seconds[COST_VRAD] += count * terms[i].vrad[preset];
        cost->bytes[COST_VRAD] += count * terms[i].vrad_bytes;
    }
}
