#include "vrad/luxels/luxel_pack.h"

#include <stdint.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/farm/rank_values.h"

/* Flags of a luxel. */
enum { PACKED_ODD = 1, PACKED_SUPERSAMPLED = 2 };

/* At most one of so many luxels is odd. */
enum { ODD_SHARE = 4 };

/* A luxel that does not follow from the axes. */
struct odd_luxel {
    int number;
    struct luxel luxel;
};

struct luxel_pack {
    int odd_count;
    struct odd_luxel *odd; /* in ascending order */
    unsigned char *flags;  /* one per luxel */
};

/* Finds the area of a luxel of which all on the face is free, and its middle. */
static inline float regular_area(const struct face_light *face, int luxel, struct point2 *center)
{
    int t = luxel / face->width, s = luxel - t * face->width;
    double area = 1;
    *center = (struct point2){s, t};
    if (face->boxed)
        area = shape_cut_line(face->low.s, face->high.s, s, &center->s) *
               shape_cut_line(face->low.t, face->high.t, t, &center->t);
    return (float)(face->square * area);
}

static void regular_luxel(const struct face_light *face, int luxel, struct luxel *out)
{
    struct point2 center;
    *out = (struct luxel){.area = regular_area(face, luxel, &center)};
    struct vec3 point = vec3_mad(face->origin, face->axis[0], center.s);
    vec3_to_floats(vec3_mad(point, face->axis[1], center.t), out->position);
}

/* A packed luxel is the same to the bit: -0 is not 0. */
static bool same_bits(float a, float b)
{
    uint32_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] == bits[1];
}

static bool is_odd(const struct face_light *face, int luxel)
{
    const struct luxel *at = &face->luxels[luxel];
    struct luxel regular;
    if (at->hidden || at->near_occluders || at->near_backfaces)
        return true;
    regular_luxel(face, luxel, &regular);
    bool same = same_bits(at->area, regular.area);
    for (int i = 0; i < 3; i++)
        same = same && same_bits(at->position[i], regular.position[i]);
    return !same;
}

/* One block: the record, odd luxels and flags. */
static struct luxel_pack *pack_new(const struct face_light *face, int odd)
{
    struct luxel_pack *pack = memory_zalloc(
        sizeof *pack + (size_t)odd * sizeof(struct odd_luxel) + (size_t)face->count, 1);
    pack->odd_count = odd;
    pack->odd = (struct odd_luxel *)(pack + 1);
    pack->flags = (unsigned char *)(pack->odd + odd);
    return pack;
}

/* The luxels of a face, packed; NULL if that takes no less. */
static struct luxel_pack *packed(const struct face_light *face)
{
    int odd = 0;
    if (face->mesh || face->normals)
        return NULL;
    for (int i = 0; i < face->count; i++)
        odd += is_odd(face, i);
    if (odd > face->count / ODD_SHARE)
        return NULL;
    struct luxel_pack *pack = pack_new(face, odd);
    for (int i = 0, next = 0; i < face->count; i++) {
        if (!is_odd(face, i))
            continue;
        pack->flags[i] = PACKED_ODD;
        pack->odd[next++] = (struct odd_luxel){i, face->luxels[i]};
    }
    return pack;
}

void luxel_pack_face(struct face_light *face)
{
    face->pack = packed(face);
    if (!face->pack)
        return;
    memory_free(face->luxels);
    face->luxels = NULL;
}

void luxel_unpack_face(struct face_light *face)
{
    if (!face->pack)
        return;
    struct luxel *luxels = memory_alloc((size_t)face->count * sizeof *luxels);
    for (int i = 0; i < face->count; i++)
        (void)luxel_unpack(face, i, &luxels[i]);
    memory_free(face->pack);
    face->pack = NULL;
    face->luxels = luxels;
}

static void append_pack(const struct luxel_pack *pack, int count, struct bytes *out)
{
    bytes_i32(out, pack->odd_count);
    bytes_append(out, pack->odd, (size_t)pack->odd_count * sizeof *pack->odd);
    bytes_append(out, pack->flags, (size_t)count);
}

