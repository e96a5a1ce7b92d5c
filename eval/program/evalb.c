/* A drop-in replacement for EVALB, which needs only base, treebank and eval. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/data_path.h"
#include "base/file.h"
#include "eval/evalb_command.h"

int main(int argc, char **argv)
{
    if (!file_hold_standard()) return 1;
    const char *name = argc > 0 ? argv[0] : "evalb";
    data_path_program(argc > 0 ? name : "");
    int status = evalb_command(name, true, argc, argv);
    if (fclose(stdout) == 0 || status != 0) return status;
    fprintf(stderr, "%s: cannot write: %s\n", name, strerror(errno));
    return 1;
}
