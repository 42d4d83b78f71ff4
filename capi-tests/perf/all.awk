# The medians of all operations at a few sizes, as one Markdown table.
$2 ~ /[a-z]/ && NF == 8 {
  key = $2
  if (!(key in known)) { known[key] = 1; order[++ops] = key }
  size[$3] = 1
  ns[$1, key, $3] = $6
  if ($1 == "other") others = 1
}
function cell(who, key, bytes) { return ((who, key, bytes) in ns) ? sprintf(ns[who, key, bytes] < 100 ? "%.2f" : "%.0f", ns[who, key, bytes]) : "" }
END {
  n = split("0 8 4096 65536", sizes, " ")
  line = "| nanoseconds |"; rule = "| --- |"
  for (i = 1; i <= n; i++) {
    name = sizes[i] == 0 ? "no payload" : sizes[i] " bytes"
    line = line " " name " |" (others ? " other |" : ""); rule = rule " ---: |" (others ? " ---: |" : "")
  }
  print line; print rule
  for (o = 1; o <= ops; o++) {
    line = "| " order[o] " |"
    for (i = 1; i <= n; i++) line = line " " cell("ours", order[o], sizes[i]) " |" (others ? " " cell("other", order[o], sizes[i]) " |" : "")
    print line
  }
}
