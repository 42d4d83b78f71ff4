# results.tsv of check-programs as Markdown: a table a conduit, a row a program, a column a mode and segment; a cell has the rank counts
# that passed in every case, library and path that was run. Of runs that were repeated the last one counts.
BEGIN { FS = "\t"; nmodes = split("seq parsync par", modes, " "); nsegs = split("FAST LARGE EVERYTHING", segs, " ") }
{
  key = $1 FS $2 FS $3 FS $4 FS $5 FS $6 FS $7 FS $8 FS $9
  if (!(key in result)) order[++n] = key
  result[key] = $10; why[key] = $11
}
function count(set, value) { if (!((set, value) in tally)) list[set, ++size[set]] = value; tally[set, value]++ }
function listed(set,  i, text) {
  for (i = 1; i <= size[set]; i++) text = text (i > 1 ? ", " : "") list[set, i] " " tally[set, list[set, i]]
  return text
}
END {
  for (i = 1; i <= n; i++) {
    split(order[i], f, FS)
    r = result[order[i]]
    program = f[1]; conduit = f[3]; cell = conduit FS program FS f[5] FS f[6]
    if (!(conduit in seen)) { seen[conduit] = 1; conduits[++nc] = conduit }
    if (!((conduit, program) in rows)) { rows[conduit, program] = 1; row[conduit, ++nrows[conduit]] = program }
    total[conduit, r]++
    if (r == "n/a") {
      na[cell, f[9]] = 1
      text = program ": " why[order[i]]
      if (!(text in noted)) { noted[text] = 1; notes[++nnotes] = text }
    } else {
      ran[cell, f[9]] = 1
      count(conduit " libraries", f[7]); count(conduit " paths", f[4]); count(conduit " ranks", f[9])
      count(conduit " clients", f[8] == "yes" ? "debug" : "release")
      if (r == "fail") {
        bad[cell, f[9]] = 1
        fails[++nfails] = program " " f[5] " on " f[9] " " conduit " " f[6] " " f[7] " " f[4] (f[8] == "yes" ? " debug" : "") (f[2] == "" ? "" : ": " f[2]) " (" why[order[i]] ")"
      }
    }
    ranks[f[9] + 0] = 1
    if (f[9] + 0 > highest) highest = f[9] + 0
  }
  for (c = 1; c <= nc; c++) {
    conduit = conduits[c]
    printf "## %s: %d passed, %d failed, %d not applicable\n\n", conduit, total[conduit, "pass"], total[conduit, "fail"], total[conduit, "n/a"]
    printf "Runs by ranks: %s; libraries: %s; paths: %s; clients: %s.\n", listed(conduit " ranks"), listed(conduit " libraries"), listed(conduit " paths"), listed(conduit " clients")
    printf "A cell has the rank counts that passed, failed (FAIL 2), and those where the program is not applicable (in brackets).\n\n| program |"
    for (s = 1; s <= nsegs; s++) for (m = 1; m <= nmodes; m++) printf " %s %s |", segs[s], modes[m]
    printf "\n| --- |"
    for (s = 1; s <= nsegs * nmodes; s++) printf " --- |"
    printf "\n"
    for (p = 1; p <= nrows[conduit]; p++) {
      printf "| %s |", row[conduit, p]
      for (s = 1; s <= nsegs; s++) for (m = 1; m <= nmodes; m++) {
        cell = conduit FS row[conduit, p] FS modes[m] FS segs[s]
        good = ""; wrong = ""; none = ""
        for (k = 1; k <= highest; k++) if (k in ranks) {
          if ((cell, k) in bad) wrong = wrong " " k
          else if ((cell, k) in ran) good = good " " k
          else if ((cell, k) in na) none = none " " k
        }
        printf "%s%s%s |", good, wrong == "" ? "" : " FAIL" wrong, none == "" ? "" : " (" substr(none, 2) ")"
      }
      printf "\n"
    }
    printf "\n"
  }
  if (nfails) { print "Failed:\n"; for (i = 1; i <= nfails; i++) print "- " fails[i]; print "" }
  if (nnotes) { print "Not applicable:\n"; for (i = 1; i <= nnotes; i++) print "- " notes[i] }
}
