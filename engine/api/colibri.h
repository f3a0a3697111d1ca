/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COLIBRI_H
#define COLIBRI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Computes one expert.
 * input:  [seq_len][hidden_size] f32, row-major; not changed
 * output: [seq_len][hidden_size] f32, written whole
 * Called on the thread of colibri_infer; must not allocate or keep state that a second call depends on.
 */
typedef void (*expert_func_t)(const float* input, float* output, int seq_len, int hidden_size);

/** A configuration given by hand, for colibri_init_config. Dimensions that are 0 are taken from the folder. */
typedef struct {
    int vocab_size, hidden_size, num_experts, num_active_experts, max_seq_len;
    const char* weights_path; /**< folder of a Colibri export or a raw export */
    void* expert_kernels[32]; /**< expert_func_t for each expert, or NULL: the engine's own */
} model_config_t;

/** An opened model. Filled by colibri_init; every pointer belongs to the model and is valid until colibri_destroy. */
typedef struct {
    uint16_t* router_table; /**< [rows][k], read-only mapping, or NULL when routing is live only */
    size_t router_size; /**< entries of router_table */
    uint8_t** expert_blobs; /**< [num_experts], read-only mappings; of the first MoE layer */
    size_t* expert_sizes; /**< bytes of each blob */
    int num_experts, hidden_size, vocab_size;
    void* impl; /**< the engine's */
} colibri_model_t;

/**
 * Opens a Colibri export (or a raw export) by the path of its config.json or folder and allocates all that a run needs.
 * A linear_moe whose outputs have another size than hidden_size is refused: nothing here states that size.
 * Returns 0, or -1 with the reason in colibri_last_error. On failure *model is zeroed. Any thread.
 */
int colibri_init(colibri_model_t* model, const char* config_path);

/**
 * The same by a configuration: every dimension that is not 0 must be the folder's. max_seq_len bounds seq_len.
 * expert_kernels fit models with one MoE layer and at most 32 experts; others are refused here when one is not NULL.
 */
int colibri_init_config(colibri_model_t* model, const model_config_t* config);

/**
 * Computes all tokens of a sequence from its beginning, allocating nothing.
 * input:  token ids [seq_len], each in [0, vocab_size)
 * output: f32 [seq_len][vocab_size] logits; for linear_moe, which has no head, [seq_len][hidden_size]
 * Returns 0, or -1 with the reason in colibri_last_error. One thread at a time for each model.
 */
int colibri_infer(colibri_model_t* model, const int* input, int seq_len, float* output);

/** Puts `function` in the place of one expert; NULL restores the engine's own. 0, or -1 when there is no such expert.
 */
int colibri_set_expert_kernel(colibri_model_t* model, int layer, int expert, expert_func_t function);

/** Releases everything and zeroes *model. NULL and zeroed models are fine. */
void colibri_destroy(colibri_model_t* model);

/** The text of the calling thread's last error, "" when there was none; valid until its next call. */
const char* colibri_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
