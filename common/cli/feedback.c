#include "common/cli/feedback.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/socket.h"
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
    intptr_t socket; /* NO_SOCKET: dropped */
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

bool feedback_is_address(const char *text)
{
    return socket_is_address(text);
}

static void drop(struct feedback *feedback, int error)
{
    socket_close(feedback->socket);
    feedback->socket = NO_SOCKET;
    feedback->error = error;
}

/* By one call, since the editor takes a part for the end. A socket that is ready has room for far
 * more than a frame. */
static void send_frame(struct feedback *feedback, const char *payload, size_t size)
{
    char frame[HEADER + MAX_PAYLOAD] = {(char)(size & 0xff), (char)(size >> 8), 0, 0};
    memcpy(frame + HEADER, payload, size);
    if (!socket_wait(feedback->socket, SOCKET_TAKES, &feedback->patience)) {
        drop(feedback, ETIMEDOUT);
        return;
    }
    int error = socket_send(feedback->socket, frame, HEADER + size);
    if (error)
        drop(feedback, error);
}

/* A diag_send. A failure is told at the end, by feedback_error. */
static int send_piece(void *context, const char *text, size_t size)
{
    struct feedback *feedback = context;
    while (size && feedback->socket != NO_SOCKET) {
        size_t part = size < MAX_PAYLOAD ? size : MAX_PAYLOAD;
        send_frame(feedback, text, part);
        text += part;
        size -= part;
    }
    return 0;
}

struct feedback *feedback_open(const char *address, struct diag_writer_options options, int *error)
{
    intptr_t connected = socket_connect(address, CONNECT_SECONDS, error);
    if (connected == NO_SOCKET)
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
static void linger(intptr_t socket)
{
    double seconds = LINGER_SECONDS;
    while (seconds > 0 && socket_wait(socket, SOCKET_GIVES, &seconds))
        if (!socket_skip(socket))
            break;
}

void feedback_close(struct feedback *feedback, enum status status)
{
    if (!feedback)
        return;
    if (feedback->socket != NO_SOCKET && status != STATUS_OK)
        linger(feedback->socket);
    if (feedback->socket != NO_SOCKET)
        socket_close(feedback->socket);
    diag_writer_free(feedback->writer);
    memory_free(feedback);
}
