textures/a/all
{
deformVertexes autosprite2
q3map_lightImage textures/a/light.tga
q3map_lightRGB .5 .25 1
q3map_lightRGB 1 2
q3map_backsplash 5 23
q3map_backsplash
q3map_sky 1
q3map_skyLight 200 3 -10 90 1
q3map_skyLight 0
q3map_lightStyle 7
q3map_lightStyle x
q3map_lightmapAxis 0 0 1
q3map_lightmapAxis x
q3map_lightmapAxis y
q3map_lightmapAxis 1 0 0
q3map_lightmapFilterRadius 2 5
q3map_fogDir 0 0 -1
q3map_textureSize 64 32
q3map_textureSize 0
qer_trans .5
q3map_tcGen volume ( 1 0 0 ) ( 0 1 0 ) ( 0 0 1 )
q3map_tcGen ivector ( 1 0 0 ) ( 0 1 0 )
q3map_remapShader textures/a/other
q3map_remapShader
q3map_cloneShader textures/a/other
q3map_backShader textures/a/other
q3map_surfacelight 100
q3map_surfacelight x
q3map_lightSubdivide 64
q3map_lightmapSampleSize 8
q3map_offset 2
q3map_shadeAngle 60
q3map_bounceScale .5
q3map_globalTexture
q3map_alphaMod volume
q3map_alphaMod dot2 ( 0 0 1 )
q3map_rgbMod scale ( 1 1 1 )
q3map_colorMod volume
q3map_notThere 1
q3map_fur 8 .5 1
q3map_terrain
q3map_indexed
q3map_foliage models/a.md3 1 64 .1 0
q3map_sunExt 1 1 1 100 0 90 2 16
q3map_sun 1 1
sun 1 1 1 100 0 90
surfaceparm nothing
surfaceparm sky
surfaceparm alphashadow
surfaceparm
skyParms env/sky 512 -
cull none
cull twosided
fogparms ( 1 1 1 ) 0
polygonOffset
nomipmaps
tessSize 64
portal
sort additive
{
map textures/a/one.tga
alphaFunc GE128
blendFunc blend
tcMod scroll 1 1
}
{
clampMap textures/a/two.tga
blendFunc GL_ONE GL_ZERO
}
}
textures/a/blend
{
{
map textures/a/one.tga
blendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA
tcMod rotate 5
}
}
textures/a/add
{
{
map textures/a/one.tga
blendFunc add
tcMod stretch sin 1 1 1 1
}
}
textures/a/turns
{
{
clampMap textures/a/one.tga
blendFunc GL_ONE GL_ZERO
tcMod turb 1 1 1 1
}
{
map $lightmap
blendFunc filter
}
}
textures/a/plain
{
{
map $whiteimage
}
{
animMap 3 a.tga b.tga
}
}
textures/a/loop
{
q3map_baseShader textures/a/loop
}
textures/a/based
{
q3map_baseShader textures/a/all
}
textures/a/lost
{
q3map_baseShader textures/a/none
}
