/* The engines that maps are made for: one row each in engines.def, with all that the programs ask
 * about the engine of a map. Engines of one family share code: target/FAMILY of each stage, and a
 * row in the tables of other modules that do something else for each family. Nothing compares
 * engines, families or containers to decide what to do (scripts/check_modules): a difference is a
 * field here, or a function in a table of families. */
#ifndef BSP_ENGINE_H
#define BSP_ENGINE_H

#include <stdbool.h>

/* An index of tables. */
enum engine_family { ENGINE_SOURCE, ENGINE_QUAKE3, ENGINE_FAMILIES };

/* Where light lies, and in which form. */
struct engine_light {
    bool lightmap_pages;  /* lightmaps are pages of page_side that surfaces share, and
                             there is a grid of light; otherwise each face has its own luxels, and
                             leaves have ambient light */
    int page_side;        /* luxels of a page along a side */
    bool tells_page_side; /* not those of the file's container: worldspawn has PAGE_SIDE_KEY */
    bool has_styles;      /* surfaces, vertices and points of the grid have light of styles */
    bool worldlights;     /* lights are records of the BSP */
    bool has_hdr;         /* light is LDR, HDR or both */
    bool filters_vary;    /* luxels may be drawn by other filters than the bilinear one */
};

/* How the geometry of a BSP is read. */
struct engine_geometry {
    double world_limit; /* of coordinates along an axis */
    double eye_height;  /* of a player, above the origin of the spawn point */
    int sky_flags;      /* flags of a surface or a shader: the sky is drawn there */
    bool has_surfaces;  /* what is drawn are surfaces with shaders, otherwise faces with texinfo */
    bool models_own_brushes; /* a model lists its brushes, those of the world are the first */
    bool has_foliage;        /* surfaces may be a model and where it stands (SURFACE_FOLIAGE) */
};

/* Names that the game and its editor know. */
struct engine_words {
    const char *player_start;         /* class of the spawn point that every kind of game uses */
    const char *prop;                 /* class of a model that is drawn and lit with the map */
    const char *load_map;             /* command of the console, without the name of the map */
    const char *open_pointfile;       /* where the editor shows a leak */
    const char *const *draw_distance; /* keys of worldspawn with the distance beyond which nothing
                                         is seen: the first that is there counts; ends with NULL */
};

struct dialect;
struct engine_content; /* engine_content.h */

struct engine {
    const char *name; /* "Quake 3" */
    enum engine_family family;
    const char *target;            /* --target of a source that is made for it */
    const char *const *levels;     /* endings of such sources, ".map"; ends with NULL */
    const struct dialect *dialect; /* of the flags of shaders (dialect.h); NULL: of Quake 3 */
    bool has_notes;                /* vbsp writes notes on surfaces beside the BSP (.srf) */
    bool has_shaders;              /* names of materials mean shaders, in scripts; otherwise VMTs */
    bool has_compiled_models;      /* models have a form of the game's own, made by studiomdl */
    bool has_overview_text;        /* the game reads a text beside the picture of an overview */
    bool can_transform;            /* a BSP can be moved and scaled */
    bool can_decompile;            /* a BSP can become a .map, OBJ or ASE */
    bool has_lump_files;           /* lumps can be written as files: JSON, and pages of lightmaps */
    const struct engine_content *content;
    struct engine_geometry geometry;
    struct engine_light light;
    struct engine_words words;
};

/* The rows of sources that name none. The others are known to tables alone, which include
 * engines.def: nothing else depends on how many there are. */
extern const struct engine engine_source, engine_quake3;

/* Returns the engine that a source is made for by the ending of its name, without regard to case;
 * engine_source if none names it. */
const struct engine *engine_of_level(const char *path);

/* Returns the engine whose usual target has that name, or NULL. */
const struct engine *engine_of_target(const char *target);

#endif
