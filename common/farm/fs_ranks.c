#include "common/farm/fs_ranks.h"

#include <errno.h>

#include "common/core/memory.h"

enum question {
    QUESTION_READ = 'r',
    QUESTION_PART = 'p',
    QUESTION_KIND = 'k',
    QUESTION_LIST = 'l',
    QUESTION_SIZE = 's',
    QUESTION_CAN_WRITE = 'w',
    QUESTION_IS_LINK = 'i'
};

struct shared_fs {
    struct fs base;
    struct ranks *ranks;
    struct fs *below;
};

/* A question with its numbers, and the answer. */
struct talk {
    enum question question;
    const char *path;
    uint64_t offset, size;
    int64_t result;
    struct bytes data;
};

static struct shared_fs *shared_of(struct fs *fs)
{
    return (struct shared_fs *)fs;
}

static void add_entry(void *context, const char *name, bool is_directory)
{
    struct bytes *out = context;
    bytes_u8(out, is_directory);
    bytes_append(out, name, strlen(name) + 1);
}

static void ask_below(struct fs *below, struct talk *talk)
{
    const struct fs_ops *ops = below->ops;
    const char *path = talk->path;
    switch (talk->question) {
    case QUESTION_READ:
        talk->result = ops->read(below, path, &talk->data);
        break;
    case QUESTION_PART:
        talk->result = ops->read_part(below, path, talk->offset, (size_t)talk->size, &talk->data);
        break;
    case QUESTION_KIND:
        talk->result = ops->kind(below, path);
        break;
    case QUESTION_LIST:
        talk->result = ops->list(below, path, add_entry, &talk->data);
        break;
    case QUESTION_SIZE:
        talk->result = ops->size(below, path, &talk->size);
        break;
    case QUESTION_CAN_WRITE:
        talk->result = ops->can_write ? ops->can_write(below, path) : 0;
        break;
    case QUESTION_IS_LINK:
        talk->result = ops->is_link && ops->is_link(below, path);
        break;
    }
}

static void put_question(const struct talk *talk, struct bytes *out)
{
    bytes_u8(out, (uint8_t)talk->question);
    bytes_u64(out, talk->offset);
    bytes_u64(out, talk->size);
    bytes_sized_text(out, talk->path);
}

