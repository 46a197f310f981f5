/* The functions of the module serve (common/core/module.h): a server of HTTP with libmicrohttpd,
 * which answers processes of this machine alone. It runs in the thread that calls it. */
#ifndef BRUSHWORK_VIEW_SERVE_MODULE_H
#define BRUSHWORK_VIEW_SERVE_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define SERVE_MODULE_ABI 1u

struct serve_request {
    const char *method; /* "GET" */
    const char *path;   /* without the query, decoded */
    const char *host;   /* the header Host, or NULL */
    const char *after;  /* this value of the query, or NULL */
    int was_late;       /* it was put off (`is_late`) before */
};

struct serve_answer {
    int is_late;        /* nothing yet: asks again after `wake`; at most once for a request */
    int status;         /* of HTTP */
    const char *type;   /* Content-Type */
    const char *policy; /* Content-Security-Policy, or NULL */
    const void *body;   /* copied */
    size_t size;
};

typedef void serve_answer_function(void *context, const struct serve_request *request,
                                   struct serve_answer *answer);

struct serve_functions {
    /* Listens on 127.0.0.1; port 0: a free one. Returns NULL with the reason. */
    void *(*open)(int port, serve_answer_function *answer, void *context, char reason[200]);
    int (*port)(void *server);
    /* Answers what comes, for about that time. */
    void (*run)(void *server, int milliseconds);
    void (*wake)(void *server); /* answers what was put off */
    void (*close)(void *server);
};

#endif
