/* The verbs of the program `brushwork`: each takes its own arguments, argv[0] being the verb, and
 * returns the exit status. */
#ifndef BRUSHWORK_VERBS_H
#define BRUSHWORK_VERBS_H

int verb_build(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_verify(int argc, char **argv);

#endif
