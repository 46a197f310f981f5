#include "ballance/compile/maker.h"
#include "ballance/compile/outer_hull.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/map_to_ballance.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/solids.def"

/* The group number of a side in the hull stands for its material and axes. */
struct mapping {
    int material;        /* of the model, or -1 */
    struct vec3 axes[2]; /* to the coordinates of the image */
    double shifts[2];
};

struct mapping_entry {
    struct mapping key;
    int value;
};

struct brush_job {
    struct ballance_maker *maker;
    bool bare;
    struct outer_builder *builder;
    struct mapping *mappings;    /* stb_ds array, by group */
    struct mapping_entry *known; /* stb_ds map */
};

static int add_mapping(struct brush_job *job, const struct map_side *side,
                       const struct face_material *face)
{
    struct mapping mapping;
    const struct map_texture_axis *axes[2] = {&side->u, &side->v};
    memset(&mapping, 0, sizeof mapping); /* a key: no stray bytes */
    mapping.material = face->material;
    for (int i = 0; i < 2; i++) {
        double size = side->mapped_in_images ? 1 : face->size[i];
        mapping.axes[i] = vec3_scale(axes[i]->axis, 1 / (axes[i]->scale * size));
        mapping.shifts[i] = axes[i]->shift / size;
    }
    ptrdiff_t at = job->maker->options->no_merge ? -1 : hmgeti(job->known, mapping);
    if (at >= 0)
        return job->known[at].value;
    int group = (int)arrlen(job->mappings);
    arrput(job->mappings, mapping);
    hmput(job->known, mapping, group);
    return group;
}

/* Returns the group of a side; -1: it is not drawn. */
static int side_group(struct brush_job *job, const struct map_side *side,
                      const struct face_material *face)
{
    struct face_material bare = *face;
    if (face->kind == FACE_HIDDEN || face->kind == FACE_NOTHING) {
        if (!job->bare)
            return -1;
        bare.material = -1;
    }
    return add_mapping(job, side, &bare);
}

static void report_solid(struct brush_job *job, const struct diag_where *where,
                         enum outer_solid kind, size_t sides)
{
    struct diag *diag = job->maker->env->diag;
    if (sides < 4)
        diag_report(diag, DIAG_SOLID_SIDES, where,
                    "%zu valid, at least 4 needed; the solid is dropped", sides);
    else if (kind == OUTER_SOLID_UNBOUNDED)
        diag_report(
            diag, DIAG_BRUSH_UNBOUNDED, where,
            "its sides do not enclose it, or it is outside the world; the solid is dropped");
    else if (kind == OUTER_SOLID_EMPTY)
        diag_report(diag, DIAG_BRUSH_NO_VOLUME, where,
                    "its sides enclose no space; the solid is dropped");
}

/* Returns true when nothing is made of the solid: all of its sides are of tools without meaning. */
static bool means_nothing(struct brush_job *job, const struct map_solid *solid,
                          const struct diag_where *where)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        if (ballance_face(job->maker, solid->sides[i].material, where)->kind != FACE_NOTHING)
            return false;
    return !job->bare;
}

static void add_solid(struct brush_job *job, const struct map_entity *entity,
                      const struct map_solid *solid)
{
    struct ballance_maker *maker = job->maker;
    struct outer_side *sides = NULL;
    struct diag_where where = map_where(maker->level, entity, solid, NULL);
    if (means_nothing(job, solid, &where)) {
        ballance_lose(maker, LOSS_NOTHING, &where);
        return;
    }
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        const struct map_side *side = &solid->sides[i];
        struct diag_where at = map_where(maker->level, entity, solid, side);
        struct outer_side made;
        const struct vec3 *p = side->points;
        if (!plane_from_points(p[0], p[1], p[2], &made.plane)) {
            diag_report(maker->env->diag, DIAG_SIDE_PLANE, &at,
                        "the three points of the side are collinear; the side is dropped");
            continue;
        }
        if (side->displacement)
            ballance_lose(maker, LOSS_CURVE, &at);
        made.group = side_group(job, side, ballance_face(maker, side->material, &at));
        arrput(sides, made);
    }
    report_solid(job, &where,
                 arrlenu(sides) < 4 ? OUTER_SOLID_EMPTY
                                    : outer_add(job->builder, sides, arrlenu(sides)),
                 arrlenu(sides));
    arrfree(sides);
}

static double at_image(const struct mapping *mapping, int i, struct vec3 p)
{
    return vec3_dot(p, mapping->axes[i]) + mapping->shifts[i];
}

static void add_triangles(struct brush_job *job, const struct outer_hull *hull,
                          struct soup_triangle **soup)
{
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        const struct outer_triangle *triangle = &hull->triangles[i];
        const struct mapping *mapping = &job->mappings[triangle->group];
        struct soup_triangle made = {.normal = hull->planes[triangle->plane].normal,
                                     .material = mapping->material};
        for (int k = 0; k < 3; k++) {
            struct soup_corner *corner = &made.corners[k];
            corner->p = hull->vertices[triangle->corners[k]];
            for (int axis = 0; axis < 2; axis++)
                corner->uv[axis] = at_image(mapping, axis, corner->p);
        }
        arrput(*soup, made);
    }
}

static void report_openings(const struct ballance_maker *maker, int entity,
                            const struct outer_hull *hull)
{
    struct diag_where where = map_where(maker->level, &maker->level->entities[entity], NULL, NULL);
    if (hull->hidden)
        diag_report(maker->env->diag, DIAG_BMX_FROM_OPEN, &where, "sides with nodraw or caulk: %zu",
                    hull->hidden);
    if (hull->open_edges)
        diag_report(maker->env->diag, DIAG_BMX_FROM_OPEN, &where, "open edges: %zu",
                    hull->open_edges);
}

void ballance_add_brushes(struct ballance_maker *maker, const int *entities, bool bare,
                          struct soup_triangle **soup)
{
    struct brush_job job = {.maker = maker, .bare = bare, .builder = outer_begin()};
    struct outer_hull hull;
    for (size_t i = 0; i < arrlenu(entities); i++) {
        const struct map_entity *entity = &maker->level->entities[entities[i]];
        for (size_t k = 0; k < arrlenu(entity->solids); k++)
            add_solid(&job, entity, &entity->solids[k]);
    }
    outer_finish(job.builder, &hull);
    report_openings(maker, entities[0], &hull);
    add_triangles(&job, &hull, soup);
    outer_free(&hull);
    arrfree(job.mappings);
    hmfree(job.known);
}
