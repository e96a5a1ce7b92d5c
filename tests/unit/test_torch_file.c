/* Weights as PyTorch saves them; the files are those of tests/support/torch_file.py. */
#include "base/file.h"
#include "base/zip.h"
#include "tensor/torch_file.h"
#include "tests/support/check.h"

#define SEEDS "tests/fuzz/seeds/torch_file/"

TEST(all_forms_have_the_tensors_of_the_safetensors_file)
{
    static const char *const forms[] = { SEEDS "zip", SEEDS "zip64", SEEDS "legacy", SEEDS "python2" };
    FREED(safetensors_close) SafeTensors expected;
    assert_ok(safetensors_open(&expected, "tests/fuzz/seeds/safetensors/types", test_error()));
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        FREED(safetensors_close) SafeTensors found;
        assert_ok(torch_file_open(&found, forms[f], test_error()));
        assert_int_equal(found.names.n, expected.names.n);
        for (int k = 0; k < expected.names.n; k++) {
            const StTensor *x = &expected.t[k], *y = safetensors_find(&found, x->name);
            assert_non_null(y);
            assert_int_equal(y->dtype, x->dtype);
            assert_int_equal(y->n_dims, 1);
            assert_int_equal(y->dim[0], 2);
            assert_false(y->transposed);
            assert_memory_equal(y->data, x->data, 2 * dtype_size(x->dtype));
        }
        assert_ok(safetensors_end(&found, OK, test_error()));
    }
}

TEST(matrices_may_lie_column_by_column)
{
    FREED(safetensors_close) SafeTensors st;
    Real x[6];
    assert_ok(torch_file_open(&st, SEEDS "columns", test_error()));
    const StTensor *t = safetensors_find(&st, "matrix");
    assert_true(t->transposed && t->n_dims == 2 && t->dim[0] == 2 && t->dim[1] == 3);
    assert_ok(safetensors_reals(&st, t, x, test_error()));
    for (int k = 0; k < 6; k++) assert_true(x[k] == (Real)(k / 2 + 1 + k % 2 * 3));
    assert_false(safetensors_find(&st, "row")->transposed); /* of one row, which is in either order */
}

typedef struct Edit {
    const char *seed;
    StrView old, new;
    const char *message;
} Edit;

#define BYTES(text)           \
    {                         \
        text, sizeof text - 1 \
    }

/* Puts new bytes in the place of the first old ones. */
static void edit(const Edit *x)
{
    FREED(strbuf_fini) StrBuf file = { 0 }, edited = { 0 };
    SafeTensors st;
    size_t at = 0;
    assert_ok(file_read(x->seed, &file, test_error()));
    while (at + x->old.len <= file.len && memcmp(file.ptr + at, x->old.ptr, x->old.len) != 0) at++;
    assert_true(at + x->old.len <= file.len);
    strbuf_add(&edited, file.ptr, at);
    strbuf_add(&edited, x->new.ptr, x->new.len);
    strbuf_add(&edited, file.ptr + at + x->old.len, file.len - at - x->old.len);
    assert_fails_with(torch_file_open(&st, test_file("edited", edited.ptr, edited.len), test_error()), ERR_FORMAT,
                      x->message);
}

TEST(files_that_are_wrong_have_a_message_with_the_byte)
{
    static const Edit edits[] = {
        { SEEDS "legacy", BYTES("torch._utils\n_rebuild_tensor_v2\n"), BYTES("os\nsystem\n"),
          "/edited: byte 181: found the name os.system, expected only those of tensors and their lists" },
        { SEEDS "legacy", BYTES("\x80\2"), BYTES("\x81\2"),
          "/edited: byte 0: found another beginning than that of PyTorch's weights, a zip archive or a pickle" },
        { SEEDS "legacy", BYTES("M\xe9\3"), BYTES("M\xe8\3"), "/edited: byte 17: found another version" },
        { SEEDS "legacy", BYTES("\x88"), BYTES("\x89"), "found another byte order, expected little" },
        { SEEDS "legacy", BYTES("K\2\x85q"), BYTES("K\2\x8cq"), "found an operation of pickles that weights do not" },
        { SEEDS "legacy", BYTES("q\2"), BYTES("q\x55"), "found another number of the memo, expected the next one" },
        { SEEDS "legacy", BYTES("h\0)"), BYTES("h\xff)"), "found a number that the memo does not have" },
        { SEEDS "legacy", BYTES("tq\x8Q"), BYTES("tq\x8R"), "found too few values before this operation" },
        { SEEDS "legacy", BYTES("K\2Nt"), BYTES("K\3Nt"), "found a storage of another size than its tensors say" },
        { SEEDS "legacy", BYTES("\2\0\0\0\0\0\0\0"), BYTES("\3\0\0\0\0\0\0\0"),
          "found a storage of another size than its tensors say" },
        { SEEDS "zip", BYTES("K\2t"), BYTES("K\3t"), "found no storage of this key and size, expected one" },
        { SEEDS "zip", BYTES("QK\0K\2\x85"), BYTES("QK\1K\2\x85"), "found a tensor outside its storage" },
        { SEEDS "zip", BYTES("K\1\x85q"), BYTES("K\2\x85q"),
          "found a tensor of another shape, expected one of at most 4 dimensions, row by row" },
        { SEEDS "zip", BYTES("little"), BYTES("middle"), "found another byte order, expected little" },
        { SEEDS "zip", BYTES("PK\1\2"), BYTES("PK\2\2"), "found no entry of the zip archive, expected one" },
        { SEEDS "zip", BYTES("PK\5\6"), BYTES("PK\5\5"), "found no end of a zip archive, expected one" },
        { SEEDS "zip64", BYTES("PK\6\6"), BYTES("PK\6\5"), "found no end of a directory of zip64 where this says" },
        { SEEDS "zip", BYTES("archive/data/3PK"), BYTES("archive/data/2PK"), "found a name for the second time" },
    };
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) edit(&edits[k]);
}

TEST(every_allocation_may_fail)
{
    for (int f = 0; f < 2; f++)
        for (long n = 0; allocation_fails(n); n++) {
            SafeTensors st;
            mem_fail_after(n);
            if (assert_ok_or_no_memory(torch_file_open(&st, f ? SEEDS "zip" : SEEDS "legacy", test_error())))
                safetensors_close(&st);
        }
}
