# SPDX-License-Identifier: Apache-2.0
# What holds for every target: the language level, the warnings, the floating-point contract, the sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Multiplications and additions are fused only where the source says so (std::fma, fmadd): the same source then gives
# the same bits on every instruction set.
add_compile_options(-ffp-contract=off)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Wsuggest-override>")

set(COLIBRI_SANITIZE "" CACHE STRING "Sanitizers for all targets, as in -fsanitize=")
if(COLIBRI_SANITIZE)
    add_compile_options(-fsanitize=${COLIBRI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
    add_link_options(-fsanitize=${COLIBRI_SANITIZE})
endif()

find_program(COLIBRI_CCACHE ccache)
if(COLIBRI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${COLIBRI_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${COLIBRI_CCACHE})
endif()
