/* Game content: where files are looked up, and what a material means to a compiler.
 *
 * Look-up goes through mounts in order; names compare without case, `\` is `/`. Precedence for a
 * material: the game's own VMT (with the VTF's header), then the catalogue (--texdata), then the
 * built-in set; one that is nowhere is a plain opaque 512 x 512 with one warning. The contents of a
 * built-in material stand above those that a catalogue has for it (texdata.h says why). */
#ifndef ASSETS_ASSETS_H
#define ASSETS_ASSETS_H

#include "common/core/arena.h"
#include "common/env.h"

struct shader;

struct material {
    const char *name; /* as first asked for */
    int width, height, view_width, view_height;
    double reflectivity[3];
    int surface_flags; /* enum surface_flag */
    int contents;      /* what it makes of a brush; 0 for hint and skip */
    bool translucent;  /* $translucent and the like */
    bool water;        /* %compilewater or %compileslime */
    bool is_clip;      /* player or NPC clip, for the bevel and detail rules */
    bool no_chop;
    bool envmap_cubemap;         /* $envmap is env_cubemap */
    bool bump;                   /* asks for bumped light */
    const char *shader;          /* "" when not known */
    const char *surface_prop;    /* "default" when a VMT has none; "" when there is no VMT */
    const char *bottom_material; /* or NULL */
    const char *flat_texture;    /* of a blend of two without a VMT: the first; or NULL */
    const char *detail_type;     /* or NULL */
    const struct shader
        *quake3; /* what it was made from in a game of Quake 3 (shader.h), or NULL */
    enum { MATERIAL_GAME, MATERIAL_CATALOGUE, MATERIAL_BUILT_IN, MATERIAL_MISSING } origin;
};

struct assets_options {
    /* Folder with gameinfo.txt, or gameinfo.txt itself; or what quake3_paths.h says of a game of
     * Quake 3: its name, its folder, or the one that this lies in; or NULL. */
    const char *game;
    const char *const *texdata; /* catalogue files */
    size_t texdata_count;
    /* Folders or VPKs that are looked at before the game's, in this order. */
    const char *const *search_paths;
    size_t search_path_count;
    /* Quake 3, all under q3map2's names: -fs_basepath, -fs_game, -fs_basegame, -fs_pakpath (folders
     * or packs above all others), -fs_forbiddenpath (packs that are left out, by * and ?). */
    const char *const *base_paths;
    size_t base_path_count;
    const char *const *mods;
    size_t mod_count;
    const char *base_game;
    const char *const *pak_paths;
    size_t pak_path_count;
    const char *const *forbidden;
    size_t forbidden_count;
    bool quake3;     /* names mean shaders even where no game is given */
    bool sizes_only; /* the mean colours of images are not wanted: saves decoding them */
};

struct assets;
struct kv;
struct mount;
struct shader_block;
struct vmt;

/* Which family of games it is goes by what lies at `game`, else by the fs_ options and `quake3`;
 * without any of them a material is looked up among the built-in ones of both. */
NODISCARD enum status assets_open(const struct env *env, const struct assets_options *options,
                                  struct assets **out);
void assets_free(struct assets *assets);

/* Takes over a mount (mount.h) that stands above all others from here on. */
void assets_mount_first(struct assets *assets, struct mount *mount);

/* Appends the file's bytes from the first mount that has it. False when none does (not reported).
 */
bool assets_read(struct assets *assets, const char *name, struct bytes *out);

/* The same from one mount of assets_mounts, without regard to the others. */
bool assets_read_from(const struct assets *assets, size_t mount, const char *name,
                      struct bytes *out);

/* assets_read that also tells the mount it is from. */
bool assets_find(const struct assets *assets, const char *name, struct bytes *out, size_t *mount);

/* Visits the files right in a folder, by their own names, in each mount that can list, from the
 * first on. */
typedef void assets_visit(void *context, const char *name);
void assets_list(const struct assets *assets, const char *folder, assets_visit *visit,
                 void *context);

const struct env *assets_env(const struct assets *assets);

/* Whether names of materials mean shaders (shader.h). */
bool assets_is_quake3(const struct assets *assets);
/* At the end of a run: what is to be told of all shaders that were used
 * (A034, A038); nothing outside of Quake 3. */
void assets_report_shaders(struct assets *assets);

/* In a game of Quake 3 a name means the shader "textures/NAME", unless it starts with textures/;
 * names of tool textures of Source mean those of Quake 3 that do the same.
 * Never NULL; the same pointer for the same name, for the life of the assets. Reports a missing
 * one once. Not thread-safe. */
const struct material *assets_material(struct assets *assets, const char *name);

/* From here on missing ones are not reported but kept, for one who knows where they are used. */
void assets_hold_missing(struct assets *assets);
/* Ends that: those that were kept, in order, as an stb_ds array that the caller frees. */
const struct material **assets_release_missing(struct assets *assets);

/* Whether there is such a material: a VMT that is found, in a catalogue, or built in. Nothing is
 * reported. */
bool assets_has_material(const struct assets *assets, const char *name);

/* The VMT of a material (vmt.h). False when it is not there or has no sense in it (reported).
 * Strings are in the arena. */
bool assets_vmt(const struct assets *assets, const char *name, struct arena *arena,
                struct diag *diag, struct vmt *out);

/* Returns the meaning of a shader. Never NULL; the same pointer for the same name (without regard
 * to case), for the life of the assets. One that has neither script nor image nor built-in meaning
 * is plain: opaque, lightmapped, 64 x 64; it is reported once (A030) or held, as materials are. A
 * tool texture of Source that no script defines is the tool shader that does the same. Not
 * thread-safe. Needs assets of a Quake 3 game or none (built-in ones only). */
const struct shader *assets_shader(struct assets *assets, const char *name);
/* The block of a script that defines the shader; NULL: there is none, but perhaps a built-in one.
 */
const struct shader_block *assets_shader_block(struct assets *assets, const char *name);
/* True when a script or the built-in set defines it. */
bool assets_defines_shader(struct assets *assets, const char *name);

/* The image of a shader as pixels, for light filters and alpha shadows: 8-bit RGBA, row after row,
 * from the top; from memory_alloc, the caller's. False when there is none. */
bool assets_shader_pixels(struct assets *assets, const struct shader *shader, uint8_t **pixels,
                          int *width, int *height);
/* An image by its name, which has any extension or none, as the engine finds it: .tga, .jpg, .png.
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

#endif
