/* Occluders: polygons that hide everything behind them. */
#include "vbsp/csg/csg_options.h"
#include "vbsp/target/source/emit/emit.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/areas.def"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/portals/portals.h"
#include "vbsp/target/source/faces/face.h"
#include "vbsp/tree/tree_build.h"

/* Margin around the brushes for their tree. */
#define MARGIN 8.0

struct owner {
    const struct brush_side *key;
    int value; /* number of the occluder */
};

struct occluder_maker {
    struct compile *compile;
    const struct tree *world;
    struct tree *tree;
    struct owner *owners; /* hash map: the sides of all their brushes */
    int count;            /* of occluders */
    struct face **faces;  /* stb_ds array: one list per occluder */
};

static struct brush *add_fragment(struct occluder_maker *maker, const struct map_brush *brush,
                                  struct brush *fragments)
{
    struct brush *fragment = brush_fragment_new(&maker->tree->arena, brush, true);
    fragment->next = fragments;
    bounds_add(&maker->tree->bounds, &brush->bounds);
    for (int i = 0; i < brush->side_count; i++) {
        struct owner owner = {&brush->sides[i], maker->count};
        hmputs(maker->owners, owner);
        fragment->sides[i].flags &= ~SURFACE_SKIP; /* splits: it bounds the polygons of others */
    }
    return fragment;
}

static struct brush *collect_fragments(struct occluder_maker *maker)
{
    const struct compile *compile = maker->compile;
    struct brush *fragments = NULL;
    maker->tree->bounds = bounds_empty();
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->use != USE_OCCLUDER)
            continue;
        for (size_t j = 0; j < arrlenu(entity->brushes); j++)
            fragments = add_fragment(maker, compile->brushes[entity->brushes[j]], fragments);
        maker->count++;
    }
    return fragments;
}

static void make_tree(struct occluder_maker *maker, struct brush *fragments)
{
    struct compile *compile = maker->compile;
    struct tree *tree = maker->tree;
    for (int i = 0; i < 3; i++) {
        tree->bounds.mins.e[i] -= MARGIN;
        tree->bounds.maxs.e[i] += MARGIN;
    }
    if (!compile->options->csg->no_csg)
        fragments = csg_chop(&tree->arena, &compile->planes, fragments);
    struct brush *volume = brush_fragment_box(&tree->arena, &compile->planes, &tree->bounds);
    struct tree_stats stats = {0};
    tree->root =
        tree_build(&tree->arena, &compile->planes, &splitters_balanced, fragments, volume, &stats);
    portals_make(compile, tree);
    faces_make(compile, tree);
}

static int owner_of(struct occluder_maker *maker, const struct face *face)
{
    ptrdiff_t at = hmgeti(maker->owners, face->side);
    return at < 0 ? 0 : maker->owners[at].value;
}

/* Collects the faces of the nodes by occluder. */
static void collect_faces(struct occluder_maker *maker, struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    for (struct face *face = node->faces, *next; face; face = next) {
        next = face->next;
        int owner = owner_of(maker, face);
        face->next = maker->faces[owner];
        maker->faces[owner] = face;
    }
    node->faces = NULL;
    collect_faces(maker, node->children[0]);
    collect_faces(maker, node->children[1]);
}

/* All faces in one list, by occluder, merged and with vertices. */
static struct face *finish_faces(struct occluder_maker *maker)
{
    struct face_list all = {0};
    for (int i = 0; i < maker->count; i++)
        arrput(maker->faces, NULL);
    collect_faces(maker, maker->tree->root);
    for (int i = 0; i < maker->count; i++) {
        face_list_merge(maker->compile, &maker->tree->arena, &maker->faces[i]);
        for (struct face *face = maker->faces[i], *next; face; face = next) {
            next = face->next;
            if (!face->merged)
                face_list_add(&all, face);
        }
    }
    faces_fix_tjunctions(maker->compile, maker->tree, all.first);
    return all.first;
}

