# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=... -DBUILD=... -DISA=regex -DSKIP=regex -DOUT=file -P check_symbols.cmake
# Fails when an object file of one instruction set (path matches ISA) defines a weak, unique or common symbol, or a global
# one that another object file under BUILD defines as well: the linker would keep one of the two for the whole program.
# SKIP matches objects that reach a program only as a part of others. OUT is a scratch file.
cmake_policy(VERSION 3.25)
file(GLOB_RECURSE objects ${BUILD}/*.o)
set(isaObjects ${objects})
list(FILTER isaObjects INCLUDE REGEX "${ISA}")
set(others ${objects})
list(FILTER others EXCLUDE REGEX "${ISA}|${SKIP}")
if(NOT isaObjects OR NOT others)
    message(FATAL_ERROR "no object files to compare under ${BUILD}")
endif()

# Writes "file: symbol kind ..." for all symbols that the objects offer to others.
function(listSymbols)
    string(JOIN "\n" lines ${ARGN})
    file(WRITE ${OUT}.objects "${lines}\n")
    execute_process(COMMAND ${NM} --extern-only --defined-only -P -A @${OUT}.objects OUTPUT_FILE ${OUT}
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()

listSymbols(${isaObjects})
file(STRINGS ${OUT} weak REGEX " [CVWu] ")
foreach(line ${weak})
    message(SEND_ERROR "a symbol of an instruction set is not its own alone: ${line}")
endforeach()
file(STRINGS ${OUT} isaSymbols)
list(TRANSFORM isaSymbols REPLACE "^.*: ([^ ]+) .*$" "\\1")
set(unique ${isaSymbols})
list(REMOVE_DUPLICATES unique)
if(NOT unique STREQUAL isaSymbols)
    message(SEND_ERROR "two instruction sets define the same symbol: ${isaSymbols}")
endif()
listSymbols(${others})
foreach(symbol ${unique})
    file(STRINGS ${OUT} shared REGEX ": ${symbol} ")
    if(shared)
        message(SEND_ERROR "another object defines a symbol of an instruction set: ${shared}")
    endif()
endforeach()
list(LENGTH isaObjects isaCount)
list(LENGTH others otherCount)
message(STATUS "${isaCount} instruction set objects offer ${unique}; ${otherCount} other objects")
