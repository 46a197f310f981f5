/* Game content: looks up files, and tells a compiler the properties of a material.
 *
 * Files are looked up in the mounts in order; names are compared without regard to case, and `\`
 * equals `/`. Precedence for a material: the game's own VMT (with the VTF's header), then the
 * catalogue (--texdata), then the catalogue of the map's author, then the built-in set; one that is
 * found nowhere is a plain 512 x 512 with one warning. The contents of a built-in material mostly
 * take precedence over those of a catalogue (texdata.h says why). */
#ifndef ASSETS_ASSETS_H
#define ASSETS_ASSETS_H

#include "common/core/arena.h"
#include "common/env.h"

struct engine;
struct shader;

/* Materials that a VMT names: $bottommaterial, $crackmaterial and $fallbackmaterial, at its root.
 */
enum { MATERIAL_DEPENDENTS = 3 };

struct material {
    const char *name; /* as first asked for */
    int width, height, view_width, view_height;
    double reflectivity[3];
    int surface_flags; /* enum surface_flag */
    int contents;      /* contents of a brush with it; 0 for hint and skip */
    bool translucent;  /* $translucent and the like */
    bool water;        /* %compilewater or %compileslime */
    bool is_clip;      /* player or NPC clip, for the bevel and detail rules */
    bool no_chop;
    bool envmap_cubemap;         /* $envmap is env_cubemap */
    bool bump;                   /* asks for bumped light */
    bool guessed;                /* its name alone tells of its contents */
    const char *shader;          /* "" when not known */
    const char *surface_prop;    /* "default" when a VMT has none; "" when there is no VMT */
    const char *bottom_material; /* or NULL */
    const char *dependents[MATERIAL_DEPENDENTS]; /* of a VMT; or NULL */
    const char *flat_texture; /* without a VMT: the first texture of a two-texture blend; or NULL */
    const char *detail_type;  /* or NULL */
    const struct shader
        *quake3; /* the shader that it was made from in a Quake 3 game (shader.h), or NULL */
    enum { MATERIAL_GAME, MATERIAL_CATALOGUE, MATERIAL_BUILT_IN, MATERIAL_MISSING } origin;
};

/* Parameters of shaders besides those of their scripts. */
struct shader_parms {
    const char *const *all; /* names of surfaceparm that each shader has */
    size_t all_count;
    bool custom; /* names of scripts/custinfoparms.txt are known (shader_script.h) */
    const struct engine *engine; /* whose flags shaders have; NULL: of Quake 3 */
};

struct assets_options {
    /* Folder with gameinfo.txt, or gameinfo.txt itself; for Quake 3 (quake3_paths.h) the name of a
     * game, its folder, or the base path that contains it; or NULL. */
    const char *game;
    const char *const *texdata; /* catalogue files */
    size_t texdata_count;
    const char *map_catalogue; /* of the map's author (map_catalogue.h), or NULL */
    /* Folders or VPKs that are searched before the game's, in this order. */
    const char *const *search_paths;
    size_t search_path_count;
    /* Quake 3 options, named as in q3map2: -fs_basepath, -fs_game, -fs_basegame, -fs_pakpath
     * (folders or packs that take precedence over all others), -fs_forbiddenpath (patterns, with *
     * and ?, of packs to ignore). */
    const char *const *base_paths;
    size_t base_path_count;
    const char *const *mods;
    size_t mod_count;
    const char *base_game;
    const char *const *pak_paths;
    size_t pak_path_count;
    const char *const *forbidden;
    size_t forbidden_count;
    bool has_shaders; /* names mean shaders even when no game is given */
    bool sizes_only;  /* the mean colours of images are not needed, so images need not be decoded */
    struct shader_parms parms; /* borrowed */
};

struct assets;
struct kv;
struct mount;
struct shader_block;
struct vmt;

/* Opens the content of a Source or a Quake 3 game: `game` decides which, else the fs_ options and
 * `has_shaders`. Without any of them, materials are looked up in the built-in sets of both. */
NODISCARD enum status assets_open(const struct env *env, const struct assets_options *options,
                                  struct assets **out);
void assets_free(struct assets *assets);

/* Adds a mount (mount.h) in front of all others, and takes ownership of it. */
void assets_mount_first(struct assets *assets, struct mount *mount);
/* Removes a mount that was added, and frees it. What was read from it is kept. */
void assets_unmount(struct assets *assets, struct mount *mount);

