// Compares the calls of each check with their rows in the ledger and with what the sandbox billed. The programs of all languages ask it over HTTP.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { Fairgate } from '../packages/server/journeys/testing/start-fairgate.ts'
import { piecePrices, tokenPrices } from '../packages/server/src/catalog/load-catalog.ts'

/** A call that a client made: its model or alias and, if the client shows them, its units by their names in config/models.yaml and its USD. */
type ShownCall = {
  readonly model: string
  readonly units?: Readonly<Record<string, number>>
  readonly cost?: number
}

type Prices = Readonly<Record<string, number | undefined>>
type Model = {
  readonly id: string
  readonly upstreamId: string
  readonly modality: string
  readonly price: Prices
}

type Billed = ReturnType<Fairgate['sandbox']['counters']>['billed'][string]

type Row = Pick<
  OrganiserCallItem,
  'call_id' | 'endpoint' | 'model_served' | 'outcome' | 'code' | 'flag' | 'units' | 'cost_nano'
>

const settleMs = 2_000
const catalogFile = fileURLToPath(new URL('../config/models.yaml', import.meta.url))
/** Prices that hold for a unit without its own, as the head of config/models.yaml says. */
const instead: Readonly<Record<string, string>> = {
  input_audio: 'input',
  input_image: 'input',
  input_video: 'input',
  reasoning: 'output',
}
const unitNames = new Map(
  Object.entries({ ...tokenPrices, ...piecePrices }).map(([name, unit]): [string, string] => [unit, name]),
)

export type Books = { readonly url: string; readonly stop: () => Promise<void> }

/**
 * `POST /begin` starts a check: the sandbox bills from 0 again. `POST /end` with `{calls: ShownCall[]}` answers 200 with the charge as text
 * ("0.0001687 USD"), or 409 with a sentence that says what differs.
 */
export function openBooks({ sandbox, manage }: Pick<Fairgate, 'sandbox' | 'manage'>): Books {
  const models = readModels()
  let begun = new Date()
  const readRows = async (): Promise<readonly Row[]> => {
    const reply = await manage.call('GET', `/calls?limit=200&from=${begun.toISOString()}`)
    const { items } = (await reply.json()) as OrganiserCallsPage
    return items
  }
  const end = async (shown: readonly ShownCall[]): Promise<Response> => {
    const deadline = Date.now() + settleMs
    let rows = await readRows()
    // The row of a stream may follow a moment after the last byte that its client waits for.
    while (rows.length < shown.length && Date.now() < deadline) {
      await Bun.sleep(50)
      rows = await readRows()
    }
    const fault = judgeCalls(models, shown, rows, sandbox.counters().billed)
    if (fault !== null) return new Response(fault, { status: 409 })
    const nano = rows.reduce((sum, row) => sum + row.cost_nano, 0)
    return new Response(`${(nano / 1e9).toFixed(9).replace(/0+$/, '')} USD`)
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/begin': () => {
        sandbox.setSwitches({})
        sandbox.resetCounters()
        begun = new Date()
        return new Response()
      },
      '/end': async request => {
        const { calls } = (await request.json()) as { calls: ShownCall[] }
        return await end(calls)
      },
    },
    error: error => new Response(error.message, { status: 409 }),
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: async () => await server.stop(true) }
}

/** Each row must be one of the shown calls, cost its units at the catalog's prices, and all rows must have the units that were billed. */
function judgeCalls(
  models: ReadonlyMap<string, Model>,
  shown: readonly ShownCall[],
  rows: readonly Row[],
  billed: Readonly<Record<string, Billed>>,
): string | null {
  if (shown.length === 0) return 'The check made no call.'
  const listed = rows.map(row => `${row.model_served} ${row.code ?? row.flag ?? row.outcome}`).join(', ')
  if (rows.length !== shown.length)
    return `The ledger has ${rows.length} calls instead of ${shown.length}: ${listed}.`
  if (rows.some(({ outcome, flag }) => outcome !== 'completed' || flag !== null))
    return `Not all calls were completed and charged as reported: ${listed}.`
  for (const row of rows) {
    const cost = costOf(modelOf(models, row.model_served), namedUnits(row))
    if (cost !== row.cost_nano)
      return `Call ${row.call_id} was charged ${row.cost_nano} nano-dollars; its units cost ${cost}.`
  }
  return judgeShown(models, shown, rows) ?? judgeBilled(models, rows, billed)
}

/** Clients see coarser units than the ledger has, so a row belongs to the shown call of its model whose units cost as much. */
function judgeShown(
  models: ReadonlyMap<string, Model>,
  shown: readonly ShownCall[],
  rows: readonly Row[],
): string | null {
  const left = [...rows]
  // Those without units fit any row of their model, so they choose last.
  const bySight = (call: ShownCall) => Number(call.units === undefined)
  for (const call of shown.toSorted((one, other) => bySight(one) - bySight(other))) {
    const model = modelOf(models, call.model)
    const costs = [
      ...(call.units === undefined ? [] : [costOf(model, call.units)]),
      ...(call.cost === undefined ? [] : [Math.round(call.cost * 1e9)]),
    ]
    const index = left.findIndex(
      row => row.model_served === model.id && costs.every(cost => cost === row.cost_nano),
    )
    if (index < 0)
      return `No row has the call ${JSON.stringify(call)} of ${costs.join(' and ')} nano-dollars. Rows left: ${JSON.stringify(left)}`
    left.splice(index, 1)
  }
  return null
}

