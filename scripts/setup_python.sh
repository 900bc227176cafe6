#!/usr/bin/env bash
# Makes .deps/python, the virtual environment of the end-to-end tests; with the argument "bench"
# also what the benchmarks compare with (llama.cpp is compiled: some minutes). Does nothing when
# all is there.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.deps/python

die() { echo "setup: $*" >&2; exit 1; }

# install FILE MESSAGE: installs a requirements file unless this version of it is installed.
install() {
  local file=$1 stamp; stamp=$venv/$(basename "$1").installed
  cmp -s "$file" "$stamp" && return
  echo "setup: $2"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$file" ||
    die "could not install $file from PyPI. Check the network (or pip's index settings) and run" \
      "again."
  cp "$file" "$stamp"
}

[ -x $venv/bin/python ] || python3 -m venv $venv ||
  die "python3 cannot make a virtual environment; apt-get install python3-venv"
install tests/requirements.txt "installing the Python packages of the tests"
if [ "${1:-}" = bench ]; then
  install benchmarks/requirements.txt "installing the peers to compare with (compiles llama.cpp)"
fi
