#include "ballance/bmx/names.h"

#include <stdlib.h>
#include <string.h>

static const char *const components[BMX_COMPONENTS] = {
    "P_Extra_Life",  "P_Extra_Point", "P_Trafo_Paper", "P_Trafo_Stone", "P_Trafo_Wood",
    "P_Ball_Paper",  "P_Ball_Stone",  "P_Ball_Wood",   "P_Box",         "P_Dome",
    "P_Modul_01",    "P_Modul_03",    "P_Modul_08",    "P_Modul_17",    "P_Modul_18",
    "P_Modul_19",    "P_Modul_25",    "P_Modul_26",    "P_Modul_29",    "P_Modul_30",
    "P_Modul_34",    "P_Modul_37",    "P_Modul_41",    "PC_TwoFlames",  "PE_Balloon",
    "PR_Resetpoint", "PS_FourFlames",
};

/* Sorted in byte order for binary search. */
static const char *const textures[] = {
    "Ball_LightningSphere1.bmp",
    "Ball_LightningSphere2.bmp",
    "Ball_LightningSphere3.bmp",
    "Ball_Paper.bmp",
    "Ball_Stone.bmp",
    "Ball_Wood.bmp",
    "Brick.bmp",
    "Button01_deselect.tga",
    "Button01_select.tga",
    "Button01_special.tga",
    "Column_beige.bmp",
    "Column_beige_fade.tga",
    "Column_blue.bmp",
    "Cursor.tga",
    "Dome.bmp",
    "DomeEnvironment.bmp",
    "DomeShadow.tga",
    "E_Holzbeschlag.bmp",
    "ExtraBall.bmp",
    "ExtraParticle.bmp",
    "FloorGlow.bmp",
    "Floor_Side.bmp",
    "Floor_Top_Border.bmp",
    "Floor_Top_Borderless.bmp",
    "Floor_Top_Checkpoint.bmp",
    "Floor_Top_Flat.bmp",
    "Floor_Top_Profil.bmp",
    "Floor_Top_ProfilFlat.bmp",
    "Font_1.tga",
    "Gravitylogo_intro.bmp",
    "HardShadow.bmp",
    "Laterne_Glas.bmp",
    "Laterne_Schatten.tga",
    "Laterne_Verlauf.tga",
    "Logo.bmp",
    "Metal_stained.bmp",
    "Misc_UFO_Flash.bmp",
    "Misc_Ufo.bmp",
    "Modul03_Floor.bmp",
    "Modul03_Wall.bmp",
    "Modul11_13_Wood.bmp",
    "Modul11_Wood.bmp",
    "Modul15.bmp",
    "Modul16.bmp",
    "Modul18.bmp",
    "Modul18_Gitter.tga",
    "Modul30_d_Seiten.bmp",
    "PE_Bal_balloons.bmp",
    "PE_Bal_platform.bmp",
    "PE_Ufo_env.bmp",
    "P_Extra_Life_Oil.bmp",
    "P_Extra_Life_Particle.bmp",
    "P_Extra_Life_Shadow.bmp",
    "Particle_Flames.bmp",
    "Particle_Smoke.bmp",
    "Pfeil.tga",
    "Rail_Environment.bmp",
    "SkyLayer.bmp",
    "Sky_Vortex.bmp",
    "Stick_Bottom.tga",
    "Stick_Stripes.bmp",
    "Target.bmp",
    "Tower_Roof.bmp",
    "Trafo_Environment.bmp",
    "Trafo_FlashField.bmp",
    "Trafo_Shadow_Big.tga",
    "Tut_Pfeil01.tga",
    "Tut_Pfeil_Hoch.tga",
    "Wolken_intro.tga",
    "Wood_Metal.bmp",
    "Wood_MetalStripes.bmp",
    "Wood_Misc.bmp",
    "Wood_Nailed.bmp",
    "Wood_Old.bmp",
    "Wood_Panel.bmp",
    "Wood_Plain.bmp",
    "Wood_Plain2.bmp",
    "Wood_Raft.bmp",
    "atari.avi",
    "atari.bmp",
    "sandsack.bmp",
};

const char *bmx_component(unsigned number)
{
    return number < BMX_COMPONENTS ? components[number] : NULL;
}

int bmx_component_of(const char *name)
{
    for (int i = 0; i < BMX_COMPONENTS; i++)
        if (strncmp(name, components[i], strlen(components[i])) == 0)
            return i;
    return -1;
}

const char *bmx_component_group(const char *component)
{
    static const char *const groups[][2] = {{"PS_FourFlames", "PS_Levelstart"},
                                            {"PE_Balloon", "PE_Levelende"},
                                            {"PC_TwoFlames", "PC_Checkpoints"},
                                            {"PR_Resetpoint", "PR_Resetpoints"}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(component, groups[i][0]) == 0)
            return groups[i][1];
    return component;
}

const struct bmx_class *bmx_class_at(unsigned number)
{
    static const struct bmx_class classes[] = {
        {"phys_floor", "Phys_Floors", "A_Floor", false},
        {"phys_rail", "Phys_FloorRails", "A_Rail", false},
        {"phys_stopper", "Phys_FloorStopper", "A_Stopper", false},
        {"depth_cube", "DepthTestCubes", "DepthCubes", true},
        {"mesh", NULL, "Mesh", false},
    };
    return number < sizeof classes / sizeof *classes ? &classes[number] : NULL;
}

static int by_name(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

bool bmx_is_stock_texture(const char *file_name)
{
    return bsearch(file_name, textures, sizeof textures / sizeof *textures, sizeof *textures,
                   by_name) != NULL;
}

const char *bmx_stock_texture(unsigned number)
{
    return number < sizeof textures / sizeof *textures ? textures[number] : NULL;
}