function judgeBilled(
  models: ReadonlyMap<string, Model>,
  rows: readonly Row[],
  billed: Readonly<Record<string, Billed>>,
): string | null {
  const sold = Object.fromEntries(
    Object.entries(billed).map(([upstreamId, bill]) => {
      const model = [...models.values()].find(each => each.upstreamId === upstreamId)
      return [model?.id ?? upstreamId, soldUnits(model, bill, rows)]
    }),
  )
  const charged = Object.fromEntries(
    Map.groupBy(rows, row => row.model_served ?? '')
      .entries()
      .map(([id, ofModel]) => [id, chargedUnits(ofModel)]),
  )
  if (Bun.deepEquals(sold, charged)) return null
  return `The sandbox billed ${JSON.stringify(sold)}, the ledger has ${JSON.stringify(charged)}.`
}

/** Counts above 0 of what a bill and a row both know. Media within a prompt or an answer are part of its tokens. */
type Sold = Readonly<Record<string, number>>

function soldUnits(model: Model | undefined, bill: Billed, rows: readonly Row[]): Sold {
  const { modality = 'chat' } = model ?? {}
  if (modality === 'imggen') return { calls: bill.calls, image: bill.images ?? 0 }
  if (modality === 'music') return { calls: bill.calls, song: bill.songs ?? 0 }
  if (modality === 'video') {
    const isVendors = rows.some(row => row.endpoint === 'predictLongRunning')
    return isVendors
      ? { calls: bill.calls, request: bill.videos ?? 0 }
      : { calls: bill.calls, second_720p: bill.seconds ?? 0 }
  }
  return aboveZero({
    calls: bill.calls,
    prompt: bill.promptTokens,
    cached: bill.cachedTokens,
    promptAudio: bill.inputAudioTokens ?? 0,
    answer: bill.candidatesTokens,
    answerAudio: bill.outputAudioTokens ?? 0,
    reasoning: bill.thoughtsTokens,
  })
}

function chargedUnits(rows: readonly Row[]): Sold {
  const sum = (...names: string[]) =>
    rows.reduce((total, row) => names.reduce((more, name) => more + (namedUnits(row)[name] ?? 0), total), 0)
  return aboveZero({
    calls: rows.length,
    prompt: sum('input', 'input_audio', 'input_image', 'input_video', 'cached_input'),
    cached: sum('cached_input'),
    promptAudio: sum('input_audio'),
    answer: sum('output', 'output_audio', 'output_image'),
    answerAudio: sum('output_audio'),
    reasoning: sum('reasoning'),
    image: sum('image'),
    song: sum('song'),
    second_720p: sum('second_720p'),
    request: sum('request'),
  })
}

function aboveZero(units: Sold): Sold {
  return Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0))
}

function namedUnits({ units }: Row): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(units).map(([unit, count]) => [unitNames.get(unit) ?? unit, count]),
  )
}

/** In nano-dollars, computed without the ledger: the exact sum, rounded up once. */
function costOf({ id, price }: Model, units: Readonly<Record<string, number>>): number {
  let thousandths = 0n
  for (const [unit, count] of Object.entries(units)) {
    if (count === 0) continue
    const rate = price[unit] ?? price[instead[unit] ?? '']
    if (rate === undefined) throw new Error(`config/models.yaml has no price for ${unit} of ${id}.`)
    // Prices have at most six decimal places, so millionths are exact.
    const millionths = BigInt(Math.round(rate * 1e6)) * BigInt(count)
    thousandths += unit in piecePrices ? millionths * 1_000_000n : millionths
  }
  return Number((thousandths + 999n) / 1000n)
}

/** By id and alias, as config/models.yaml has them. */
function readModels(): ReadonlyMap<string, Model> {
  type Entry = { upstream_id: string; modality?: string; price: Prices; aliases?: string[] }
  const { models } = Bun.YAML.parse(readFileSync(catalogFile, 'utf8')) as { models: Record<string, Entry> }
  return new Map(
    Object.entries(models).flatMap(
      ([id, { upstream_id: upstreamId, modality = 'chat', price, aliases = [] }]) =>
        [id, ...aliases].map((name): [string, Model] => [name, { id, upstreamId, modality, price }]),
    ),
  )
}

function modelOf(models: ReadonlyMap<string, Model>, name: string | null): Model {
  const model = models.get(name ?? '')
  if (model === undefined) throw new Error(`config/models.yaml has no model ${name}.`)
  return model
}
