// SPDX-License-Identifier: Apache-2.0
#include "model/find_tensor.h"
#include "model/loaded_model.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>

namespace colibri {
namespace {

/// A stretch of a file that belongs together: one expert's tensors, or one other tensor.
struct Stretch {
    std::uint32_t file = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t layer = -1; ///< MoE layer; -1: not an expert's
    std::uint32_t expert = 0;
};

std::vector<Stretch> stretches(const LoadedModel& model)
{
    std::vector<Stretch> all;
    const ModelConfig& c = model.config;
    forEachTensor(model.source, c,
        [&](const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert, const FoundTensor& found) {
            const TensorInfo& part = found.part;
            all.push_back({part.file, part.offset, part.offset + part.size,
                slot.scope == Scope::Experts ? std::int64_t{layer - c.denseLayers} : -1, expert});
        });
    // Experts last, each one's tensors side by side: the map then fills expert by expert.
    std::ranges::stable_sort(all, {}, [](const Stretch& s) { return std::tuple(s.layer, s.expert, s.file, s.begin); });
    return all;
}

std::uint64_t availableMemory()
{
    std::ifstream info("/proc/meminfo");
    std::string key;
    std::uint64_t kib = 0;
    while (info >> key >> kib) {
        if (key == "MemAvailable:")
            return kib * 1024;
        info.ignore(64, '\n');
    }
    return 0;
}

class Populator {
public:
    Populator(const LoadedModel& model, OpenProgress* progress, std::stop_token stop)
        : m_model(model)
        , m_progress(progress)
        , m_stop(std::move(stop))
        , m_stretches(stretches(model))
    {
    }

    Result<void> run()
    {
        std::uint64_t total = 0;
        for (const Stretch& stretch : m_stretches)
            total += stretch.end - stretch.begin;
        if (m_progress)
            m_progress->setBytesTotal(total);
        const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
        {
            std::vector<std::jthread> workers;
            for (unsigned i = 1; i < threads && total > (std::uint64_t{64} << 20); ++i)
                workers.emplace_back([this] { work(); });
            work();
        }
        return std::move(m_result);
    }

private:
    void work()
    {
        for (std::size_t i = m_next.fetch_add(1); i < m_stretches.size(); i = m_next.fetch_add(1))
            if (auto done = populate(m_stretches[i]); !done) {
                const std::scoped_lock lock(m_mutex);
                m_next.store(m_stretches.size());
                m_result = done;
                return;
            }
    }

    Result<void> populate(const Stretch& stretch)
    {
        const auto step = [this](std::uint64_t bytes) {
            if (m_progress)
                m_progress->addBytes(bytes);
        };
        auto done =
            m_model.source.files[stretch.file]->populate(stretch.begin, stretch.end - stretch.begin, m_stop, step);
        if (m_progress && stretch.layer >= 0)
            mark(stretch, static_cast<bool>(done));
        return done;
    }

    void mark(const Stretch& stretch, bool populated)
    {
        const auto layer = static_cast<std::uint32_t>(stretch.layer);
        if (populated && m_progress->state(layer, stretch.expert) != ExpertState::Copied)
            m_progress->setState(layer, stretch.expert, ExpertState::Populated);
    }

    const LoadedModel& m_model;
    OpenProgress* m_progress;
    std::stop_token m_stop;
    std::vector<Stretch> m_stretches;
    std::atomic<std::size_t> m_next{0};
    std::mutex m_mutex; ///< guards m_result
    Result<void> m_result;
};

} // namespace

Result<void> populateModel(const LoadedModel& model, LoadMode mode, OpenProgress* progress, std::stop_token stop)
{
    const bool fits = model.mappedBytes < availableMemory() / 2;
    if (mode == LoadMode::Lazy || (mode == LoadMode::Auto && !fits))
        return {};
    if (auto populated = Populator(model, progress, std::move(stop)).run(); !populated)
        return populated;
    return model.checkMappings();
}

} // namespace colibri
