/* The answers of a served map: who may ask, and for what. */
#ifndef BRUSHWORK_VIEW_SERVE_ANSWERS_H
#define BRUSHWORK_VIEW_SERVE_ANSWERS_H

#include "brushwork/view/serve_module.h"
#include "common/core/bytes.h"

enum { SERVE_TOKEN_SIZE = 32 }; /* hexadecimal digits: 128 bits */

/* All that there is below /TOKEN/. Nothing is answered without the token, or to a request that
 * names another host: that of a page whose name was made to lead here. */
struct serve_content {
    char token[SERVE_TOKEN_SIZE + 1];
    int port;
    struct bytes shell; /* "": the page without a map */
    struct bytes map;   /* "map": a page with one; empty: none yet */
    struct bytes state; /* "state": JSON with `news`; "state?after=NEWS" waits for another one */
    unsigned news;
};

/* A serve_answer_function; the context is a struct serve_content. */
void serve_answer(void *context, const struct serve_request *request, struct serve_answer *answer);

#endif
