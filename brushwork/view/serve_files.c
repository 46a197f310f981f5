#include "brushwork/view/serve_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/entropy.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/core/system_path.h"

/* --- answers --- */

enum { OK = 200, FORBIDDEN = 403, NOT_FOUND = 404, NOT_ALLOWED = 405 };

#define TEXT "text/plain; charset=utf-8"

static void say(struct serve_answer *answer, int status, const char *text)
{
    answer->status = status;
    answer->type = TEXT;
    answer->body = text;
    answer->size = strlen(text);
}

static void give(struct serve_answer *answer, const char *type, const struct bytes *body)
{
    answer->status = OK;
    answer->type = type;
    answer->body = body->data;
    answer->size = body->size;
}

static bool is_own_host(const struct serve_content *content, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char own[64];
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        (void)snprintf(own, sizeof own, "%s:%d", names[i], content->port);
        if (strcmp(host, own) == 0)
            return true;
    }
    return false;
}

/* Returns the part behind "/TOKEN/", or NULL. The time does not tell how much of it was right. */
static const char *behind_token(const struct serve_content *content, const char *path)
{
    unsigned char wrong = 0;
    if (strlen(path) < SERVE_TOKEN_SIZE + 2 || path[0] != '/' || path[SERVE_TOKEN_SIZE + 1] != '/')
        return NULL;
    for (size_t i = 0; i < SERVE_TOKEN_SIZE; i++)
        wrong |= (unsigned char)(path[1 + i] ^ content->token[i]);
    return wrong ? NULL : path + SERVE_TOKEN_SIZE + 2;
}

static void give_state(const struct serve_content *content, const struct serve_request *request,
                       struct serve_answer *answer)
{
    char news[16];
    (void)snprintf(news, sizeof news, "%u", content->news);
    give(answer, "application/json", &content->state);
    answer->is_late = request->after && strcmp(request->after, news) == 0 && !request->was_late;
}

void serve_answer(void *context, const struct serve_request *request, struct serve_answer *answer)
{
    const struct serve_content *content = context;
    const char *name = behind_token(content, request->path);
    answer->policy = "default-src 'none'";
    say(answer, NOT_FOUND, "not found\n");
    if (!is_own_host(content, request->host)) {
        say(answer, FORBIDDEN, "another host\n");
    } else if (!name) {
        return;
    } else if (strcmp(request->method, "GET") != 0) {
        say(answer, NOT_ALLOWED, "GET only\n");
    } else if (!*name) {
        give(answer, "text/html; charset=utf-8", &content->shell);
        answer->policy = NULL; /* it has its own */
    } else if (strcmp(name, "state") == 0) {
        give_state(content, request, answer);
    } else if (strcmp(name, "map") == 0 && content->map.size) {
        give(answer, TEXT, &content->map);
    }
}

/* --- the token --- */

bool serve_token(char *out, size_t digits)
{
    for (size_t i = 0; i < digits; i++) {
        unsigned char drawn;
        if (!entropy_draw(&drawn, sizeof drawn))
            return false;
        out[i] = "0123456789abcdef"[drawn & 15];
    }
    out[digits] = 0;
    return true;
}

bool serve_is_around(const char *folder, const char *file)
{
    char *outer = system_path_real(folder), *inner = system_path_real(file);
    const size_t length = outer ? strlen(outer) : 0;
    const bool is_root = length && outer[length - 1] == '/';
    bool is_around = length && inner && system_path_compare(inner, outer, length) == 0 &&
                     (is_root || inner[length] == '/');
    memory_free(outer);
    memory_free(inner);
    return is_around;
}

/* --- watching --- */

static const struct fs_info absent = {.modified = -1};

static void add_name(void *context, const char *name, bool is_directory)
{
    uint64_t *names = context;
    (void)is_directory;
    for (; *name; name++)
        *names = hash_pair(*names, (unsigned char)*name);
    *names = hash_pair(*names, 0);
}

/* Of a folder: its names as a size. */
static struct fs_info look_at(const struct env *env, const char *path)
{
    const struct fs_ops *ops = env->fs->ops;
    struct fs_info info = {0};
    int error = ops->info(env->fs, path, &info);
    if (error == EISDIR)
        error = ops->list(env->fs, path, add_name, &info.size);
    return error ? absent : info;
}

static bool is_same(struct fs_info a, struct fs_info b)
{
    return a.size == b.size && a.modified == b.modified;
}

void watch_add(struct watch *watch, const struct env *env, const char *path)
{
    for (size_t i = 0; i < arrlenu(watch->files); i++)
        if (strcmp(watch->files[i].path, path) == 0)
            return;
    struct watched file = {.path = arena_strdup(&watch->texts, path)};
    file.built = file.last = look_at(env, path);
    arrput(watch->files, file);
}

void watch_begin(struct watch *watch, const struct env *env)
{
    for (size_t i = 0; i < arrlenu(watch->files); i++)
        watch->files[i].built = watch->files[i].last = look_at(env, watch->files[i].path);
}

bool watch_has_changed(struct watch *watch, const struct env *env)
{
    bool is_other = false, is_at_rest = true;
    for (size_t i = 0; i < arrlenu(watch->files); i++) {
        struct watched *file = &watch->files[i];
        struct fs_info now = look_at(env, file->path);
        is_other |= !is_same(now, file->built);
        is_at_rest &= is_same(now, file->last) && (i > 0 || !is_same(now, absent));
        file->last = now;
    }
    return is_other && is_at_rest;
}

void watch_free(struct watch *watch)
{
    arrfree(watch->files);
    arena_free(&watch->texts);
}
