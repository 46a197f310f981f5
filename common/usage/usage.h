/* Which files a map uses, why, and where each of them is.
 *
 * A graph: a file is a node, found once, and an edge is the first reason for it: what in the map,
 * or in which file, names it. Walks start at the BSP (faces, overlays, props, sky, entities, and
 * files that the engine loads by the name of the map) and go on through each file that is not the
 * game's own: materials, models, soundscripts, soundscapes, scenes, response rules, particle
 * systems, scripts, console commands; in Quake 3 shaders, models and sounds. Everything comes from
 * files that may be hostile: readers check all sizes, and each file is walked once for each thing
 * that is asked of it. */
#ifndef USAGE_USAGE_H
#define USAGE_USAGE_H

#include "common/assets/assets.h"
#include "common/assets/mounts/mount.h"
#include "common/bsp/bsp.h"
#include "common/text/fgd.h"

enum usage_kind {
    USAGE_MATERIAL,
    USAGE_MATERIAL_BASE, /* included by another: only the text is used */
    USAGE_TEXTURE,
    USAGE_MODEL,
    USAGE_MODEL_PART,
    USAGE_SOUND,
    USAGE_SOUNDSCRIPT,
    USAGE_LEVEL_SOUNDS, /* soundscripts of the map: all sounds in it count */
    USAGE_SOUNDSCAPES,
    USAGE_LEVEL_SOUNDSCAPES, /* the same */
    USAGE_SCENE,
    USAGE_RESPONSES,
    USAGE_PARTICLES,
    USAGE_PARTICLE_LIST,
    USAGE_SCRIPT,
    USAGE_CONFIG,
    USAGE_OVERVIEW,
    USAGE_SHADER, /* of Quake 3: a block of a script */
    USAGE_MD3,
    USAGE_ARENA, /* the block of the map in a script for menus */
    USAGE_OTHER,
    USAGE_NAME, /* no file: a game sound, soundscape or effect that is defined nowhere */
    USAGE_KINDS
};

enum usage_place {
    USAGE_OWN,      /* in a mount that is not the game's */
    USAGE_PACKED,   /* in the pakfile */
    USAGE_STOCK,    /* the game's */
    USAGE_EXCLUDED, /* there, and left out as asked */
    USAGE_MISSING,  /* nowhere */
    USAGE_PLACES
};

enum { USAGE_OF_MAP = -1, USAGE_NO_MOUNT = -1 };

struct usage_file {
    const char *name; /* lower case, with `/` */
    enum usage_kind kind;
    enum usage_place place;
    int64_t from;     /* index of the file that names it, or USAGE_OF_MAP */
    const char *why;  /* "entity 66 prop_dynamic model", "$bumpmap" */
    int64_t mount;    /* of assets_mounts, for USAGE_OWN and USAGE_PACKED; or USAGE_NO_MOUNT */
    bool is_stock;    /* the game has a file of that name */
    bool is_copy;     /* packed, stock, and of the same bytes: needless */
    bool is_changed;  /* packed, stock, and of other bytes, which players see then */
    bool is_shadowed; /* stock, and a file of the mapper's hides it here */
};

struct usage {
    struct usage_file *files; /* stb_ds array, in the order in which they were found */
    const char **unneeded;    /* stb_ds array: packed files that nothing uses, sorted */
    bool knows_sounds;        /* soundscripts are at hand; otherwise game sounds are not followed */
    bool knows_effects;       /* the same for lists of particle systems */
    struct arena arena;
};

struct pakfile; /* common/bsp/lumps/pakfile.h */

/* Files that the game has besides those of its mounts: names, and mounts that are not searched for
 * content. */
struct usage_stock {
    struct mount **mounts; /* stb_ds array */
    struct {
        char *key; /* of asset_name */
        bool value;
    } *names; /* stb_ds map */
};

struct usage_options {
    const char *map;                 /* name of the map, without folder and ending */
    const struct fgd *fgd;           /* or NULL: the keys that all games have */
    const struct usage_stock *stock; /* or NULL */
    /* Folders and archives in front of the game's that are the mapper's. */
    const char *const *own_paths;
    size_t own_path_count;
    bool has_pakfile; /* the first mount is the pakfile of the map */
    /* Of Quake 3, whose own packs are those called pakN... Patterns of files and shaders to leave
     * out: * stands for any run of characters, ? for one. */
    const char *const *exclude;
    size_t exclude_count;
    bool with_game; /* files of the game's packs count as the mapper's */
};

/* Opens what --stock names: a folder, a .vpk, or a list with a name a line. Free with
 * usage_stock_free, also after a failure. */
NODISCARD enum status usage_stock_open(const struct env *env, const char *const *paths,
                                       size_t count, struct usage_stock *out);
void usage_stock_free(struct usage_stock *stock);

/* Walks all that the map uses. Damaged files are reported (warnings), missing ones are in the
 * result. Free with usage_free. */
void usage_find(struct assets *assets, const struct bsp *bsp, const struct pakfile *pakfile,
                const struct usage_options *options, struct usage *out);
void usage_free(struct usage *usage);

const char *usage_kind_name(enum usage_kind kind);
/* "entity 66 prop_dynamic model -> models/a.mdl skin 2 -> materials/a.vmt $bumpmap", in the
 * arena. */
const char *usage_reason(const struct usage *usage, size_t file, struct arena *arena);

#endif
