// What the operator reads when the embedded database cannot be opened at the start: what is wrong, and what to do.
import { classifyFailure } from '../classify-failure.ts'
import { StoreError } from '../store-error.ts'

const advice = {
  database_damaged:
    'It is damaged, or no database. Restore a backup, or keep it aside and start with an empty folder.',
  database_full: 'The disk is full. Make room and start again.',
  database_read_only: 'It cannot be written. Check its owner, its permissions and how its disk is mounted.',
  database_in_use: 'Another process uses it.',
  database_unavailable:
    'Check that it and its folder belong to the user that runs Fairgate, and that it is an ordinary file.',
} as const

export function describeOpenFailure(path: string, error: unknown): Error {
  if (!(error instanceof StoreError)) return error instanceof Error ? error : new Error(String(error))
  const found = classifyFailure(error)
  const sentence = found.scope === 'store' ? ` ${advice[found.reason]}` : ''
  const reason = error.code === null ? error.message : `${error.message} (${error.code}).`
  return new Error(`The database ${path} cannot be opened: ${reason}${sentence}`, { cause: error })
}
