/* The files to read that a command line names, and the file that each of them is written to. */
#pragma once

#include "base/error.h"
#include "base/map.h"

/* In the order of the command line; files of a folder by their names, byte for byte. */
typedef struct Inputs {
    const char **path; /* [n] as program_file finds them; "-" is standard input */
    const char **name; /* [n] the end of path: below the folder that was given, else after the last slash */
    const char **out;  /* [n] of inputs_outputs; else NULL */
    int n, path_cap, name_cap;
    Arena arena;
} Inputs;

/* Finds the files of n arguments. A folder is the regular files in it and in its folders, also by links to files, but
 * not what has a name that begins with a period, nor the folder leave_out (NULL: none). A pattern of glob(3) that is no
 * file is what it matches. ERR_IO: a folder that cannot be read or has no files; ERR_NOMEM. inputs_fini must be called
 * in any case. */
Status inputs_find(Inputs *in, const char *const *given, int n, const char *leave_out, Error *error);
void inputs_fini(Inputs *in);

/* Sets out: FOLDER/NAME, where an extension of the name, before which .gz is left out, becomes `extension`. ERR_USAGE:
 * standard input, two inputs with one output, or an output that is an input; ERR_NOMEM. */
Status inputs_outputs(Inputs *in, const char *folder, const char *extension, Error *error);
/* Makes the folders of the path of a file. ERR_IO. */
Status inputs_make_folders(const char *path, Error *error);
