// Reloads changed data without cancelling a read that is in progress.
import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

/** Interval between checks whether a read has ended. */
const lookMs = 250

/**
 * Returns a function that reloads the given keys after `restMs`; calls before then count as one. A key that is being read waits, because
 * each change would otherwise cancel the read before it, and replies slower than the changes would never arrive.
 */
export function useReadAgain(restMs = 0): (keys: readonly QueryKey[]) => void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const due = useRef(new Map<string, QueryKey>())
  useEffect(() => () => clearTimeout(timer.current ?? undefined), [])
  const read = () => {
    timer.current = null
    for (const [hash, queryKey] of due.current) {
      if (queries.isFetching({ queryKey }) > 0) continue
      due.current.delete(hash)
      void queries.invalidateQueries({ queryKey })
    }
    if (due.current.size > 0) timer.current = setTimeout(read, Math.max(restMs, lookMs))
  }
  return keys => {
    for (const key of keys) due.current.set(hashKey(key), key)
    timer.current ??= setTimeout(read, restMs)
  }
}
