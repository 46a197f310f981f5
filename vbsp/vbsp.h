/* The map compiler proper: from a level source to a BSP and its portals. */
#ifndef VBSP_VBSP_H
#define VBSP_VBSP_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/sidecar/prt.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/env.h"
#include "vbsp/level/level.h"

struct vbsp_target; /* target/target.h */

struct vbsp_options {
    const struct vbsp_target *target; /* the family of engines */
    bool leak_test;                   /* stop at a leak */
    bool no_detail;                   /* drop detail brushes */
    bool full_detail;                 /* treat them as structural */
    bool no_water;                    /* drop water brushes */
    bool no_csg, no_weld, no_share, no_tjunc, no_opt, no_prune, no_merge, no_merge_water, no_subdiv;
    bool force_sky_vis;       /* leaves of a 3D sky keep their own clusters */
    bool bump_all;            /* every lit surface bumped */
    bool light_if_missing;    /* lightmaps also where the material is missing */
    bool snap_axial;          /* axial planes lie at whole distances */
    bool no_draw_triggers;    /* sides of a trigger material are not drawn */
    bool xbox;                /* and water is not lit */
    bool allow_detail_cracks; /* detail puts no vertices on edges of structural faces */
    bool verbose_entities;    /* a phase for each brush entity */
    int dx_level;             /* that the map is for; 0: any */
    const char *embed;        /* folder whose files go into the pakfile, or NULL */
    struct bytes old_pakfile; /* lump of an earlier compile whose files stay; borrowed; or empty */
    double micro_volume;      /* brushes below it are warned of */
    double luxel_scale, min_luxel_scale;
    /* Quake 3 */
    bool no_fog, no_hint, no_curves; /* drop them */
    bool no_meta;                    /* do not join surfaces */
    bool patch_meta;                 /* patches are drawn as triangles */
    double subdivisions;             /* units that those stray from their curve; 0: 8 */
    int max_vertices, max_indices;   /* of a surface; 0: what the engine takes */
    double block_size;               /* of all axes; below 0: as the map says */
    double sample_size;              /* units a luxel where nothing says another; 0: the default */
    double shade_angle;              /* degrees, the same; 0: flat */
    int block_x[2], block_y[2];      /* range of 1024-unit blocks, when limited */
    bool blocks_limited;
    int file_version;                /* of the BSP to be written; 0: any of 20 */
    int static_prop_version;         /* of the target's game lump; 0: that of sdk2013 */
    const struct bsp_format *format; /* whose limits are checked; NULL: none */
    bool limit_contributors;         /* tell what uses most of each, not only of those passed */
    bool lint;                       /* tell also of what does no harm to the compile */
    /* As the tools of that time: no hammerid and no mapversion in the entities, and the leaves of
     * a 3D sky keep their own clusters. */
    bool of_2007;
    /* -replacematerials: as maps/materialsub.txt of the game says */
    bool replace_materials;
    /* -novirtualmesh: displacements are hulls of the world */
    bool no_virtual_mesh;
};

extern const struct vbsp_options vbsp_defaults;

struct vbsp_output {
    struct bsp *bsp;            /* owned; free with bsp_free */
    struct prt prt;             /* empty when the map leaks */
    struct surface_notes notes; /* for the light stage; Quake 3 alone has them */
    struct vec3 *leak;          /* stb_ds array: the way from outside to the entity; NULL: sealed */
    struct vec3 *area_leak;     /* stb_ds array: the way around an areaportal; NULL: all hold */
    struct limit_report
        limits; /* also when one is passed; without a format where none is checked */
};

/* STATUS_OK, or STATUS_LEAK with everything but the portals made. */
NODISCARD enum status vbsp_run(const struct env *env, const struct vbsp_options *options,
                               struct assets *assets, const struct level *level,
                               struct vbsp_output *out);
void vbsp_output_free(struct vbsp_output *output);

/* --- update.c: a BSP that is there, brought up to date in part: -onlyents and -onlyprops. All that
 * is not named here keeps its bytes, light and visibility among it. --- */

/* Replaces the entities and the static props by the level's, and adds stale.txt to the pakfile.
 * Fails, with the bsp as it was, when the brush entities, areaportals or occluders of the level
 * are not those of the bsp (UPDATE_MISFIT), or one of its brush entities has a material that the
 * bsp lacks (UPDATE_TEXTURE). Solids, overlays and cubemaps that changed stay as they were compiled
 * (UPDATE_SOLIDS). */
NODISCARD enum status vbsp_update_entities(const struct env *env,
                                           const struct vbsp_options *options,
                                           struct assets *assets, const struct level *level,
                                           struct bsp *bsp);

/* Replaces the static and the detail props by the level's, and nothing else. */
NODISCARD enum status vbsp_update_props(const struct env *env, const struct vbsp_options *options,
                                        struct assets *assets, const struct level *level,
                                        struct bsp *bsp);

typedef enum status vbsp_update(const struct env *env, const struct vbsp_options *options,
                                struct assets *assets, const struct level *level, struct bsp *bsp);

/* The same to a file, which is replaced whole and stays of its own format. *out gets the bsp. */
NODISCARD enum status vbsp_update_file(const struct env *env, const char *path, vbsp_update *update,
                                       const struct vbsp_options *options, struct assets *assets,
                                       const struct level *level, struct vbsp_output *out);

#endif
