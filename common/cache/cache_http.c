#include "common/cache/cache_http.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "common/cache/cache.h"
#include "common/cache/cache_shared.h"
#include "common/cache/http_module.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/module.h"
#include "common/core/sha256.h"

/* Headers and signatures by which requests to a server name their user, from struct cache_access.
 */

struct cache_headers {
    struct arena texts;
    const char **lines; /* stb_ds array */
    const char *region, *user;
    const char *fault; /* why it cannot be used, without any of it; or NULL */
};

static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}

/* A name has only letters, digits and some marks (RFC 9110, token). */
static bool is_header(const char *line, size_t size)
{
    static const char names[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
    size_t name = strspn(line, names);
    return name > 0 && name < size && line[name] == ':' && is_text(line, size);
}

static void add_lines(struct cache_headers *headers, const char *text)
{
    for (const char *at = text; *at;) {
        size_t size = strcspn(at, "\n");
        size_t used = size && at[size - 1] == '\r' ? size - 1 : size;
        if (used && is_header(at, used))
            arrput(headers->lines, arena_strndup(&headers->texts, at, used));
        else if (used)
            headers->fault = "BRUSHWORK_CACHE_HEADERS needs a \"Name: value\" in each line";
        at += size + (at[size] == '\n');
    }
}

static void add_token(struct cache_headers *headers, const char *token)
{
    if (is_text(token, strlen(token)))
        arrput(headers->lines, arena_printf(&headers->texts, "Authorization: Bearer %s", token));
    else
        headers->fault = "BRUSHWORK_CACHE_TOKEN has a control character";
}

static bool is_region(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length < 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static void add_s3(struct cache_headers *headers, const struct cache_access *access)
{
    if (!is_region(access->s3_region))
        headers->fault = "BRUSHWORK_CACHE_S3 needs the name of a region, such as us-east-1";
    else if (!access->s3_user || !access->s3_secret)
        headers->fault = "BRUSHWORK_CACHE_S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    else if (access->s3_session && !is_text(access->s3_session, strlen(access->s3_session)))
        headers->fault = "AWS_SESSION_TOKEN has a control character";
    if (headers->fault)
        return;
    headers->region = access->s3_region;
    headers->user = arena_printf(&headers->texts, "%s:%s", access->s3_user, access->s3_secret);
    if (access->s3_session)
        arrput(headers->lines,
               arena_printf(&headers->texts, "X-Amz-Security-Token: %s", access->s3_session));
}

/* `access` is borrowed. Free with cache_headers_free. */
static void cache_headers_make(struct cache_headers *headers, const struct cache_access *access)
{
    *headers = (struct cache_headers){.lines = NULL};
    if (access->headers)
        add_lines(headers, access->headers);
    if (access->token)
        add_token(headers, access->token);
    if (access->s3_region)
        add_s3(headers, access);
}

static void cache_headers_free(struct cache_headers *headers)
{
    arrfree(headers->lines);
    arena_free(&headers->texts);
}

/* Sets these of a request whose body is set. What only it has is in the arena. */
static void cache_headers_set(const struct cache_headers *headers, struct arena *arena,
                              struct http_request *request)
{
    size_t count = arrlenu(headers->lines), extra = 2;
    const char **lines = ARENA_ARRAY(arena, const char *, count + extra);
    if (count)
        memcpy(lines, headers->lines, count * sizeof *lines);
    if (headers->region) {
        unsigned char hash[SHA256_SIZE];
        char text[2 * SHA256_SIZE + 1];
        sha256_of(request->body, request->body_size, hash);
        sha256_text(hash, text);
        lines[count++] = arena_printf(arena, "x-amz-content-sha256: %s", text);
    }
    lines[count] = NULL;
    request->headers = lines;
    request->aws_region = headers->region;
    request->user = headers->user;
}

/* --- cache http --- */

/* The time that a server may cost a run in all, as a multiple of that for an answer. */
enum { PATIENCE = 60 };

enum {
    HTTP_OK = 200,
    HTTP_CREATED = 201,
    HTTP_NO_CONTENT = 204,
    HTTP_ABSENT = 404,
    HTTP_GONE = 410
};

struct http {
    struct cache_backend base;
    const struct env *env;
    const struct cache_options *options;
    const char *place;
    bool is_flat; /* the names of entries are hashes */
    struct cache_shared *state;
    struct cache_headers headers; /* that each request has */
    pthread_mutex_t lock;         /* of what follows: there is one connection */
    const struct http_functions *functions;
    void *connection;
    double spent; /* seconds of finished requests */
};

static struct http *http_of(struct cache_backend *backend)
{
    return (struct http *)(void *)backend;
}

/* A body that arrives. Its first bytes say how many there are, so that a false one ends early. */
struct arrival {
    const struct http *http;
    const struct cache_key *key;
    double ends;               /* by `now`: when the server has cost too much; 0: not sent yet */
    struct cache_entry *entry; /* NULL: of a PUT */
    size_t header_size;
    struct cache_sizes sizes; /* when the header is there */
    bool is_old;              /* an entry of an earlier release */
    bool is_foreign;          /* it is not an entry of the key */
    bool is_too_large;        /* for the memory that the run may take */
    bool is_late;             /* the server has cost too much */
    bool is_given_up;         /* by another process of the run */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int is_stopped(void *context)
{
    struct arrival *arrival = context;
    arrival->is_late = now() > arrival->ends;
    arrival->is_given_up = arrival->http->state->is_lost;
    return arrival->is_late || arrival->is_given_up || env_stopped(arrival->http->env);
}

static void judge_header(struct arrival *arrival)
{
    const unsigned char *header = arrival->entry->header;
    struct cache_sizes *sizes = &arrival->sizes;
    if (cache_entry_open(arrival->key, header, sizes))
        arrival->is_too_large = sizes->value + sizes->stored > memory_left() / 4;
    else if (cache_entry_is_old(header, 0))
        arrival->is_old = true;
    else
        arrival->is_foreign = true;
}

static void take_header(struct arrival *arrival, const unsigned char **data, size_t *size)
{
    size_t missing = CACHE_HEADER_SIZE - arrival->header_size;
    size_t part = *size < missing ? *size : missing;
    if (!part)
        return;
    memcpy(arrival->entry->header + arrival->header_size, *data, part);
    arrival->header_size += part;
    *data += part;
    *size -= part;
    if (arrival->header_size == CACHE_HEADER_SIZE)
        judge_header(arrival);
}

static int take_part(void *context, const void *data, size_t size)
{
    struct arrival *arrival = context;
    const unsigned char *from = data;
    struct bytes *stored = &arrival->entry->stored;
    take_header(arrival, &from, &size);
    if (arrival->is_old || arrival->is_foreign || arrival->is_too_large)
        return 0;
    if (size && size > arrival->sizes.stored - stored->size) {
        arrival->is_foreign = true;
        return 0;
    }
    if (size)
        bytes_append(stored, from, size);
    return 1;
}

/* Returns NULL with the reason in *answer when there is no module or connection. */
static void *connect_to(struct http *http, struct cache_answer *answer)
{
    if (http->connection)
        return http->connection;
    struct module module = module_load("http", HTTP_MODULE_ABI);
    http->functions = module.functions;
    if (http->functions)
        http->connection = http->functions->open();
    if (!http->functions)
        *answer = cache_answer(CACHE_FAILED, "%.200s%s", module.reason,
                               module.absent ? "; see the package brushwork-http" : "");
    else if (!http->connection)
        *answer = cache_answer(CACHE_FAILED, "libcurl cannot be used");
    return http->connection;
}

static const char *address_of(struct arena *arena, const struct http *http,
                              const struct cache_key *key)
{
    char path[CACHE_PATH_SIZE];
    const char *place = http->place;
    size_t length = strlen(place);
    if (http->is_flat)
        cache_entry_flat_name(key, path);
    else
        cache_entry_path(key, path);
    return arena_printf(arena, "%s%s%s", place, place[length - 1] == '/' ? "" : "/", path);
}

/* Sends the request about a key. Returns false when it cannot be sent. */
static bool ask(struct http *http, const struct cache_key *key, struct http_request *request,
                struct http_answer *reply, struct cache_answer *answer)
{
    struct arena arena = {0};
    if (http->headers.fault) {
        *answer = cache_answer(CACHE_FAILED, "%s", http->headers.fault);
        return false;
    }
    request->address = address_of(&arena, http, key);
    request->timeout = http->options->timeout;
    request->take = take_part;
    request->is_stopped = is_stopped;
    cache_headers_set(&http->headers, &arena, request);
    pthread_mutex_lock(&http->lock);
    void *connection = connect_to(http, answer);
    const double start = now();
    struct arrival *arrival = request->context;
    arrival->ends = start + (double)PATIENCE * http->options->timeout - http->spent;
    if (connection)
        http->functions->send(connection, request, reply);
    http->spent += now() - start;
    pthread_mutex_unlock(&http->lock);
    arena_free(&arena);
    return connection != NULL;
}

static struct cache_answer too_slow(const struct http *http)
{
    return cache_answer(CACHE_FAILED, "it has taken %g seconds in all",
                        (double)PATIENCE * http->options->timeout);
}

/* Another process has told of the server. */
static bool is_over(const struct arrival *arrival, const struct http_answer *reply)
{
    return reply->is_cut && (arrival->is_given_up || env_stopped(arrival->http->env));
}

static struct cache_answer judge(const struct http *http, const struct arrival *arrival,
                                 const struct http_answer *reply)
{
    if (arrival->is_late)
        return too_slow(http);
    if (arrival->is_foreign)
        return cache_answer(CACHE_DAMAGED, "the answer is no entry of the cache");
    if (arrival->is_old || arrival->is_too_large || is_over(arrival, reply) ||
        reply->status == HTTP_ABSENT || reply->status == HTTP_GONE)
        return cache_answer(CACHE_ABSENT, " ");
    if (*reply->reason)
        return cache_answer(CACHE_FAILED, "%s", reply->reason);
    if (reply->status != HTTP_OK)
        return cache_answer(CACHE_FAILED, "HTTP status %d in answer to GET", reply->status);
    if (arrival->header_size >= CACHE_OLD_HEADER_SIZE && arrival->header_size < CACHE_HEADER_SIZE &&
        cache_entry_is_old(arrival->entry->header, arrival->header_size))
        return cache_answer(CACHE_ABSENT, " ");
    if (arrival->header_size < CACHE_HEADER_SIZE ||
        arrival->sizes.stored != arrival->entry->stored.size)
        return cache_answer(CACHE_DAMAGED, "the answer is no whole entry of the cache");
    return cache_answer(CACHE_DONE, " ");
}

static struct cache_answer http_get(struct cache_backend *backend, const struct cache_key *key,
                                    struct cache_entry *out)
{
    struct http *http = http_of(backend);
    struct arrival arrival = {.http = http, .key = key, .entry = out};
    struct http_request request = {.context = &arrival};
    struct http_answer reply;
    struct cache_answer answer;
    if (ask(http, key, &request, &reply, &answer))
        answer = judge(http, &arrival, &reply);
    if (answer.outcome != CACHE_DONE)
        cache_entry_free(out);
    return answer;
}

static struct cache_answer judge_put(const struct http *http, const struct arrival *arrival,
                                     const struct http_answer *reply)
{
    if (arrival->is_late)
        return too_slow(http);
    if (reply->is_cut)
        return cache_answer(CACHE_ABSENT, " ");
    if (*reply->reason)
        return cache_answer(CACHE_FAILED, "%s", reply->reason);
    if (reply->status != HTTP_OK && reply->status != HTTP_CREATED &&
        reply->status != HTTP_NO_CONTENT)
        return cache_answer(CACHE_FAILED, "HTTP status %d in answer to PUT; see --cache-read-only",
                            reply->status);
    return cache_answer(CACHE_DONE, " ");
}

static struct cache_answer http_put(struct cache_backend *backend, const struct cache_key *key,
                                    const struct cache_entry *entry)
{
    struct http *http = http_of(backend);
    struct arrival none = {.http = http, .key = key};
    struct bytes body = {0};
    bytes_append(&body, entry->header, sizeof entry->header);
    if (entry->stored.size)
        bytes_append(&body, entry->stored.data, entry->stored.size);
    struct http_request request = {.body = body.data, .body_size = body.size, .context = &none};
    struct http_answer reply;
    struct cache_answer answer;
    if (ask(http, key, &request, &reply, &answer))
        answer = judge_put(http, &none, &reply);
    bytes_free(&body);
    return answer;
}

static void http_close(struct cache_backend *backend)
{
    struct http *http = http_of(backend);
    if (http->connection)
        http->functions->close(http->connection);
    cache_headers_free(&http->headers);
    pthread_mutex_destroy(&http->lock);
    memory_free(http);
}

/* Returns true for http://host/ac, and http://host/instance/ac/. */
static bool is_action_cache(const char *place)
{
    size_t length = strlen(place);
    length -= length && place[length - 1] == '/';
    return length > 3 && memcmp(place + length - 3, "/ac", 3) == 0;
}

struct cache_backend *cache_http_new(const struct env *env, const struct cache_options *options,
                                     const char *place, struct cache_shared *state)
{
    static const struct cache_backend_ops ops = {http_get, http_put, NULL, http_close};
    struct http *http = memory_zalloc(1, sizeof *http);
    *http = (struct http){.base = {&ops},
                          .env = env,
                          .options = options,
                          .place = place,
                          .is_flat = is_action_cache(place),
                          .state = state};
    cache_headers_make(&http->headers, &options->access);
    pthread_mutex_init(&http->lock, NULL);
    return &http->base;
}
