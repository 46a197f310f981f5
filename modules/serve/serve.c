/* A server on the loopback with libmicrohttpd, without threads: requests that wait for news are
 * suspended. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "brushwork/view/serve_module.h"
#include "common/core/module.h"

enum { CONNECTIONS = 64, IDLE_SECONDS = 60 };

struct server {
    struct MHD_Daemon *daemon;
    serve_answer_function *answer;
    void *context;
    struct MHD_Connection *late[CONNECTIONS]; /* suspended */
    int late_count;
    int is_closing;
};

/* Of a request, from its headers to its end. */
struct state {
    int was_late;
};

static enum MHD_Result send_answer(struct MHD_Connection *connection,
                                   const struct serve_answer *answer)
{
    static const char *const headers[][2] = {{"Cache-Control", "no-store"},
                                             {"X-Content-Type-Options", "nosniff"},
                                             {"X-Frame-Options", "DENY"},
                                             {"Referrer-Policy", "no-referrer"},
                                             {"Cross-Origin-Resource-Policy", "same-origin"},
                                             {"Cross-Origin-Opener-Policy", "same-origin"}};
    static char nothing[1];
    const union {
        const void *given;
        void *taken; /* to be copied: it is not changed */
    } body = {answer->size ? answer->body : nothing};
    struct MHD_Response *response =
        MHD_create_response_from_buffer(answer->size, body.taken, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (answer->type)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    if (answer->policy)
        (void)MHD_add_response_header(response, "Content-Security-Policy", answer->policy);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned int)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result take_request(void *context, struct MHD_Connection *connection,
                                    const char *path, const char *method, const char *version,
                                    const char *upload, size_t *upload_size, void **request_state)
{
    struct server *server = context;
    struct state *state = *request_state;
    (void)version;
    (void)upload;
    if (!state) {
        *request_state = state = calloc(1, sizeof *state);
        return state ? MHD_YES : MHD_NO;
    }
    if (*upload_size) { /* bodies are read and dropped */
        *upload_size = 0;
        return MHD_YES;
    }
    struct serve_request request = {
        .method = method,
        .path = path,
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
        .after = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "after"),
        .was_late = state->was_late || server->is_closing || server->late_count == CONNECTIONS};
    struct serve_answer answer = {.status = MHD_HTTP_NOT_FOUND};
    server->answer(server->context, &request, &answer);
    if (!answer.is_late || request.was_late)
        return send_answer(connection, &answer);
    state->was_late = 1;
    server->late[server->late_count++] = connection;
    MHD_suspend_connection(connection);
    return MHD_YES;
}

static void end_request(void *context, struct MHD_Connection *connection, void **request_state,
                        enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)connection;
    (void)code;
    free(*request_state);
    *request_state = NULL;
}

static void *open_server(int port, serve_answer_function *answer, void *context, char reason[200])
{
    struct server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!server) {
        (void)snprintf(reason, 200, "out of memory");
        return NULL;
    }
    server->answer = answer;
    server->context = context;
    errno = 0;
    server->daemon = MHD_start_daemon(
        MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, take_request, server, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED,
        end_request, NULL, MHD_OPTION_END);
    if (server->daemon)
        return server;
    (void)snprintf(reason, 200, "%s", errno ? strerror(errno) : "libmicrohttpd cannot be used");
    free(server);
    return NULL;
}

static int port_of(void *context)
{
    struct server *server = context;
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

static void run_server(void *context, int milliseconds)
{
    struct server *server = context;
    (void)MHD_run_wait(server->daemon, milliseconds);
}

static void wake_all(void *context)
{
    struct server *server = context;
    for (int i = 0; i < server->late_count; i++)
        MHD_resume_connection(server->late[i]);
    server->late_count = 0;
}

/* Answers first the requests that wait. */
static void close_server(void *context)
{
    struct server *server = context;
    server->is_closing = 1;
    wake_all(server);
    for (int i = 0; i < 4; i++)
        (void)MHD_run_wait(server->daemon, 0);
    MHD_stop_daemon(server->daemon);
    free(server);
}

static const struct serve_functions functions = {open_server, port_of, run_server, wake_all,
                                                 close_server};

MODULE_EXPORT("serve", SERVE_MODULE_ABI, &functions);
