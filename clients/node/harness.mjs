// Shared by the programs of the Node clients: named checks that run one by one, each call compared with its row in the ledger.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const { CLIENTS_GATEWAY_URL: gateway, CLIENTS_KEY: key } = process.env
const { CLIENTS_BOOKS_URL: books, CLIENTS_SANDBOX_URL: sandbox } = process.env
export const place = { gateway, key }
export const image = readFileSync(process.env.CLIENTS_IMAGE)
export const audio = readFileSync(process.env.CLIENTS_AUDIO)

export const models = {
  chat: 'mm-2.5-flash',
  /** Its calls are refused without their signatures. */
  signed: 'mm-3-flash-preview',
  drawing: 'imgalias-2',
  image: 'imggen-4',
  speech: 'mm-2.5-flash-preview-tts',
  transcription: 'mm-3.5-transcribe-preview',
  embedding: 'mm-embedding-001',
  geminiVideo: 'video-3.0-fast-generate-001',
}

/** One call with the units that its client shows, by their names in config/models.yaml. */
export const call = (model, units) => [{ model, units }]

/** Calls of which the client shows no usage, or not all of it. */
export const calls = (count, model = models.chat) => Array.from({ length: count }, () => ({ model }))

/** Until the check ends. */
export async function setSwitches(switches) {
  const response = await fetch(`${sandbox}/sandbox/switches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(switches),
  })
  assert.equal(response.status, 200)
}

export const isPng = bytes => Buffer.from(bytes).toString('latin1', 1, 4) === 'PNG'
export const isMp3 = bytes => bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0
export const isMp4 = bytes => Buffer.from(bytes).toString('latin1', 4, 8) === 'ftyp'

/**
 * The checks of one client of `node_modules`. A check returns the calls that it made (`call`, `calls`). `turn`, `tools`, `stream` and
 * `structured output` are columns of docs/clients.md, so each client has them, or says that it has none.
 */
export function createSuite(client) {
  const version = versionOf(client)
  const name = `${client} ${version}`
  let failed = 0
  return {
    major: Number.parseInt(version, 10),
    check: async (what, run) => {
      await post('/begin')
      try {
        const charge = await post('/end', { calls: await run() })
        console.log(`ok      ${name}: ${what} (${charge})`)
      } catch (error) {
        failed += 1
        console.log(`FAILED  ${name}: ${what}: ${error?.stack ?? error}`)
      }
    },
    /** For the table in docs/clients.md: what a reader must know to use this client. */
    note: text => console.log(`note    ${name}: ${text}`),
    hasNone: (...what) => console.log(`--      ${name}: the client has none of: ${what.join(', ')}`),
    hasFailed: () => failed > 0,
  }
}

function versionOf(client) {
  const path = new URL(`./node_modules/${client}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8')).version
}

/** Throws an Error that says what differs between the calls, the ledger and the sandbox. */
async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${books}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return text
}
