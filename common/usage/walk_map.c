/* Materials and props that a map uses besides those of its entities, and files that the engine
 * loads by the name of the map. */
#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/bsp/face_records.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/water_overlay_records.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/usage/walk.h"

/* ---- materials ---- */

/* Marks the texinfo that faces and overlays show; the engine loads the others too, which are of
 * sides without faces. */
static void mark_shown(const struct bsp *bsp, bool *shown)
{
    size_t count = arrlenu(bsp->texinfo);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        if (bsp->faces[i].texinfo >= 0 && (size_t)bsp->faces[i].texinfo < count)
            shown[bsp->faces[i].texinfo] = true;
    for (size_t i = 0; i < arrlenu(bsp->faces_hdr); i++)
        if (bsp->faces_hdr[i].texinfo >= 0 && (size_t)bsp->faces_hdr[i].texinfo < count)
            shown[bsp->faces_hdr[i].texinfo] = true;
}

static void use_texinfo(struct walk *walk, int64_t texinfo, const char *why)
{
    const struct bsp *bsp = walk->bsp;
    int64_t texdata = texinfo >= 0 && texinfo < (int64_t)arrlenu(bsp->texinfo)
                          ? bsp->texinfo[texinfo].texdata
                          : -1;
    int64_t name =
        texdata >= 0 && texdata < (int64_t)arrlenu(bsp->texdata) ? bsp->texdata[texdata].name : -1;
    if (name < 0 || name >= (int64_t)arrlenu(bsp->texture_names))
        return;
    struct walk_edge edge = walk_from(walk, USAGE_OF_MAP, "%s", why);
    use_material(walk, bsp->texture_names[name], &edge);
}

static void use_materials(struct walk *walk)
{
    const struct bsp *bsp = walk->bsp;
    size_t count = arrlenu(bsp->texinfo);
    bool *shown = memory_zalloc(count + 1, sizeof *shown);
    mark_shown(bsp, shown);
    for (size_t i = 0; i < count; i++)
        if (shown[i])
            use_texinfo(walk, (int64_t)i, "face");
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        use_texinfo(walk, bsp->overlays[i].texinfo, "overlay");
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        use_texinfo(walk, bsp->water_overlays[i].texinfo, "overlay of water");
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++)
        use_texinfo(walk, bsp->leaf_water[i].texinfo, "water");
    for (size_t i = 0; i < count; i++)
        use_texinfo(walk, (int64_t)i, "side of a brush");
    memory_free(shown);
}

/* ---- props ---- */

static void use_static_props(struct walk *walk, const struct bsp_game_lump *lump)
{
    struct static_props props = {0};
    enum static_prop_form form;
    struct diag *quiet = diag_new(NULL, NULL); /* the map has been read, and told of it */
    bool is_read = static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, quiet,
                                       &props, &form) == STATUS_OK;
    for (size_t i = 0; is_read && i < arrlenu(props.props); i++) {
        const struct static_prop *prop = &props.props[i];
        if (prop->model < 0 || (size_t)prop->model >= arrlenu(props.models))
            continue;
        struct walk_edge edge = walk_from(walk, USAGE_OF_MAP, "static prop %zu", i);
        use_model(walk, props.models[prop->model], prop->skin < 0 ? 0 : prop->skin, &edge);
    }
    static_props_free(&props);
    diag_free(quiet);
}

/* Returns true when there are sprites, which all are of one material. */
static bool use_detail_props(struct walk *walk, const struct bsp_game_lump *lump)
{
    struct detail_props props = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    bool is_read = detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, quiet,
                                       &props) == STATUS_OK;
    bool has_sprites = false;
    for (size_t i = 0; is_read && i < arrlenu(props.objects); i++) {
        const struct detail_object *object = &props.objects[i];
        has_sprites |= object->type != DETAIL_MODEL;
        if (object->type != DETAIL_MODEL || object->model < 0 ||
            (size_t)object->model >= arrlenu(props.models))
            continue;
        struct walk_edge edge = walk_from(walk, USAGE_OF_MAP, "detail prop");
        use_model(walk, props.models[object->model], 0, &edge);
    }
    detail_props_free(&props);
    diag_free(quiet);
    return has_sprites;
}

static const char *detail_material(struct walk *walk)
{
    const struct entity *world = walk->entities.entities;
    const char *name = arrlenu(world) ? entity_value(world, "detailmaterial") : "";
    return *name ? name : "detail/detailsprites";
}

static void use_props(struct walk *walk)
{
    const struct bsp *bsp = walk->bsp;
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        if (lump->id == STATIC_PROPS_ID)
            use_static_props(walk, lump);
        if (lump->id == DETAIL_PROPS_ID && use_detail_props(walk, lump)) {
            struct walk_edge edge = walk_from(walk, USAGE_OF_MAP, "detail sprites");
            use_material(walk, detail_material(walk), &edge);
        }
    }
}

