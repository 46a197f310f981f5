/* Results of earlier runs by key: in a folder, on a server that takes GET and PUT, or in a folder
 * before a server.
 *
 * A cache never fails a run, and never changes a result: what cannot be read, or is not whole and
 * of its key, is absent; a warning tells it once a run (CACHE_UNUSED, CACHE_DAMAGED). Several
 * processes may share one. All functions take NULL for no cache, and may be called from several
 * threads, except for cache_open and cache_close. */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/env.h"

struct cache;
struct cache_shared;

/* Bytes that sign entries. Borrowed. */
struct cache_secret {
    const void *data;
    size_t size; /* 0: entries are not signed, and signatures not looked at */
};

/* Of a user, for a server. In no message. Borrowed; each may be NULL. */
struct cache_access {
    const char *token;     /* for "Authorization: Bearer" */
    const char *headers;   /* a "Name: value" in each line */
    const char *s3_region; /* requests are signed (AWS Signature Version 4, service s3) with: */
    const char *s3_user, *s3_secret, *s3_session;
};

struct cache_options {
    const char *place;     /* a folder, or the address of a server; NULL or empty: none */
    const char *server;    /* the address of a server behind the folder; NULL or empty: none */
    bool read_only;        /* nothing is added, removed or marked as used */
    bool server_read_only; /* of the server alone */
    bool plain;            /* what is added is not compressed */
    uint64_t max_bytes;    /* of a folder; 0: no bound */
    double timeout;        /* seconds for a server to answer; a megabyte more may take one more */
    struct cache_secret secret;
    struct cache_access access;
    struct cache_shared *shared; /* with other processes of the run (cache_shared.h), or NULL */
};

/* Returns NULL when no place is named. Nothing is read or made yet. `env` is borrowed. */
struct cache *cache_open(const struct env *env, const struct cache_options *options);

/* Removes from a folder with more than its bound what was not used for longest, if this run has
 * added to it, and adds what the run has found to its statistics. */
void cache_close(struct cache *cache);

struct cache_key {
    const char *kind; /* what it is a result of: lower-case letters, digits and `-` */
    unsigned char hash[SHA256_SIZE]; /* of all that the result depends on */
    uint64_t
        max; /* bytes that a value may have: a larger one is none; 0: those of the largest BSP */
    bool is_part; /* of a result, and soon made again: not compressed, and not among the hits and
                     misses that are told */
};

/* Appends the value that was put with the key, whole. Returns false, with *out unchanged, when
 * there is none. What a server has is kept in the folder before it. */
bool cache_get(struct cache *cache, const struct cache_key *key, struct bytes *out);

/* Keeps a value for later runs, in the folder and on the server; later ones of a key replace it. */
void cache_put(struct cache *cache, const struct cache_key *key, const struct bytes *value);

/* The parts of a cache, for values that are not the same in each: the folder, then the server.
 * cache_get_of keeps nothing in another part. */
size_t cache_parts(const struct cache *cache);
bool cache_get_of(struct cache *cache, size_t part, const struct cache_key *key, struct bytes *out);
void cache_put_to(struct cache *cache, size_t part, const struct cache_key *key,
                  const struct bytes *value);

/* True when somebody else sees which keys are asked for: a server. */
bool cache_is_watched(const struct cache *cache, size_t part);

/* Tells that a value which was sealed is none of its key (CACHE_DAMAGED): its caller has looked at
 * it. */
void cache_refuse(struct cache *cache, const struct cache_key *key, const char *why);

/* Tells that a value was not used since it would have made the run read what it has no use for
 * (CACHE_QUESTION). */
void cache_refuse_question(struct cache *cache, const struct cache_key *key, const char *path);

/* For the statistics of the folder (cache_stats.h): a stage has used a result, which took so much
 * CPU time to make, or has found none. */
void cache_count_stage(struct cache *cache, const char *stage, bool is_hit, double cpu_seconds);

/* Tells the progress how many values were found and not found. */
void cache_report_counts(struct cache *cache);

/* Returns true for the address of a server rather than the path of a folder. */
bool cache_is_address(const char *place);

/* Writes the place without the user and password that an address may have. */
void cache_place_text(const char *place, char *out, size_t size);

#endif
