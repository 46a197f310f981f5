/* Hand-made faces, for tests of the steps between trees and records. */
#ifndef TESTS_HAND_FACES_H
#define TESTS_HAND_FACES_H

#include "common/core/array.h"
#include "vbsp/target/source/faces/face.h"
#include "vbsp/target/target.h"

struct hand_faces {
    struct diag *diag;
    struct env env;
    struct vbsp_options options;
    struct compile compile;
    struct node root;
    struct tree tree; /* a single leaf; its arena holds the faces */
    struct material material;
    struct map_side map_side;
    struct brush_side side;
    struct face *list;
};

/* One texinfo, number 0: one luxel per unit along x and along -y. */
static inline void hand_faces_init(struct hand_faces *hand)
{
    *hand = (struct hand_faces){.options = vbsp_defaults};
    hand->root.plane = PLANE_LEAF;
    hand->tree.root = &hand->root;
    hand->diag = diag_new(NULL, NULL);
    hand->env = (struct env){.diag = hand->diag, .threads = 1};
    hand->material = (struct material){.name = "wall", .surface_prop = ""};
    hand->side.material = &hand->material;
    hand->side.map_side = &hand->map_side;
    hand->side.original = &hand->side;
    hand->compile = (struct compile){.env = &hand->env,
                                     .options = &hand->options,
                                     .target = vbsp_target_of(hand->options.engine)};
    hand->compile.bsp = bsp_new();
    hand->compile.target->begin(&hand->compile);
    struct bsp_texinfo texinfo = {.lightmap = {{1, 0, 0, 0}, {0, -1, 0, 0}}};
    arrput(hand->compile.texinfos.items, texinfo);
    const struct material *material = &hand->material;
    arrput(hand->compile.texinfos.materials, material);
}

static inline void hand_free_outline(void *context, struct face *face)
{
    (void)context;
    arrfree(face->vertices);
}

static inline void hand_faces_free(struct hand_faces *hand)
{
    face_list_final(hand->list, hand_free_outline, NULL);
    hand->compile.target->release(&hand->compile);
    bsp_free(hand->compile.bsp);
    plane_set_free(&hand->compile.planes);
    texinfo_set_free(&hand->compile.texinfos);
    arena_free(&hand->tree.arena);
    diag_free(hand->diag);
}

/* A face on a horizontal plane, at the end of the list. Points x, y are clockwise from above; it
 * faces up, or down when `up` is false (then they are clockwise from below). */
static inline struct face *hand_polygon(struct hand_faces *hand, bool up, double z, int count,
                                        const double (*points)[2])
{
    struct face *face = face_new(&hand->tree.arena);
    face->plane = plane_set_find(&hand->compile.planes, vec3(0, 0, up ? 1 : -1), up ? z : -z);
    struct vec3 corners[64];
    for (int i = 0; i < count; i++)
        corners[i] = vec3(points[i][0], points[i][1], z);
    face->winding = winding_new(&hand->tree.arena, count, corners);
    face->side = &hand->side;
    face->in_leaf = true;
    struct face **end = &hand->list;
    while (*end)
        end = &(*end)->next;
    *end = face;
    return face;
}

static inline struct face *hand_rectangle(struct hand_faces *hand, double x0, double y0, double x1,
                                          double y1)
{
    const double points[4][2] = {{x0, y0}, {x0, y1}, {x1, y1}, {x1, y0}};
    return hand_polygon(hand, true, 0, 4, points);
}

struct hand_sum {
    int count;
    double area;
    struct face *last;
};

static inline void hand_add(void *context, struct face *face)
{
    struct hand_sum *sum = context;
    sum->count++;
    sum->area += winding_area(face->winding);
    sum->last = face;
}

/* Number and area of the faces that are drawn in the end. */
static inline struct hand_sum hand_final(struct hand_faces *hand)
{
    struct hand_sum sum = {0};
    face_list_final(hand->list, hand_add, &sum);
    return sum;
}

#endif
