#include "common/bsp/lumps/static_props.h"

#include <math.h>

#include "common/bsp/lumps/model_names.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/prop_lumps.def"

#define COUNT(array)       (sizeof(array) / sizeof(array)[0])
#define F(kind, member)    RECORD_FIELD(kind, static_prop, member)
#define A(kind, member, n) RECORD_ARRAY(kind, static_prop, member, n)

/* The first 56 bytes of all forms. `flag_byte` has the flags unless the form has wide ones. */
/* clang-format off */
#define HEAD                                                                                       \
    A(F32, origin, 3), A(F32, angles, 3), F(U16, model), F(U16, first_leaf), F(U16, leaf_count),   \
    F(U8, solid), F(U8, flag_byte), F(I32, skin), F(F32, fade_min), F(F32, fade_max),              \
    A(F32, lighting_origin, 3)
#define DX_LEVELS   F(U16, min_dx), F(U16, max_dx)
#define HARDWARE    F(U8, min_cpu), F(U8, max_cpu), F(U8, min_gpu), F(U8, max_gpu)
#define COLOUR      A(U8, colour, 4)
#define X360        F(U8, disable_x360), A(U8, unused, 3)
#define LIGHTMAP    A(U16, lightmap_resolution, 2)
#define TO_5        HEAD, F(F32, forced_fade_scale)
#define TO_10       TO_5, HARDWARE, COLOUR, X360, F(I32, flags2)
#define TO_SDK2013  TO_5, DX_LEVELS, F(I32, flags), LIGHTMAP
/* clang-format on */

static const struct record_field fields_4[] = {HEAD};
static const struct record_field fields_5[] = {TO_5};
static const struct record_field fields_6[] = {TO_5, DX_LEVELS};
static const struct record_field fields_7[] = {TO_5, DX_LEVELS, COLOUR};
static const struct record_field fields_8[] = {TO_5, HARDWARE, COLOUR};
static const struct record_field fields_9[] = {TO_5, HARDWARE, COLOUR, X360};
static const struct record_field fields_10[] = {TO_10};
static const struct record_field fields_11[] = {TO_10, F(F32, scale)};
static const struct record_field fields_13[] = {TO_10, A(F32, scale, 3)};
static const struct record_field fields_sdk2013[] = {TO_SDK2013};
static const struct record_field fields_mesa[] = {TO_SDK2013, COLOUR, F(I32, flags2)};

enum { LEAN_LEAF = 2, WIDE_LEAF = 4, MESA_SIZE = 80, MESA_FLAGS2 = 76 };

struct form {
    struct static_prop_form_info info;
    const struct record_field *fields;
    size_t field_count;
};

#define FORM(name, version, size, leaf_size, wide_flags, is_later, fields)                         \
    {{name, version, size, leaf_size, wide_flags, is_later}, fields, COUNT(fields)}

static const struct form forms[STATIC_PROP_FORMS] = {
    [STATIC_PROP_4] = FORM("version 4", 4, 56, LEAN_LEAF, false, false, fields_4),
    [STATIC_PROP_5] = FORM("version 5", 5, 60, LEAN_LEAF, false, false, fields_5),
    [STATIC_PROP_6] = FORM("version 6", 6, 64, LEAN_LEAF, false, false, fields_6),
    [STATIC_PROP_7] = FORM("version 7", 7, 68, LEAN_LEAF, false, false, fields_7),
    [STATIC_PROP_8] = FORM("version 8", 8, 68, LEAN_LEAF, false, true, fields_8),
    [STATIC_PROP_9] = FORM("version 9", 9, 72, LEAN_LEAF, false, true, fields_9),
    [STATIC_PROP_10] = FORM("version 10", 10, 76, LEAN_LEAF, false, true, fields_10),
    [STATIC_PROP_11] = FORM("version 11", 11, 80, LEAN_LEAF, false, true, fields_11),
    [STATIC_PROP_SDK2013] =
        FORM("version 10 of SDK 2013", 10, 72, LEAN_LEAF, true, false, fields_sdk2013),
    [STATIC_PROP_MESA] =
        FORM("version 11 of Black Mesa", 11, MESA_SIZE, LEAN_LEAF, true, false, fields_mesa),
    [STATIC_PROP_STRATA_12] =
        FORM("version 12 of Strata", 12, 80, WIDE_LEAF, false, true, fields_11),
    [STATIC_PROP_STRATA_12_LEAN] =
        FORM("version 12 of Strata, leaves of 16 bits", 12, 80, LEAN_LEAF, false, true, fields_11),
    [STATIC_PROP_STRATA_13] =
        FORM("version 13 of Strata", 13, 88, WIDE_LEAF, false, true, fields_13),
    [STATIC_PROP_STRATA_13_LEAN] =
        FORM("version 13 of Strata, leaves of 16 bits", 13, 88, LEAN_LEAF, false, true, fields_13),
};

