#include "common/cli/feedback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/core/clock.h"
#include "common/core/memory.h"

enum { HEADER = 4, MAX_PAYLOAD = 1000, MAX_GATHERED = 500 };

/* Limits in seconds: of the connection, of all waits for a listener that does not read, and of the
 * end. A phase tells how far it is after a second, then at each tenth. */
#define CONNECT_SECONDS 2.0
#define PATIENCE        2.0
#define LINGER_SECONDS  1.0
#define PHASE_SECONDS   1.0

struct feedback {
    int socket;      /* -1: dropped */
    int error;       /* errno; 0: none */
    double patience; /* seconds left */
    struct diag_writer *writer;
    char gathered[MAX_GATHERED + 1]; /* lines */
    size_t size;
    const char *phase; /* or NULL */
    size_t done, total;
    double phase_start;
    int tenths; /* of the phase that were told */
};

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } to;
    socklen_t size;
};

static bool parse_port(const char *text, in_port_t *port)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long number = strtoul(text, &end, 10);
    *port = htons((uint16_t)number);
    return *end == 0 && number > 0 && number <= UINT16_MAX;
}

static bool parse_address(const char *text, struct address *out)
{
    char host[INET6_ADDRSTRLEN + 2];
    const char *colon = strrchr(text, ':');
    size_t size = colon ? (size_t)(colon - text) : sizeof host;
    in_port_t port;
    if (size >= sizeof host || !parse_port(colon + 1, &port))
        return false;
    memcpy(host, text, size);
    host[size] = 0;
    *out = (struct address){0};
    if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
        host[size - 1] = 0;
        out->to.v6.sin6_family = AF_INET6;
        out->to.v6.sin6_port = port;
        out->size = sizeof out->to.v6;
        return inet_pton(AF_INET6, host + 1, &out->to.v6.sin6_addr) == 1;
    }
    out->to.v4.sin_family = AF_INET;
    out->to.v4.sin_port = port;
    out->size = sizeof out->to.v4;
    const char *number = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    return inet_pton(AF_INET, number, &out->to.v4.sin_addr) == 1;
}

bool feedback_is_address(const char *text)
{
    struct address address;
    return parse_address(text, &address);
}

/* Returns true when one of the events is there, or an error; takes the time from *seconds. */
static bool wait_for(int socket, short events, double *seconds)
{
    struct pollfd wanted = {.fd = socket, .events = events};
    double end = clock_seconds(CLOCK_MONOTONIC) + *seconds;
    int ready;
    do {
        *seconds = end - clock_seconds(CLOCK_MONOTONIC);
        ready = poll(&wanted, 1, *seconds > 0 ? (int)(1000 * *seconds) : 0);
    } while (ready < 0 && errno == EINTR && *seconds > 0);
    *seconds = end - clock_seconds(CLOCK_MONOTONIC);
    return ready > 0;
}

