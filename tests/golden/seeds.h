/* The parts of seed_parity. Each prints a line for each check (tests/support/recorded.h). */
#pragma once

/* seq2seq.*, the recorded encoder-decoder: seed_translation.c. Files that the folder does not have are not checked. */
void seed_translation(const char *dir);
