# Sourced by the scripts of conduits over a library, in their own directories. Their arguments are PREFIX DIRECTORY, and their last line is
# summary's. Variables and functions:
#   prefix, dir             where the library is installed; a directory for outputs
#   skip TEXT               ends the script: this machine lacks something
#   build NAME CLIENT [SOURCE]  makes DIRECTORY/NAME from plain.c, or SOURCE, for the .pc file gasnet-CLIENT
#   build_shared NAME CLIENT  the same with the shared library
#   try NAME CODE PATTERN [VARIABLE=VALUE...] COMMAND...      the command ends with CODE (`bad`: with any but 0) within its time, and one
#                           line of its output matches PATTERN. Launchers may lose the output of a job that aborts: then it is empty.
#   summary                 prints `N passed, N failed`, and fails if a test has
set -u
prefix=$1 dir=$2 passed=0 failed=0
mkdir -p "$dir"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig GASNET_SUPERNODE_MAXSIZE=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset GASNET_SHIM_PATH GASNET_{MPI,SHMEM,UCX,OFI}_LIB GASNET_OFI_{PROVIDER,DEVICE} FI_PROVIDER UCX_TLS UCX_NET_DEVICES UCX_LOG_LEVEL GASNET_CONDUIT

skip() { echo "skipped: $1"; echo "0 passed, 0 failed"; exit 0; }

build() {
  # shellcheck disable=SC2046
  cc -Wall -Wextra -Werror -O1 $(pkg-config --cflags "gasnet-$2") "${3-../network/plain.c}" -o "$dir/$1" $(pkg-config --libs "gasnet-$2") || exit 1
}

build_shared() {
  local libs
  libs=$(pkg-config --libs "gasnet-$2" | sed -E 's/-lgasnet[a-z_-]*/-lgasnet/g')
  # shellcheck disable=SC2046,SC2086
  cc -Wall -Wextra -Werror -O1 $(pkg-config --cflags "gasnet-$2") ../network/plain.c -o "$dir/$1" $libs -Wl,-rpath,"$prefix/lib" || exit 1
}

try() {
  local name=$1 code=$2 pattern=$3 got lines
  shift 3
  timeout -k 5 60 env "$@" >"$dir/out" 2>&1 </dev/null
  got=$?
  lines=$(grep -cE -- "$pattern" "$dir/out")
  if { [ "$got" = "$code" ] || { [ "$code" = bad ] && [ "$got" != 0 ] && [ "$got" != 124 ]; }; } && { [ -z "$pattern" ] || [ "$lines" = 1 ]; }; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL $name: code $got, wanted $code; $lines lines match /$pattern/"
    head -n 12 "$dir/out" | sed 's/^/  | /'
  fi
}

summary() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; }
