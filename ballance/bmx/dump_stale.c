#include "ballance/bmx/dump_stale.h"

#include <string.h>

#include "ballance/bmx/dump_text.h"
#include "common/core/array.h"
#include "common/io/extract_target.h"
#include "common/io/zip.h"

/* Paths below the folder, an stb_ds map. */
struct path {
    char *key;
    int value;
};

/* The second text of a line `file "NAME" "PATH"`. */
static void add_path(struct dump_reader *in, struct path **paths)
{
    struct bytes path = {0};
    dump_bytes(in, &path);
    path.size = 0;
    dump_bytes(in, &path);
    bytes_u8(&path, 0);
    if (!in->failed && strlen((const char *)path.data) + 1 == path.size)
        shput(*paths, (const char *)path.data, 1);
    bytes_free(&path);
}

static struct path *paths_of(const struct bytes *index)
{
    struct bytes text = {0};
    struct path *paths = NULL;
    struct diag *diag = diag_new(NULL, NULL);
    struct dump_reader in;
    sh_new_strdup(paths);
    bytes_append(&text, index->data, index->size);
    bytes_u8(&text, 0);
    dump_open(&in, (const char *)text.data, index->size, "", diag);
    while (in.keyword_length) {
        if (dump_is_at(&in, "file"))
            add_path(&in, &paths);
        if (!in.failed)
            in.at = in.line_end;
        dump_end_line(&in);
    }
    bytes_free(&text);
    diag_free(diag);
    return paths;
}

static bool is_member(const char *path)
{
    return zip_name_is_safe(path) &&
           (strncmp(path, "Texture/", 8) == 0 || strncmp(path, "members/", 8) == 0);
}

void dump_remove_stale(struct fs *fs, const char *folder, const struct bytes *before,
                       const struct bytes *now)
{
    struct path *old = paths_of(before), *kept = paths_of(now);
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    for (size_t i = 0; i < shlenu(old); i++)
        if (is_member(old[i].key) && shgeti(kept, old[i].key) < 0 &&
            extract_check_target(fs, diag, folder, old[i].key, true) == STATUS_OK)
            (void)fs->ops->remove(fs, arena_printf(&arena, "%s/%s", folder, old[i].key));
    shfree(old);
    shfree(kept);
    arena_free(&arena);
    diag_free(diag);
}