/* The forms of a version, the usual one first. An empty lump of version 10 can be of several forms:
 * SDK 2013's is by far the most common. */
static const struct {
    int version;
    enum static_prop_form form;
} versions[] = {
    {4, STATIC_PROP_4},          {5, STATIC_PROP_5},
    {6, STATIC_PROP_6},          {7, STATIC_PROP_7},
    {7, STATIC_PROP_SDK2013},    {8, STATIC_PROP_8},
    {9, STATIC_PROP_9},          {10, STATIC_PROP_SDK2013},
    {10, STATIC_PROP_10},        {11, STATIC_PROP_11},
    {12, STATIC_PROP_STRATA_12}, {12, STATIC_PROP_STRATA_12_LEAN},
    {13, STATIC_PROP_STRATA_13}, {13, STATIC_PROP_STRATA_13_LEAN},
};

const struct static_prop_form_info *static_prop_form_info(enum static_prop_form form)
{
    return &forms[form].info;
}

/* Leaf size 0: any. */
static enum static_prop_form find_form(int version, size_t record_size, size_t leaf_size)
{
    for (size_t i = 0; i < COUNT(versions); i++) {
        const struct static_prop_form_info *info = &forms[versions[i].form].info;
        if (versions[i].version == version && (!record_size || record_size == info->record_size) &&
            (!leaf_size || leaf_size == info->leaf_size))
            return versions[i].form;
    }
    return STATIC_PROP_UNKNOWN;
}

enum static_prop_form static_prop_form_of(int version, size_t record_size)
{
    return find_form(version, record_size, 0);
}

struct static_prop static_prop_default(void)
{
    return (struct static_prop){
        .forced_fade_scale = 1, .colour = {255, 255, 255, 255}, .scale = {1, 1, 1}};
}

static struct record prop_record(const struct form *form)
{
    return (struct record){"static prop", sizeof(struct static_prop), form->info.record_size,
                           form->fields, form->field_count};
}

static const struct record_field leaf_fields[2][1] = {{RECORD_SCALAR(U16)}, {RECORD_SCALAR(I32)}};

static struct record leaf_record(size_t leaf_size)
{
    return (struct record){"leaf of static props", sizeof(int32_t), leaf_size,
                           leaf_fields[leaf_size == WIDE_LEAF], 1};
}

/* Division of a lump for a given size of its leaves. */
struct division {
    const unsigned char *leaves, *props;
    size_t leaf_size, leaf_count, prop_count, rest; /* rest: bytes from the first record on */
};

static bool divide(struct byte_reader reader, size_t leaf_size, struct division *out)
{
    out->leaf_size = leaf_size;
    out->leaf_count = read_u32(&reader);
    if (out->leaf_count > (reader.size - reader.at) / leaf_size)
        return false;
    out->leaves = read_block(&reader, out->leaf_count * leaf_size);
    out->prop_count = read_u32(&reader);
    if (reader.failed)
        return false;
    out->rest = reader.size - reader.at;
    out->props = reader.data + reader.at;
    return true;
}

/* As flags all its last words are small; as scales one of them is a float, which has a higher bit
 * set than any flag. */
static bool is_mesa(const struct division *parts, enum byte_order order)
{
    const uint32_t min_number = 0x00800000;
    for (size_t i = 0; i < parts->prop_count; i++)
        if (load_u32_in(order, parts->props + i * MESA_SIZE + MESA_FLAGS2) >= min_number)
            return false;
    return parts->prop_count > 0;
}

static enum static_prop_form division_form(const struct division *parts, int version,
                                           enum byte_order order)
{
    size_t count = parts->prop_count;
    if (count ? parts->rest % count || !(parts->rest / count) : parts->rest)
        return STATIC_PROP_UNKNOWN;
    enum static_prop_form form =
        find_form(version, count ? parts->rest / count : 0, parts->leaf_size);
    return form == STATIC_PROP_11 && is_mesa(parts, order) ? STATIC_PROP_MESA : form;
}

