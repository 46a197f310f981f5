textures/a/water // x
{
	qer_editorimage textures/a/b.tga
	surfaceparm trans
	surfaceparm water
	cull disable
	q3map_sun .5 .4 .3 100 90 45
	q3map_skyLight 100 4
	q3map_baseShader textures/a/c
	fogparms ( .1 .2 .3 ) 512
	q3map_lightmapAxis z
	q3map_tcGen ivector ( 1 0 0 ) ( 0 1 0 )
	{ map $lightmap }
	{
		animMap 2 "a.tga" b.jpg
	}
}
textures/a/c
{ /* y */ q3map_surfaceModel models/a.md3 1 2 3
}
