#include "ballance/bmx/level_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/bmx.h"
#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/diag/codes/ballance_levels.def"
#include "common/geom/vec.h"

/* The objects of a level by group. */

struct group_member {
    const char *group;
    uint32_t object;
};

struct level {
    const struct bmx *bmx;
    struct bmx_findings *findings;
    struct group_member *members; /* stb_ds array, sorted by group and object, each once */
    const char **names;           /* stb_ds array of the objects' names */
    struct arena arena;
};

/* The members of groups that follow each other. */
struct group_range {
    const struct group_member *first;
    size_t count;
};

enum { DIGITS_MAX = 3 };

#define SECTOR "Sector_"

static int order(const void *a, const void *b)
{
    const struct group_member *left = a, *right = b;
    int groups = strcmp(left->group, right->group);
    return groups ? groups : (left->object > right->object) - (left->object < right->object);
}

static void remove_repeated(struct group_member *members)
{
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(members); i++)
        if (!kept || order(&members[kept - 1], &members[i]) != 0)
            members[kept++] = members[i];
    arrsetlen(members, kept);
}

/* Borrows model and findings. Free with level_close. */
static void level_open(struct level *level, const struct bmx *bmx, struct bmx_findings *findings)
{
    *level = (struct level){.bmx = bmx, .findings = findings};
    for (uint32_t i = 0; i < arrlenu(bmx->objects); i++) {
        const struct bmx_object *object = &bmx->objects[i];
        arrput(level->names, bmx_text_utf8(&object->name, &level->arena));
        for (size_t k = 0; k < arrlenu(object->groups); k++) {
            const char *group = bmx_text_utf8(&object->groups[k], &level->arena);
            arrput(level->members, ((struct group_member){group, i}));
        }
    }
    if (!level->members)
        return;
    qsort(level->members, arrlenu(level->members), sizeof *level->members, order);
    remove_repeated(level->members);
}

static void level_close(struct level *level)
{
    arrfree(level->members);
    arrfree(level->names);
    arena_free(&level->arena);
}

/* Returns the first member whose group is not before the text in its first `size` characters, or is
 * behind it. */
