// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

/// The dimensions of a Qwen3-MoE folder whose weights are all zero.
struct GeneratedModel {
    int vocabulary = 64;
    int hidden = 1024;
    int layers = 8;
    int heads = 8;
    int kvHeads = 2;
    int headDim = 128;
    int experts = 32;
    int activeExperts = 2;
    int ffn = 1024;
    int context = 256;
};

/// Writes it as a Hugging Face folder of one sparse f32 file: large for who reads it, small on disk. Returns the bytes
/// of the file; 0 when it could not be written.
qint64 writeGeneratedFolder(const QString& folder, const GeneratedModel& model);
