# Sourced by run: jobs without parts of the file system, and under limits on memory, files and processes.

# A command in a namespace of its own in which the words of the first argument have changed the mounts.
changed() { before=(unshare -m sh -c "$1 && exec \"\$@\"" sh); }

without() { # NAME MOUNTS LINES: a job on smp and on udp, and one with a killed rank
  local conduit before
  changed "$2"
  for conduit in smp udp; do
    job "$conduit, $1" $conduit job-par "$(named $conduit job-par EPERM) $3" "${before[@]}" ::
    killed "$conduit, $1, a killed rank" $conduit "${before[@]}"
  done
}
if unshare -m true 2>/dev/null; then
  without "no /proc" "mount -t tmpfs none /proc" ""
  without "no /sys" "mount -t tmpfs none /sys" ""
  without "/dev/shm is read-only" "mount -t tmpfs -o ro none /dev/shm" ""
  without "/dev/shm and memfd are missing" "mount -t tmpfs -o ro none /dev/shm && set -- $dir/forbid EPERM memfd_create -- \"\$@\"" memfd_create
  [ "${dir#/tmp/}" != "$dir" ] || without "/tmp and /dev/shm are read-only" "mount -t tmpfs -o ro none /dev/shm && mount -t tmpfs -o ro none /tmp" ""
fi

# under NAME LIMIT: a job under a limit of the shell.
limited() { before=(sh -c 'ulimit $0; exec "$@"' "$1"); }
under() {
  local conduit before
  limited "$2"
  for conduit in ${3:-smp udp}; do
    job "$conduit, $1" "$conduit" job-par "$(named "$conduit" job-par EPERM)" "${before[@]}" ::
  done
}
under "no memory may be locked" "-l 0"
under "64 open files" "-n 64" smp
under "100 open files" "-n 100" udp
limited "-n 64"
ends "udp, 64 open files" udp '3 ranks on host .* need [0-9]+ open files, and a process may have 64 there \(ulimit -n' "${before[@]}"
under "1 GB of address space" "-v 1000000"
under "200 MB of address space" "-v 200000"
