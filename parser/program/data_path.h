/* parser/program/data_path.h
 * Where the files are that come with the program: the model, head rules. */
#ifndef LAL_PARSER_DATA_PATH_H
#define LAL_PARSER_DATA_PATH_H

#include <stddef.h>

/* Bytes that hold any path the system opens. */
enum { DATA_PATH_MAX = 4096 };

/* To be told once, at the start: argv[0], which tells the program's folder where /proc does not. Lives as long as the
 * program. */
void data_path_program(const char *name);

/* The path of a file such as "en-small.lal" beside the program (its source tree, or share/lal), else in the data folder
 * it was built for; a path that does not fit into buf is passed over. Returns buf, or `file` where none fits; the file
 * may not exist. */
const char *data_path(const char *file, char *buf, size_t size);

#endif