static enum status refuse(const struct division *parts, bool divided, int version,
                          const struct diag_where *where, struct diag *diag)
{
    if (!divided || parts->rest < parts->prop_count)
        return diag_report(diag, DIAG_BSP_LUMP, where,
                           "static props: lump too short for its counts");
    if (static_prop_form_of(version, 0) && !parts->prop_count)
        return diag_report(diag, DIAG_BSP_LUMP, where,
                           "static props: %zu bytes left after the last record", parts->rest);
    return diag_report(diag, DIAG_PROPS_LAYOUT, where,
                       "static props of version %d: %zu records in %zu bytes", version,
                       parts->prop_count, parts->rest);
}

/* Leaves may have 32 bits in some versions; only one of both sizes divides the rest into whole
 * records. */
static enum status find_division(const struct byte_reader *reader, int version,
                                 const struct diag_where *where, struct diag *diag,
                                 struct division *parts, enum static_prop_form *form)
{
    if (divide(*reader, WIDE_LEAF, parts)) {
        *form = division_form(parts, version, reader->order);
        if (*form)
            return STATUS_OK;
    }
    bool divided = divide(*reader, LEAN_LEAF, parts);
    *form = divided ? division_form(parts, version, reader->order) : STATIC_PROP_UNKNOWN;
    return *form ? STATUS_OK : refuse(parts, divided, version, where, diag);
}

/* Converts members that a form encodes in another way. */
static void widen(const struct form *form, struct static_prop *prop)
{
    if (!form->info.has_wide_flags)
        prop->flags = prop->flag_byte;
    if (form->fields != fields_13)
        prop->scale[1] = prop->scale[2] = prop->scale[0];
}

static void decode_lists(const struct division *parts, enum static_prop_form form,
                         enum byte_order order, struct static_props *out)
{
    const struct record leaf = leaf_record(parts->leaf_size), prop = prop_record(&forms[form]);
    if (parts->leaf_count) {
        arrsetlen(out->leaves, parts->leaf_count);
        record_decode(&leaf, order, parts->leaves, parts->leaf_count, out->leaves);
    }
    if (!parts->prop_count)
        return;
    arrsetlen(out->props, parts->prop_count);
    for (size_t i = 0; i < parts->prop_count; i++)
        out->props[i] = static_prop_default();
    record_decode(&prop, order, parts->props, parts->prop_count, out->props);
    for (size_t i = 0; i < parts->prop_count; i++)
        widen(&forms[form], &out->props[i]);
}

enum status static_props_decode(const struct bytes *data, int version, enum byte_order order,
                                const struct diag_where *where, struct diag *diag,
                                struct static_props *out, enum static_prop_form *form)
{
    struct byte_reader reader = byte_reader(data->data, data->size);
    struct division parts = {0};
    reader.order = order;
    *form = STATIC_PROP_UNKNOWN;
    if (!static_prop_form_of(version, 0))
        return diag_report(diag, DIAG_PROPS_LAYOUT, where, "static props of version %d", version);
    if (!model_names_read(&reader, &out->models))
        return refuse(&parts, false, version, where, diag);
    enum status status = find_division(&reader, version, where, diag, &parts, form);
    if (status == STATUS_OK)
        decode_lists(&parts, *form, order, out);
    else
        static_props_free(out);
    return status;
}

static bool encode_props(const struct static_prop *props, const struct form *form,
                         struct bytes *out, struct record_range_error *range_error)
{
    const struct record record = prop_record(form);
    for (size_t i = 0; i < arrlenu(props); i++) {
        struct static_prop prop = props[i];
        if (!form->info.has_wide_flags)
            prop.flag_byte = (uint8_t)prop.flags;
        if (record_encode(&record, &prop, 1, out, range_error))
            continue;
        range_error->record = i;
        return false;
    }
    return true;
}

static bool encode_all(const struct static_props *props, const struct form *form, struct bytes *out,
                       struct record_range_error *range_error)
{
    const struct record leaf = leaf_record(form->info.leaf_size);
    if (!model_names_write(props->models, out, range_error))
        return false;
    bytes_u32(out, (uint32_t)arrlenu(props->leaves));
    if (!record_encode(&leaf, props->leaves, arrlenu(props->leaves), out, range_error))
        return false;
    bytes_u32(out, (uint32_t)arrlenu(props->props));
    return encode_props(props->props, form, out, range_error);
}

