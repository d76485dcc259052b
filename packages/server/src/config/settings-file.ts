// Reads and checks the YAML settings file. Reports wrong and unknown settings by name.
import { readFileSync } from 'node:fs'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parse } from 'yaml'
import { describeSuggestion, suggestName } from './suggest-name.ts'
import { upstreamSchema, upstreamsSchema } from './upstream-settings.ts'
import { videoStoreSchema } from './video-store.ts'

const strict = { additionalProperties: false }

const settingsSchema = Type.Object(
  {
    models_file: Type.Optional(Type.String({ minLength: 1 })),
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
        /** How long a call waits for a slot if a model is short for the whole service; 0: refused at once. */
        queue_seconds: Type.Integer({ minimum: 0, maximum: 60, default: 5 }),
        // Bun's idle time-out is at most 255 s, and a client is cut off up to 4 s after its time.
        stalled_client_seconds: Type.Integer({ minimum: 1, maximum: 240, default: 60 }),
      },
      { ...strict, default: {} },
    ),
    gateway: Type.Object(
      {
        /** Checked by `readCorsOrigins`, with errors for people. */
        cors_origins: Type.Unknown({ default: 'any' }),
      },
      { ...strict, default: {} },
    ),
    upstream: upstreamSchema,
    upstreams: upstreamsSchema,
    videos: Type.Object(
      {
        keep_files: Type.Boolean({ default: true }),
        store: videoStoreSchema,
        keep_days: Type.Integer({ minimum: 1, maximum: 3650, default: 30 }),
        deadline_minutes: Type.Integer({ minimum: 1, maximum: 2880, default: 60 }),
        max_file_mebibytes: Type.Integer({ minimum: 1, maximum: 65_536, default: 512 }),
        keep_free_mebibytes: Type.Integer({ minimum: 0, maximum: 1_048_576, default: 1024 }),
      },
      { ...strict, default: {} },
    ),
    calls: Type.Object(
      {
        /** 0: forever. */
        keep_days: Type.Integer({ minimum: 0, maximum: 36_500, default: 0 }),
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
    webhooks: Type.Object(
      {
        /** Also allows http, other ports, and receivers in the internal network. */
        allow_private_addresses: Type.Boolean({ default: false }),
      },
      { ...strict, default: {} },
    ),
    /** Adds spend, remaining budget and refusals of each team to the metrics. */
    metrics_by_team: Type.Boolean({ default: false }),
    warn_free_mebibytes: Type.Integer({ minimum: 0, maximum: 1_048_576, default: 1024 }),
    drain_announce_seconds: Type.Integer({ minimum: 0, maximum: 600, default: 0 }),
    drain_seconds: Type.Integer({ minimum: 0, maximum: 3600, default: 30 }),
  },
  strict,
)

export type Settings = Static<typeof settingsSchema>

/** Reads a YAML file and checks it against a schema, defaults filled in. Throws an Error naming the file and the setting. */
/** `text`: used instead of the file's contents. */
export function readYaml<Schema extends TSchema>(
  path: string,
  schema: Schema,
  text?: string,
): Static<Schema> {
  let parsed: unknown
  try {
    parsed = parse(text ?? readFileSync(path, 'utf8')) ?? {}
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
  const errors = Value.Errors(schema, value)
  // Report unknown names first: the check of their values only reports that they should not be there.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0]
  if (error === undefined) return 'is not valid.'
  const place = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'additionalProperties') {
    const names = error.params.additionalProperties.map(name => {
      const path = place ? `${place}.${name}` : name
      return `${path}${describeSuggestion(suggestSetting(schema, path))}`
    })
    return `unknown setting ${names.join(', ')}.`
  }
  return `setting ${place || '(the whole file)'} ${error.message}.`
}

/** A sibling of the unknown setting with a similar name, or a setting with exactly that name elsewhere in the file. */
function suggestSetting(schema: TSchema, path: string): string | null {
  const steps = path.split('.')
  const name = steps.at(-1) ?? ''
  const place = steps.slice(0, -1)
  const sister = suggestName(name, Object.keys(readMembers(place.reduce(descend, schema))))
  if (sister !== null) return [...place, sister].join('.')
  return listSettings(schema, '').find(known => known.endsWith(`.${name}`) || known === name) ?? null
}

/** The schema one level down. For a record (`upstreams`) it is the schema of its values. */
function descend(schema: unknown, step: string): unknown {
  const members = readMembers(schema)
  if (Object.hasOwn(members, step)) return members[step]
  return Object.values(readRecord(schema, 'patternProperties'))[0]
}

function listSettings(schema: unknown, prefix: string): string[] {
  return Object.entries(readMembers(schema)).flatMap(([name, inner]) => [
    `${prefix}${name}`,
    ...listSettings(inner, `${prefix}${name}.`),
  ])
}

function readMembers(schema: unknown): Readonly<Record<string, unknown>> {
  return readRecord(schema, 'properties')
}

function readRecord(schema: unknown, name: string): Readonly<Record<string, unknown>> {
  const value = typeof schema === 'object' && schema !== null ? Reflect.get(schema, name) : undefined
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function readSettings(path: string): Settings {
  return readYaml(path, settingsSchema)
}
