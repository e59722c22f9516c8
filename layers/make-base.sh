#!/usr/bin/env bash
# make-base.sh TAG SOURCES: makes what the Dockerfile needs of debian:bookworm-slim from Debian's packages, for machines that
# reach no container registry. SOURCES is a list of apt's; an empty one stands for Debian's own servers.
set -euo pipefail
tag=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where it is empty, the argument is left out.
mirror=$([ -s "$sources" ] && echo "$sources" || true)

# As Debian's slim images: no manuals, no translations, no package lists.
mmdebstrap --quiet --variant=minbase --mode=root --format=tar \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --aptopt='Acquire::Languages "none"' \
  --customize-hook='printf "#!/bin/sh\nexit 101\n" > "$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
  bookworm "$work/base.tar" ${mirror:+"$mirror"}

container=$(buildah from scratch)
trap 'rm -rf "$work"; buildah rm "$container" > /dev/null' EXIT
buildah add --quiet "$container" "$work/base.tar" / > /dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$container"
buildah commit --quiet "$container" "$tag" > /dev/null
