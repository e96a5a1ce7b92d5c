/* Values that a checker of recorded numbers did not read are found. */
#include "tests/support/recorded.h"

#include <stdlib.h>

#include "tests/support/check.h"

TEST(values_that_are_not_read_are_named)
{
    cJSON *j = cJSON_Parse("{\"a\": 1, \"b\": {\"c\": [[1, 2], [3]], \"d\": []}, \"e\": [{\"f\": 1}, {\"f\": \"g\"}]}");
    char path[100];
    const cJSON *b = recorded_item(j, "b"), *e = recorded_item(j, "e");
    assert_true(recorded_unread(j, path, sizeof path));
    assert_string_equal(path, "a");
    recorded_number(j, "a");
    free(recorded_exactly(cJSON_GetArrayItem(recorded_item(b, "c"), 0), 2));
    assert_true(recorded_unread(j, path, sizeof path));
    assert_string_equal(path, "b.c[1][0]");
    int n;
    free(recorded_numbers(recorded_item(b, "c"), &n));
    assert_int_equal(n, 3);
    assert_true(recorded_unread(j, path, sizeof path));
    assert_string_equal(path, "b.d");
    recorded_leave_out(b, "d");
    recorded_leave_out(b, "no such member");
    recorded_number(cJSON_GetArrayItem(e, 0), "f");
    assert_true(recorded_unread(j, path, sizeof path));
    assert_string_equal(path, "e[1].f");
    recorded_text(cJSON_GetArrayItem(e, 1), "f");
    assert_false(recorded_unread(j, path, sizeof path));
    cJSON_Delete(j);
}
