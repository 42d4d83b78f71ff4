# Functions of run and sanitizers, which set root, dir, passed and failed.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $1"; tail -n 12 "$dir/log" | sed 's/^/  | /'; }

# tests NAME VARIABLE=VALUE... TEST...: C tests by capi-tests/run, whose counts are added.
tests() {
  local name=$1 p f
  shift
  env BUILD="$dir/$name" "$@" >"$dir/$name.log" 2>&1
  read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$dir/$name.log")
  [ -n "${f:-}" ] || { p=0 f=1; }
  passed=$((passed + p)) failed=$((failed + f))
  echo "$name: $p passed, $f failed"
  grep -A 9 '^FAIL' "$dir/$name.log" | head -n 60
}

# planted COMPILE FAULT PATTERN COMMAND...: planted.c with FAULT, run by COMMAND, is reported by a line that matches PATTERN; `clean`: nothing is.
planted() {
  local name=$1 fault=$2 pattern=$3
  shift 3
  timeout -k 5 120 env GASNET_PSHM_NODES=1 "$@" "$dir/planted-$name" "$fault" >"$dir/log" 2>&1 </dev/null
  local code=$?
  if [ "$pattern" = clean ]; then
    [ $code = 0 ] && [ ! -s "$dir/log" ] && good || bad "$name: a program without faults: code $code"
  else
    [ $code != 0 ] && [ $code != 124 ] && grep -Eq -- "$pattern" "$dir/log" && good || bad "$name: the planted $fault is not found: code $code, nothing matches /$pattern/"
  fi
}

# compile NAME WORDS...: planted.c against the shared library of the installation that PKG_CONFIG_PATH names.
compile() {
  local name=$1 libs
  shift
  libs=$(pkg-config --libs gasnet-smp-par | sed -E 's/-lgasnet[a-z_-]*/-lgasnet/g')
  # shellcheck disable=SC2046,SC2086
  "$@" -g -O1 -w $(pkg-config --cflags gasnet-smp-par) "$here/planted.c" -o "$dir/planted-$name" $libs "-Wl,-rpath,$(pkg-config --variable=libdir gasnet-smp-par)" -pthread -lm >"$dir/log" 2>&1 ||
    { bad "planted.c does not build: $*"; return 1; }
}

# some PART: the tests of a part, from the file `tests`: lines `PART TEST...`; # begins a comment.
some() { sed -n "s/#.*//; s/^$1 //p" "$here/tests"; }

# finish: the summary, which is the exit code, too
finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