/* Entries of a flag and a name that ends, and nothing else. */
static bool are_entries(const unsigned char *data, size_t size)
{
    while (size) {
        const unsigned char *end = size > 1 ? memchr(data + 1, 0, size - 1) : NULL;
        if (!end || *data > 1 || end == data + 1)
            return false;
        size -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    return true;
}

bool fs_ranks_read_answer(struct byte_reader *from, bool is_kind, bool is_list,
                          struct fs_ranks_answer *out)
{
    *out = (struct fs_ranks_answer){.result = (int64_t)read_u64(from)};
    out->size = read_u64(from);
    out->data_size = from->size - from->at;
    out->data = read_block(from, out->data_size);
    return !from->failed && out->result >= 0 &&
           out->result <= (is_kind ? (int64_t)FS_UNREADABLE : INT32_MAX) &&
           (!is_list || are_entries(out->data, out->data_size));
}

/* Reads the answer to this rank's question. */
static void take_answer(struct ranks *ranks, struct talk *talk, const struct bytes *all)
{
    struct bytes mine = {0};
    put_question(talk, &mine);
    if (all->size < mine.size || memcmp(all->data, mine.data, mine.size) != 0)
        ranks_fail(ranks, "this rank and the first one ask for different files");
    struct byte_reader from = byte_reader(all->data + mine.size, all->size - mine.size);
    bytes_free(&mine);
    struct fs_ranks_answer answer;
    if (!fs_ranks_read_answer(&from, talk->question == QUESTION_KIND,
                              talk->question == QUESTION_LIST, &answer))
        ranks_fail(ranks, "the first rank's answer about a file is damaged");
    talk->result = answer.result;
    talk->size = answer.size;
    bytes_append(&talk->data, answer.data, answer.data_size);
}

static int ask(struct fs *fs, struct talk *talk)
{
    struct shared_fs *shared = shared_of(fs);
    struct bytes all = {0};
    if (ranks_rank(shared->ranks) == 0) {
        put_question(talk, &all);
        ask_below(shared->below, talk);
        bytes_u64(&all, (uint64_t)talk->result);
        bytes_u64(&all, talk->size);
        bytes_append(&all, talk->data.data, talk->data.size);
    }
    ranks_broadcast(shared->ranks, &all);
    if (ranks_rank(shared->ranks) > 0)
        take_answer(shared->ranks, talk, &all);
    bytes_free(&all);
    return (int)talk->result;
}

static int append_answer(struct fs *fs, struct talk *talk, struct bytes *out)
{
    int error = ask(fs, talk);
    if (!error)
        bytes_append(out, talk->data.data, talk->data.size);
    bytes_free(&talk->data);
    return error;
}

static int shared_read(struct fs *fs, const char *path, struct bytes *out)
{
    struct talk talk = {.question = QUESTION_READ, .path = path};
    return append_answer(fs, &talk, out);
}

static int shared_read_part(struct fs *fs, const char *path, uint64_t offset, size_t size,
                            struct bytes *out)
{
    struct talk talk = {.question = QUESTION_PART, .path = path, .offset = offset, .size = size};
    return append_answer(fs, &talk, out);
}

static int ask_simply(struct fs *fs, enum question question, const char *path)
{
    struct talk talk = {.question = question, .path = path};
    return ask(fs, &talk);
}

static enum fs_kind shared_kind(struct fs *fs, const char *path)
{
    return (enum fs_kind)ask_simply(fs, QUESTION_KIND, path);
}

static int shared_list(struct fs *fs, const char *path, fs_visit *visit, void *context)
{
    struct talk talk = {.question = QUESTION_LIST, .path = path};
    int error = ask(fs, &talk);
    for (size_t at = 0; at < talk.data.size;) {
        const char *name = (const char *)talk.data.data + at + 1;
        visit(context, name, talk.data.data[at] != 0);
        at += 1 + strlen(name) + 1;
    }
    bytes_free(&talk.data);
    return error;
}

static int shared_size(struct fs *fs, const char *path, uint64_t *out)
{
    struct talk talk = {.question = QUESTION_SIZE, .path = path};
    int error = ask(fs, &talk);
    if (!error)
        *out = talk.size;
    return error;
}

static int shared_can_write(struct fs *fs, const char *path)
{
    return ask_simply(fs, QUESTION_CAN_WRITE, path);
}

static bool shared_is_link(struct fs *fs, const char *path)
{
    return ask_simply(fs, QUESTION_IS_LINK, path) != 0;
}

static int refuse_write(struct fs *fs, const char *path, const void *data, size_t size)
{
    (void)fs;
    (void)path;
    (void)data;
    (void)size;
    return EROFS;
}

static int refuse(struct fs *fs, const char *path)
{
    (void)fs;
    (void)path;
    return EROFS;
}

static const struct fs_ops shared_ops = {
    .read = shared_read,
    .write = refuse_write,
    .kind = shared_kind,
    .list = shared_list,
    .remove = refuse,
    .make_folder = refuse,
    .read_part = shared_read_part,
    .size = shared_size,
    .can_write = shared_can_write,
    .is_link = shared_is_link,
};

struct fs *fs_ranks_new(struct ranks *ranks, struct fs *below)
{
    struct shared_fs *shared = memory_zalloc(1, sizeof *shared);
    *shared = (struct shared_fs){{&shared_ops}, ranks, below};
    return &shared->base;
}

void fs_ranks_free(struct fs *fs)
{
    memory_free(fs);
}

struct fs *fs_ranks_below(struct fs *fs)
{
    return fs->ops == &shared_ops ? shared_of(fs)->below : fs;
}
