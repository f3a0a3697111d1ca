// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace colibri::cli {

/// A line on standard error that is renewed ten times a second while this lives and then erased. Only on a terminal,
/// else nothing is ever written.
class ProgressLine {
public:
    /// `describe` is called on another thread, also during the last steps of the destructor.
    explicit ProgressLine(std::function<std::string()> describe);

private:
    std::jthread m_thread;
};

/// "label 45 %" of done / total; "label" alone when total is 0.
std::string percentText(const std::string& label, double done, double total);

struct OpenedModel {
    ModelPtr model;
    double seconds = 0; ///< that opening took
};

/// What a ProgressLine says while a model opens.
std::string openingText(const OpenProgress& progress);
/// The error of a command without MODEL.
Error missingModel();
/// openModel with progress.
Result<OpenedModel> openWithProgress(const std::string& path, const OpenOptions& options, std::stop_token stop);

} // namespace colibri::cli
