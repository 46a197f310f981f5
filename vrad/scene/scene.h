/* The scene that light rays are traced in: the solids of the map, its sky, and the faces that rays
 * hit. */
#ifndef VRAD_SCENE_SCENE_H
#define VRAD_SCENE_SCENE_H

#include "common/bsp/leaf_tree.h"
#include "common/env.h"
#include "common/geom/plane.h"
#include "common/text/entity_view.h"
#include "common/trace/trace.h"
#include "vrad/scene/alpha_shadow.h"
#include "vrad/scene/prop_charts.h"
#include "vrad/scene/scene_tree.h"
#include "vrad/scene/scene_triangle.h"

/* Rays start this far above a surface, in units: more than the error of single precision at the
 * edge of the world (0.002), less than the height of a ledge. */
#define SCENE_RAY_OFFSET 0.0625

/* Length of rays without an end. */
#define SCENE_FAR_AWAY 1e30f

/* An occluding brush. */
struct scene_brush {
    struct bounds bounds;
    int first_plane, plane_count; /* in scene.planes */
};

/* A brush in the list of a leaf, with a conservative box. */
struct scene_leaf_brush {
    float mins[3], maxs[3];
    int brush; /* in scene.brushes */
};

/* An occluding triangle of a model. */
struct scene_prop_triangle {
    int prop;
    bool is_hull;    /* of a convex collision hull */
    float normal[3]; /* outwards, of any length */
};

/* The 3D skybox: rays that leave the map through its sky continue there. */
struct scene_skybox {
    bool present;
    double origin[3]; /* the sky_camera's origin: the map's origin in the skybox */
    double scale;     /* units of the map per unit of the skybox */
    int area;
};

struct prop_shadows;
struct ray_hit_cache;

struct scene {
    const struct bsp *bsp;
    struct leaf_tree tree;   /* of the world */
    struct scene_tree world; /* the solids of the world as a tree; may be empty */
    struct trace_scene *trace;
    struct scene_triangle *triangles; /* stb_ds array */
    struct scene_prop_triangle
        *prop_triangles;            /* stb_ds array; by the numbers of the class TRACE_PROP */
    struct prop_charts prop_charts; /* of them; empty when props do not reflect */
    uint32_t blocking;              /* occluding classes of trace */
    struct scene_brush *brushes;    /* stb_ds array */
    struct plane *planes;           /* stb_ds array */
    int *brush_numbers;             /* index of a BSP brush in `brushes`, or -1 */
    struct scene_leaf_brush *leaf_brushes; /* stb_ds array, leaf by leaf */
    int *first_leaf_brush;                 /* one per leaf, and one past: into leaf_brushes */
    struct vec3 *model_origins;            /* origin of each model's entity */
    float *model_min_light; /* _minlight of each model: minimum light of its faces, of 255 */
    struct scene_skybox skybox;
    unsigned char
        *one_sided;        /* stb_ds array, one per triangle: its back is never visible; or NULL */
    struct bounds *curves; /* stb_ds array: boxes of curved one-sided surfaces */
    struct alpha_shadows alpha_shadows; /* empty without texture shadows */
    int clusters;                       /* 0: no visibility */
    unsigned char *sky_clusters;        /* one byte per cluster: sees a leaf with sky */
    bool has_sky;                       /* there are sky faces */
    bool solid_leaves; /* leaves without cluster are solid, and surfaces may extend into them */
    struct ray_hit_cache *ray_hit_cache; /* ray hits of an earlier run, or NULL; borrowed */
    bool sealed; /* no leak: rays leave the map only through its sky. True when it has visibility */
};

/* Optional parts of a scene. */
struct scene_extras {
    const struct prop_shadows *props; /* shadow-casting static props (prop_shadows.h), or NULL */
    const struct alpha_source *alpha_shadows; /* source of alpha shadows, or NULL */
};

/* Builds the scene. Brush entities with vrad_brush_cast_shadows cast shadows. `skybox`: the 3D
 * skybox of a sky_camera, if any, casts shadows on the map. */
NODISCARD enum status scene_build(const struct env *env, const struct bsp *bsp,
                                  const struct entity_view *entities, bool skybox,
                                  const struct scene_extras *extras, struct scene *out);
void scene_free(struct scene *scene);

/* Builds a scene from other parts: begin makes it empty, then the caller adds triangles, brushes,
 * alpha triangles and model origins, and finish completes it; `sky_leaf` has one byte per leaf: it
 * has sky. When either fails, there is nothing to free. */
NODISCARD enum status scene_begin(const struct env *env, const struct bsp *bsp, struct scene *out);
NODISCARD enum status scene_finish(const struct env *env, struct scene *scene,
                                   const unsigned char *sky_leaf);

/* Lanes of `valid` that solids block before `far`. */
uint32_t scene_blocked16(const struct scene *scene, const struct trace_packet *packet,
                         uint32_t valid);
/* Lanes of `valid` that reach the sky: they hit sky first, or, in maps that are not sealed,
 * nothing. From areas outside of the 3D skybox they have to cross it as well. */
uint32_t scene_sky16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                     bool coherent, int area);
/* The rays of the packet transformed into the 3D skybox. */
struct trace_packet scene_into_skybox(const struct scene *scene, const struct trace_packet *packet);
/* Converts a hit of classes with faces, sky and props. The back side of a face is `back`; a prop
 * that does not reflect, and the back side of one, SCENE_BLANK. */
struct scene_hit scene_hit_of(const struct scene *scene, const struct trace_packet *packet,
                              int lane, const struct trace_hit *hit, int back);
/* The nearest hit of each ray. A back side is SCENE_BLANK. */
void scene_hit16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                 bool coherent, struct scene_hit hits[TRACE_PACKET]);
/* The same for two packets with similar directions; bits of `valid` and hits of the second follow
 * those of the first. */
void scene_hit_pair16(const struct scene *scene, const struct trace_packet packets[2],
                      uint32_t valid, bool coherent, struct scene_hit hits[2 * TRACE_PACKET]);
void scene_hit_many(const struct scene *scene, const struct trace_ray *rays, size_t count,
                    bool coherent, struct scene_hit *hits);

/* Rays that stochastic alpha blocks get a hit on the alpha triangle, if it is the nearest. The
 * triangles of one prop may be excluded; -1: none. */
void scene_stop_at_alpha(const struct scene *scene, const struct trace_packet *packet,
                         uint32_t valid, int prop, struct scene_hit hits[TRACE_PACKET]);

/* Lanes of `valid` that pass stochastic alpha. scene_hit16 includes this test, scene_blocked16 and
 * scene_sky16 do not. */
uint32_t scene_through_alpha16(const struct scene *scene, const struct trace_packet *packet,
                               uint32_t valid, bool to_sky);

/* Returns true if the point lies inside an occluding brush of the leaf. */
bool scene_solid_at(const struct scene *scene, int leaf, struct vec3 point);

/* Returns true if light from the sky may reach the cluster, and for -1 or without visibility. */
bool scene_sees_sky(const struct scene *scene, int cluster);

#endif
