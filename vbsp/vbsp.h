/* The map compiler: from a level to a BSP and its portals. */
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

struct brush_options;   /* csg/brush_options.h */
struct csg_options;     /* csg/csg_options.h */
struct surface_options; /* target/quake3/surfaces/surface_options.h */
struct combine_options; /* target/source/combine/combine_options.h */

struct vbsp_options {
    const struct engine *engine; /* that the map is made for */
    bool leak_test;              /* stop at a leak */
    bool no_detail;              /* drop detail brushes */
    bool full_detail;            /* treat detail brushes as structural */
    bool no_water;               /* drop water brushes */
    const struct csg_options *csg;
    bool no_weld, no_share, no_tjunc, no_opt, no_prune, no_merge, no_merge_water, no_subdiv;
    bool force_sky_vis; /* leaves of a 3D sky keep their own clusters */
    const struct brush_options *brushes;
    bool bump_all;      /* bumped lightmaps for every lit surface */
    bool dynamic_props; /* static props also of models that are not made for that */
    const struct combine_options *combine; /* of static props */
    bool no_default_cubemap;               /* no textures of cubemaps are packed */
    int default_cubemap_side;              /* of these, in pixels: a power of two */
    int max_lightmap_dim;                  /* luxels that a flat face spans at most; above 32: 32 */
    bool lightmap_border;     /* lightmaps of flat faces have one more luxel on each side */
    bool allow_detail_cracks; /* vertices of detail do not split structural faces */
    bool verbose_entities;    /* a progress phase per brush entity */
    int dx_level;             /* target DirectX level; 0: any */
    const char *embed;        /* folder to pack into the pakfile, or NULL */
    struct bytes old_pakfile; /* pakfile of the existing BSP to keep; borrowed; or empty */
    double luxel_scale, min_luxel_scale;
    /* Quake 3 */
    bool keep_lights;     /* vrad leaves the light entities in the BSP (_keepLights) */
    bool keep_models;     /* misc_models stay in the BSP */
    bool no_fog, no_hint; /* drop them */
    const struct surface_options *surfaces;
    double clip_depth;          /* of clip brushes of models; 0: 2 */
    const char *cel_shader;     /* of a copy of each surface unless a key has one; or NULL */
    double block_size;          /* along all axes; below 0: as the map says */
    double sample_size;         /* default units per luxel; 0: the built-in default */
    double min_sample_size;     /* minimum units per luxel */
    int block_x[2], block_y[2]; /* range of 1024-unit blocks, if limited */
    bool blocks_limited;
    int file_version;                /* of the BSP that is written; 0: any, as version 20 */
    const char *instance_path;       /* a folder with instances, after those of the map; or NULL */
    int static_prop_version;         /* of the target's game lump; 0: as sdk2013 */
    const struct bsp_format *format; /* whose limits are checked; NULL: none */
    enum diag_severity missing_instances; /* error or warning */
    bool limit_contributors; /* list the contributors to each limit, not only to exceeded ones */
    const char *pointfile;   /* that a leak is written to, for its message; or NULL */
    bool lint;               /* also report problems that do not affect the compile */
    bool lint_entities;      /* the checks of lint/ too */
    const char *fgd;         /* for these: the FGD, or NULL: the game's */
    /* As the tools of 2007: no hammerid and no mapversion in the entities, and the leaves of a 3D
     * sky keep their own clusters. */
    bool of_2007;
    /* -replacematerials: according to the game's maps/materialsub.txt */
    bool replace_materials;
    /* -novirtualmesh: displacements become hulls of the world */
    bool no_virtual_mesh;
};

extern const struct vbsp_options vbsp_defaults;

struct vbsp_output {
    struct bsp *bsp;            /* owned; free with bsp_free */
    struct prt prt;             /* empty when the map leaks */
    struct bytes prt_text;      /* its file as an earlier run has formatted it; empty: not yet */
    struct surface_notes notes; /* for the lighting stage; only for Quake 3 */
    struct vec3 *leak;      /* stb_ds array: the path from outside to the entity; NULL: sealed */
    struct vec3 *area_leak; /* stb_ds array: the path around an areaportal; NULL: all seal */
    struct limit_report
        limits; /* set even if one is exceeded; without a format nothing is checked */
};

struct compile_cache;

/* Returns STATUS_OK, or STATUS_LEAK with everything but the portals. `cache` is that of the run,
 * which may have the output; NULL: it is not asked. */
NODISCARD enum status vbsp_run(const struct env *env, const struct vbsp_options *options,
                               struct assets *assets, const struct level *level,
                               struct compile_cache *cache, struct vbsp_output *out);
void vbsp_output_free(struct vbsp_output *output);

/* The stage: its work is that of vbsp_run alone. */
extern const struct stage vbsp_stage;

/* --- update.c: partial updates of an existing BSP: -onlyents and -onlyprops. Everything not named
 * here, such as lighting and visibility, keeps its bytes. --- */

/* Replaces the entities and the static props with the level's, and adds stale.txt to the pakfile,
 * from which the light of props that changed is removed.
 * Fails, without changing the bsp, when the brush entities, areaportals or occluders of the level
 * differ from those of the bsp (UPDATE_MISMATCH), or one of its brush entities has a material that
 * the bsp lacks (UPDATE_TEXTURE). Solids, overlays and cubemaps that changed are kept as compiled
 * (UPDATE_SOLIDS). */
NODISCARD enum status vbsp_update_entities(const struct env *env,
                                           const struct vbsp_options *options,
                                           struct assets *assets, const struct level *level,
                                           struct bsp *bsp);

/* Replaces the static and detail props with the level's, and removes the light of static props that
 * changed from the pakfile; nothing else. */
NODISCARD enum status vbsp_update_props(const struct env *env, const struct vbsp_options *options,
                                        struct assets *assets, const struct level *level,
                                        struct bsp *bsp);

typedef enum status vbsp_update(const struct env *env, const struct vbsp_options *options,
                                struct assets *assets, const struct level *level, struct bsp *bsp);

/* The same for a file, which is replaced atomically and keeps its format. *out gets the bsp. */
NODISCARD enum status vbsp_update_file(const struct env *env, const char *path, vbsp_update *update,
                                       const struct vbsp_options *options, struct assets *assets,
                                       const struct level *level, struct vbsp_output *out);

#endif
