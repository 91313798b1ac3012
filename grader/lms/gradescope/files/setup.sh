#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the autograder's image.
set -euo pipefail

root="${AUTOGRADER_ROOT:-/autograder}"

recent() { command -v "$1" >/dev/null && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; }

python=""
for candidate in python3 python3.13 python3.12 python3.11; do
    if recent "$candidate"; then
        python="$candidate"
        break
    fi
done
if [ -z "$python" ]; then
    apt-get update
    for version in 3.13 3.12 3.11; do
        if apt-get install -y "python$version" "python$version-venv"; then
            python="python$version"
            break
        fi
    done
fi
if [ -z "$python" ]; then
    echo "Python 3.11 or newer cannot be installed here; choose a newer base image for the autograder." >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    apt-get update
    apt-get install -y "python$version-venv"
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --no-cache-dir --requirement "$root/source/requirements.txt"
