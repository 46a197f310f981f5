#include "common/bsp/sidecar/prt.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/portal_files.def"

enum {
    POINTS_MIN = 3,
    POINTS_MAX = PRT_POINTS_MAX, /* of a winding, in the map compilers of this family */
    FLAGS_MAX = 255,
    FACES_MAX = 1 << 24,
    TOKEN_MAX = 63, /* of a number; "%f" of the largest coordinate needs a third of it */
};

/* Far beyond every world, but products of three coordinates stay finite. */
#define COORDINATE_MAX 16777216.0

struct prt_reader {
    const char *at, *end;
    const char *name;
    int line;
    struct diag *diag;
    bool quake3;       /* the form of Quake 3's compilers */
    const char *token; /* length up to `at`; empty at the end of the text */
};

/* Returns the token as a text. Longer ones are truncated. */
static const char *token_text(const struct prt_reader *reader, char text[TOKEN_MAX + 1])
{
    size_t length = (size_t)(reader->at - reader->token);
    if (length > TOKEN_MAX)
        length = TOKEN_MAX;
    if (length)
        memcpy(text, reader->token, length);
    text[length] = '\0';
    return text;
}

static enum status fail(struct prt_reader *reader, const char *what)
{
    struct diag_where where = {.file = reader->name, .line = reader->line};
    char text[TOKEN_MAX + 1];
    return diag_report(reader->diag, DIAG_PRT_SYNTAX, &where, "expected %s, found \"%s\"", what,
                       token_text(reader, text));
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

static bool is_parenthesis(char c)
{
    return c == '(' || c == ')';
}

/* A parenthesis, or a run of other characters. */
static void next_token(struct prt_reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    for (; at < end && is_blank(*at); at++)
        reader->line += *at == '\n';
    reader->token = at;
    if (at < end && is_parenthesis(*at))
        at++;
    else
        while (at < end && !is_blank(*at) && !is_parenthesis(*at))
            at++;
    reader->at = at;
}

static bool token_is(const struct prt_reader *reader, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(reader->at - reader->token) == length && !memcmp(reader->token, text, length);
}

/* Fast path for few digits. */
static bool read_digits(const struct prt_reader *reader, int64_t *out)
{
    enum { DIGITS_MAX = 9 };
    const char *at = reader->token;
    int64_t value = 0;
    if (at == reader->at || reader->at - at > DIGITS_MAX)
        return false;
    for (; at < reader->at && *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (*at - '0');
    *out = value;
    return at == reader->at;
}

static enum status read_count(struct prt_reader *reader, const char *what, int64_t min, int64_t max,
                              int *out)
{
    int64_t value;
    next_token(reader);
    if (!read_digits(reader, &value)) {
        char text[TOKEN_MAX + 1], *end;
        errno = 0;
        value = strtoll(token_text(reader, text), &end, 10);
        if (end == text || *end || errno)
            return fail(reader, what);
    }
    if (value < min || value > max) {
        struct diag_where where = {.file = reader->name, .line = reader->line};
        return diag_report(reader->diag, DIAG_PRT_RANGE, &where,
                           "%s is %lld, valid range %lld..%lld", what, (long long)value,
                           (long long)min, (long long)max);
    }
    *out = (int)value;
    return STATUS_OK;
}

static enum status read_coordinate(struct prt_reader *reader, double *out)
{
    double value;
    char text[TOKEN_MAX + 1], *end;
    next_token(reader);
    if (decimal_read(reader->token, reader->at, &value) != reader->at) {
        value = strtod(token_text(reader, text), &end);
        if (end == text || *end)
            return fail(reader, "a coordinate");
    }
    if (!(fabs(value) <= COORDINATE_MAX)) {
        struct diag_where where = {.file = reader->name, .line = reader->line};
        return diag_report(reader->diag, DIAG_PRT_RANGE, &where,
                           "coordinate %s is outside of the world", token_text(reader, text));
    }
    *out = value;
    return STATUS_OK;
}

static enum status read_point(struct prt_reader *reader, struct vec3 *out)
{
    next_token(reader);
    if (!token_is(reader, "("))
        return fail(reader, "'('");
    for (int axis = 0; axis < 3; axis++)
        TRY(read_coordinate(reader, &out->e[axis]));
    next_token(reader);
    if (!token_is(reader, ")"))
        return fail(reader, "')'");
    return STATUS_OK;
}

/* Quake 3's compilers write the number of faces around the clusters on a line of its own; in the
 * other form that line is the start of a portal. */
static bool is_alone(const struct prt_reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && is_blank(*at))
        at++;
    const char *end = at;
    while (end < reader->end && !is_blank(*end))
        end++;
    while (end < reader->end && is_blank(*end) && *end != '\n')
        end++;
    return end > at && (end == reader->end || *end == '\n');
}

static enum status read_portal(struct prt_reader *reader, struct prt *prt)
{
    struct prt_portal portal;
    struct vec3 points[POINTS_MAX];
    int count;
    TRY(read_count(reader, "number of points of a portal", POINTS_MIN, POINTS_MAX, &count));
    for (int i = 0; i < 2; i++)
        TRY(read_count(reader, "cluster of a portal", 0, prt->cluster_count - 1,
                       &portal.clusters[i]));
    int flags;
    if (reader->quake3)
        TRY(read_count(reader, "flags of a portal", 0, FLAGS_MAX, &flags));
    for (int i = 0; i < count; i++)
        TRY(read_point(reader, &points[i]));
    portal.winding = winding_new(&prt->arena, count, points);
    arrput(prt->portals, portal);
    return STATUS_OK;
}

/* Faces are skipped up to the end, so that a truncated file is detected. */
static enum status skip_face(struct prt_reader *reader, const struct prt *prt)
{
    int count, cluster;
    struct vec3 point;
    TRY(read_count(reader, "number of points of a face", POINTS_MIN, POINTS_MAX, &count));
    TRY(read_count(reader, "cluster of a face", 0, prt->cluster_count - 1, &cluster));
    for (int i = 0; i < count; i++)
        TRY(read_point(reader, &point));
    return STATUS_OK;
}

static enum status read_all(struct prt_reader *reader, struct prt *prt)
{
    next_token(reader);
    if (!token_is(reader, "PRT1"))
        return fail(reader, "PRT1");
    int portals, faces = 0;
    TRY(read_count(reader, "number of clusters", 0, PRT_CLUSTERS_MAX, &prt->cluster_count));
    TRY(read_count(reader, "number of portals", 0, PRT_PORTALS_MAX, &portals));
    reader->quake3 = is_alone(reader);
    if (reader->quake3)
        TRY(read_count(reader, "number of faces", 0, FACES_MAX, &faces));
    for (int i = 0; i < portals; i++)
        TRY(read_portal(reader, prt));
    for (int i = 0; i < faces; i++)
        TRY(skip_face(reader, prt));
    next_token(reader);
    if (reader->at != reader->token)
        return fail(reader, "the end of the file");
    return STATUS_OK;
}

enum status prt_parse(const char *text, size_t size, const char *name, struct diag *diag,
                      struct prt *out)
{
    struct prt_reader reader = {
        .at = text, .end = text + size, .name = name, .line = 1, .diag = diag};
    *out = (struct prt){0};
    enum status status = read_all(&reader, out);
    if (status != STATUS_OK)
        prt_free(out);
    return status;
}

/* "%lld ", many times faster. */
static void format_whole(long long value, struct bytes *out)
{
    char text[24], *at = text + sizeof text;
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    *--at = ' ';
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    bytes_append(out, at, (size_t)(text + sizeof text - at));
}

static void format_coordinate(double value, struct bytes *out)
{
    double whole = rint(value);
    if (fabs(value - whole) < 0.001)
        format_whole((long long)whole, out);
    else
        bytes_append_text(out, "%f ", value);
}

static void format_points(const struct winding *winding, struct bytes *out)
{
    for (int k = 0; k < winding->count; k++) {
        bytes_append(out, "(", 1);
        for (int axis = 0; axis < 3; axis++)
            format_coordinate(winding->points[k].e[axis], out);
        bytes_append(out, ") ", 2);
    }
    bytes_append(out, "\n", 1);
}

void prt_format(const struct prt *prt, struct bytes *out)
{
    const struct prt_quake3 *quake3 = &prt->quake3;
    bytes_append_text(out, "PRT1\n%d\n%td\n", prt->cluster_count, arrlen(prt->portals));
    if (quake3->wanted)
        bytes_append_text(out, "%td\n", arrlen(quake3->faces));
    for (ptrdiff_t i = 0; i < arrlen(prt->portals); i++) {
        const struct prt_portal *portal = &prt->portals[i];
        format_whole(portal->winding->count, out);
        format_whole(portal->clusters[0], out);
        format_whole(portal->clusters[1], out);
        if (quake3->wanted)
            format_whole(i < arrlen(quake3->flags) ? quake3->flags[i] : 0, out);
        format_points(portal->winding, out);
    }
    for (ptrdiff_t i = 0; i < arrlen(quake3->faces) && quake3->wanted; i++) {
        format_whole(quake3->faces[i].winding->count, out);
        format_whole(quake3->faces[i].cluster, out);
        format_points(quake3->faces[i].winding, out);
    }
}

void prt_free(struct prt *prt)
{
    arrfree(prt->portals);
    arrfree(prt->quake3.flags);
    arrfree(prt->quake3.faces);
    arena_free(&prt->arena);
    *prt = (struct prt){0};
}
