// SPDX-License-Identifier: Apache-2.0
// Runs a program and prints the processor time it took and the memory it used: nanoseconds and bytes. Processor time,
// because on a busy machine the clock measures the neighbours. The peak that the
// system reports for a child includes what its parent had at the fork, so the parent has to be as small as this.
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc < 2)
        return 2;
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
    const auto ns = [](const timeval& time) { return (time.tv_sec * 1000000LL + time.tv_usec) * 1000; };
    std::printf("%lld %lld\n", ns(usage.ru_utime) + ns(usage.ru_stime), static_cast<long long>(usage.ru_maxrss) * 1024);
    return WEXITSTATUS(status);
}
