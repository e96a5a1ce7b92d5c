/* Paths of the files that come with the program: the model, head rules, parameter files of EVALB, examples. */
#pragma once

#include <stddef.h>

/* Bytes that hold any path the system opens. */
enum { DATA_PATH_MAX = 4096 };

/* name: argv[0], from which the program's folder is found where /proc is missing. Called once, at the start; kept by
 * reference. */
void data_path_program(const char *name);

/* The path of the program's own file; NULL if it is not known. path has DATA_PATH_MAX bytes. */
const char *data_path_self(char *path);

/* The path of a file such as "en-small.lal" or "examples/news.txt": relative to the program (in its source tree, or in
 * share/lalparser) if it exists there, else in the data folder set at build time. Returns buf, or `file` if the path
 * does not fit into buf. The file may not exist. */
const char *data_path(const char *file, char *buf, size_t size);

/* The file that a user means by `name`: name itself if there is such a file or it has a '/', else FOLDER/NAME, or
 * FOLDER/NAME followed by `end` (".prm"; may be NULL), of the files that come with the program if one of them exists,
 * else name itself. Returns name or buf. */
const char *data_path_named(const char *folder, const char *name, const char *end, char *buf, size_t size);