/* Adds the area of the winding inside each area of the world. */
static void measure_areas(const struct occluder_maker *maker, const struct node *node,
                          const struct winding *winding, double **areas)
{
    if (node->plane == PLANE_LEAF) {
        while (arrlen(*areas) <= node->area)
            arrput(*areas, 0);
        if (leaf_is_open(node) && node->area)
            (*areas)[node->area] += winding_area(winding);
        return;
    }
    const struct plane *plane = &maker->compile->planes.planes[node->plane];
    struct winding *parts[2];
    winding_clip(&maker->tree->arena, winding, plane, EPSILON_SPLIT, &parts[0], &parts[1]);
    bool flat = !parts[0] && !parts[1];
    for (int i = 0; i < 2; i++)
        if (flat || parts[i])
            measure_areas(maker, node->children[i], flat ? winding : parts[i], areas);
}

/* The area that contains most of the faces, or -1. */
static int main_area(struct occluder_maker *maker, struct face *faces, int owner)
{
    double *areas = NULL;
    int best = -1;
    for (const struct face *face = faces; face; face = face->next)
        if (owner_of(maker, face) == owner)
            measure_areas(maker, maker->world->root, face->winding, &areas);
    for (int i = 1; i < (int)arrlen(areas); i++)
        if (areas[i] > 0 && (best < 0 || areas[i] > areas[best]))
            best = i;
    arrfree(areas);
    return best;
}

static void emit_polygon(void *context, struct face *face)
{
    struct bsp *bsp = context;
    struct bsp_occluder *occluder = &arrlast(bsp->occluders);
    int count = (int)arrlen(face->vertices);
    if (count >= 3) {
        struct bsp_occluder_polygon polygon = {.first_vertex = (int)arrlen(bsp->occluder_vertices),
                                               .vertex_count = count,
                                               .plane = face->plane};
        arrput(bsp->occluder_polygons, polygon);
        occluder->polygon_count++;
    }
    for (int i = 0; i < count && count >= 3; i++) {
        const float *point = bsp->vertices[face->vertices[i]].p;
        arrput(bsp->occluder_vertices, face->vertices[i]);
        for (int j = 0; j < 3; j++) {
            occluder->mins[j] = portable_fminf(occluder->mins[j], point[j]);
            occluder->maxs[j] = portable_fmaxf(occluder->maxs[j], point[j]);
        }
    }
    arrfree(face->vertices);
    face->vertices = NULL;
}

static void report_empty(const struct compile *compile, const struct compile_entity *entity,
                         bool drawn)
{
    struct diag_where where = map_where(compile->level, entity->map_entity, NULL, NULL);
    diag_report(compile->env->diag, DIAG_OCCLUDER_EMPTY, &where,
                drawn ? "no side of the func_occluder is in open space"
                      : "all sides of the func_occluder are nodraw or inside another occluder");
}

/* An occluder in no area hides nothing; its polygons are dropped. */
static void emit_occluder(struct occluder_maker *maker, const struct compile_entity *entity,
                          struct face *faces, int number)
{
    struct bsp *bsp = maker->compile->bsp;
    struct bsp_occluder record = {.first_polygon = (int)arrlen(bsp->occluder_polygons),
                                  .area = main_area(maker, faces, number)};
    for (int i = 0; i < 3; i++) {
        record.mins[i] = FLT_MAX;
        record.maxs[i] = -FLT_MAX;
    }
    arrput(bsp->occluders, record);
    bool drawn = false;
    for (struct face *face = faces; face; face = face->next) {
        if (owner_of(maker, face) != number)
            continue;
        drawn = true;
        if (record.area > 0)
            face_final(face, emit_polygon, bsp);
    }
    if (!arrlast(bsp->occluders).polygon_count) {
        arrlast(bsp->occluders).area = -1;
        report_empty(maker->compile, entity, drawn);
    }
}

static void emit_all(struct occluder_maker *maker, struct brush *fragments)
{
    const struct compile *compile = maker->compile;
    struct face *faces = NULL;
    if (fragments) {
        make_tree(maker, fragments);
        faces = finish_faces(maker);
    }
    int number = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++)
        if (compile->entities[i].use == USE_OCCLUDER)
            emit_occluder(maker, &compile->entities[i], faces, number++);
    face_list_free_outlines(faces);
}

void occluders_emit(struct compile *compile, const struct tree *world)
{
    struct occluder_maker maker = {.compile = compile, .world = world};
    maker.tree = memory_zalloc(1, sizeof *maker.tree);
    struct brush *fragments = collect_fragments(&maker);
    if (maker.count)
        emit_all(&maker, fragments);
    hmfree(maker.owners);
    arrfree(maker.faces);
    tree_free(maker.tree);
}
