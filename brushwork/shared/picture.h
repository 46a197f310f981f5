/* Verbs that write a file of what is seen of a compiled map: `render`, `view`, `report` ... */
#ifndef BRUSHWORK_SHARED_PICTURE_H
#define BRUSHWORK_SHARED_PICTURE_H

#include "common/cli/program.h"
#include "render/render.h"

/* A map with the game's content, ready for pictures. */
struct picture_map {
    struct bsp *bsp;
    struct fs *files; /* those that a BM file brings, in memory; or NULL */
    struct assets *assets;
    struct render *render;
};

/* Reads a BSP or a BM file and opens it with the content of `standard`. Close it also after a
 * failure. */
NODISCARD enum status picture_map_open(const struct env *env,
                                       const struct standard_options *standard,
                                       const struct render_options *options, const char *path,
                                       struct picture_map *out);
void picture_map_close(struct picture_map *map);

/* Returns the name of a map: "box" for "folder/box.bsp". */
const char *picture_map_name(struct arena *arena, const char *path);

/* Writes a picture of 3 * width * height bytes: a JPEG if the name ends so, else a PNG. */
NODISCARD enum status picture_store(const struct env *env, const unsigned char *pixels, int width,
                                    int height, const char *path);

/* Endings of pictures, as picture_prepare takes them. */
#define PICTURE_ENDINGS "png jpg jpeg"

/* Returns the path of the BSP that an operand of the command line means, in the arena. When the
 * operand is a source that was changed after its BSP was made, that is reported (PICTURE_OLD). */
const char *picture_operand(const struct program *program, size_t index, struct arena *arena);

/* Gives the path of a map to compare with; NULL if `operand` is NULL. It must be there: this is
 * asked before a map is built. */
NODISCARD enum status picture_against(const struct env *env, const char *operand,
                                      struct arena *arena, const char **path);

/* Prepares an output: the one that the command line names, or `beside` the first operand if `named`
 * is NULL. A name must not be that of a map, and have one of the endings, which are words, or
 * none: a device may have any content. */
NODISCARD enum status picture_prepare(const struct program *program, const char *named,
                                      const char *beside, const char *endings);

struct picture_paths {
    const char *map; /* "-": standard input */
    const char *out; /* "-": standard output */
};

struct picture_verb {
    const char *name;                        /* of the verb */
    const char *extension;                   /* of the output, where none is named */
    const char *endings;                     /* that its name may have, for picture_prepare */
    const char *out;                         /* the output that is named, or NULL */
    const struct standard_options *standard; /* with the content */
    const struct render_options *options;
    enum status (*write)(const struct program *program, const struct render *render,
                         const struct picture_paths *paths);
};

/* Reads a map, opens it with the game's content and writes it. */
NODISCARD enum status picture_open(const struct program *program, const struct picture_verb *verb,
                                   const struct picture_paths *paths);

/* Reads the map that the first operand names, opens it with the game's content and writes it. Does
 * nothing but announce itself when `options_status`, that of the options, is not STATUS_OK. */
NODISCARD enum status picture_write(const struct program *program, const struct picture_verb *verb,
                                    enum status options_status);

/* --- pictures of leaks --- */

/* Those of brushwork build. */
extern const struct render_options leak_picture_options;

/* Draws the first leak that the run has reported (LEAK) into a picture (picture_store). A map
 * without faces has no picture: that of an earlier run is removed. The assets have the map's packed
 * files then, without their diagnostics: nothing is to be read from them afterwards. */
NODISCARD enum status leak_picture_write(const struct env *env, struct assets *assets,
                                         const struct bsp *bsp,
                                         const struct render_options *options, const char *path);

#endif
