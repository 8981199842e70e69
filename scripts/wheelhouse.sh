#!/usr/bin/env bash
# Everything that an air-gapped machine installs: scripts/wheelhouse.sh WHEEL DIR [EXTRAS]
# On that machine, of the same platform and minor version of Python:
#   python3 -m pip install --no-index --find-links DIR 'spanproof[server]'
set -euo pipefail
[ $# -ge 2 ] || { echo 'Expected WHEEL DIR [EXTRAS], got fewer arguments.' >&2; exit 2; }
wheel=$(realpath "$1") folder=$2 extras=${3:-server}
PYTHON=${PYTHON:-python3}
mkdir -p "$folder"
"$PYTHON" -m pip --disable-pip-version-check wheel --quiet --wheel-dir "$folder" "$wheel[$extras]"
# Wheels alone: what only comes as source would need a compiler over there.
if find "$folder" -type f ! -name '*.whl' ! -name SHA256SUMS | grep -q .; then
  echo "Expected wheels alone in $folder, got other files." >&2
  exit 1
fi
(cd "$folder" && sha256sum -- *.whl >SHA256SUMS)
echo "$(find "$folder" -name '*.whl' | wc -l) wheels, $(du -sm "$folder" | cut -f1) MB in $folder"
