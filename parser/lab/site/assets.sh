#!/bin/sh
# parser/lab/site/assets.sh FOLDER: prints style.css and script.js of FOLDER as C arrays.
echo '/* made by parser/lab/site/assets.sh */'
echo '#include "parser/lab/site/page.h"'
for name in STYLE:style.css SCRIPT:script.js; do
    echo "const char SITE_${name%%:*}[] = {"
    od -An -v -td1 "$1/${name#*:}" | sed -E 's/(-?[0-9]+)/\1,/g'
    echo '};'
    echo "const size_t SITE_${name%%:*}_SIZE = sizeof SITE_${name%%:*};"
done
