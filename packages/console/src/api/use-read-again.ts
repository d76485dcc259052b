// Reads again what has changed, without ever cancelling a read that is under way.
import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

/** Between two looks at whether a read has ended. */
const lookMs = 250

/**
 * Returns a function that reads the given keys again after `restMs`; calls before then count as one. A key that is being read waits.
 * Otherwise each change would cancel the read before it, and with replies slower than the changes none would ever arrive.
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
