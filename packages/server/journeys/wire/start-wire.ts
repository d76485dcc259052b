// One server for all groups, with a fixed clock: its doors, a tapped upstream, and the recording so far.
import { Database } from 'bun:sqlite'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { startServer } from '../../src/main.ts'
import type { HttpMessage } from './http-messages.ts'
import { createPlaceholders } from './placeholders.ts'
import { type RawRequest, sendRaw } from './send-raw.ts'
import { startUpstreamTap, type UpstreamTap, upstreamKey } from './upstream-tap.ts'
import { type WriteOptions, writeExchange, writeUpstream } from './write-exchange.ts'
import { writeLegend } from './write-head.ts'

export type DoorName = 'gateway' | 'logbook' | 'admin'

/** Several values of one field in a list. */
export type FormFields = Readonly<Record<string, string | File | readonly File[]>>

export type Ask = WriteOptions & {
  readonly door?: DoorName
  /** Key, log token or admin key, as bearer token. */
  readonly bearer?: string
  /** The same for the pass-through. */
  readonly vendorKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, when an object, or the text as it is. */
  readonly body?: object | string
  /** Instead: the fields of a multipart form. */
  readonly form?: FormFields
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** A value of the parsed body, by a path such as `data.0.id`. Throws if there is none. */
  readonly read: (path: string) => string
}

export type Wire = {
  /** Sends a request, as `POST /path`, and records it with its reply. */
  readonly ask: (name: string, request: string, ask?: Ask) => Promise<Answer>
  /** Sends without recording: for waiting and for making what a recorded request needs. */
  readonly askQuietly: (request: string, ask?: Ask) => Promise<Answer>
  /** Creates a team with a key; returns the key. */
  readonly team: (teamId: string, fields?: object, keyFields?: object) => Promise<string>
  readonly key: (teamId: string, fields?: object) => Promise<string>
  readonly token: (teamId: string) => Promise<string>
  readonly adminKey: string
  readonly answerNext: UpstreamTap['answerNext']
  /** Holds back delayed replies of the sandbox until the returned function is called. */
  readonly holdUpstream: () => () => void
  /** Resolves when a request has reached the upstream since the last recorded exchange. */
  readonly reachUpstream: () => Promise<void>
  readonly passTime: (milliseconds: number) => void
  /** Rows of the database, recorded as JSON. */
  readonly rows: (name: string, query: string) => void
  /** The distinct requests that the server sends by itself, in alphabetical order. */
  readonly recordBackground: (name: string) => void
  /** Changes stored rows without the server, for states that only a crash or many days would cause. */
  readonly changeRows: (statement: string) => void
  readonly readRows: (query: string) => readonly Readonly<Record<string, unknown>>[]
}

export type WireServer = {
  /** Runs a group, `start` milliseconds after the first moment of the clock, and returns its record. */
  readonly record: (run: (wire: Wire) => Promise<void>, start: number) => Promise<string>
  /** The OpenAPI document of a door. */
  readonly readDocument: (door: DoorName) => Promise<string>
  readonly stop: () => Promise<void>
}

const adminKey = 'admin-key-of-the-wire'
/** A Saturday, so that days, weeks and months all start at different times. */
const firstMoment = Date.UTC(2026, 10, 21, 8, 30)
const shippedModels = resolve(import.meta.dir, '../../../../config/models.yaml')

/** Models of the OpenAI-compatible upstream, in addition to the shipped catalog; a token of the embedder costs 0.3 nano-dollars. */
const ownModels = `models:
  own-chat: { upstream: own, upstream_id: gpt-sandbox, context_limit: 100000, max_output: 4096, typical_output: 100, reasoning: level, price: { input: 1.00, cached_input: 0.10, output: 4.00, reasoning: 4.00 } }
  own-embedder: { upstream: own, upstream_id: embedding-sandbox, modality: embedding, context_limit: 8192, price: { input: 0.0003 } }
  own-painter: { upstream: own, upstream_id: image-sandbox, modality: imggen, context_limit: 4000, price: { image: 0.04 } }
  own-image: { upstream: own, upstream_id: gpt-image, modality: image, context_limit: 8192, max_output: 8192, image_tokens: { 1K: 1056 }, price: { input: 5.00, input_image: 10.00, output: 40.00, output_image: 40.00 } }
  own-speaker: { upstream: own, upstream_id: speech-sandbox, modality: speech, context_limit: 4096, voices: [alloy, nova], price: { input_characters: 15.00 } }
  own-writer: { upstream: own, upstream_id: whisper-sandbox, modality: transcription, context_limit: 100000, max_output: 4096, price: { input: 2.00, input_audio: 3.00, output: 10.00 } }
`

