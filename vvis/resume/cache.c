#include "vvis/resume/cache.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/core/strings.h"

enum { MATRICES = 2 };

static const char *path_of(struct arena *arena, const char *folder,
                           const unsigned char key[SHA256_SIZE])
{
    char name[2 * SHA256_SIZE + 1];
    sha256_text(key, name);
    return arena_printf(arena, "%s/%s.vis", folder, name);
}

static void set_shapes(const struct cache_entry *entry, struct checkpoint_matrix out[MATRICES])
{
    size_t clusters = (size_t)entry->clusters;
    out[0] = (struct checkpoint_matrix){entry->pvs, clusters, clusters};
    out[1] = (struct checkpoint_matrix){entry->costs, 1, 64 * clusters};
}

bool cache_load(const struct env *env, const char *folder, const unsigned char key[SHA256_SIZE],
                const struct cache_entry *entry)
{
    struct arena arena = {0};
    struct bytes bytes = {0};
    struct checkpoint_header header;
    struct checkpoint_matrix matrices[MATRICES];
    set_shapes(entry, matrices);
    const struct diag_where where = {.file = path_of(&arena, folder, key)};
    struct fs *fs = fs_plain(env->fs);
    bool found = fs->ops->kind(fs, where.file) == FS_FILE;
    if (found) {
        int error = fs->ops->read(fs, where.file, &bytes);
        found = !error && checkpoint_read_header(bytes.data, bytes.size, &header) &&
                memcmp(header.key, key, sizeof header.key) == 0 &&
                checkpoint_decode(bytes.data, bytes.size, matrices, MATRICES, true);
        if (!found)
            (void)diag_report(env->diag, DIAG_VIS_CACHE, &where, "%s",
                              error ? str_error(error).text : "corrupt file");
    }
    bytes_free(&bytes);
    arena_free(&arena);
    return found;
}

void cache_store(const struct env *env, const char *folder, const unsigned char key[SHA256_SIZE],
                 const struct cache_entry *entry)
{
    struct arena arena = {0};
    struct bytes bytes = {0};
    struct checkpoint_header header = {0};
    struct checkpoint_matrix matrices[MATRICES];
    set_shapes(entry, matrices);
    memcpy(header.key, key, sizeof header.key);
    checkpoint_encode(&header, matrices, MATRICES, &bytes);
    const struct diag_where where = {.file = path_of(&arena, folder, key)};
    struct fs *fs = fs_plain(env->fs);
    int error = fs->ops->make_folder(fs, folder);
    if (!error)
        error = fs->ops->write(fs, where.file, bytes.data, bytes.size);
    if (error)
        (void)diag_report(env->diag, DIAG_VIS_CACHE, &where, "%s", str_error(error).text);
    bytes_free(&bytes);
    arena_free(&arena);
}
