// The two kinds of entries: those whose claimed time is no later than their receipt, and those that date themselves ahead. Each has indexes of
// its own, which a query uses that names its condition. So a page of any order is merged from two runs, and neither hides the other.
import { sql } from 'kysely'

/** `at`: the column that holds the time by which our own pages order: the claimed one, but never later than the receipt. */
export const entryKinds = [
  { condition: sql<boolean>`ts_micros <= received_micros`, at: 'ts_micros' },
  { condition: sql<boolean>`ts_micros > received_micros`, at: 'received_micros' },
] as const
