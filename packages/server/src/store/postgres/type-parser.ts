// Parses PostgreSQL values into the same types as SQLite's.
import { types } from 'pg'

const int8 = 20
const numeric = 1700

/**
 * 64-bit integers and their sums as numbers: all of ours are safe integers (nano-dollars, microseconds, counts). The statements rely on it
 * and convert nothing themselves.
 */
export const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === int8 || oid === numeric) return Number
  return types.getTypeParser(oid, format as 'text')
}
