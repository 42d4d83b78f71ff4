# Reads configurations, one a line, a word for each choice; prints as few of them as have every pair of values that any
# of them has. Greedy: always the one that has most pairs not yet seen, of equals the one whose values were used least.
{
  line[NR] = $0
  for (i = 1; i <= NF; i++) word[NR, i] = i ":" $i
  for (i = 1; i <= NF; i++) for (j = i; j <= NF; j++) if (!((word[NR, i], word[NR, j]) in missing)) {
    missing[word[NR, i], word[NR, j]] = 1
    left++
  }
  fields = NF
}
END {
  while (left > 0) {
    best = 0; most = -1; least = 0
    for (n = 1; n <= NR; n++) {
      if (n in taken) continue
      new = 0; worn = 0
      for (i = 1; i <= fields; i++) {
        worn += used[word[n, i]]
        for (j = i; j <= fields; j++) new += missing[word[n, i], word[n, j]]
      }
      if (new > most || (new == most && worn < least)) { best = n; most = new; least = worn }
    }
    taken[best] = 1
    print line[best]
    for (i = 1; i <= fields; i++) {
      used[word[best, i]]++
      for (j = i; j <= fields; j++) if (missing[word[best, i], word[best, j]]) { missing[word[best, i], word[best, j]] = 0; left-- }
    }
  }
}
