# SPDX-License-Identifier: Apache-2.0
# One static library a layer. A layer links exactly the layers it may include, so that a wrong include does not
# link; tests/layers reads the includes as well.

# colibri_engine_layer(NAME SOURCES file... [USES layer...] [LIBRARIES target...])
function(colibri_engine_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;LIBRARIES")
    add_library(colibri_${name} STATIC ${arg_SOURCES})
    target_include_directories(colibri_${name} PUBLIC ${PROJECT_SOURCE_DIR}/engine)
    list(TRANSFORM arg_USES PREPEND colibri_)
    target_link_libraries(colibri_${name} PUBLIC ${arg_USES} PRIVATE ${arg_LIBRARIES})
endfunction()

# colibri_ui_layer(NAME SOURCES file... [USES target...] [LIBRARIES target...])
function(colibri_ui_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;LIBRARIES")
    add_library(colibri_ui_${name} STATIC ${arg_SOURCES})
    set_target_properties(colibri_ui_${name} PROPERTIES AUTOMOC ON)
    target_include_directories(colibri_ui_${name} PUBLIC ${PROJECT_SOURCE_DIR}/ui)
    target_link_libraries(colibri_ui_${name} PUBLIC ${arg_USES} PRIVATE ${arg_LIBRARIES})
endfunction()

# colibri_test(NAME SOURCES file... LIBRARIES target... [LABELS label...] [TIMEOUT s] [GUI])
# A Qt Test program. GUI tests run on the offscreen platform.
function(colibri_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "GUI" "TIMEOUT" "SOURCES;LIBRARIES;LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} Qt6::Test)
    target_compile_definitions(${name} PRIVATE COLIBRI_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    add_test(NAME ${name} COMMAND ${name})
    # Dialogs for files remember folders in the user's settings: not those of who runs the tests.
    set(environment QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 XDG_CONFIG_HOME=${CMAKE_BINARY_DIR}/test-settings)
    if(COLIBRI_SANITIZE STREQUAL "thread")
        # What GLib's event loop orders cannot be seen either, so Qt's own is used.
        list(APPEND environment QT_NO_GLIB=1
            TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:die_after_fork=0)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}" ENVIRONMENT "${environment}")
endfunction()

# colibri_pictures(NAME FOLDER [function...])
# The test NAME saves pictures in FOLDER, to be looked at. Those of its functions (pictures) are saved once more at
# scale 2, by the test NAME_scale2.
function(colibri_pictures name folder)
    set(functions pictures)
    if(ARGN)
        set(functions ${ARGN})
    endif()
    target_compile_definitions(${name} PRIVATE COLIBRI_PICTURES="${folder}")
    add_test(NAME ${name}_scale2 COMMAND ${name} ${functions})
    get_test_property(${name} ENVIRONMENT environment)
    get_test_property(${name} TIMEOUT timeout)
    set_tests_properties(${name}_scale2 PROPERTIES TIMEOUT ${timeout} LABELS pictures
        ENVIRONMENT "${environment};QT_SCALE_FACTOR=2")
endfunction()
