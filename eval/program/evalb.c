/* eval/program/evalb.c: a drop-in EVALB, linked from base, treebank and eval alone. */
#include "eval/evalb_command.h"

int main(int argc, char **argv) { return evalb_command(argc > 0 ? argv[0] : "evalb", argc, argv); }
