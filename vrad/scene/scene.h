/* What light meets: the solids of the map, its sky, and which face a ray lands on. */
#ifndef VRAD_SCENE_SCENE_H
#define VRAD_SCENE_SCENE_H

#include "common/bsp/leaf_tree.h"
#include "common/env.h"
#include "common/geom/plane.h"
#include "common/text/entities.h"
#include "common/trace/trace.h"
#include "vrad/scene/alpha_shadow.h"
#include "vrad/scene/scene_tree.h"
#include "vrad/scene/scene_triangle.h"

/* Rays start this far above a surface, in units: far enough for the single precision of rays at
 * the edge of the world (0.002), near enough not to step over a ledge. */
#define SCENE_RAY_OFFSET 0.0625

/* The length of rays without an end. */
#define SCENE_FAR_AWAY 1e30f

/* A brush that blocks light. */
struct scene_brush {
    struct bounds bounds;
    int first_plane, plane_count; /* in scene.planes */
};

/* The same in the list of a leaf, with a box that holds its own. */
struct scene_leaf_brush {
    float mins[3], maxs[3];
    int brush; /* in scene.brushes */
};

/* A triangle of a model that blocks light. */
struct scene_prop_triangle {
    int prop;
    bool is_hull;    /* of a closed convex body */
    float normal[3]; /* out of the body, of any length */
};

/* The small room that stands for what is far away: what leaves the map through its sky goes on
 * there. */
struct scene_sky_room {
    bool present;
    double origin[3]; /* the place in the room that stands for the map's origin */
    double scale;     /* units of the map to one of the room */
    int area;
};

struct prop_shadows;
struct ray_hit_cache;

struct scene {
    const struct bsp *bsp;
    struct leaf_tree tree;   /* of the world */
    struct scene_tree world; /* what of the solids the tree has; empty: nothing */
    struct trace_scene *trace;
    struct scene_triangle *triangles;           /* stb_ds array */
    struct scene_prop_triangle *prop_triangles; /* stb_ds array; numbers of the class TRACE_PROP */
    uint32_t blocking;                          /* classes of trace that block light */
    struct scene_brush *brushes;                /* stb_ds array */
    struct plane *planes;                       /* stb_ds array */
    int *brush_numbers;                         /* a brush of the BSP to one of `brushes`, or -1 */
    struct scene_leaf_brush *leaf_brushes;      /* stb_ds array, leaf by leaf */
    int *first_leaf_brush;                      /* one per leaf, and one past: into leaf_brushes */
    struct vec3 *model_origins;                 /* where the entity of each model stands */
    float *model_min_light; /* _minlight of each: the least light of its faces, of 255 */
    struct scene_sky_room sky_room;
    unsigned char *one_sided; /* stb_ds array, one per triangle: nobody sees its back; or NULL */
    struct bounds *curves;    /* stb_ds array: boxes of what is bent and one-sided */
    struct alpha_shadows alpha_shadows; /* none without texture shadows */
    int clusters;                       /* 0: no visibility */
    unsigned char *sky_clusters;        /* one byte per cluster: sees a leaf with sky */
    bool has_sky;                       /* there are sky faces */
    bool solid_leaves; /* leaves of no cluster are solid, and surfaces may run on into them */
    struct ray_hit_cache *ray_hit_cache; /* what rays met in a run before, or NULL; borrowed */
    bool sealed; /* no way leads out of the map but through its sky: it has visibility */
};

/* Brush entities block light when their vrad_brush_cast_shadows is set. With `sky_room`, the map's
 * sky_camera, if any, makes the small room count. */
NODISCARD enum status scene_build(const struct env *env, const struct bsp *bsp,
                                  const struct entity_list *entities, bool sky_room,
                                  struct scene *out);
/* The same with what may be left out. */
struct scene_extras {
    const struct prop_shadows *props; /* static props that block light (prop_shadows.h), or NULL */
    const struct alpha_source *alpha_shadows; /* where texture shadows come from, or NULL */
};
NODISCARD enum status scene_build_with(const struct env *env, const struct bsp *bsp,
                                       const struct entity_list *entities, bool sky_room,
                                       const struct scene_extras *extras, struct scene *out);
void scene_free(struct scene *scene);

/* A scene that is put together elsewhere: begin makes it empty, then triangles, brushes, veils and
 * the places of models are added, and finish makes it ready; `sky_leaf` is a byte per leaf: it has
 * sky. After a failure of either nothing is left to free. */
NODISCARD enum status scene_begin(const struct env *env, const struct bsp *bsp, struct scene *out);
NODISCARD enum status scene_finish(const struct env *env, struct scene *scene,
                                   const unsigned char *sky_leaf);

/* Lanes of `valid` whose way to `far` is blocked by solids. */
uint32_t scene_blocked16(const struct scene *scene, const struct trace_packet *packet,
                         uint32_t valid);
/* Lanes of `valid` that reach the sky: the first thing they meet is sky, or, in maps that are not
 * sealed, nothing. From areas of the map other than the sky room, they have to cross that room as
 * well. */
uint32_t scene_sky16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                     bool coherent, int area);
/* The packet as it goes on in the sky room. */
struct trace_packet scene_into_sky_room(const struct scene *scene,
                                        const struct trace_packet *packet);
/* What a ray met, by classes of trace that show faces, sky and props. A prop is SCENE_BLANK, the
 * back side of a face `back`. */
struct scene_hit scene_hit_of(const struct scene *scene, const struct trace_packet *packet,
                              int lane, const struct trace_hit *hit, int back);
/* The first thing that each ray meets. A back side is SCENE_BLANK. */
void scene_hit16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                 bool coherent, struct scene_hit hits[TRACE_PACKET]);
/* The same for two packets that go much the same way; bits of `valid` and hits of the second follow
 * those of the first. */
void scene_hit_pair16(const struct scene *scene, const struct trace_packet packets[2],
                      uint32_t valid, bool coherent, struct scene_hit hits[2 * TRACE_PACKET]);
void scene_hit_many(const struct scene *scene, const struct trace_ray *rays, size_t count,
                    bool coherent, struct scene_hit *hits);

/* Rays that a veil stops land on it, each as a whole, where they have not met anything nearer. The
 * veils of one prop may be left out; -1: none. */
void scene_stop_at_alpha(const struct scene *scene, const struct trace_packet *packet,
                         uint32_t valid, int prop, struct scene_hit hits[TRACE_PACKET]);

/* Lanes of `valid` that veils let through, each as a whole, by a chance that the ray decides.
 * scene_hit16 has it in, scene_blocked16 and scene_sky16 have not. */
uint32_t scene_through_alpha16(const struct scene *scene, const struct trace_packet *packet,
                               uint32_t valid, bool to_sky);

/* Whether the point lies inside a brush that blocks light (of the leaf's list). */
bool scene_solid_at(const struct scene *scene, int leaf, struct vec3 point);

/* Whether light from the sky may reach the cluster; true for -1 and without visibility. */
bool scene_sees_sky(const struct scene *scene, int cluster);

#endif
