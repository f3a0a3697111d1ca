/* SPDX-License-Identifier: Apache-2.0 */
/* c_program FOLDER ID...: prints every output value of the tokens, a row a line, as hexadecimal floats. */
#include "api/colibri.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    colibri_model_t model = {0};
    if (argc < 3)
        return 3;
    if (colibri_init(&model, argv[1]) != 0) {
        fprintf(stderr, "%s\n", colibri_last_error());
        return 2;
    }
    int count = argc - 2;
    int width = model.vocab_size ? model.vocab_size : model.hidden_size;
    int *tokens = malloc(sizeof *tokens * (size_t)count);
    float *output = malloc(sizeof *output * (size_t)count * (size_t)width);
    for (int i = 0; i < count; ++i)
        tokens[i] = atoi(argv[i + 2]);
    int status = colibri_infer(&model, tokens, count, output);
    if (status != 0)
        fprintf(stderr, "%s\n", colibri_last_error());
    for (int i = 0; status == 0 && i < count * width; ++i)
        printf("%a%c", (double)output[i], (i + 1) % width ? ' ' : '\n');
    free(tokens);
    free(output);
    colibri_destroy(&model);
    colibri_destroy(&model);
    return status == 0 ? 0 : 1;
}