/* Appends the file's bytes from the first mount that has it. Returns false, without a report, when
 * none does. */
bool assets_read(struct assets *assets, const char *name, struct bytes *out);

/* Like assets_read, but reads from this mount (an index of assets_mounts) only. */
bool assets_read_from(const struct assets *assets, size_t mount, const char *name,
                      struct bytes *out);

/* True when this mount has the file. */
bool assets_has(const struct assets *assets, size_t mount, const char *name);

/* Like assets_read; also returns the mount that the file came from. */
bool assets_find(const struct assets *assets, const char *name, struct bytes *out, size_t *mount);

/* Visits the files of a folder, not of folders below it, in each mount that can list, in the order
 * of the mounts. Names are without the folder. */
typedef void assets_visit(void *context, const char *name);
void assets_list(const struct assets *assets, const char *folder, assets_visit *visit,
                 void *context);

const struct env *assets_env(const struct assets *assets);

/* Returns true when names of materials mean shaders (shader.h). */
bool assets_have_shaders(const struct assets *assets);
/* Reports on all shaders that were used (A034, A038); for the end of a run. Does nothing outside of
 * Quake 3. */
void assets_report_shaders(struct assets *assets, struct diag *diag);

/* Returns the material. Never NULL; the same pointer for the same name, for the life of the assets.
 * Reports a missing one once. Not thread-safe.
 *
 * In a Quake 3 game a name means the shader "textures/NAME", unless it starts with textures/; names
 * of Source's tool textures mean the Quake 3 shaders that do the same. */
const struct material *assets_material(struct assets *assets, const char *name);

/* Returns true when materials can be found besides the built-in ones: in a game, a folder or a
 * pack, or in a catalogue, which names of shaders are not looked up in. */
bool assets_has_content(const struct assets *assets);

/* From here on missing materials are collected instead of reported, for a caller that knows where
 * they are used. */
void assets_hold_missing(struct assets *assets);
/* Ends assets_hold_missing. Returns the missing materials in order, as an stb_ds array that the
 * caller frees. */
const struct material **assets_release_missing(struct assets *assets);

/* Returns true when the material has a VMT, is in a catalogue, or is built in. Reports nothing. */
bool assets_has_material(const struct assets *assets, const char *name);

/* Reads the VMT of a material (vmt.h). Returns false when it is missing or invalid (reported).
 * Strings are in the arena. */
bool assets_vmt(const struct assets *assets, const char *name, struct arena *arena,
                struct diag *diag, struct vmt *out);

/* Returns the properties of a shader. Never NULL; the same pointer for the same name (without
 * regard to case), for the life of the assets. One that has neither a script nor an image nor a
 * built-in definition is plain: opaque, lightmapped, 64 x 64; it is reported once (A030) or held,
 * as materials are. A tool texture of Source that no script defines is the tool shader that does
 * the same. Not thread-safe. Needs assets of a Quake 3 game or none (built-in ones only). */
const struct shader *assets_shader(struct assets *assets, const char *name);
/* Returns the script's block that defines the shader, or NULL when no script does; it may still be
 * built in. */
const struct shader_block *assets_shader_block(struct assets *assets, const char *name);
/* Returns true when a script or the built-in set defines the shader. */
bool assets_defines_shader(struct assets *assets, const char *name);

/* Reads the image of a shader, for light filters and alpha shadows: 8-bit RGBA, top row first; from
 * memory_alloc, owned by the caller. Returns false when there is none. */
bool assets_shader_pixels(struct assets *assets, const struct shader *shader, uint8_t **pixels,
                          int *width, int *height);
/* Reads an image by a name with any extension or none, as the engine finds it: .tga, .jpg, .png.
 * Pixels as above. */
bool assets_image(struct assets *assets, const char *name, uint8_t **pixels, int *width,
                  int *height);

/* The mounts in order, for -v. */
size_t assets_mounts(const struct assets *assets);
const char *assets_mount(const struct assets *assets, size_t index);

/* The GameInfo block (GameData, InstancePath ...) and the folder of its file; NULL without a game.
 */
const struct kv *assets_gameinfo(const struct assets *assets);
const char *assets_game_folder(const struct assets *assets);
/* Returns the InstancePath of the GameInfo block that follows this one, the first with NULL; or
 * NULL. It has a value: a path below the game's folder, or one that begins with a slash. */
const struct kv *assets_instance_path(const struct assets *assets, const struct kv *before);

#endif
