# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What packaging/start, packaging/test and packaging/lint share. Sourced with the working folder at the root of the
# source tree. Everything noisy goes to build/log; it is shown when the step fails.

log_folder=build/log
mkdir -p "$log_folder"

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# step_failed WHAT LOG: shows the end of the log of a step and ends.
step_failed() {
    printf -- '--- end of %s ---\n' "$2" >&2
    tail -n 60 "$2" >&2
    die "$1 failed; the whole log is in $2"
}

# Packages of the given groups that are not installed, one a line.
missing_packages() {
    local wanted group package
    wanted=$(while read -r group package; do
        if [[ " $* " == *" $group "* ]]; then printf '%s\n' "$package"; fi
    done < packaging/packages | sort -u)
    # shellcheck disable=SC2086 # one word each
    comm -23 <(printf '%s\n' $wanted) \
        <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^ii *//p' | sort -u)
}

# Percentages from apt's status lines ("dlstatus:1:12.5:text", "pmstatus:package:12.5:text"), one line for each ten.
show_apt_status() {
    local kind percent last= next=10
    while IFS=: read -r kind _ percent _; do
        percent=${percent%.*}
        [[ $kind =~ ^(dl|pm)status$ && $percent =~ ^[0-9]+$ ]] || continue
        [[ $kind == "$last" ]] || next=10
        last=$kind
        [[ $percent -ge $next ]] || continue
        case $kind in
            dlstatus) say "  downloaded $percent %" ;;
            pmstatus) say "  installed $percent %" ;;
        esac
        next=$((percent / 10 * 10 + 10))
    done
}

# need_packages GROUP...: installs what is missing of these groups. Runs no apt when nothing is.
need_packages() {
    local log=$log_folder/apt.log missing as_root=()
    if ! command -v dpkg-query >/dev/null; then
        say "this is not a Debian system: packages are not checked; packaging/packages lists what is needed"
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null || die "to install packages this needs root or sudo: apt-get install ${missing[*]}"
        as_root=(sudo)
        sudo -v || die "sudo was refused; as root: apt-get install ${missing[*]}"
    fi
    say "installing ${#missing[@]} packages with what they need: ${missing[*]}"
    "${as_root[@]}" apt-get update > "$log" 2>&1 < /dev/null || step_failed "apt-get update" "$log"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        -o APT::Status-Fd=1 "${missing[@]}" 2>&1 < /dev/null \
        | tee -a "$log" | show_apt_status || step_failed "installing packages" "$log"
}

# Compilers at a time: one for each core, as long as each has about 1.2 GB of memory.
build_jobs() {
    local cores memory_kb
    cores=$(nproc)
    memory_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)
    local fitting=$((memory_kb / 1200000))
    echo $((fitting < 1 ? 1 : fitting < cores ? fitting : cores))
}

# Ninja's lines "[done/all] what" become one line for each ten percent.
show_build() {
    local line percent next=10
    while read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        percent=$((BASH_REMATCH[1] * 100 / BASH_REMATCH[2]))
        [[ $percent -ge $next && ${BASH_REMATCH[2]} -gt 4 ]] || continue
        say "  $percent % (${BASH_REMATCH[1]} of ${BASH_REMATCH[2]})"
        next=$((percent / 10 * 10 + 10))
    done
}

# configure PRESET CMAKE_OPTION...
configure() {
    local preset=$1 log=$log_folder/configure-$1.log
    say "configuring build/$preset"
    cmake --preset "$@" > "$log" 2>&1 || step_failed "configuring" "$log"
}

# build PRESET [TARGET...]: everything when no target is given.
build() {
    local preset=$1 log=$log_folder/build-$1.log targets=()
    shift
    [[ $# -eq 0 ]] || targets=(--target "$@")
    say "building build/$preset${*:+ ($*)}"
    NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" --parallel "$(build_jobs)" "${targets[@]}" 2>&1 \
        | tee "$log" | show_build || step_failed "building" "$log"
}

# Qt wants a private folder for sockets; a root shell or a container often has none.
need_runtime_folder() {
    if [[ -z ${XDG_RUNTIME_DIR:-} || ! -O ${XDG_RUNTIME_DIR:-} ]]; then
        mkdir -p build/runtime
        chmod 0700 build/runtime
        export XDG_RUNTIME_DIR=$PWD/build/runtime
    fi
}
