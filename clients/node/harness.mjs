// Shared by the programs of the Node clients: named checks that run one by one, each compared with its exact charge.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const { CLIENTS_GATEWAY_URL: gateway, CLIENTS_KEY: key, CLIENTS_SANDBOX_URL: sandbox } = process.env
const prices = JSON.parse(process.env.CLIENTS_PRICES)
export const place = { gateway, key }
export const image = readFileSync(process.env.CLIENTS_IMAGE)
export const audio = readFileSync(process.env.CLIENTS_AUDIO)

export const models = {
  chat: 'mm-2.5-flash',
  drawing: 'imgalias-2',
  image: 'imggen-4',
  speech: 'mm-2.5-flash-preview-tts',
  transcription: 'mm-3.5-transcribe-preview',
  embedding: 'mm-embedding-001',
  geminiVideo: 'video-3.0-fast-generate-001',
}

const perItem = ['image', 'song', 'second_720p', 'request']
const instead = { input_audio: 'input', input_image: 'input', reasoning: 'output' }

/** The cost of one call in nano-dollars. Units have the catalog's names, and the sum is rounded up once. */
export function cost(model, units) {
  let thousandths = 0n
  for (const [unit, count] of Object.entries(units)) {
    const price = prices[model][unit] ?? prices[model][instead[unit]]
    if (count > 0) assert(price !== undefined, `${model} has no price for ${unit}`)
    // Prices have at most six decimal places, so millionths are exact.
    const millionths = BigInt(Math.round((price ?? 0) * 1e6)) * BigInt(count)
    thousandths += millionths * (perItem.includes(unit) ? 1_000_000n : 1n)
  }
  return Number((thousandths + 999n) / 1000n)
}

/** The cost of the chat calls since the check began, by what the sandbox has billed; there must have been `count` of them. */
export async function costOfTurns(count) {
  const sold = await billed('gemini-2.5-flash')
  assert.equal(sold.calls, count, `${sold.calls} calls, expected ${count}`)
  return cost(models.chat, {
    input: sold.promptTokens - sold.cachedTokens,
    cached_input: sold.cachedTokens,
    output: sold.candidatesTokens,
    reasoning: sold.thoughtsTokens,
  })
}

/** What the sandbox has billed for a model since the check began, for calls whose reply has no usage. */
export async function billed(upstreamModel) {
  return (await getJson(`${sandbox}/sandbox/counters`)).billed[upstreamModel]
}

export const isPng = bytes => Buffer.from(bytes).toString('latin1', 1, 4) === 'PNG'
export const isMp3 = bytes => bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0
export const isMp4 = bytes => Buffer.from(bytes).toString('latin1', 4, 8) === 'ftyp'

/**
 * The checks of one client of `node_modules`. A check returns the charge that it expects, in nano-dollars. `turn`, `tools`, `stream`
 * and `structured output` are columns of docs/clients.md, so each client has them, or says that it has none.
 */
export function createSuite(client) {
  const name = `${client} ${versionOf(client)}`
  let failed = 0
  return {
    check: async (what, run) => {
      await fetch(`${sandbox}/sandbox/reset`, { method: 'POST' })
      const before = await readSpend()
      try {
        const expected = await run()
        const charged = await settle(before, expected)
        assert.equal(charged, expected, `charged ${charged} nano-dollars, expected ${expected}`)
        assert(charged > 0, 'nothing was charged')
        console.log(`ok      ${name}: ${what} (${(charged / 1e9).toFixed(9).replace(/0+$/, '')} USD)`)
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

/** The spend may follow a moment after the client's last byte. */
async function settle(before, expected) {
  for (let look = 0; ; look += 1) {
    const charged = (await readSpend()) - before
    if (charged >= expected || look === 40) return charged
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** The key's spend in nano-dollars. */
async function readSpend() {
  return Math.round((await getJson(`${gateway}/key/info`)).info.spend * 1e9)
}

async function getJson(url) {
  return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()
}
