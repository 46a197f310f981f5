/* A map of maps/ or of a test's own files, compiled. */
#ifndef TESTS_COMPILED_MAP_H
#define TESTS_COMPILED_MAP_H

#include <stdio.h>

#include "vbsp/vbsp.h"

struct compiled {
    struct diag *diag;
    struct env env;
    struct assets *assets;
    struct level level;
    struct vbsp_output out;
    enum status status; /* of the compile */
};

/* `fs` is the disk, or a memory file system, which is freed with the map. Free with
 * compiled_free. */
static inline void compiled_start(struct compiled *map, struct fs *fs)
{
    *map = (struct compiled){.diag = diag_new(NULL, NULL)};
    map->env = (struct env){.diag = map->diag, .fs = fs, .threads = 1};
}

/* `options` may be NULL. */
static inline void compiled_open(struct compiled *map, const char *name,
                                 const struct vbsp_options *options)
{
    compiled_start(map, fs_disk());
    struct bytes text = {0};
    char path[512];
    snprintf(path, sizeof path, MAPS_DIR "/%s", name);
    assert_int_equal(fs_load(map->env.fs, map->diag, path, &text), STATUS_OK);
    assert_int_equal(vmf_parse((const char *)text.data, text.size, name, map->diag, &map->level),
                     STATUS_OK);
    bytes_free(&text);
    struct assets_options assets = {0};
    assert_int_equal(assets_open(&map->env, &assets, &map->assets), STATUS_OK);
    map->status = vbsp_run(&map->env, options ? options : &vbsp_defaults, map->assets, &map->level,
                           NULL, &map->out);
}

static inline void compiled_free(struct compiled *map)
{
    vbsp_output_free(&map->out);
    level_free(&map->level);
    assets_free(map->assets);
    if (map->env.fs != fs_disk())
        fs_memory_free(map->env.fs);
    diag_free(map->diag);
}

#endif
