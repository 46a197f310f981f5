/* The functions of the module http (common/core/module.h): GET and PUT with libcurl. */
#ifndef CACHE_HTTP_MODULE_H
#define CACHE_HTTP_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define HTTP_MODULE_ABI 2u

struct http_request {
    const char *address;
    const char *const *headers; /* "Name: value", ends with NULL; or NULL */
    const char *aws_region;     /* the request is signed for S3 in this region; or NULL */
    const char *user;           /* "USER:SECRET" of that; or NULL */
    double timeout;             /* seconds; each 2^20 bytes that came or went add one */
    const void *body;           /* to PUT; NULL: GET */
    uint64_t body_size;
    /* Takes a part of the answer's body, if its status is 200. Returns 0 to end the request. */
    int (*take)(void *context, const void *data, size_t size);
    int (*is_stopped)(void *context); /* asked about each second; not 0: ends the request */
    void *context;
};

struct http_answer {
    int status;       /* of HTTP; 0: there was no answer */
    int is_cut;       /* `take` or `is_stopped` ended it */
    char reason[200]; /* why there was none, or why it is not whole; else empty */
};

struct http_functions {
    /* Returns NULL without memory. */
    void *(*open)(void);
    void (*close)(void *connection);
    /* One at a time per connection. Redirections are not followed. */
    void (*send)(void *connection, const struct http_request *request, struct http_answer *answer);
};

#endif
