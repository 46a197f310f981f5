#include "common/cache/cache_access.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/sha256.h"

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

void cache_headers_make(struct cache_headers *headers, const struct cache_access *access)
{
    *headers = (struct cache_headers){.lines = NULL};
    if (access->headers)
        add_lines(headers, access->headers);
    if (access->token)
        add_token(headers, access->token);
    if (access->s3_region)
        add_s3(headers, access);
}

void cache_headers_free(struct cache_headers *headers)
{
    arrfree(headers->lines);
    arena_free(&headers->texts);
}

void cache_headers_set(const struct cache_headers *headers, struct arena *arena,
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
