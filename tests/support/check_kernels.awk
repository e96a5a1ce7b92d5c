# tests/support/check_kernels.awk: tensor/kernels.def -> wrappers check_NAME of the CPU's kernels, which pass what AT
# returns for each pointer, and checked_TYPE for each struct (tests/support/checking_device.c), and the table of them.
{ sub(/\/\*.*\*\//, "") }
/\/\*/ { comment = 1 }
comment { if (/\*\//) comment = 0; next }
NF { text = text " " $0 }

# One argument, such as "const Real *x": its declaration is given; appends what the kernel gets, and a copy it needs.
function argument(kernel, a,    name, type) {
    gsub(/^ +| +$/, "", a)
    name = a; sub(/.*[ *]/, "", name)
    type = substr(a, 1, length(a) - length(name)); gsub(/const |[ *]/, "", type)
    if (a ~ /Args \*/) {
        copies = copies sprintf("    %s %s_ = checked_%s(\"%s\", *%s);\n", type, name, type, kernel, name)
        return "&" name "_"
    }
    if (a ~ /\*/) return sprintf("AT(\"%s\", %s)", kernel, name)
    if (type ~ /^(Weight|Drop)$/) return sprintf("checked_%s(\"%s\", %s)", type, kernel, name)
    return name
}

END {
    while (match(text, /KERNEL\([a-z_0-9]+, *\([^()]*\)\)/)) {
        if (substr(text, 1, RSTART - 1) ~ /KERNEL/) break
        line = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        kernel = line; sub(/^KERNEL\(/, "", kernel); sub(/,.*/, "", kernel)
        arguments = line; sub(/^[^(]*\([^(]*\(/, "", arguments); sub(/\)\)$/, "", arguments); gsub(/ +/, " ", arguments)
        n = split(arguments, a, ",")
        copies = call = ""
        for (k = 1; k <= n; k++) call = call (k > 1 ? ", " : "") argument(kernel, a[k])
        printf "static void check_%s(%s)\n{\n%s    device_cpu()->kernels->%s(%s);\n}\n\n", kernel, arguments, copies, kernel, call
        entries = entries sprintf("    .%s = check_%s,\n", kernel, kernel)
    }
    if (text ~ /KERNEL/) { print "check_kernels.awk: not understood: " text > "/dev/stderr"; exit 1 }
    printf "static const Kernels CHECKED = {\n%s};\n", entries
}
