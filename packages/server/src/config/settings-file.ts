// Reads and checks the YAML settings file; a wrong or unknown setting is an error that names it.
import { readFileSync } from 'node:fs'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parse } from 'yaml'
import { upstreamSchema, upstreamsSchema } from './upstream-settings.ts'

const strict = { additionalProperties: false }

const settingsSchema = Type.Object(
  {
    models_file: Type.String({ default: 'models.yaml', minLength: 1 }),
    log_level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
    limits: Type.Object(
      {
        max_body_mebibytes: Type.Integer({ minimum: 1, maximum: 1024, default: 20 }),
        default_max_parallel_requests: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1000 }),
        min_useful_output: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 256 }),
        bodies: Type.Object(
          {
            key_mebibytes: Type.Integer({ minimum: 1, maximum: 65_536, default: 48 }),
            door_mebibytes: Type.Integer({ minimum: 1, maximum: 65_536, default: 56 }),
            process_mebibytes: Type.Integer({ minimum: 1, maximum: 65_536, default: 80 }),
            waiting_per_key: Type.Integer({ minimum: 0, maximum: 100_000, default: 16 }),
            waiting: Type.Integer({ minimum: 0, maximum: 100_000, default: 64 }),
            wait_seconds: Type.Integer({ minimum: 1, maximum: 600, default: 30 }),
            read_seconds: Type.Integer({ minimum: 1, maximum: 3600, default: 300 }),
          },
          { ...strict, default: {} },
        ),
        // Bun's idle time-out is at most 255 s.
        stalled_client_seconds: Type.Integer({ minimum: 1, maximum: 240, default: 60 }),
      },
      { ...strict, default: {} },
    ),
    upstream: upstreamSchema,
    upstreams: upstreamsSchema,
    videos: Type.Object(
      {
        keep_files: Type.Boolean({ default: true }),
        keep_days: Type.Integer({ minimum: 1, maximum: 3650, default: 30 }),
        deadline_minutes: Type.Integer({ minimum: 1, maximum: 2880, default: 60 }),
        max_file_mebibytes: Type.Integer({ minimum: 1, maximum: 65_536, default: 512 }),
        keep_free_mebibytes: Type.Integer({ minimum: 0, maximum: 1_048_576, default: 1024 }),
      },
      { ...strict, default: {} },
    ),
    idempotency: Type.Object(
      {
        max_answer_mebibytes: Type.Integer({ minimum: 1, maximum: 256, default: 32 }),
        max_recording_mebibytes: Type.Integer({ minimum: 1, maximum: 16_384, default: 256 }),
      },
      { ...strict, default: {} },
    ),
    drain_announce_seconds: Type.Integer({ minimum: 0, maximum: 600, default: 0 }),
    drain_seconds: Type.Integer({ minimum: 0, maximum: 3600, default: 30 }),
  },
  strict,
)

export type Settings = Static<typeof settingsSchema>

/** Reads a YAML file and checks it against a schema, defaults filled in. Throws an Error naming the file and the setting. */
export function readYaml<Schema extends TSchema>(path: string, schema: Schema): Static<Schema> {
  let parsed: unknown
  try {
    parsed = parse(readFileSync(path, 'utf8')) ?? {}
  } catch (cause) {
    throw new Error(`Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
  const value = Value.Default(schema, parsed)
  if (Value.Check(schema, value)) return value
  throw new Error(`${path}: ${describeFirstError(schema, value)}`)
}

function describeFirstError(schema: TSchema, value: unknown): string {
  const error = Value.Errors(schema, value)[0]
  if (error === undefined) return 'is not valid.'
  const place = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'additionalProperties') {
    const names = error.params.additionalProperties.map(name => (place ? `${place}.${name}` : name))
    return `unknown setting ${names.join(', ')}.`
  }
  return `setting ${place || '(the whole file)'} ${error.message}.`
}

export function readSettings(path: string): Settings {
  return readYaml(path, settingsSchema)
}
