/* Internal: a TCP connection that never waits for longer than it is told to. */
#ifndef CLI_SOCKET_H
#define CLI_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_SOCKET ((intptr_t)-1)

/* Returns true for "127.0.0.1:39000", "[::1]:39000" and "localhost:39000". */
bool socket_is_address(const char *text);

/* Returns a connection, or NO_SOCKET and an errno value: EINVAL for a text that is no address. */
intptr_t socket_connect(const char *address, double seconds, int *error);

enum socket_event { SOCKET_TAKES, SOCKET_GIVES };

/* Returns true when the event is there, or an error; takes the time from *seconds. */
bool socket_wait(intptr_t socket, enum socket_event event, double *seconds);

/* Sends all of the bytes, which are few, without waiting. Returns 0 or an errno value. */
int socket_send(intptr_t socket, const void *data, size_t size);

/* Takes a byte; returns false at the end of what the other side sends. */
bool socket_skip(intptr_t socket);

void socket_close(intptr_t socket);

/* Of both systems: the host and the port of an address. */
enum { SOCKET_HOST_MAX = 64 };
struct socket_place {
    char host[SOCKET_HOST_MAX]; /* in numbers, without brackets */
    bool is_v6;
    uint16_t port;
};
bool socket_parse(const char *text, struct socket_place *out);

#endif
