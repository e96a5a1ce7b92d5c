#include "parser/program.h"
Status cmd_bench(int argc, char **argv, Error *e){(void)argc;(void)argv;(void)e;return OK;}
const Option BENCH_OPTIONS[1];
