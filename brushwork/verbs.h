/* The verbs of the program `brushwork`: each takes its own arguments, argv[0] being the verb, and
 * returns the exit status. */
#ifndef BRUSHWORK_VERBS_H
#define BRUSHWORK_VERBS_H

int verb_bmx(int argc, char **argv);
int verb_bspzip(int argc, char **argv);
int verb_build(int argc, char **argv);
int verb_checksum(int argc, char **argv);
int verb_convert(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_pack(int argc, char **argv);
int verb_render(int argc, char **argv);
int verb_texdata(int argc, char **argv);
int verb_unpack(int argc, char **argv);
int verb_verify(int argc, char **argv);

#endif
