// Checks when the bytes of a relayed stream may be sent: none before its row is on disk, the last ones only after its charge.
// Shown to fail by not holding back the last piece, by sending it without its charge, and by not waiting for the row.
import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { loadCatalog } from '../../../catalog/load-catalog.ts'
import { emptyEvent } from '../../../directory/event/event.ts'
import { eventsOf } from '../../../http/server-sent-events.ts'
import { buildCall } from '../../../http/testing/build-call.ts'
import type { Charge } from '../../../ledger/charge.ts'
import { nanoDollars } from '../../../ledger/money.ts'
import { createMemoryLimits } from '../../../limits/memory/create-memory-limits.ts'
import { buildKey, buildTeam } from '../../../limits/testing/build-parties.ts'
import type { RelayedStream } from '../../../upstream/relay-port.ts'
import { createPaidStream } from '../../flow/paid-stream.ts'
import { nothingUncharged } from '../../flow/testing/nothing-uncharged.ts'
import { RelayedPieces } from './relayed-pieces.ts'
import type { StreamForm } from './stream-forms.ts'

const catalog = loadCatalog(fileURLToPath(new URL('../../../../../../config/models.yaml', import.meta.url)))
const found = catalog.find('mm-2.5-flash')
if (found === undefined) throw new Error('The catalog has another model now.')
const model = found

const event = (text: string, more = '') =>
  `{"candidates":[{"content":{"parts":[{"text":"${text}"}]}${more}}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}`
const first = event('a')
const last = event('b', ',"finishReason":"STOP"')

/** More than the answers cost. */
const held = 20_000

/** A stream with upstream, row and charge that a test releases by hand. */
async function start(form: StreamForm, texts: readonly string[], isClosing = true) {
  const row = Promise.withResolvers<void>()
  const charge = Promise.withResolvers<void>()
  const charges: Charge[] = []
  const limits = createMemoryLimits({ clock: () => 0 })
  let closes = 0
  const paidStream = createPaidStream({
    limits,
    isLedgerHealthy: () => true,
    digestTexts: () => null,
    uncharged: nothingUncharged,
    event: () => emptyEvent,
    observeRefusal: () => undefined,
    observeCharge: () => undefined,
    clock: () => 0,
    reportError: () => undefined,
    after: () => () => undefined,
    writer: {
      openStream: () => row.promise,
      dropStream: async () => undefined,
      charge: async (written, onDurable) => {
        charges.push(written)
        await charge.promise
        onDurable()
      },
    },
  })
  const reader = new ReadableStream<Uint8Array>({
    start: controller => {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      if (isClosing) controller.close()
    },
  }).getReader()
  const upstream: RelayedStream = {
    contentType: 'text/event-stream',
    upstreamKey: null,
    redact: text => text,
    read: () => reader.read(),
    mapError: () => {
      throw new Error('There is no error in it.')
    },
    explain: cause => {
      if (cause instanceof ApiError) return cause
      throw cause
    },
    close: () => {
      closes += 1
    },
  }
  const plan = {
    model,
    endpoint: 'generateContent',
    tokens: { input: 1, output: 1 },
    estimate: { kind: 'fixed', cost: nanoDollars(held) },
    estimatedInput: 1,
    outputCap: 10,
  } as const
  const reply = paidStream({ team: buildTeam(), key: buildKey() }, buildCall({ body: null }), {
    plan,
    translate: admitted =>
      new RelayedPieces({
        admitted,
        plan,
        form,
        candidates: 1,
        open: async () => upstream,
        endSilenceMs: 5,
      }),
  })
  return { row, charge, charges, reply, limits, closes: () => closes }
}

async function codeOf(reply: Promise<Response>): Promise<string> {
  const failure: unknown = await reply.then(
    () => null,
    thrown => thrown,
  )
  return failure instanceof ApiError ? failure.code : 'answered'
}

/** The reader's bytes once nothing more comes by itself. */
async function readAhead(response: Response) {
  let text = ''
  let ended = false
  const reader = response.body?.getReader()
  const reading = (async () => {
    for (;;) {
      const piece = await reader?.read()
      if (piece === undefined || piece.done) break
      text += new TextDecoder().decode(piece.value)
    }
    ended = true
  })()
  for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve))
  return { reading, text: () => text, ended: () => ended }
}

