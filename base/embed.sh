#!/bin/sh
# base/embed.sh HEADER NAME=FILE...: prints C that defines what HEADER declares: const char NAME[], the bytes of FILE
# and a NUL.
echo "#include \"$1\""
shift
for file; do
    echo "const char ${file%%=*}[] = {"
    od -An -v -tx1 "${file#*=}" | sed -E "s/([0-9a-f]+)/'\\\\x\1',/g"
    echo '0 };'
done
