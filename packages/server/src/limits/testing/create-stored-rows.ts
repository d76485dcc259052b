// The table of window rows as a list, for tests that write and read it without a database.
import type { WindowWrite } from '../../store/ledger-writer.ts'
import type { WindowRow } from '../../store/statements/window-rows.ts'

export function createStoredRows() {
  let stored: WindowRow[] = []
  return {
    /** Behaves like a commit that succeeds. */
    write: (write: WindowWrite | null): void => {
      if (write === null) return
      const { row, drop } = write.change
      if (row !== null) stored = [...stored.filter(({ sequence }) => sequence !== row.sequence), row]
      stored = stored.filter(
        ({ sequence }) => !drop.some(({ from, through }) => from <= sequence && sequence <= through),
      )
      write.written()
    },
    rows: (): readonly WindowRow[] => stored,
  }
}
