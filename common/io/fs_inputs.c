#include "common/io/fs_inputs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/fs_gather.h"

enum use { USE_SOUGHT, USE_READ };

struct noted {
    enum use use;        /* the greatest */
    struct fs_info info; /* when it was read first; zero if that is not known */
};

struct path {
    char *key;
    struct noted value;
};

struct fs_inputs {
    pthread_mutex_t lock; /* of all that follows */
    struct arena texts;
    struct path *paths; /* stb_ds map */
};

struct noting {
    struct fs base;
    struct fs_ops ops;
    struct fs *below;
    struct fs_inputs *inputs;
};

struct fs_inputs *fs_inputs_new(void)
{
    struct fs_inputs *inputs = memory_zalloc(1, sizeof *inputs);
    pthread_mutex_init(&inputs->lock, NULL);
    return inputs;
}

void fs_inputs_free(struct fs_inputs *inputs)
{
    if (!inputs)
        return;
    shfree(inputs->paths);
    arena_free(&inputs->texts);
    pthread_mutex_destroy(&inputs->lock);
    memory_free(inputs);
}

static const char **sorted_of(struct fs_inputs *inputs, enum use use)
{
    const char **paths = NULL;
    pthread_mutex_lock(&inputs->lock);
    for (size_t i = 0; i < shlenu(inputs->paths); i++)
        if (inputs->paths[i].value.use == use)
            arrput(paths, inputs->paths[i].key);
    pthread_mutex_unlock(&inputs->lock);
    if (paths)
        qsort(paths, arrlenu(paths), sizeof *paths, str_compare_items);
    return paths;
}

bool fs_inputs_has_changed(struct fs_inputs *inputs, struct fs *fs, const char *path)
{
    struct fs_info now = {0}, then = {0};
    pthread_mutex_lock(&inputs->lock);
    ptrdiff_t at = shgeti(inputs->paths, path);
    if (at >= 0)
        then = inputs->paths[at].value.info;
    pthread_mutex_unlock(&inputs->lock);
    if (!then.modified || !fs->ops->info)
        return false;
    return fs->ops->info(fs, path, &now) != 0 || now.size != then.size ||
           now.modified != then.modified;
}

const char **fs_inputs_sorted(struct fs_inputs *inputs)
{
    return sorted_of(inputs, USE_READ);
}

const char **fs_inputs_sought(struct fs_inputs *inputs)
{
    return sorted_of(inputs, USE_SOUGHT);
}

static struct noting *noting_of(struct fs *fs)
{
    return (struct noting *)(void *)fs;
}

static struct fs *below(struct fs *fs)
{
    return noting_of(fs)->below;
}

static void note(struct fs *fs, const char *path, enum use use)
{
    struct fs_inputs *inputs = noting_of(fs)->inputs;
    if (strcmp(path, "-") == 0)
        return;
    pthread_mutex_lock(&inputs->lock);
    ptrdiff_t at = shgeti(inputs->paths, path);
    struct noted noted = {.use = use};
    bool is_news = at < 0 || inputs->paths[at].value.use < use;
    if (is_news && use == USE_READ && below(fs)->ops->info)
        (void)below(fs)->ops->info(below(fs), path, &noted.info);
    if (at < 0)
        shput(inputs->paths, arena_strdup(&inputs->texts, path), noted);
    else if (is_news)
        inputs->paths[at].value = noted;
    pthread_mutex_unlock(&inputs->lock);
}

static int noting_read(struct fs *fs, const char *path, struct bytes *out)
{
    int error = below(fs)->ops->read(below(fs), path, out);
    note(fs, path, error ? USE_SOUGHT : USE_READ);
    return error;
}

static int noting_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                            struct bytes *out)
{
    int error = below(fs)->ops->read_part(below(fs), path, offset, size, out);
    note(fs, path, error ? USE_SOUGHT : USE_READ);
    return error;
}

static struct fs_source *noting_source(struct fs *fs, const char *path)
{
    struct fs_source *source = fs_source_open(below(fs), path);
    note(fs, path, source ? USE_READ : USE_SOUGHT);
    return source;
}

static int noting_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    return below(fs)->ops->write(below(fs), path, data, size);
}

static enum fs_kind noting_kind(struct fs *fs, const char *path)
{
    enum fs_kind kind = below(fs)->ops->kind(below(fs), path);
    if (kind == FS_ABSENT)
        note(fs, path, USE_SOUGHT);
    return kind;
}

static int noting_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    note(fs, path, USE_SOUGHT);
    return below(fs)->ops->list(below(fs), path, visit, context);
}

static int noting_remove(struct fs *fs, const char *path)
{
    return below(fs)->ops->remove(below(fs), path);
}

static int noting_make_folder(struct fs *fs, const char *path)
{
    return below(fs)->ops->make_folder(below(fs), path);
}

static int noting_size(struct fs *fs, const char *path, uint64_t *out)
{
    return below(fs)->ops->size(below(fs), path, out);
}

static struct fs_staged *noting_staged(struct fs *fs, const char *path,
                                       const struct fs_source *source)
{
    return fs_staged_new(below(fs), path, source);
}

static int noting_write_gather(struct fs *fs, const char *path, const struct fs_gather *gather)
{
    return fs_write_gather(below(fs), path, gather);
}

static int noting_can_write(struct fs *fs, const char *path)
{
    return below(fs)->ops->can_write(below(fs), path);
}

static bool noting_is_link(struct fs *fs, const char *path)
{
    return fs_is_link(below(fs), path);
}

static int noting_hold(struct fs *fs, const char *in, const char *out, struct fs_hold **hold)
{
    return below(fs)->ops->hold(below(fs), in, out, hold);
}

static int noting_info(struct fs *fs, const char *path, struct fs_info *out)
{
    return below(fs)->ops->info(below(fs), path, out);
}

static int noting_remove_folder(struct fs *fs, const char *path)
{
    return below(fs)->ops->remove_folder(below(fs), path);
}

static int noting_touch(struct fs *fs, const char *path)
{
    return below(fs)->ops->touch(below(fs), path);
}

static struct fs *noting_plain(struct fs *fs)
{
    return fs_plain(below(fs));
}

/* Without what the file system below lacks. */
static struct fs_ops ops_over(const struct fs_ops *under)
{
    return (struct fs_ops){
        .read = noting_read,
        .write = noting_write,
        .kind = noting_kind,
        .list = noting_list,
        .remove = noting_remove,
        .make_folder = noting_make_folder,
        .read_part = noting_read_part,
        .size = noting_size,
        .open_source = under->open_source ? noting_source : NULL,
        .new_staged = under->new_staged ? noting_staged : NULL,
        .write_gather = under->write_gather ? noting_write_gather : NULL,
        .can_write = under->can_write ? noting_can_write : NULL,
        .is_link = under->is_link ? noting_is_link : NULL,
        .hold = under->hold ? noting_hold : NULL,
        .info = under->info ? noting_info : NULL,
        .touch = under->touch ? noting_touch : NULL,
        .remove_folder = under->remove_folder ? noting_remove_folder : NULL,
        .plain = noting_plain,
    };
}

struct fs *fs_noting_new(struct fs *under, struct fs_inputs *inputs)
{
    struct noting *noting = memory_zalloc(1, sizeof *noting);
    *noting = (struct noting){.ops = ops_over(under->ops), .below = under, .inputs = inputs};
    noting->base.ops = &noting->ops;
    return &noting->base;
}

void fs_noting_free(struct fs *noting)
{
    memory_free(noting);
}