export async function startWire(): Promise<WireServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-wire-'))
  let now = firstMoment
  const clock = () => now
  let held: Promise<void> | null = null
  const sandbox = startSandbox({
    port: 0,
    keys: [upstreamKey],
    wait: async milliseconds => {
      await (held ?? Bun.sleep(milliseconds))
    },
    now: clock,
  })
  const tap = await startUpstreamTap(sandbox.url)
  const modelsFile = join(folder, 'models.yaml')
  writeFileSync(modelsFile, readFileSync(shippedModels, 'utf8').replace(/^models:\n/m, ownModels))
  const settingsFile = join(folder, 'fairgate.yaml')
  writeFileSync(
    settingsFile,
    `models_file: ${JSON.stringify(modelsFile)}
log_level: silent
limits: { max_body_mebibytes: 1, queue_seconds: 0 }
videos: { deadline_minutes: 10 }
upstream: { timeouts: { embeddings: 1 }, max_retries: 1 }
upstreams: { own: { kind: openai, base_url: '${tap.url}/openai/v1', api_key_env: OWN_KEY } }
`,
  )
  const server = await startServer(
    {
      FAIRGATE_CONFIG: settingsFile,
      FAIRGATE_DATA_DIR: join(folder, 'data'),
      FAIRGATE_ADMIN_KEY: adminKey,
      FAIRGATE_GATEWAY_PORT: '0',
      FAIRGATE_LOGBOOK_PORT: '0',
      FAIRGATE_ADMIN_PORT: '0',
      VENDOR_BASE_URL: tap.url,
      VENDOR_API_KEY: upstreamKey,
      OWN_KEY: upstreamKey,
    },
    { clock },
  )
  const urls = { gateway: server.gatewayUrl, logbook: server.logbookUrl, admin: server.adminUrl }
  const addresses = new Map(
    Object.entries({ ...urls, upstream: tap.url }).map(([name, url]) => [new URL(url).host, `<${name}>`]),
  )
  const readRows = (query: string) => {
    const database = new Database(join(folder, 'data', 'fairgate.db'))
    try {
      database.run('PRAGMA busy_timeout = 5000')
      return database.query<Record<string, unknown>, []>(query).all()
    } finally {
      database.close()
    }
  }

  const send = async (request: string, ask: Ask) => {
    const raw = await buildRequest(request, ask)
    const reply = await sendRaw(urls[ask.door ?? 'gateway'], raw)
    const text = reply.body.toString('utf8')
    const answer: Answer = {
      status: Number(reply.start.split(' ')[1]),
      headers: Object.fromEntries(reply.headers.map(([name, value]) => [name.toLowerCase(), value])),
      text,
      read: path => readPath(text, path),
    }
    return { raw, reply, answer }
  }

  const createWire = (lines: string[]): Wire => {
    const placeholders = createPlaceholders(addresses)
    const askQuietly: Wire['askQuietly'] = async (request, ask = {}) => (await send(request, ask)).answer
    const manage = async (path: string, body: object): Promise<Answer> => {
      const answer = await askQuietly(`POST ${path}`, { door: 'admin', bearer: adminKey, body })
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
      return answer
    }
    const background = new Set<string>()
    /** The requests since the last call, without those that the server may send at any time. */
    const takeUpstream = (): HttpMessage[] => {
      const taken = tap.takeRequests()
      const isOwn = ({ start }: HttpMessage) => / \S*\/(operations|files|storage)\//.test(start)
      for (const message of taken.filter(isOwn)) background.add(writeUpstream(message, placeholders.apply))
      return taken.filter(message => !isOwn(message))
    }
    const names = new Set<string>()
    let keys = 0
    const key: Wire['key'] = async (teamId, fields = {}) => {
      const secret = (await manage('/key/generate', { team_id: teamId, ...fields })).read('key')
      keys += 1
      placeholders.learnSecret(secret, `key ${keys} of ${teamId}`)
      return secret
    }
    return {
      ask: async (name, request, ask = {}) => {
        if (names.has(name)) throw new Error(`There are two exchanges with the name ${name}.`)
        names.add(name)
        takeUpstream()
        placeholders.enter(name)
        const { raw, reply, answer } = await send(request, ask)
        const upstream = takeUpstream()
        lines.push(writeExchange({ name, request: raw, reply, upstream, options: ask }, placeholders.apply))
        return answer
      },
      askQuietly,
      team: async (teamId, fields = {}, keyFields = {}) => {
        await manage('/team/new', { team_id: teamId, max_budget: 100, ...fields })
        return key(teamId, keyFields)
      },
      key,
      token: async teamId => {
        const secret = (await manage('/log_token/generate', { team_id: teamId })).read('token')
        placeholders.learnSecret(secret, `log token of ${teamId}`)
        return secret
      },
      adminKey,
      answerNext: tap.answerNext,
      holdUpstream: () => {
        const { promise, resolve: release } = Promise.withResolvers<void>()
        held = promise
        return () => {
          held = null
          release()
        }
      },
      reachUpstream: async () => {
        while (takeUpstream().length === 0) await Bun.sleep(2)
      },
      passTime: milliseconds => {
        now += milliseconds
      },
      recordBackground: name => {
        takeUpstream()
        lines.push(`=== ${name}`, ...[...background].sort(), '')
      },
      readRows,
      changeRows: statement => {
        readRows(statement)
      },
      rows: (name, query) => {
        const rows = readRows(query).map(row => placeholders.apply(JSON.stringify(row)))
        lines.push(`=== ${name}`, ...rows, '')
      },
    }
  }

  return {
    record: async (run, start) => {
      now = firstMoment + start
      const lines = writeLegend()
      await run(createWire(lines))
      return lines.join('\n')
    },
    readDocument: async door => (await send('GET /openapi.json', { door })).answer.text,
    stop: async () => {
      await server.stop()
      await tap.stop()
      await sandbox.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function buildRequest(request: string, ask: Ask): Promise<RawRequest> {
  const { bearer, vendorKey, headers = {}, body, form } = ask
  const [method = '', path = ''] = request.split(' ')
  const own: Record<string, string> = {
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    ...(vendorKey === undefined ? {} : { 'x-vendor-api-key': vendorKey }),
    ...(typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}),
    ...(form === undefined ? {} : { 'Content-Type': `multipart/form-data; boundary=${boundary}` }),
    ...headers,
  }
  return { method, path, headers: Object.entries(own), body: await writeBody(ask) }
}

async function writeBody({ body, form }: Ask): Promise<Uint8Array | null> {
  if (form !== undefined) return writeForm(form)
  if (body === undefined) return null
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The same in every run, unlike the one that a FormData would get. */
const boundary = 'boundary-of-the-wire'

async function writeForm(form: FormFields): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  for (const [name, given] of Object.entries(form)) {
    for (const value of typeof given === 'string' || given instanceof File ? [given] : given) {
      const file =
        typeof value === 'string' ? '' : `; filename="${value.name}"\r\nContent-Type: ${value.type}`
      pieces.push(
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
        Buffer.from(typeof value === 'string' ? value : await value.bytes()),
        Buffer.from('\r\n'),
      )
    }
  }
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

function readPath(text: string, path: string): string {
  let value: unknown = JSON.parse(text)
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([own]) => own === name)?.[1]
        : null
  }
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`No ${path} in ${text.slice(0, 200)}`)
  return String(value)
}
