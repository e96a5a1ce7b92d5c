#!/bin/sh
# parser/model/presets.sh FILE.json...: prints the C table of built-in presets.
echo '/* made by parser/model/presets.sh */'
echo '#include "parser/model/config.h"'
echo 'const Preset PRESETS[] = {'
for f in "$@"; do
    printf '    { "%s",\n' "$(basename "$f" .json)"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/      "/' -e 's/$/\\n"/' "$f"
    echo '    },'
done
echo '    { NULL, NULL },'
echo '};'
