// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "goldenmodel.h"

#include "support/goldenfolder.h"
#include "support/weightfolder.h"

#include <QTest>

namespace colibri::test {

inline constexpr const char* tiny = "qwen3moe-f32"; ///< a case that is part of this tree

/// A case as a plain folder; empty without COLIBRI_SHARED.
inline WeightFolder plainFolder(const QString& name)
{
    if (name == tiny)
        return WeightFolder::read(COLIBRI_TEST_DATA "/qwen3moe-f32");
    const GoldenCase golden(name);
    QTemporaryDir dir;
    return golden.exists() && writeHuggingFaceFolder(golden, dir.path()).isEmpty() ? WeightFolder::read(dir.path())
                                                                                   : WeightFolder();
}

/// A folder that is there as long as this is, opened.
struct OpenedFolder {
    explicit OpenedFolder(const WeightFolder& folder)
        : failed(folder.write(dir.path()))
        , model(openModel(dir.path().toStdString()))
    {
        if (!model)
            failed = QString::fromStdString(model.error().message());
    }
    Evaluation evaluated(const EngineOptions& options = {}) const
    {
        return evaluate(*model, options, someTokens(40, (*model)->config().vocabSize));
    }

    QTemporaryDir dir;
    QString failed; ///< what went wrong; empty: nothing
    Result<ModelPtr> model;
};

} // namespace colibri::test

#define REQUIRE_FOLDER(folder)                                                                                         \
    do {                                                                                                               \
        if ((folder).tensors.empty())                                                                                  \
            QSKIP("COLIBRI_SHARED names no folder with golden data");                                                  \
    } while (false)
