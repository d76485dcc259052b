// Where budgets, windows and slots are counted: in the memory of the only process, or in a PostgreSQL that many processes share.

export type LimitsEngine = 'memory' | 'shared'

/** Throws an Error that names the setting when a shared engine is asked for where there is nothing to share. */
export function chooseLimitsEngine(
  wanted: LimitsEngine | undefined,
  databaseUrl: string | null,
): LimitsEngine {
  if (databaseUrl !== null) return wanted ?? 'shared'
  if (wanted === 'shared')
    throw new Error(
      'limits.engine is "shared", which needs PostgreSQL: set DATABASE_URL, or leave limits.engine out.',
    )
  return 'memory'
}
