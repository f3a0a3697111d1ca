// SPDX-License-Identifier: Apache-2.0
// bench_export FOLDER [PAIRS [EXPERTS]]: `colibri export` with types kept against a copy of the same file that is
// brought to the disk too, in turn, without the comparison that follows an export, on a generated folder of f16 (64
// experts a layer: 4 GB) whose pages are out of memory first. Prints each pair, the median share of the copy's speed,
// and the most anonymous memory that an export had. Removes what it made. Exits 1 below 60 % or above 300 MB.
#include "bench/median.h"
#include "support/generatedmodel.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

constexpr double leastShare = 0.6;
constexpr std::uint64_t mostAnonymous = 300'000'000;

struct Outcome {
    double seconds = 0;
    std::uint64_t anonymousBytes = 0; ///< at the most
    bool good = false;
};

std::uint64_t anonymousBytes(pid_t process)
{
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:"))
            return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
    return 0;
}

Outcome run(std::vector<std::string> arguments)
{
    std::vector<char*> argv;
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    Outcome outcome;
    const auto start = std::chrono::steady_clock::now();
    pid_t process = 0;
    if (posix_spawnp(&process, argv.front(), nullptr, nullptr, argv.data(), environ) != 0)
        return outcome;
    int status = 0;
    while (waitpid(process, &status, WNOHANG) == 0) {
        outcome.anonymousBytes = std::max(outcome.anonymousBytes, anonymousBytes(process));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return outcome;
}

/// Nothing waits to be written, and the file's pages are out of memory.
void settle(const std::string& path)
{
    sync();
    const int handle = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    posix_fadvise(handle, 0, 0, POSIX_FADV_DONTNEED);
    close(handle);
}

colibri::test::GeneratedShape shapeOf(std::uint32_t experts)
{
    return {.vocab = 32768,
        .hidden = 1024,
        .layers = 16,
        .heads = 16,
        .kvHeads = 4,
        .headDim = 64,
        .experts = experts,
        .ffn = 640};
}

bool measure(const std::string& folder, int pairs)
{
    const std::string file = folder + "/source/model.safetensors";
    const double gigabytes = static_cast<double>(std::filesystem::file_size(file)) / 1e9;
    std::vector<double> shares;
    std::uint64_t anonymous = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        Outcome outcomes[2];
        for (const int which : {pair % 2, 1 - pair % 2}) {
            settle(file);
            const std::string out = folder + (which ? "/out" : "/copy");
            outcomes[which] = which
                ? run({COLIBRI_PROGRAM, "export", folder + "/source", "--out", out, "--verify-tokens", "0"})
                : run({"dd", "if=" + file, "of=" + out, "bs=1M", "conv=fsync", "status=none"});
            std::filesystem::remove_all(out);
        }
        if (!outcomes[0].good || !outcomes[1].good)
            return false;
        shares.push_back(outcomes[0].seconds / outcomes[1].seconds);
        anonymous = std::max(anonymous, outcomes[1].anonymousBytes);
        std::printf("copy %.2f GB/s, export %.2f GB/s, %.0f %%, %.0f MB anonymous\n", gigabytes / outcomes[0].seconds,
            gigabytes / outcomes[1].seconds, 100 * shares.back(),
            static_cast<double>(outcomes[1].anonymousBytes) / 1e6);
    }
    const double share = colibri::test::median(shares);
    std::printf("median %.0f %% of the copy's speed, at most %.0f MB anonymous, %.2f GB\n", 100 * share,
        static_cast<double>(anonymous) / 1e6, gigabytes);
    return share >= leastShare && anonymous <= mostAnonymous;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("bench_export FOLDER [PAIRS [EXPERTS]]: FOLDER is made and removed\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    const int pairs = argc > 2 ? std::atoi(argv[2]) : 3;
    const auto experts = static_cast<std::uint32_t>(argc > 3 ? std::atoi(argv[3]) : 64);
    if (pairs < 1 || experts < 3 || std::filesystem::exists(folder)
        || !std::filesystem::create_directories(folder + "/source"))
        return 2;
    const bool good =
        colibri::test::writeHuggingFaceModel(folder + "/source", shapeOf(experts)) && measure(folder, pairs);
    std::filesystem::remove_all(folder);
    return good ? 0 : 1;
}