void luxel_pack_append(const struct face_light *face, struct bytes *out)
{
    struct luxel_pack *own = face->pack ? NULL : packed(face);
    const struct luxel_pack *pack = face->pack ? face->pack : own;
    bytes_u8(out, pack != NULL);
    if (pack)
        append_pack(pack, face->count, out);
    else
        bytes_append(out, face->luxels, (size_t)face->count * sizeof *face->luxels);
    memory_free(own);
}

static bool is_sound(const struct luxel *luxel)
{
    return rank_is_flag(&luxel->hidden) && rank_is_flag(&luxel->near_occluders) &&
           rank_is_flag(&luxel->near_backfaces) && rank_is_flag(&luxel->supersampled) &&
           rank_are_finite(luxel->position, 3) && rank_are_finite(&luxel->area, 1);
}

static bool are_sound(const struct luxel *luxels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_sound(&luxels[i]))
            return false;
    return true;
}

/* The odd luxels are those with the flag, in order. */
static bool fits(const struct luxel_pack *pack, int count)
{
    int odd = 0;
    for (int i = 0; i < count; i++) {
        if (pack->flags[i] & ~(PACKED_ODD | PACKED_SUPERSAMPLED))
            return false;
        if (!(pack->flags[i] & PACKED_ODD))
            continue;
        if (odd == pack->odd_count || pack->odd[odd].number != i ||
            !is_sound(&pack->odd[odd].luxel))
            return false;
        odd++;
    }
    return odd == pack->odd_count;
}

void luxel_pack_take(struct byte_reader *from, struct face_light *face)
{
    size_t count = (size_t)face->count;
    memory_free(face->luxels); /* of a rank that sends it twice */
    memory_free(face->pack);
    face->luxels = NULL;
    face->pack = NULL;
    if (!read_u8(from)) {
        face->luxels = memory_zalloc(count, sizeof *face->luxels);
        read_into(from, face->luxels, count * sizeof *face->luxels);
        from->failed |= !are_sound(face->luxels, count);
        return;
    }
    int32_t odd = read_i32(from);
    if (odd < 0 || odd > face->count)
        from->failed = true;
    face->pack = pack_new(face, from->failed ? 0 : odd);
    read_into(from, face->pack->odd, (size_t)face->pack->odd_count * sizeof *face->pack->odd);
    read_into(from, face->pack->flags, count);
    from->failed |= !fits(face->pack, face->count);
}

static void odd_luxel(const struct luxel_pack *pack, int luxel, struct luxel *out)
{
    int low = 0, high = pack->odd_count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pack->odd[middle].number < luxel)
            low = middle + 1;
        else
            high = middle;
    }
    *out = pack->odd[low].luxel;
}

const struct luxel *luxel_unpack(const struct face_light *face, int luxel, struct luxel *room)
{
    const struct luxel_pack *pack = face->pack;
    if (pack->flags[luxel] & PACKED_ODD)
        odd_luxel(pack, luxel, room);
    else
        regular_luxel(face, luxel, room);
    room->supersampled = (pack->flags[luxel] & PACKED_SUPERSAMPLED) != 0;
    return room;
}

float luxel_pack_area(const struct face_light *face, int luxel)
{
    struct point2 center;
    struct luxel odd;
    if (!(face->pack->flags[luxel] & PACKED_ODD))
        return regular_area(face, luxel, &center);
    odd_luxel(face->pack, luxel, &odd);
    return odd.area;
}

bool luxel_pack_is_hidden(const struct face_light *face, int luxel)
{
    struct luxel odd = {.hidden = false};
    if (face->pack->flags[luxel] & PACKED_ODD)
        odd_luxel(face->pack, luxel, &odd);
    return odd.hidden;
}

void luxel_pack_set_supersampled(struct face_light *face, int luxel)
{
    face->pack->flags[luxel] |= PACKED_SUPERSAMPLED;
}
