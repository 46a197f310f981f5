#include "common/bsp/bsp.h"

#include "common/bsp/codec.h"
#include "common/core/array.h"

struct bsp *bsp_new(void)
{
    return memory_zalloc(1, sizeof(struct bsp));
}

static void free_light_set(struct bsp_light_set *set)
{
    bytes_free(&set->lighting);
    arrfree(set->worldlights);
    arrfree(set->ambient_index);
    arrfree(set->ambient);
}

static void free_geometry(struct bsp *bsp)
{
    arrfree(bsp->planes);
    arrfree(bsp->vertices);
    arrfree(bsp->edges);
    arrfree(bsp->surfedges);
    arrfree(bsp->faces);
    arrfree(bsp->faces_hdr);
    arrfree(bsp->original_faces);
    arrfree(bsp->face_ids);
    arrfree(bsp->face_macro_texture);
    arrfree(bsp->primitives);
    arrfree(bsp->primitive_vertices);
    arrfree(bsp->primitive_indices);
    arrfree(bsp->vertex_normals);
    arrfree(bsp->vertex_normal_indices);
}

static void free_tree(struct bsp *bsp)
{
    arrfree(bsp->nodes);
    arrfree(bsp->leaves);
    arrfree(bsp->leaf_faces);
    arrfree(bsp->leaf_brushes);
    arrfree(bsp->leaf_water);
    arrfree(bsp->leaf_min_dist_to_water);
    arrfree(bsp->models);
    arrfree(bsp->brushes);
    arrfree(bsp->brush_sides);
    arrfree(bsp->areas);
    arrfree(bsp->area_portals);
    arrfree(bsp->clip_portal_vertices);
}

static void free_raw(struct bsp *bsp)
{
    for (int i = 0; i < BSP_LUMPS; i++)
        bytes_free(&bsp->carried[i].data);
    bytes_free(&bsp->layout.padding);
    for (size_t i = 0; i < arrlenu(bsp->layout.respelled); i++) {
        bytes_free(&bsp->layout.respelled[i].file);
        bytes_free(&bsp->layout.respelled[i].ours);
    }
    arrfree(bsp->layout.respelled);
}

void bsp_free(struct bsp *bsp)
{
    if (!bsp)
        return;
    arrfree(bsp->entities);
    arrfree(bsp->texdata);
    arrfree(bsp->texinfo);
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        memory_free(bsp->texture_names[i]);
    arrfree(bsp->texture_names);
    free_geometry(bsp);
    free_tree(bsp);
    arrfree(bsp->cubemaps);
    bytes_free(&bsp->visibility);
    free_light_set(&bsp->ldr);
    free_light_set(&bsp->hdr);
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        bytes_free(&bsp->game_lumps[i].data);
    arrfree(bsp->game_lumps);
    bytes_free(&bsp->pakfile);
    free_raw(bsp);
    memory_free(bsp);
}

/* The pointer is copied out and in by its bytes: the real type of what it points to is not known
 * here. */
const void *array_data(const void *pointer_address)
{
    const void *array;
    memcpy(&array, pointer_address, sizeof array);
    return array;
}

size_t array_length(const void *pointer_address)
{
    const unsigned char *array = array_data(pointer_address);
    return arrlenu(array);
}

void *array_make(void *pointer_address, size_t count, size_t size)
{
    if (!count)
        return NULL;
    void *array = stbds_arrgrowf(NULL, size, 0, count);
    stbds_header(array)->length = count;
    memset(array, 0, size * count);
    memcpy(pointer_address, &array, sizeof array);
    return array;
}
