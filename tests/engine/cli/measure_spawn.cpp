// SPDX-License-Identifier: Apache-2.0
// Runs a program and prints the time from its start to its end by the clock and the most memory it used: nanoseconds and
// bytes. The peak that the system reports for a child includes what its parent had at the fork, so the parent has to be as
// small as this.
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc < 2)
        return 2;
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status))
        return 2;
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    std::printf("%lld %lld\n", static_cast<long long>(took.count()), static_cast<long long>(usage.ru_maxrss) * 1024);
    return WEXITSTATUS(status);
}
