/* Internal to common/diff: the parts of bsp_diff. Indices may be followed without checks. Sides are
 * numbered: 0 is A, 1 is B. */
#ifndef DIFF_DIFF_INTERNAL_H
#define DIFF_DIFF_INTERNAL_H

#include "common/core/portable_math.h"
#include "common/diff/diff.h"
#include "common/geom/vec.h"
#include "common/text/entities.h"

/* Kind and position of an object: two objects can only match when their kinds are equal and their
 * positions are near each other. */
struct diff_point {
    struct vec3 at;
    uint64_t kind;
};

/* A matching: to[0][a] is the partner of a in B, to[1][b] that of b in A, -1: none. */
struct diff_match {
    int32_t *to[2]; /* stb_ds arrays */
};

void diff_match_init(struct diff_match *match, size_t a, size_t b);
void diff_match_free(struct diff_match *match);
void diff_match_pair(struct diff_match *match, int a, int b);

/* Returns the dissimilarity of item a of A and item b of B; < 0: not a match. */
typedef double diff_cost(const void *context, int a, int b);

/* Matches each unmatched item of A to the best unmatched one of B within the search radius
 * on every axis; the first of equals. Points are stb_ds arrays. Of many objects at one position
 * only some hundreds are compared. */
void diff_match_points(const struct diff_point *a, const struct diff_point *b, double radius,
                       diff_cost *cost, const void *context, struct diff_match *match);
/* Matches as sets: each item finds any similar one of the other side, and several may find the
 * same. */
void diff_match_sets(const struct diff_point *a, const struct diff_point *b, double radius,
                     diff_cost *cost, const void *context, struct diff_match *match);
/* Matches unmatched items with equal keys, in order; key 0 is none. stb_ds arrays. */
void diff_match_keys(const uint64_t *a, const uint64_t *b, struct diff_match *match);

uint64_t diff_hash_text(uint64_t seed, const char *text); /* ignores case, `\` equals `/` */
/* Like diff_hash_text, without the map's name in "maps/NAME/", the folder of derived files. */
uint64_t diff_hash_asset(const char *name);

/* Polygon of a face, and its model and material. */
struct diff_polygon {
    struct vec3 centre, normal; /* of its area; of its plane */
    double dist, area;
    struct bounds box;
    uint64_t material; /* 0: none */
};

/* Leaves and nodes of trees that divide space in the same way, and the clusters and areas that
 * follow from them. */
struct diff_trees {
    struct diff_match leaves, nodes;
    int32_t *clusters; /* cluster of B for each of A, -1: unknown; empty unless it is one to one */
    int32_t *areas;    /* likewise for areas, by the first leaf of each */
};

/* A point in both maps, and its leaves. */
struct diff_sample {
    struct vec3 at;
    int leaf[2];
};

enum diff_done {
    DIFF_DONE_MODELS = 1,
    DIFF_DONE_FACES = 2,
    DIFF_DONE_TREES = 4,
    DIFF_DONE_SAMPLES = 8,
    DIFF_DONE_BRUSHES = 16,
    DIFF_DONE_DISPLACEMENTS = 32,
    DIFF_DONE_SURFACES = 64,
};

struct comparison {
    const struct bsp *bsp[2];
    const char *const *names;
    const struct bsp_diff_options *options;
    struct diag *diag;
    struct bsp_diff *out;
    struct bsp_diff_section *section; /* section that is being compared */
    struct arena scratch;             /* emptied after each section */
    int done;                         /* enum diff_done: which of the following are valid */
    struct entity_list entities[2];
    struct diff_match entity_match, models, faces, surfaces, brushes, displacements;
    struct diff_polygon *polygons[2]; /* of faces */
    struct diff_trees trees;
    struct diff_sample *samples;
};