bool static_props_encode(const struct static_props *props, enum static_prop_form form,
                         enum byte_order order, struct bytes *out,
                         struct record_range_error *range_error)
{
    enum byte_order before = out->order;
    size_t size = out->size;
    out->order = order;
    bool fits = encode_all(props, &forms[form], out, range_error);
    out->order = before;
    if (!fits)
        out->size = size;
    return fits;
}

void static_props_free(struct static_props *props)
{
    model_names_free(props->models);
    arrfree(props->leaves);
    arrfree(props->props);
    *props = (struct static_props){0};
}

/* A member that some forms lack, and a test for a value other than the default. */
struct optional {
    const char *name;
    size_t offset;
    unsigned count; /* minimum number of elements of the form */
    bool (*is_used)(const struct static_prop *prop);
};

static bool uses_fade_scale(const struct static_prop *prop)
{
    return prop->forced_fade_scale != 1;
}

static bool uses_dx(const struct static_prop *prop)
{
    return prop->min_dx || prop->max_dx;
}

static bool uses_hardware(const struct static_prop *prop)
{
    return prop->min_cpu || prop->max_cpu || prop->min_gpu || prop->max_gpu;
}

static bool uses_colour(const struct static_prop *prop)
{
    for (int i = 0; i < 4; i++)
        if (prop->colour[i] != 255)
            return true;
    return false;
}

static bool uses_x360(const struct static_prop *prop)
{
    return prop->disable_x360 != 0;
}

static bool uses_wide_flags(const struct static_prop *prop)
{
    return prop->flags > UINT8_MAX;
}

static bool uses_flags2(const struct static_prop *prop)
{
    return prop->flags2 != 0;
}

static bool uses_lightmap(const struct static_prop *prop)
{
    return prop->lightmap_resolution[0] || prop->lightmap_resolution[1];
}

static bool uses_scale(const struct static_prop *prop)
{
    return prop->scale[0] != 1;
}

/* NaN, from a damaged file, equals NaN. */
static bool are_alike(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool uses_scales(const struct static_prop *prop)
{
    return !are_alike(prop->scale[0], prop->scale[1]) || !are_alike(prop->scale[0], prop->scale[2]);
}

#define MEMBER(member) offsetof(struct static_prop, member)

static const struct optional optionals[] = {
    {"forced fade scale", MEMBER(forced_fade_scale), 1, uses_fade_scale},
    {"DirectX levels", MEMBER(min_dx), 1, uses_dx},
    {"CPU and GPU levels", MEMBER(min_cpu), 1, uses_hardware},
    {"colour", MEMBER(colour), 4, uses_colour},
    {"disabled state on the Xbox 360", MEMBER(disable_x360), 1, uses_x360},
    {"flags above the lowest eight", MEMBER(flags), 1, uses_wide_flags},
    {"second flags", MEMBER(flags2), 1, uses_flags2},
    {"lightmap resolution", MEMBER(lightmap_resolution), 2, uses_lightmap},
    {"scale", MEMBER(scale), 1, uses_scale},
    {"scales along the axes", MEMBER(scale), 3, uses_scales},
};

/* Returns false for a form without so many numbers of the member. */
static bool form_holds(const struct form *form, size_t offset, size_t count)
{
    for (size_t i = 0; i < form->field_count; i++)
        if (form->fields[i].offset == offset)
            return form->fields[i].count >= count;
    return false;
}

bool static_prop_form_has_flags2(enum static_prop_form form)
{
    return form_holds(&forms[form], MEMBER(flags2), 1);
}

struct static_prop_loss *static_props_losses(const struct static_props *props,
                                             enum static_prop_form form)
{
    struct static_prop_loss *losses = NULL;
    for (size_t k = 0; k < COUNT(optionals); k++) {
        struct static_prop_loss loss = {.field = optionals[k].name};
        if (form_holds(&forms[form], optionals[k].offset, optionals[k].count))
            continue;
        for (size_t i = arrlenu(props->props); i-- > 0;)
            if (optionals[k].is_used(&props->props[i])) {
                loss.props++;
                loss.first = i;
            }
        if (loss.props)
            arrput(losses, loss);
    }
    return losses;
}
