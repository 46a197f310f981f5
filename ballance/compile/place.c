#include "ballance/compile/maker.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"

/* A matrix this close to what the other keys say is theirs. In map units, and parts of an axis. */
#define SAME_PLACE 0.01

void ballance_identity(float matrix[16])
{
    for (int i = 0; i < 16; i++)
        matrix[i] = i % 5 ? 0.0f : 1.0f;
}

static void to_matrix(const struct transform *transform, double scale, float matrix[16])
{
    static const int axes[3] = {0, 2, 1}; /* x, y and z of the file are x, z and y of the map */
    ballance_identity(matrix);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 3; k++)
            matrix[4 * row + k] = (float)(row < 3 ? transform->axes[axes[row]].e[axes[k]]
                                                  : transform->origin.e[axes[k]] / scale);
}

/* Reads the key _matrix, if it says the same as the others with less digits. */
static bool take_matrix(const struct ballance_maker *maker, const struct map_entity *entity,
                        float matrix[16])
{
    double numbers[17];
    bool same = str_to_doubles(entity_value(&entity->keys, "_matrix"), numbers, 17) == 16;
    for (int i = 0; same && i < 16; i++) {
        double unit = i >= 12 && i < 15 ? maker->scale : 1;
        same = fabs((double)(float)numbers[i] - (double)matrix[i]) * unit <= SAME_PLACE;
    }
    for (int i = 0; same && i < 16; i++)
        matrix[i] = (float)numbers[i];
    return same;
}

static void read_scale(const struct map_entity *entity, const char *const *keys, struct vec3 *scale)
{
    *scale = vec3(1, 1, 1);
    for (; *keys; keys++) {
        double one = entity_number(&entity->keys, *keys, 0);
        if (!entity_vector(&entity->keys, *keys, scale) && one > 0)
            *scale = vec3(one, one, one);
    }
}

/* Keys of numbers, with a bit for each count that they may have. */
static const struct {
    const char *key;
    unsigned counts;
} number_keys[] = {{"origin", 1u << 3},           {"angles", 1u << 3},
                   {"_scale", 1u << 1 | 1u << 3}, {"modelscale", 1u << 1},
                   {"modelscale_vec", 1u << 3},   {"_smooth", 1u << 1},
                   {"_hidden", 1u << 1}};

void ballance_expect_numbers(struct ballance_maker *maker, const struct map_entity *entity)
{
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    double unused[4];
    for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; i++) {
        const char *value = entity_value(&entity->keys, number_keys[i].key);
        if (*value && !(number_keys[i].counts >> str_to_doubles(value, unused, 4) & 1))
            diag_report(maker->env->diag, DIAG_BMX_FROM_NUMBERS, &where, "%s '%s'",
                        number_keys[i].key, value);
    }
}

void ballance_place(struct ballance_maker *maker, const struct map_entity *entity,
                    const char *const *scale_keys, bool apart, struct object_place *out)
{
    struct vec3 origin = vec3(0, 0, 0), angles = vec3(0, 0, 0);
    entity_vector(&entity->keys, "origin", &origin);
    if (!entity_vector(&entity->keys, "angles", &angles))
        angles.y = entity_number(&entity->keys, "angle", 0);
    read_scale(entity, scale_keys, &out->scale);
    const struct transform plain = transform_from_angles(origin, angles, 1);
    struct transform scaled = plain;
    for (int i = 0; i < 3; i++)
        scaled.axes[i] = vec3_scale(plain.axes[i], out->scale.e[i]);
    to_matrix(&scaled, maker->scale, out->matrix);
    bool has_matrix = entity_has(&entity->keys, "_matrix"),
         agrees = has_matrix && take_matrix(maker, entity, out->matrix);
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    if (has_matrix && !agrees)
        diag_report(maker->env->diag, DIAG_BMX_FROM_MATRIX, &where,
                    "origin, angles and scale say something else");
    if (apart && !agrees)
        to_matrix(&plain, maker->scale, out->matrix);
    else
        out->scale = vec3(1, 1, 1);
}

struct vec3 ballance_turn(const float matrix[16], struct vec3 direction)
{
    const double from[3] = {direction.x, direction.z, direction.y};
    double to[3] = {0};
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
            to[k] += from[row] * (double)matrix[4 * row + k];
    return vec3(to[0], to[2], to[1]);
}

struct vec3 ballance_move(const struct ballance_maker *maker, const float matrix[16], struct vec3 p)
{
    struct vec3 place = vec3((double)matrix[12], (double)matrix[14], (double)matrix[13]);
    return vec3_mad(ballance_turn(matrix, p), place, maker->scale);
}
