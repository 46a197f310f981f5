#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/socket.h"
#include "common/core/clock.h"

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } to;
    socklen_t size;
};

static bool parse_address(const char *text, struct address *out)
{
    struct socket_place place;
    *out = (struct address){0};
    if (!socket_parse(text, &place))
        return false;
    if (place.is_v6) {
        out->to.v6.sin6_family = AF_INET6;
        out->to.v6.sin6_port = htons(place.port);
        out->size = sizeof out->to.v6;
        return inet_pton(AF_INET6, place.host, &out->to.v6.sin6_addr) == 1;
    }
    out->to.v4.sin_family = AF_INET;
    out->to.v4.sin_port = htons(place.port);
    out->size = sizeof out->to.v4;
    return inet_pton(AF_INET, place.host, &out->to.v4.sin_addr) == 1;
}

bool socket_is_address(const char *text)
{
    struct address address;
    return parse_address(text, &address);
}

bool socket_wait(intptr_t socket, enum socket_event event, double *seconds)
{
    struct pollfd wanted = {.fd = (int)socket, .events = event == SOCKET_TAKES ? POLLOUT : POLLIN};
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
    if (!socket_wait(socket, SOCKET_TAKES, &seconds))
        return ETIMEDOUT;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

intptr_t socket_connect(const char *address, double seconds, int *error)
{
    const int yes = 1;
    struct address there;
    *error = EINVAL;
    if (!parse_address(address, &there))
        return NO_SOCKET;
    int to = socket(there.to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *error = to < 0 ? errno : connect_within(to, &there, seconds);
    if (*error) {
        if (to >= 0)
            close(to);
        return NO_SOCKET;
    }
    /* A frame goes out at once, and not together with a part of the next one. */
    (void)setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return to;
}

int socket_send(intptr_t socket, const void *data, size_t size)
{
    ssize_t sent = send((int)socket, data, size, MSG_NOSIGNAL);
    if (sent == (ssize_t)size)
        return 0;
    return sent < 0 ? errno : ETIMEDOUT;
}

bool socket_skip(intptr_t socket)
{
    char byte;
    return recv((int)socket, &byte, 1, 0) > 0;
}

void socket_close(intptr_t socket)
{
    close((int)socket);
}
