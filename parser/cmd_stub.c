#include "parser/program.h"
Status cmd_parse(int argc, char **argv, Error *e){(void)argc;(void)argv;(void)e;return OK;}
Status cmd_eval(int argc, char **argv, Error *e){(void)argc;(void)argv;(void)e;return OK;}
Status cmd_info(int argc, char **argv, Error *e){(void)argc;(void)argv;(void)e;return OK;}
Status cmd_bench(int argc, char **argv, Error *e){(void)argc;(void)argv;(void)e;return OK;}
const Option PARSE_OPTIONS[1], EVAL_OPTIONS[1], INFO_OPTIONS[1], BENCH_OPTIONS[1];
