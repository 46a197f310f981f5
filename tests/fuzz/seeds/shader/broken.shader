textures/a/b
{
{
map x
textures/a/c
{
}
}
stray words
