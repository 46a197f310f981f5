#include "common/cli/socket.h"

#include <stdlib.h>
#include <string.h>

static bool parse_port(const char *text, uint16_t *port)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    uint64_t number = strtoull(text, &end, 10);
    *port = (uint16_t)number;
    return *end == 0 && number > 0 && number <= UINT16_MAX;
}

bool socket_parse(const char *text, struct socket_place *out)
{
    const char *colon = strrchr(text, ':');
    size_t size = colon ? (size_t)(colon - text) : sizeof out->host;
    if (size >= sizeof out->host || !parse_port(colon + 1, &out->port))
        return false;
    out->is_v6 = size > 2 && text[0] == '[' && text[size - 1] == ']';
    text += out->is_v6;
    size -= out->is_v6 ? 2 : 0;
    memcpy(out->host, text, size);
    out->host[size] = 0;
    if (!out->is_v6 && strcmp(out->host, "localhost") == 0)
        strcpy(out->host, "127.0.0.1");
    return true;
}