describe.each<[StreamForm, string, string]>([
  ['events', `data: ${first}\r\n\r\n`, `data: ${last}\r\n\r\n`],
  ['array', `[${first}`, `,\n${last}]`],
])('%s', (form, early, late) => {
  test('nothing is sent before the row is on disk, and the end only after the charge is', async () => {
    const { row, charge, charges, reply, limits } = await start(form, [early, late])
    let hasReply = false
    void reply.then(() => {
      hasReply = true
    })
    for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve))
    expect(hasReply).toBe(false)
    row.resolve()
    const reader = await readAhead(await reply)
    expect(reader.text()).toBe(early)
    expect(charges).toHaveLength(1)
    expect(charges[0]).toMatchObject({
      cost: 3 * 300 + 4 * 2500,
      outcome: 'completed',
      kind: 'stream',
    })
    expect(limits.totals().heldNanoDollars).toBe(held)
    charge.resolve()
    await reader.reading
    expect(reader.text()).toBe(early + late)
    expect(limits.totals().heldNanoDollars).toBe(0)
  })

  test('nothing is added between its pieces, even during a long silence', async () => {
    const { row, charge, reply } = await start(form, [early, late])
    row.resolve()
    charge.resolve()
    expect(eventsOf(await reply)?.keepAlive?.()).toBe('')
  })

  test('a model that marks every piece as the end is delayed by only one piece', async () => {
    const again = form === 'events' ? late : `,\n${last}`
    const { row, charge, reply } = await start(form, [early, again, again, late])
    row.resolve()
    const reader = await readAhead(await reply)
    expect(reader.text()).toBe(early + again + again)
    charge.resolve()
    await reader.reading
    expect(reader.text()).toBe(early + again + again + late)
  })

  test('an end without its charge is withheld, with an error', async () => {
    const { row, charge, reply } = await start(form, [early, late])
    row.resolve()
    charge.reject(new Error('The disk is full.'))
    const reader = await readAhead(await reply)
    await reader.reading
    expect(reader.text()).not.toContain('"b"')
    expect(reader.text()).toContain('"code":503')
  })

  // On the previous build the client waited until the upstream's time limit.
  test('a finished answer need not be closed by its upstream', async () => {
    const texts = [early, late.replace(/]$/, '')]
    const { row, charge, charges, reply, limits, closes } = await start(form, texts, false)
    row.resolve()
    charge.resolve()
    expect(await (await reply).text()).toBe(early + late)
    expect(charges[0]).toMatchObject({ outcome: 'completed', flag: null })
    expect([limits.totals().slots, closes()]).toEqual([0, 1])
  })

  test('a piece that a silent upstream left unfinished after its end is not relayed', async () => {
    const begun = form === 'events' ? 'data: {"candi' : ',{"candi'
    const { row, charge, reply } = await start(form, [early, late.replace(/]$/, ''), begun], false)
    row.resolve()
    charge.resolve()
    expect(await (await reply).text()).toBe(early + late)
  })

  // On earlier builds, the hold was charged, or the bytes were relayed and nothing charged.
  test.each([
    [''],
    ['{}'],
    ['null'],
    ['[]'],
    ['"text"'],
    ['{"modelVersion":"1"}'],
    ['{"candidates":[{}]}'],
    ['<html><style>b {}</style>An answer</html>'],
  ])('a stream of %p is a failure of the upstream: nothing is relayed or charged', async text => {
    for (const sent of form === 'events' && text !== '' ? [`data: ${text}\n\n`, `${text}\n\n`] : [text]) {
      const { row, reply, charges, limits } = await start(form, [sent])
      row.resolve()
      expect(await codeOf(reply)).toBe('upstream_error')
      expect([charges, limits.totals().slots]).toEqual([[], 0])
    }
  })

  test('bytes that are not a piece end the stream, and everything before is charged', async () => {
    const odd = form === 'events' ? 'An answer\r\n\r\n' : `An answer,${first}`
    const { row, charge, charges, reply } = await start(form, [early, odd, late])
    row.resolve()
    charge.resolve()
    const text = await (await reply).text()
    expect(text).toStartWith(early)
    expect(text).not.toContain('An answer')
    expect(charges[0]).toMatchObject({ cost: 3 * 300 + 4 * 2500, outcome: 'failed' })
  })

  test('unreadable bytes are relayed, and the hold is charged', async () => {
    const odd = form === 'events' ? 'data: {oops}\r\n\r\n' : ',\n{oops}'
    const { row, charge, charges, reply } = await start(form, [early, odd, late])
    row.resolve()
    charge.resolve()
    const reader = await readAhead(await reply)
    await reader.reading
    expect(reader.text()).toBe(early + odd + late)
    expect(charges[0]).toMatchObject({ cost: held, flag: 'usage_absent' })
  })
})
