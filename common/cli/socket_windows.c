#include <errno.h>
#include <winsock2.h>
#include <ws2tcpip.h>

#include "common/cli/socket.h"
#include "common/core/clock.h"

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } to;
    int size;
};

static bool start(void)
{
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

static bool parse_address(const char *text, struct address *out)
{
    struct socket_place place;
    *out = (struct address){0};
    if (!socket_parse(text, &place) || !start())
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

static int error_of(int error)
{
    static const struct {
        int error, value;
    } table[] = {
        {WSAEWOULDBLOCK, EWOULDBLOCK},
        {WSAECONNREFUSED, ECONNREFUSED},
        {WSAECONNRESET, ECONNRESET},
        {WSAECONNABORTED, ECONNRESET},
        {WSAESHUTDOWN, EPIPE},
        {WSAETIMEDOUT, ETIMEDOUT},
        {WSAENETUNREACH, ENETUNREACH},
        {WSAEHOSTUNREACH, EHOSTUNREACH},
        {WSAEADDRNOTAVAIL, EADDRNOTAVAIL},
        {WSAEACCES, EACCES},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].error == error)
            return table[i].value;
    return error ? EIO : 0;
}

bool socket_wait(intptr_t socket, enum socket_event event, double *seconds)
{
    /* A connection that is refused shows as an exception, which WSAPoll did not tell for long. */
    fd_set wanted, failed;
    struct timeval limit = {0};
    double end = clock_seconds(CLOCK_MONOTONIC) + *seconds;
    if (*seconds > 0) {
        limit.tv_sec = (long)*seconds;
        limit.tv_usec = (long)(1e6 * (*seconds - (double)limit.tv_sec));
    }
    FD_ZERO(&wanted);
    FD_ZERO(&failed);
    FD_SET((SOCKET)socket, &wanted);
    FD_SET((SOCKET)socket, &failed);
    int ready = select(0, event == SOCKET_GIVES ? &wanted : NULL,
                       event == SOCKET_TAKES ? &wanted : NULL, &failed, &limit);
    *seconds = end - clock_seconds(CLOCK_MONOTONIC);
    return ready > 0;
}

/* Returns 0 or an errno value. */
static int connect_within(SOCKET socket, const struct address *address, double seconds)
{
    int error = 0, size = sizeof error;
    if (connect(socket, &address->to.any, address->size) == 0)
        return 0;
    if (WSAGetLastError() != WSAEWOULDBLOCK)
        return error_of(WSAGetLastError());
    if (!socket_wait((intptr_t)socket, SOCKET_TAKES, &seconds))
        return ETIMEDOUT;
    if (getsockopt(socket, SOL_SOCKET, SO_ERROR, (char *)&error, &size) != 0)
        error = WSAGetLastError();
    return error_of(error);
}

intptr_t socket_connect(const char *address, double seconds, int *error)
{
    const int yes = 1;
    u_long at_once = 1;
    struct address there;
    *error = EINVAL;
    if (!parse_address(address, &there))
        return NO_SOCKET;
    SOCKET to = WSASocketW(there.to.any.sa_family, SOCK_STREAM, IPPROTO_TCP, NULL, 0,
                           WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (to == INVALID_SOCKET || ioctlsocket(to, (long)FIONBIO, &at_once) != 0)
        *error = error_of(WSAGetLastError());
    else
        *error = connect_within(to, &there, seconds);
    if (*error) {
        if (to != INVALID_SOCKET)
            closesocket(to);
        return NO_SOCKET;
    }
    /* A frame goes out at once, and not together with a part of the next one. */
    (void)setsockopt(to, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof yes);
    return (intptr_t)to;
}

int socket_send(intptr_t socket, const void *data, size_t size)
{
    int sent = send((SOCKET)socket, data, (int)size, 0);
    if (sent == (int)size)
        return 0;
    return sent < 0 ? error_of(WSAGetLastError()) : ETIMEDOUT;
}

bool socket_skip(intptr_t socket)
{
    char byte;
    return recv((SOCKET)socket, &byte, 1, 0) > 0;
}

void socket_close(intptr_t socket)
{
    closesocket((SOCKET)socket);
}
