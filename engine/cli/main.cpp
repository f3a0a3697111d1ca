// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"
#include "memory/fault_guard.h"

int main(int argc, char** argv)
{
    colibri::installFaultGuard();
    return colibri::cli::runProgram({argv + 1, argv + argc});
}
