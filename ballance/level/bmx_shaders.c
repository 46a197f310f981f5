/* Shader scripts of the materials of a level that is to be played in Quake 3. */
#include "ballance/level/level_maker.h"
#include "common/core/array.h"

/* The sun stands over the level from the south-east, as that of Ballance does. */
#define SUN "1 0.98 0.92 40 305 50"

static void write_sky(const struct level_maker *maker, struct bytes *text)
{
    bytes_append_text(text,
                      "textures/bmx/%s/_sky\n{\n\tsurfaceparm sky\n\tsurfaceparm noimpact\n"
                      "\tsurfaceparm nolightmap\n\tsurfaceparm nomarks\n\tq3map_sun " SUN "\n"
                      "\tq3map_skylight 25 3\n\tskyParms - 512 -\n\t{\n\t\tmap $whiteimage\n"
                      "\t\trgbGen const ( 0.45 0.62 0.85 )\n\t}\n}\n",
                      maker->name);
}

/* A stage with the image, or with the colour of a material without one. */
static void write_image(const struct bmx_material *material, const char *image, const char *blend,
                        bool lit, struct bytes *text)
{
    bytes_append_text(text, "\t{\n\t\tmap %s\n%s", image ? image : "$whiteimage", blend);
    if (image)
        bytes_append_text(text, "\t\trgbGen %s\n\t}\n", lit ? "exactVertex" : "identity");
    else
        bytes_append_text(text, "\t\trgbGen const ( %g %g %g )\n\t}\n",
                          (double)material->diffuse[0], (double)material->diffuse[1],
                          (double)material->diffuse[2]);
}

static void write_stages(const struct bmx_material *material, const char *image, struct bytes *text)
{
    if (material->alpha_blend) {
        write_image(material, image, "\t\tblendFunc blend\n", true, text);
    } else if (material->alpha_test) {
        write_image(material, image, "\t\talphaFunc GT0\n\t\tdepthWrite\n", false, text);
        bytes_append_text(text, "\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n"
                                "\t\tblendFunc filter\n\t\tdepthFunc equal\n\t}\n");
    } else {
        bytes_append_text(text, "\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n\t}\n");
        write_image(material, image, "\t\tblendFunc filter\n", false, text);
    }
}

static void write_shader(const struct level_maker *maker, size_t number, struct bytes *text)
{
    const struct bmx_material *material = &maker->bmx->materials[number];
    const char *image = maker->images[number];
    bytes_append_text(text, "%s\n{\n", maker->materials[number]);
    if (image)
        bytes_append_text(text, "\tqer_editorimage %s\n", image);
    if (material->two_sided)
        bytes_append_text(text, "\tcull none\n");
    if (material->alpha_blend)
        bytes_append_text(text, "\tsurfaceparm trans\n\tsurfaceparm nolightmap\n");
    else if (material->alpha_test)
        bytes_append_text(text, "\tsurfaceparm trans\n\tsurfaceparm alphashadow\n");
    write_stages(material, image, text);
    bytes_append_text(text, "}\n");
}

static void add_stand_ins(struct level_maker *maker)
{
    for (size_t i = 0; i < arrlenu(maker->materials); i++)
        if (!maker->images[i] && maker->bmx->materials[i].use_texture)
            maker->images[i] = maker_stand_in(maker, &maker->bmx->materials[i]);
}

void maker_add_shaders(struct level_maker *maker)
{
    struct bytes text = {0};
    add_stand_ins(maker);
    write_sky(maker, &text);
    bytes_append_text(&text, "%s\n{\n\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n\t}\n}\n",
                      maker_material(maker, -1));
    for (size_t i = 0; i < arrlenu(maker->materials); i++)
        write_shader(maker, i, &text);
    maker_add_file(maker, arena_printf(&maker->scratch, "scripts/bmx_%s.shader", maker->name),
                   &text);
}