/* Each computes the members that its name says, on the first call. */
void diff_need_models(struct comparison *c);
void diff_need_faces(struct comparison *c);
void diff_need_surfaces(struct comparison *c); /* of IBSP */
void diff_need_brushes(struct comparison *c);
void diff_need_trees(struct comparison *c);
void diff_need_samples(struct comparison *c);
void diff_need_displacements(struct comparison *c);
void diff_trees_free(struct diff_trees *trees);

NODISCARD enum status diff_read_entities(struct comparison *c);
void diff_match_entities(struct comparison *c);

/* Recording of results. */
void diff_count(struct comparison *c, size_t a, size_t b);
void diff_figure(struct comparison *c, const char *name, double value); /* ignored when 0 */
/* Like diff_figure, and adds to the differing objects. */
void diff_differ(struct comparison *c, const char *name, size_t count);
bool diff_wants_example(const struct comparison *c);
void diff_tell(struct comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds an example; its arguments are evaluated only when there is room for it. */
#define DIFF_EXAMPLE(c, ...)                                                                       \
    do {                                                                                           \
        if (diff_wants_example(c))                                                                 \
            diff_tell((c), __VA_ARGS__);                                                           \
    } while (0)
/* Formats "12 -3.5 64", in scratch. */
const char *diff_point_text(struct comparison *c, struct vec3 at);

/* Returns a text about item `index` of a side, in scratch: "brush at 0 0 64". */
typedef const char *diff_describe(struct comparison *c, int side, int index);
/* Records the figures only_in_a and only_in_b, the number of differences, and examples. */
void diff_unmatched(struct comparison *c, const struct diff_match *match, diff_describe *describe);

/* Compares on every axis, within the tolerance. NaN is near NaN, so that a damaged file
 * equals itself. */
static inline bool diff_near(struct vec3 a, struct vec3 b, double tolerance)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(a.e[k] - b.e[k]) <= tolerance) && a.e[k] != b.e[k] &&
            !(isnan(a.e[k]) && isnan(b.e[k])))
            return false;
    return true;
}

/* Compares up to rounding. NaN equals NaN. */
static inline bool diff_alike(double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return isnan(a) ? isnan(b) : a == b;
    return fabs(a - b) <= 1e-4 * portable_fmax(1, portable_fmax(fabs(a), fabs(b)));
}

bool diff_alike_all(const float *a, const float *b, size_t count);

enum diff_planes { DIFF_PLANES_OTHER, DIFF_PLANES_SAME, DIFF_PLANES_OPPOSITE };
/* Compares plane pa of A and plane pb of B. */
enum diff_planes diff_compare_planes(const struct comparison *c, int pa, int pb);

/* Material of a face or a side: by its texinfo, or its shader in IBSP. */
uint64_t diff_material(const struct bsp *bsp, int texinfo); /* hash of its name; 0: none */
int diff_surface_flags(const struct bsp *bsp, int texinfo);
const char *diff_material_name(struct comparison *c, int side, int texinfo); /* in scratch */
bool diff_same_texinfo(const struct comparison *c, int a, int b); /* ignores the material */
const char *diff_describe_face(struct comparison *c, int side, int index);

/* The functions that compare sections. */
typedef void diff_section_function(struct comparison *c);
diff_section_function diff_header, diff_entities, diff_plane_set, diff_brushes, diff_materials,
    diff_texinfo, diff_models, diff_faces, diff_face_records, diff_original_faces, diff_primitives,
    diff_normals, diff_tree, diff_leaves, diff_pvs, diff_pas, diff_areas, diff_area_portals,
    diff_leaf_water, diff_lightmaps, diff_lightmaps_hdr, diff_ambient, diff_ambient_hdr,
    diff_worldlights, diff_worldlights_hdr, diff_displacements, diff_overlays, diff_water_overlays,
    diff_cubemaps, diff_occluders, diff_static_props, diff_detail_props, diff_game_lumps,
    diff_physics, diff_pakfile, diff_map_flags, diff_carried;
diff_section_function diff_shaders, diff_surfaces, diff_pages, diff_grid, diff_effects;

#endif
