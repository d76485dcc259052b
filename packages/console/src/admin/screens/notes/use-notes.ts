// Reads a list of notes, and polls while it is shown because others write at the same time.
import type { NoteList } from '@fairgate/contracts/management/notes.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { QueryValues } from '../../../api/request.ts'
import { readOf, useReadPages } from '../../../api/use-read.ts'

/** The event stream does not cover notes. */
const everyMs = 20_000

export function useNotes(query: QueryValues) {
  const queries = useQueryClient()
  useEffect(() => {
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: ['/notes'] }), everyMs)
    return () => clearInterval(timer)
  }, [queries])
  return useReadPages(readOf<NoteList>('/notes', query))
}
