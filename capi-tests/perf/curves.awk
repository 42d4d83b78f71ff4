# Two log-log panels: nanoseconds of one operation, and MiB/s, over the payload size.
# Input lines: library, operation, bytes, threads, pairs, ns, ... (`floor` as a library: our floors).
# -v conduit=smp|udp: which operations.
BEGIN {
  FS = "\t"
  W = 620; H = 420; L = 70; T = 50; GAP = 110
  lat = "put get am-medium am-long memcpy-to"
  bw = "put get am-medium-flood am-long-flood memcpy-to copy-in"
  lat_low = -1; lat_high = 6; bw_low = 1; bw_high = 6
  if (conduit == "udp") {
    lat = "put get am-medium am-long udp-pingpong"
    bw = "put-nbi-bulk get-nbi-bulk am-medium-flood am-long-flood udp-put"
    lat_low = 3; lat_high = 7; bw_low = 0; bw_high = 4
  }
  if (conduit == "mpi" || conduit == "shmem" || conduit == "ucx" || conduit == "ofi") {
    lat = "put get am-medium am-long " conduit "-put " conduit (conduit == "shmem" ? "-get" : "-pingpong")
    bw = "put-nbi-bulk get-nbi-bulk am-medium-flood am-long-flood"
    lat_low = 0; bw_low = 0
    color["mpi-put"] = color["shmem-put"] = color["ucx-put"] = "#555555"; color["mpi-pingpong"] = color["ucx-pingpong"] = color["shmem-get"] = "#999999"
    label["mpi-put"] = "MPI_Put, flush (floor)"; label["mpi-pingpong"] = "MPI ping-pong (floor)"
    label["ucx-put"] = "ucp_put, flush (floor)"; label["ucx-pingpong"] = "UCP AM ping-pong (floor)"
    label["shmem-put"] = "shmem_putmem, quiet (floor)"; label["shmem-get"] = "shmem_getmem (floor)"
  }
  split("put #0072b2 get #009e73 am-medium #d55e00 am-long #cc79a7 am-medium-flood #d55e00 am-long-flood #cc79a7 memcpy-to #555555 copy-in #999999 put-nbi-bulk #0072b2 get-nbi-bulk #009e73 udp-pingpong #555555 udp-put #555555", c, " ")
  for (i = 1; i in c; i += 2) color[c[i]] = c[i + 1]
  label["put"] = "put"; label["get"] = "get"; label["am-medium"] = "AMMedium round trip"; label["am-long"] = "AMLong round trip"
  label["am-medium-flood"] = "AMMedium flood"; label["am-long-flood"] = "AMLong flood"
  label["put-nbi-bulk"] = "puts, many at once"; label["get-nbi-bulk"] = "gets, many at once"
  label["udp-pingpong"] = "bare ping-pong (floor)"; label["udp-put"] = "bare stream (floor)"
  label["memcpy-to"] = "memcpy (floor)"; label["copy-in"] = "copy and flag (floor)"
}
NF >= 6 && $6 > 0 { n[$1, $2]++; bytes[$1, $2, n[$1, $2]] = $3; ns[$1, $2, n[$1, $2]] = $6; if ($1 == "other") others = 1 }

function log10(x) { return log(x) / log(10) }
function px(b) { return L + off + W * (log(b) / log(2) - 3) / 19 }
function py(v) { return T + H - H * (log10(v) - low) / (high - low) }
function size_name(b) { return b < 1024 ? b : b < 1048576 ? b / 1024 "K" : b / 1048576 "M" }
function number(v) { return v < 1 ? v "" : v < 1000 ? v "" : v < 1e6 ? v / 1000 "k" : v / 1e6 "M" }

function line(who, op, what, dash,    i, v, points) {
  points = ""
  for (i = 1; i <= n[who, op]; i++) {
    v = ns[who, op, i]
    if (what == "bw") v = bytes[who, op, i] / 1048576 / v * 1e9
    if (log10(v) < low) v = 10 ^ low
    if (log10(v) > high) v = 10 ^ high
    points = points sprintf("%.1f,%.1f ", px(bytes[who, op, i]), py(v))
    if (dash == "") printf "<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s'/>\n", px(bytes[who, op, i]), py(v), color[op]
  }
  if (points != "") printf "<polyline points='%s' fill='none' stroke='%s' stroke-width='1.8'%s/>\n", points, color[op], dash
}

function panel(title, what, list,    i, k, m, ops, y) {
  printf "<text x='%d' y='%d' font-size='16' font-weight='bold'>%s</text>\n", L + off, T - 20, title
  for (k = low; k <= high; k++) {
    printf "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>\n", L + off, L + off + W, py(10 ^ k), py(10 ^ k)
    printf "<text x='%d' y='%.1f' text-anchor='end'>%s</text>\n", L + off - 6, py(10 ^ k) + 4, number(10 ^ k)
  }
  for (i = 3; i <= 22; i++) {
    if (i % 3 && i != 22) continue
    if (i == 21) continue
    printf "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#eee'/>\n", px(2 ^ i), px(2 ^ i), T, T + H
    printf "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", px(2 ^ i), T + H + 18, size_name(2 ^ i)
  }
  printf "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#888'/>\n", L + off, T, W, H
  printf "<text x='%d' y='%d' text-anchor='middle'>bytes</text>\n", L + off + W / 2, T + H + 38
  m = split(list, ops, " ")
  for (i = 1; i <= m; i++) {
    if (others) line("other", ops[i], what, " stroke-dasharray='2 4' opacity='0.8'")
    if (color[ops[i]] ~ /555|999/) line("floor", ops[i], what, " stroke-dasharray='7 4'")
    else line("ours", ops[i], what, "")
    y = T + 20 + 18 * i
    if (what == "bw") y = T + H - 20 - 18 * (m - i)
    k = what == "bw" ? L + off + W - 190 : L + off + 16
    printf "<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='%s' stroke-width='2.5'%s/>\n", k, k + 26, y - 4, y - 4, color[ops[i]], color[ops[i]] ~ /555|999/ ? " stroke-dasharray='7 4'" : ""
    printf "<text x='%d' y='%d'>%s</text>\n", k + 32, y, label[ops[i]]
  }
}

END {
  printf "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' font-family='sans-serif' font-size='12'>\n", 2 * W + GAP + L + 30, H + T + 60, 2 * W + GAP + L + 30, H + T + 60
  print "<rect width='100%' height='100%' fill='white'/>"
  off = 0; low = lat_low; high = lat_high
  panel("Time of one operation, ns (2 ranks)" (others ? "; dotted: other library" : ""), "lat", lat)
  off = W + GAP; low = bw_low; high = bw_high
  panel("Bandwidth, MiB/s (2 ranks)" (others ? "; dotted: other library" : ""), "bw", bw)
  print "</svg>"
}
