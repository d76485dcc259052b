// Looks up a moment in an ascending list of times, because long events have many sessions and pushes.

/** Undefined if all times are earlier. */
export function firstAtOrAfter(times: readonly number[], from: number): number | undefined {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return times[low]
}
