// The table of what the request and token windows of the last minute held, for the next start to go on from.

/** What windows have counted since the row before; each second's row takes the place of those that commits had brought within it. */
export type WindowRowsTable = {
  /** Ascends with every row. */
  sequence: number
  /** Unix ms by the clock of the windows. */
  written_at: number
  /** Unix ms: the time of day at that moment. */
  wall_at: number
  /** JSON, as limits/windows/write-contents.ts has it. */
  changes: string
}

export type WindowsSchema = { window_rows: WindowRowsTable }
