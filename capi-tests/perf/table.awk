# Rows and samples of bench: medians, ratios, verdicts. `plain`: one line for a terminal; else Markdown.
# `only`: the number of one row.
BEGIN { FS = "\t" }

function median(list, n,    i, j, t) {
  for (i = 2; i <= n; i++)
    for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
  if (n == 0) return "nan"
  return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# The median of the samples of `who` for a row.
function of(row, who,    i, n, list) {
  n = 0
  for (i = 1; i <= samples[row, who]; i++) if (sample[row, who, i] != "nan") list[++n] = sample[row, who, i] + 0
  return median(list, n)
}

# The median over the pairs of figure/floor, or of floor/figure for rates.
function ratio_of(row, who,    i, n, a, b, list) {
  n = 0
  for (i = 1; i <= samples[row, who]; i++) {
    a = sample[row, who, i]; b = sample[row, "floor", i]
    if (a == "nan" || b == "nan" || a == 0 || b == 0) continue
    list[++n] = aim_kind[row] ~ /ge|rate/ ? b / a : a / b
  }
  return median(list, n)
}

# A unit such as B65536 means nanoseconds for this number of bytes, 65536.
function show(value, unit) {
  if (value == "nan") return "failed"
  if (unit ~ /^B/) return sprintf("%.2f GB/s", substr(unit, 2) / value)
  if (unit != "ns") return sprintf(value < 10 ? "%.2f %s" : "%.0f %s", value, unit)
  if (value >= 1e6) return sprintf("%.2f ms", value / 1e6)
  if (value >= 1e4) return sprintf("%.1f us", value / 1e3)
  return sprintf(value < 10 ? "%.2f ns" : "%.1f ns", value)
}

function verdict(row, ratio, value) {
  if (aim_kind[row] ~ /none|beside|rate/) return ""
  if (aim_kind[row] == "at") return value == "nan" ? "failed" : value <= aim[row] ? "met" : "missed"
  if (ratio == "nan") return "failed"
  return (aim_kind[row] == "le" ? ratio <= aim[row] : ratio >= aim[row]) ? "met" : "missed"
}

FNR == NR { rows = $1; title[$1] = $2; aim_kind[$1] = $3; aim[$1] = $4; unit[$1] = $5; next }
{ sample[$1, $2, ++samples[$1, $2]] = $3; if ($2 == "other") others = 1 }

END {
  sign["le"] = "≤ "; sign["ge"] = "≥ "; sign["at"] = "≤ "; sign["none"] = ""
  if (!plain) {
    print "| figure | measured | floor | ratio | aim | |" (others ? " other library | to the same floor |" : "")
    print "| --- | ---: | ---: | ---: | ---: | --- |" (others ? " ---: | ---: |" : "")
  }
  for (row = 1; row <= rows; row++) {
    if (only && row != only) continue
    value = of(row, "ours"); bottom = of(row, "floor"); ratio = ratio_of(row, "ours")
    against = aim_kind[row] ~ /le|ge|beside|rate/
    shown = !against ? "" : ratio == "nan" ? "-" : sprintf(ratio < 0.2 ? "%.3f" : "%.2f", ratio)
    floor_shown = against ? show(bottom, unit[row]) : ""
    other_shown = other_ratio = ""
    if (samples[row, "other"]) {
      other_shown = show(of(row, "other"), unit[row])
      other_ratio = against ? ratio_of(row, "other") : ""
      if (other_ratio == "nan") other_ratio = "-"
      else if (other_ratio != "") other_ratio = sprintf(other_ratio < 0.2 ? "%.3f" : "%.2f", other_ratio)
    }
    aim_shown = aim_kind[row] ~ /none|beside|rate/ ? "" : sign[aim_kind[row]] aim[row]
    if (plain)
      printf "%-46s %12s %12s %8s %8s  %-7s %s\n", title[row], show(value, unit[row]), floor_shown, shown, aim_shown,
             verdict(row, ratio, value), others ? other_shown ", " other_ratio : ""
    else
      printf "| %s | %s | %s | %s | %s | %s |%s\n", title[row], show(value, unit[row]), floor_shown, shown, aim_shown,
             verdict(row, ratio, value), others ? " " other_shown " | " other_ratio " |" : ""
  }
}
