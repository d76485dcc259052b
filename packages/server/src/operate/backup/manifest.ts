// A backup's manifest: enough to decide, on another machine and years later, whether the backup is complete and which version can read it.
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

export const manifestName = 'manifest.json'
/** The database of a backup is a SQLite file, regardless of the engine that it came from. */
export const databaseName = 'fairgate.db'

const fileSchema = Type.Object({
  /** The path within the backup, with `/`. */
  path: Type.String({ pattern: '^(fairgate\\.db|admin-key|videos/[A-Za-z0-9_-]+\\.mp4)$' }),
  bytes: Type.Integer({ minimum: 0 }),
  /** Lower-case hex. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

const manifestSchema = Type.Object({
  format: Type.Literal(1),
  /** ISO 8601, UTC. */
  created_at: Type.String(),
  /** The Fairgate version that wrote it. */
  version: Type.String(),
  engine: Type.Enum(['sqlite', 'postgres']),
  /** The migrations that have run on the database. */
  migrations: Type.Array(Type.String()),
  /** Table → rows. */
  tables: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  files: Type.Array(fileSchema),
})

export type Manifest = Static<typeof manifestSchema>
export type BackupFile = Static<typeof fileSchema>

/** Throws an Error that describes what is wrong with the text. */
export function parseManifest(text: string): Manifest {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new Error(`${manifestName} is not JSON.`)
  }
  if (Value.Check(manifestSchema, parsed)) return parsed
  const error = Value.Errors(manifestSchema, parsed)[0]
  throw new Error(`${manifestName}: ${error?.instancePath || 'it'} ${error?.message ?? 'is not valid'}.`)
}
