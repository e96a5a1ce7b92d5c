# Prints the names of the functions that files of a level share: those of kernels, and of the headers of this folder.
s/^KERNEL\(([a-z0-9_]+),.*/cpu_\1/p
/^(static|typedef) /d
s/^[A-Za-z][A-Za-z_ *]*[ *]([a-z0-9_]+)\(.*/\1/p
