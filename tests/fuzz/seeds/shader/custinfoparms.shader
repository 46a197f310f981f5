// contents
{
glue 0x800
glow nothing
}
// surfaces
{
icy 40
soft -1
}
stray 2
{
late 4
}