/* Returns 0 or an errno. */
static int connect_within(int socket, const struct address *address, double seconds)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (connect(socket, &address->to.any, address->size) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    if (!wait_for(socket, POLLOUT, &seconds))
        return ETIMEDOUT;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/* Returns a socket that does not wait, or -1 and an errno. */
static int open_socket(const struct address *address, int *error)
{
    const int yes = 1;
    int to = socket(address->to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (to < 0) {
        *error = errno;
        return -1;
    }
    *error = connect_within(to, address, CONNECT_SECONDS);
    if (*error) {
        close(to);
        return -1;
    }
    /* A frame goes out at once, and not together with a part of the next one. */
    (void)setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return to;
}

static void drop(struct feedback *feedback, int error)
{
    close(feedback->socket);
    feedback->socket = -1;
    feedback->error = error;
}

/* By one call, since the editor takes a part for the end. A socket that is ready has room for far
 * more than a frame. */
static void send_frame(struct feedback *feedback, const char *payload, size_t size)
{
    char frame[HEADER + MAX_PAYLOAD] = {(char)(size & 0xff), (char)(size >> 8), 0, 0};
    memcpy(frame + HEADER, payload, size);
    if (!wait_for(feedback->socket, POLLOUT, &feedback->patience)) {
        drop(feedback, ETIMEDOUT);
        return;
    }
    ssize_t sent = send(feedback->socket, frame, HEADER + size, MSG_NOSIGNAL);
    if (sent != (ssize_t)(HEADER + size))
        drop(feedback, sent < 0 ? errno : ETIMEDOUT);
}

/* A diag_send. A failure is told at the end, by feedback_error. */
static int send_piece(void *context, const char *text, size_t size)
{
    struct feedback *feedback = context;
    while (size && feedback->socket >= 0) {
        size_t part = size < MAX_PAYLOAD ? size : MAX_PAYLOAD;
        send_frame(feedback, text, part);
        text += part;
        size -= part;
    }
    return 0;
}

struct feedback *feedback_open(const char *address, struct diag_writer_options options, int *error)
{
    struct address to;
    if (!parse_address(address, &to)) {
        *error = EINVAL;
        return NULL;
    }
    int connected = open_socket(&to, error);
    if (connected < 0)
        return NULL;
    struct feedback *feedback = memory_zalloc(1, sizeof *feedback);
    *feedback = (struct feedback){.socket = connected, .patience = PATIENCE};
    options.format = DIAG_AS_FEEDBACK;
    options.send = send_piece;
    options.send_context = feedback;
    feedback->writer = diag_writer_new(&options);
    return feedback;
}

struct diag_writer *feedback_writer(const struct feedback *feedback)
{
    return feedback->writer;
}

void feedback_flush(struct feedback *feedback)
{
    if (!feedback || !feedback->size)
        return;
    feedback->size = 0;
    diag_writer_said(feedback->writer, feedback->gathered);
}

void feedback_said(struct feedback *feedback, const char *line)
{
    if (!feedback)
        return;
    size_t size = strlen(line);
    if (feedback->size + size > MAX_GATHERED)
        feedback_flush(feedback);
    if (size > MAX_GATHERED) {
        diag_writer_said(feedback->writer, line);
        return;
    }
    memcpy(feedback->gathered + feedback->size, line, size + 1);
    feedback->size += size;
}

void feedback_progress(struct feedback *feedback, const struct progress_event *event)
{
    if (!feedback)
        return;
    if (event->kind == PROGRESS_BEGIN) {
        feedback->phase = event->name;
        feedback->total = event->total;
        feedback->done = 0;
        feedback->tenths = 0;
        feedback->phase_start = clock_seconds(CLOCK_MONOTONIC);
    } else if (event->kind == PROGRESS_STEP) {
        feedback->done = event->done;
    } else if (event->kind == PROGRESS_END) {
        feedback->phase = NULL;
    }
}

static void tell_phase(struct feedback *feedback)
{
    char line[160];
    double gone = clock_seconds(CLOCK_MONOTONIC) - feedback->phase_start;
    int tenths = feedback->total ? (int)(10 * feedback->done / feedback->total) : 0;
    if (gone < PHASE_SECONDS || tenths <= feedback->tenths)
        return;
    feedback->tenths = tenths;
    snprintf(line, sizeof line, "  %-20s %3d %% after %.0f s\n", feedback->phase, 10 * tenths,
             gone);
    feedback_said(feedback, line);
}

void feedback_beat(struct feedback *feedback)
{
    if (!feedback)
        return;
    if (feedback->phase)
        tell_phase(feedback);
    feedback_flush(feedback);
}

int feedback_error(const struct feedback *feedback)
{
    return feedback ? feedback->error : 0;
}

/* The editor, which polls, reads what came before the end of the connection; it may end it first.
 */
static void linger(int socket)
{
    double seconds = LINGER_SECONDS;
    char byte;
    while (seconds > 0 && wait_for(socket, POLLIN, &seconds))
        if (recv(socket, &byte, 1, 0) <= 0)
            break;
}

void feedback_close(struct feedback *feedback, enum status status)
{
    if (!feedback)
        return;
    if (feedback->socket >= 0 && status != STATUS_OK)
        linger(feedback->socket);
    if (feedback->socket >= 0)
        close(feedback->socket);
    diag_writer_free(feedback->writer);
    memory_free(feedback);
}
