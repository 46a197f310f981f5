/* Converts lumps 28 and 29 between byte orders. Numbers are converted in place, so that bytes
 * without a member in the structs of physics.h are not lost. */
#include "common/bsp/lumps/physics.h"
#include "common/bsp/lumps/physics_layout.h"

enum {
    NO_HULL = 0xffff,
    FIELDS_MAX = 4,
    WORD_BITS = 32,
    MODEL_HEADER = 16,
    SURFACE_WORD = 7, /* index of the word with bit fields in the surface's header */
};

/* A conversion: source, destination and byte orders. */
struct turn {
    const unsigned char *in;
    unsigned char *out;
    size_t at, size;
    enum byte_order from, to;
};

static void turn_words(struct turn *turn, size_t count)
{
    for (size_t i = 0; i < count; i++, turn->at += 4)
        store_u32(turn->to, turn->out + turn->at, load_u32_in(turn->from, turn->in + turn->at));
}

static void turn_halves(struct turn *turn, size_t count)
{
    for (size_t i = 0; i < count; i++, turn->at += 2)
        store_u16(turn->to, turn->out + turn->at, load_u16_in(turn->from, turn->in + turn->at));
}

static void turn_nothing(struct turn *turn, size_t count)
{
    memcpy(turn->out + turn->at, turn->in + turn->at, count);
    turn->at += count;
}

/* Converts a word of bit fields: compilers for one byte order put the first field into the lowest
 * bits, for the other into the highest. */
static void turn_bits(struct turn *turn, const unsigned char widths[FIELDS_MAX])
{
    uint32_t old = load_u32_in(turn->from, turn->in + turn->at), word = 0;
    unsigned low = 0;
    for (int i = 0; i < FIELDS_MAX && widths[i]; i++) {
        uint32_t mask = UINT32_MAX >> (WORD_BITS - widths[i]);
        unsigned high = WORD_BITS - widths[i] - low;
        bool big_from = turn->from == ORDER_BIG, big_to = turn->to == ORDER_BIG;
        word |= (old >> (big_from ? high : low) & mask) << (big_to ? high : low);
        low += widths[i];
    }
    store_u32(turn->to, turn->out + turn->at, word);
    turn->at += 4;
}

static const unsigned char surface_bits[FIELDS_MAX] = {8, 24};         /* deviation, size */
static const unsigned char ledge_bits[FIELDS_MAX] = {2, 2, 4, 24};     /* flags, size / 16 */
static const unsigned char triangle_bits[FIELDS_MAX] = {12, 12, 7, 1}; /* index, pierce, material */
static const unsigned char edge_bits[FIELDS_MAX] = {16, 15, 1};        /* point, opposite */

static void turn_ledge(struct turn *turn, size_t end)
{
    turn_words(turn, 2);
    turn_bits(turn, ledge_bits);
    turn_halves(turn, 2);
    while (turn->at < end) {
        turn_bits(turn, triangle_bits);
        for (int i = 0; i < 3; i++)
            turn_bits(turn, edge_bits);
    }
}

static void turn_headers(struct turn *turn)
{
    turn_words(turn, 1);
    turn_halves(turn, 2);
    turn_words(turn, COLLIDE_HEADER / 4 - 2);
    turn_words(turn, SURFACE_WORD);
    turn_bits(turn, surface_bits);
    turn_words(turn, SURFACE_HEADER / 4 - SURFACE_WORD - 1);
}

/* Converts the solid at turn->at. */
static bool turn_solid(struct turn *turn, size_t size)
{
    struct byte_reader solid = byte_reader(turn->in + turn->at, size);
    struct physics_layout layout;
    size_t start = turn->at;
    solid.order = turn->from;
    if (!physics_layout_find(&solid, &layout) || layout.end != size)
        return false; /* an axis map may hold anything */
    turn_headers(turn);
    for (size_t at = layout.ledges; at < layout.points;) {
        at = physics_ledge_end(&solid, &layout, at);
        if (!at)
            return false;
        turn_ledge(turn, start + at);
    }
    turn_words(turn, (layout.nodes - layout.points) / 4);
    while (turn->at < start + layout.end) {
        turn_words(turn, NODE_SIZE / 4 - 1);
        turn_nothing(turn, 4); /* single bytes */
    }
    return true;
}

/* Returns true when `count` bytes are left; a count that was negative in the file is too large. */
static bool has(const struct turn *turn, uint32_t count)
{
    return count <= INT32_MAX && count <= turn->size - turn->at;
}

static bool turn_model(struct turn *turn)
{
    const unsigned char *header = turn->in + turn->at;
    uint32_t data_size = load_u32_in(turn->from, header + 4);
    uint32_t text_size = load_u32_in(turn->from, header + 8);
    uint32_t count = load_u32_in(turn->from, header + 12);
    turn_words(turn, MODEL_HEADER / 4);
    size_t start = turn->at;
    if (!has(turn, data_size))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!has(turn, 4))
            return false;
        uint32_t size = load_u32_in(turn->from, turn->in + turn->at);
        turn_words(turn, 1);
        if (!has(turn, size) || !turn_solid(turn, size))
            return false;
    }
    if (turn->at - start != data_size || !has(turn, text_size))
        return false;
    turn_nothing(turn, text_size);
    return true;
}

static bool turn_lump(struct turn *turn)
{
    while (has(turn, MODEL_HEADER)) {
        if (load_u32_in(turn->from, turn->in + turn->at) == UINT32_MAX) {
            turn_words(turn, MODEL_HEADER / 4);
            return turn->at == turn->size;
        }
        if (!turn_model(turn))
            return false;
    }
    return false;
}

static bool turn_displacements(struct turn *turn)
{
    if (!has(turn, 2))
        return false;
    size_t count = load_u16_in(turn->from, turn->in), hulls = 0;
    turn_halves(turn, 1);
    if (!has(turn, (uint32_t)count * 2))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint16_t size = load_u16_in(turn->from, turn->in + turn->at + 2 * i);
        hulls += size == NO_HULL ? 0 : size;
    }
    turn_halves(turn, count);
    if (turn->size - turn->at != hulls)
        return false;
    turn_nothing(turn, hulls);
    return true;
}

static bool reorder(bool turn_all(struct turn *), const struct bytes *in, enum byte_order from,
                    enum byte_order to, struct bytes *out)
{
    if (!in->size)
        return true;
    size_t before = out->size;
    struct turn turn = {.in = in->data, .size = in->size, .from = from, .to = to};
    turn.out = bytes_extend(out, in->size);
    if (!turn_all(&turn))
        bytes_undo(out, before);
    return out->size != before;
}

bool physics_reorder(const struct bytes *in, enum byte_order from, enum byte_order to,
                     struct bytes *out)
{
    return reorder(turn_lump, in, from, to, out);
}

bool physics_displacements_reorder(const struct bytes *in, enum byte_order from, enum byte_order to,
                                   struct bytes *out)
{
    return reorder(turn_displacements, in, from, to, out);
}
