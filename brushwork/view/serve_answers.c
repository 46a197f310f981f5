#include "brushwork/view/serve_answers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