static size_t bound(const struct level *level, const char *text, size_t size, bool behind)
{
    size_t low = 0, high = arrlenu(level->members);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int group = strncmp(level->members[middle].group, text, size);
        if (group < 0 || (behind && group == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct group_range range(const struct level *level, const char *text, size_t size)
{
    if (!level->members)
        return (struct group_range){NULL, 0};
    size_t first = bound(level, text, size, false);
    return (struct group_range){level->members + first, bound(level, text, size, true) - first};
}

static struct group_range level_group(const struct level *level, const char *group)
{
    return range(level, group, strlen(group) + 1);
}

/* Of all groups whose names start like this. */
static struct group_range level_groups(const struct level *level, const char *prefix)
{
    return range(level, prefix, strlen(prefix));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the number of digits at the end of a name as a number, or 0. */
static unsigned level_number(const char *name)
{
    size_t size = strlen(name), digits = 0;
    while (digits < size && is_digit(name[size - 1 - digits]))
        digits++;
    return digits && digits <= DIGITS_MAX ? (unsigned)strtoull(name + size - digits, NULL, 10) : 0;
}

/* Returns the number of a sector's group, 0 if it is none, and the group's name for the game. */
static unsigned level_sector(const char *group)
{
    size_t prefix = strlen(SECTOR);
    if (strncmp(group, SECTOR, prefix) != 0 || strspn(group + prefix, "0123456789") == 0 ||
        group[prefix + strspn(group + prefix, "0123456789")])
        return 0;
    return level_number(group);
}

/* The game builds the names: two digits up to 8, then as few as there are. */
static const char *level_sector_name(struct level *level, unsigned sector)
{
    return arena_printf(&level->arena, sector < 9 ? SECTOR "%02u" : SECTOR "%u", sector);
}

/* --- level rules --- */

enum { STOCK_SECTORS = 8 };

#define START       "PS_Levelstart"
#define END         "PE_Levelende"
#define CHECKPOINTS "PC_Checkpoints"
#define RESETS      "PR_Resetpoints"
#define RAILS       "Phys_FloorRails"
#define STOPPERS    "Phys_FloorStopper"

#define SCALE_SLACK 1e-3 /* tolerated deviation of a scale from 1 */
#define WHITE       0.99F

/* The place of an object, for the text of a finding. */
static const char *place(struct level *level, uint32_t object)
{
    const float *m = level->bmx->objects[object].matrix;
    /* the sum has no -0 */
    return arena_printf(&level->arena, "at %g %g %g", (double)m[12] + 0, (double)m[13] + 0,
                        (double)m[14] + 0);
}

static const char *label(struct level *level, uint32_t object)
{
    char text[BMX_LABEL_SIZE];
    return arena_strdup(&level->arena,
                        bmx_label("object", &level->bmx->objects[object].name, text));
}

static void add(struct level *level, int code, uint32_t object, const char *text)
{
    bmx_add_finding(level->findings, code, label(level, object), "%s%s%s", text, *text ? ", " : "",
                    place(level, object));
}

/* Exactly one object is in the group. */
static void check_single(struct level *level, const char *group, int code)
{
    size_t count = level_group(level, group).count;
    if (count != 1)
        bmx_add_finding(level->findings, code, group, count ? "%zu objects" : "no object", count);
}

/* Returns the highest sector. */
static unsigned check_sectors(struct level *level)
{
    struct group_range sectors = level_groups(level, "Sector_");
    unsigned highest = 0;
    for (size_t i = 0; i < sectors.count; i++) {
        const char *group = sectors.first[i].group;
        unsigned sector = level_sector(group);
        highest = sector > highest ? sector : highest;
        if ((i == 0 || strcmp(group, sectors.first[i - 1].group) != 0) &&
            (!sector || strcmp(group, level_sector_name(level, sector)) != 0))
            bmx_add_finding(level->findings, DIAG_BMX_L_SECTOR_NAME, group, "expected %s",
                            sector ? level_sector_name(level, sector) : "Sector_01 and so on");
    }
    for (unsigned sector = 1; sector <= highest || sector == 1; sector++)
        if (!level_group(level, level_sector_name(level, sector)).count)
            bmx_add_bare_finding(level->findings, DIAG_BMX_L_SECTOR_GAP,
                                 level_sector_name(level, sector));
    if (highest == 1)
        bmx_add_bare_finding(level->findings, DIAG_BMX_L_SECTOR_ONE, "");
    if (highest > STOCK_SECTORS)
        bmx_add_finding(level->findings, DIAG_BMX_L_SECTOR_MANY, "", "%u", highest);
    return highest;
}

/* The names of a group's objects end with 01, 02 and so on, each once. */
static void check_numbers(struct level *level, const char *group, size_t expected, unsigned sectors)
{
    struct group_range members = level_group(level, group);
    bool *seen = memory_zalloc(members.count + 1, sizeof *seen);
    for (size_t i = 0; i < members.count; i++) {
        unsigned number = level_number(level->names[members.first[i].object]);
        if (!number || number > members.count || seen[number])
            add(level, DIAG_BMX_L_NUMBER, members.first[i].object,
                arena_printf(&level->arena, "expected one each of 01 to %02zu in %s", members.count,
                             group));
        else
            seen[number] = true;
    }
    memory_free(seen);
    if (members.count != expected)
        bmx_add_finding(level->findings, DIAG_BMX_L_COUNT, group, "%zu objects, with %u sectors",
                        members.count, sectors);
}

/* The group that the game looks for a kind of component in. */
static const char *group_of(unsigned component)
{
    const char *name = bmx_component(component);
    static const char *const others[][2] = {{"PC_TwoFlames", CHECKPOINTS},
                                            {"PE_Balloon", END},
                                            {"PR_Resetpoint", RESETS},
                                            {"PS_FourFlames", START}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return others[i][1];
    return name;
}

/* Objects that the game makes when their sector begins. */
static bool has_sector(unsigned component)
{
    const char *name = bmx_component(component);
    return strncmp(name, "P_", 2) == 0 || strcmp(name, "PR_Resetpoint") == 0;
}

static bool is_in(const struct bmx_object *object, const char *group, struct level *level)
{
    for (size_t i = 0; i < arrlenu(object->groups); i++)
        if (strcmp(bmx_text_utf8(&object->groups[i], &level->arena), group) == 0)
            return true;
    return false;
}

/* Returns the number of sectors that an object is in; *sector is one of them. */
static size_t sectors_of(const struct bmx_object *object, struct level *level, unsigned *sector)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(object->groups); i++) {
        unsigned number = level_sector(bmx_text_utf8(&object->groups[i], &level->arena));
        count += number && number != *sector;
        *sector = number ? number : *sector;
    }
    return count;
}

static void check_component(struct level *level, uint32_t index)
{
    const struct bmx_object *object = &level->bmx->objects[index];
    const char *group = group_of(object->mesh);
    unsigned sector = 0;
    if (!is_in(object, group, level))
        add(level, DIAG_BMX_L_COMPONENT_GROUP, index,
            arena_printf(&level->arena, "not in %s", group));
    if (!has_sector(object->mesh))
        return;
    size_t sectors = sectors_of(object, level, &sector);
    if (sectors != 1)
        add(level, DIAG_BMX_L_COMPONENT_SECTOR, index,
            arena_printf(&level->arena, "in %zu sectors", sectors));
    else if (strcmp(group, RESETS) == 0 && sector != level_number(level->names[index]))
        add(level, DIAG_BMX_L_COMPONENT_SECTOR, index,
            arena_printf(&level->arena, "in %s", level_sector_name(level, sector)));
}

static size_t loose_points(const struct bmx_mesh *mesh)
{
    size_t count = arrlenu(mesh->positions), loose = 0;
    bool *used = memory_zalloc(count, sizeof *used);
    for (size_t i = 0; i < arrlenu(mesh->faces); i++)
        for (int k = 0; k < 3; k++)
            used[mesh->faces[i].corners[k].position] = true;
    for (size_t i = 0; i < count; i++)
        loose += !used[i];
    memory_free(used);
    return loose;
}

static bool is_scaled(const float *matrix)
{
    for (int row = 0; row < 3; row++)
        if (fabs(vec3_length(vec3_from_floats(matrix + 4 * row)) - 1) > SCALE_SLACK)
            return true;
    return false;
}

static void check_physics(struct level *level, uint32_t index)
{
    const struct bmx_object *object = &level->bmx->objects[index];
    const struct bmx_mesh *mesh = object->is_component ? NULL : &level->bmx->meshes[object->mesh];
    if (!mesh || !arrlenu(mesh->faces)) {
        add(level, DIAG_BMX_L_PHYS_MESH, index, "");
        return;
    }
    size_t loose = loose_points(mesh);
    if (loose)
        add(level, DIAG_BMX_L_PHYS_LOOSE, index, arena_printf(&level->arena, "%zu", loose));
    if (is_scaled(object->matrix))
        add(level, DIAG_BMX_L_PHYS_SCALE, index, "");
}

/* Returns the texture file of a face, or "". */
static const char *texture_of(struct level *level, const struct bmx_face *face)
{
    const struct bmx *bmx = level->bmx;
    if (!face->use_material || !bmx->materials[face->material].use_texture)
        return "";
    uint32_t texture = bmx->materials[face->material].texture;
    return bmx_text_utf8(&bmx->textures[texture].file_name, &level->arena);
}

static void check_rail(struct level *level, uint32_t index)
{
    const struct bmx_object *object = &level->bmx->objects[index];
    if (object->is_component)
        return;
    const struct bmx_mesh *mesh = &level->bmx->meshes[object->mesh];
    for (size_t i = 0; i < arrlenu(mesh->faces); i++) {
        if (i && mesh->faces[i].material == mesh->faces[i - 1].material)
            continue;
        const char *texture = texture_of(level, &mesh->faces[i]);
        if (strcmp(texture, "Rail_Environment.bmp") == 0)
            continue;
        add(level, DIAG_BMX_L_RAIL, index, *texture ? texture : "no texture");
        return;
    }
}

/* The slanted sun leaves walls black. */
static void check_sides(struct level *level)
{
    const struct bmx *bmx = level->bmx;
    for (size_t i = 0; i < arrlenu(bmx->materials); i++) {
        const struct bmx_material *material = &bmx->materials[i];
        const struct bmx_face face = {.material = (uint32_t)i, .use_material = 1};
        char text[BMX_LABEL_SIZE];
        bool white = true;
        for (int k = 0; k < 3; k++)
            white &= material->emissive[k] >= WHITE;
        if (!white && strcmp(texture_of(level, &face), "Floor_Side.bmp") == 0)
            bmx_add_finding(level->findings, DIAG_BMX_L_SIDE_DARK,
                            bmx_label("material", &material->name, text), "emissive %g %g %g",
                            (double)material->emissive[0], (double)material->emissive[1],
                            (double)material->emissive[2]);
    }
}

/* Each object of the groups once. */
static void for_members(struct level *level, struct group_range members,
                        void (*check)(struct level *level, uint32_t object))
{
    bool *done = memory_zalloc(arrlenu(level->bmx->objects), sizeof *done);
    for (size_t i = 0; i < members.count; i++) {
        uint32_t object = members.first[i].object;
        if (!done[object])
            check(level, object);
        done[object] = true;
    }
    memory_free(done);
}

void bmx_check_level(const struct bmx *bmx, struct bmx_findings *findings)
{
    struct level level;
    level_open(&level, bmx, findings);
    check_single(&level, START, DIAG_BMX_L_START);
    check_single(&level, END, DIAG_BMX_L_END);
    unsigned sectors = check_sectors(&level);
    check_numbers(&level, CHECKPOINTS, sectors ? sectors - 1 : 0, sectors);
    check_numbers(&level, RESETS, sectors, sectors);
    for (uint32_t i = 0; i < arrlenu(bmx->objects); i++)
        if (bmx->objects[i].is_component)
            check_component(&level, i);
    for_members(&level, level_groups(&level, "Phys_"), check_physics);
    for_members(&level, level_group(&level, RAILS), check_rail);
    size_t stoppers = level_group(&level, STOPPERS).count;
    if (stoppers > 1)
        bmx_add_finding(findings, DIAG_BMX_L_STOPPERS, "", "%zu objects", stoppers);
    check_sides(&level);
    level_close(&level);
}