/* ---- files of the map's name ---- */

static const struct {
    const char *name; /* %s: the map */
    enum usage_kind kind;
} of_map[] = {
    {"maps/%s.nav", USAGE_OTHER},
    {"maps/graphs/%s.ain", USAGE_OTHER},
    {"maps/%s.txt", USAGE_OTHER},
    {"maps/%s.kv", USAGE_OTHER},
    {"maps/%s.jpg", USAGE_OTHER},
    {"maps/%s_level_sounds.txt", USAGE_LEVEL_SOUNDS},
    {"maps/%s_particles.txt", USAGE_PARTICLE_LIST},
    {"particles/%s_manifest.txt", USAGE_PARTICLE_LIST},
    {"scripts/soundscapes_%s.txt", USAGE_LEVEL_SOUNDSCAPES},
    {"scripts/soundscapes_%s.vsc", USAGE_LEVEL_SOUNDSCAPES},
    {"scripts/population/%s.pop", USAGE_OTHER},
    {"cfg/%s.cfg", USAGE_CONFIG},
    {"maps/cfg/%s.cfg", USAGE_CONFIG},
    {"resource/overviews/%s.txt", USAGE_OVERVIEW},
    {"resource/overviews/%s_radar.dds", USAGE_OTHER},
    {"resource/overviews/%s_radar_spectate.dds", USAGE_OTHER},
    {"resource/overviews/%s_lower_radar.dds", USAGE_OTHER},
    {"resource/overviews/%s_higher_radar.dds", USAGE_OTHER},
    {"materials/overviews/%s.vmt", USAGE_MATERIAL},
    {"materials/vgui/maps/menu_photos_%s.vmt", USAGE_MATERIAL},
    {"materials/vgui/maps/menu_thumb_%s.vmt", USAGE_MATERIAL},
};

struct listing {
    struct walk *walk;
    const char **maps;  /* stb_ds array: names of maps in the folder that begin with this one's */
    const char **texts; /* stb_ds array: the texts alike */
};

static void note_of_map(void *context, const char *name)
{
    struct listing *list = context;
    struct arena *arena = &list->walk->out->arena;
    const char *map = list->walk->options->map;
    if (!str_starts_nocase(name, map) || name[strlen(map)] != '_')
        return;
    size_t stem = strlen(name) - 4;
    if (str_ends_nocase(name, ".bsp") || str_ends_nocase(name, ".vmf"))
        arrput(list->maps, arena_strndup(arena, name, stem));
    else if (str_ends_nocase(name, ".txt"))
        arrput(list->texts, arena_strlower(arena, name));
}

/* arena_old.txt and arena_old_commentary.txt are not of the map arena when there is a map
 * arena_old. */
static bool is_of_another(const struct listing *list, const char *text)
{
    for (size_t i = 0; i < arrlenu(list->maps); i++) {
        size_t length = strlen(list->maps[i]);
        if (str_starts_nocase(text, list->maps[i]) && (text[length] == '_' || text[length] == '.'))
            return true;
    }
    return false;
}

/* maps/MAP_*.txt: descriptions in each language, commentary. */
static void use_texts(struct walk *walk)
{
    struct listing list = {.walk = walk};
    assets_list(walk->assets, "maps", note_of_map, &list);
    if (list.texts)
        qsort(list.texts, arrlenu(list.texts), sizeof *list.texts, str_compare_items);
    for (size_t i = 0; i < arrlenu(list.texts); i++) {
        struct walk_edge edge =
            walk_optional(walk_from(walk, USAGE_OF_MAP, "by the name of the map"));
        if (!is_of_another(&list, list.texts[i]))
            walk_use(walk, USAGE_OTHER, arena_printf(&walk->out->arena, "maps/%s", list.texts[i]),
                     "", &edge);
    }
    arrfree(list.maps);
    arrfree(list.texts);
}

static void use_named(struct walk *walk)
{
    struct arena *arena = &walk->out->arena;
    for (size_t i = 0; i < sizeof of_map / sizeof *of_map; i++) {
        const char *mark = strstr(of_map[i].name, "%s");
        const char *name = arena_printf(arena, "%.*s%s%s", (int)(mark - of_map[i].name),
                                        of_map[i].name, walk->options->map, mark + 2);
        struct walk_edge edge =
            walk_optional(walk_from(walk, USAGE_OF_MAP, "by the name of the map"));
        walk_use(walk, of_map[i].kind, name, "", &edge);
    }
    use_texts(walk);
}

void walk_map(struct walk *walk)
{
    use_materials(walk);
    use_props(walk);
    use_named(walk);
}
