# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=... -DBUILD=... -DISA=regex -DSKIP=regex -P check_symbols.cmake
# Fails when an object file of one instruction set (path matches ISA) defines a symbol that another object file under
# BUILD may define as well: a weak, unique or common one, or a global one besides its kernel table. The linker would keep
# one of the two for the whole program. SKIP matches objects that reach a program only as a part of others.
cmake_policy(VERSION 3.25)
file(GLOB_RECURSE objects ${BUILD}/*.o)
set(isaObjects ${objects})
list(FILTER isaObjects INCLUDE REGEX "${ISA}")
set(others ${objects})
list(FILTER others EXCLUDE REGEX "${ISA}|${SKIP}")
if(NOT isaObjects OR NOT others)
    message(FATAL_ERROR "no object files to compare under ${BUILD}")
endif()

# Symbols of `object` whose kind is one of `kinds` (nm's letters).
function(symbols result object kinds)
    execute_process(COMMAND ${NM} --defined-only -P ${object} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "[" "(" text "${text}") # brackets would join list items
    string(REPLACE "]" ")" text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    list(FILTER lines INCLUDE REGEX "^[^ ]+ [${kinds}]( |$)")
    list(TRANSFORM lines REPLACE " .*" "")
    set(${result} ${lines} PARENT_SCOPE)
endfunction()

set(failed FALSE)
set(taken "")
foreach(object ${others})
    symbols(defined ${object} "A-TVWu")
    list(APPEND taken ${defined})
endforeach()
foreach(object ${isaObjects})
    symbols(weak ${object} "CVWu")
    symbols(global ${object} "A-TVWu")
    list(FILTER weak EXCLUDE REGEX "^DW.ref.__gxx_personality_v0$")
    foreach(symbol ${weak})
        message(SEND_ERROR "${object} defines ${symbol}, which is not its own alone")
    endforeach()
    foreach(symbol ${global})
        if(symbol IN_LIST taken)
            message(SEND_ERROR "${object} and another object both define ${symbol}")
        endif()
    endforeach()
    list(APPEND taken ${global})
endforeach()
list(LENGTH isaObjects count)
list(LENGTH others otherCount)
message(STATUS "${count} instruction set objects, ${otherCount} others")
