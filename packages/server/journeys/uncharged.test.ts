// suite: test on sqlite; test on postgres
// A team controls the input of its hold: files with false headers are held for their possible content, and usage above a hold is recorded,
// needs attention and raises the next hold, across restarts and on every process.
//
// Shown to fail on the build before: 52 recordings of 40 minutes cost 0.0496 of 9.69 USD, 22 documents of 3,000 pages 0.47 of 5.11, and each
// use above the hold was lost.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { AttentionReply } from '@fairgate/contracts/console/attention.ts'
import type { TeamDetail } from '@fairgate/contracts/console/team-detail.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { AuditPage } from '@fairgate/contracts/management/audit.ts'
import type { PreviewReply } from '@fairgate/contracts/management/planned-action.ts'
import type { ClearUnchargedReply, UnchargedRecord } from '@fairgate/contracts/management/uncharged.ts'
import type { ExportedSpendRow } from '@fairgate/contracts/spend/spend-export.ts'
import type { SpendReport } from '@fairgate/contracts/spend/spend-report.ts'
import { startServer } from '../src/main.ts'
import { writeCrowdedPdf, writeLyingWav } from '../src/media/testing/lying-media.ts'
import { createManagement } from './testing/management.ts'
import {
  adminKey,
  createSurroundings,
  type Fairgate,
  type Surroundings,
  startFairgate,
} from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

setDefaultTimeout(120_000)

describe('files with false headers are charged by their real content', () => {
  let fairgate: Fairgate
  beforeAll(async () => {
    fairgate = await startFairgate()
  })
  afterAll(() => fairgate.stop())

  type Usage = { readonly usage: Readonly<Record<string, number>> }
  const nano = (amount: number) => Math.round(amount * 1e9)
  const expectPaid = async (teamId: string, bills: readonly number[]) => {
    const charges = await readCharges(fairgate.place, teamId)
    expect(charges.map(({ flag }) => flag)).toEqual(bills.map(() => null))
    expect(sumCost(charges)).toBe(bills.reduce((sum, bill) => sum + bill, 0))
  }

  test('recordings of ten minutes with a byte rate of 4 GB a second', async () => {
    const key = await fairgate.manage.team('talkers', { max_budget: 100 })
    const recording = writeLyingWav(600, 4_000_000_000)
    const transcribe = async () => {
      const form = new FormData()
      form.set('model', 'mm-3.5-transcribe-preview')
      form.set('file', new File([recording], 'talk.wav'))
      const response = await fetch(`${fairgate.gatewayUrl}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      })
      const { usage } = (await response.json()) as Usage
      return nano((usage.input_tokens ?? 0) * 2e-6 + (usage.output_tokens ?? 0) * 12e-6)
    }
    const bills = [await transcribe(), await transcribe(), await transcribe()]
    expect(bills[0]).toBeGreaterThan(nano(600 * 32 * 2e-6))
    await expectPaid('talkers', bills)
  })

  test('documents of 3,000 pages of 9 bytes', async () => {
    const key = await fairgate.manage.team('readers', { max_budget: 100 })
    const file = `data:application/pdf;base64,${writeCrowdedPdf(3000).toString('base64')}`
    const ask = async () => {
      const response = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'mm-2.5-flash',
          max_tokens: 16,
          messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: file } }] }],
        }),
      })
      const { usage } = (await response.json()) as Usage
      return nano((usage.prompt_tokens ?? 0) * 0.3e-6 + (usage.completion_tokens ?? 0) * 2.5e-6)
    }
    const bills = [await ask(), await ask()]
    expect(bills[0]).toBeGreaterThan(nano(3000 * 258 * 0.3e-6))
    await expectPaid('readers', bills)
  })
})

describe('usage above the hold', () => {
  /** The vendor's usage for the next calls: input, then output. */
  let reported: readonly [input: number, output: number] = [10, 1]
  let vendor: Bun.Server<undefined>
  let place: Surroundings
  type Server = Awaited<ReturnType<typeof startServer>>
  let server: Server
  let key: string

  beforeAll(async () => {
    vendor = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        await request.arrayBuffer()
        const [input, output] = reported
        if (request.url.includes(':countTokens')) return Response.json({ totalTokens: input })
        return Response.json({
          candidates: [
            { content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 },
          ],
          usageMetadata: {
            promptTokenCount: input,
            candidatesTokenCount: output,
            totalTokenCount: input + output,
          },
        })
      },
    })
    place = await createSurroundings({ variables: { VENDOR_BASE_URL: `http://127.0.0.1:${vendor.port}` } })
    server = await startServer(place.variables)
    key = await manage().team('red', { max_budget: 10, team_alias: 'Red' })
  })
  afterAll(async () => {
    await server.stop()
    await place.remove()
    await vendor.stop(true)
  })

  const manage = () => createManagement(server.adminUrl, adminKey)
  const read = async <Reply>(path: string): Promise<Reply> =>
    (await (await manage().call('GET', path)).json()) as Reply
  const uncharged = async (teamId = 'red'): Promise<readonly UnchargedRecord[]> =>
    (await read<{ uncharged: UnchargedRecord[] } & TeamDetail>(`/team/info?team_id=${teamId}`)).uncharged
  const warnings = async () =>
    (await read<AttentionReply>('/attention')).items
      .filter(({ kind }) => kind === 'uncharged')
      .map(({ text }) => text)
  /** Sends one image of at most 2,600 tokens, for which the vendor reports any usage. Returns the cost in nano-dollars. */
  const send = async (at: Server, secret: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${at.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        model: 'mm-2.5-flash',
        max_tokens: 16,
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,UE5H' } }],
          },
        ],
      }),
    })
    expect(response.status).toBe(200)
    return response
  }
  const costOf = async (at: Server, secret = key) =>
    Math.round(Number((await send(at, secret)).headers.get('x-gateway-response-cost')) * 1e9)
  const trueCost = 100_000 * 300 + 16 * 2500

  test('is recorded with the charge, shown to organisers, and raises the next hold', async () => {
    reported = [100_000, 16]
    const first = await costOf(server)
    expect(first).toBeLessThan(trueCost / 5)
    const excess = trueCost - first
    const [sum, ...others] = await uncharged()
    expect(others).toEqual([])
    expect(sum).toMatchObject({
      ...{ model: 'mm-2.5-flash', endpoint: 'chat', medium: 'image' },
      ...{ uncharged_nano: excess, open_nano: excess },
    })
    expect(sum?.hold_ratio).toBeCloseTo(trueCost / first, 5)
    expect(await warnings()).toEqual([
      'The provider will bill $0.03 more than was charged to Red. Its calls of this kind now get higher holds.',
    ])
    const teams = await read<TeamsReply>('/teams')
    expect(teams.items.map(({ uncharged_nano }) => uncharged_nano)).toEqual([excess])
    expect((await read<SpendReport>('/spend?team_id=red')).uncharged_nano).toBe(excess)
    const lines = await (await manage().call('GET', '/spend/export.ndjson')).text()
    const [row] = lines.split('\n')
    expect(JSON.parse(row ?? '') as ExportedSpendRow).toMatchObject({
      ...{ cost_nano: first, flag: 'usage_above_hold', uncharged_nano: excess },
    })
    // The same trick again: the hold covers it, and all of it is charged.
    expect(await costOf(server)).toBe(trueCost)
    const preview = (await (await send(server, key, { 'x-gateway-dry-run': '1' })).json()) as object
    expect(JSON.stringify(preview)).toContain(String(trueCost / 1e9))
    expect(await uncharged()).toEqual([...(sum === undefined ? [] : [sum])])
  })

  test('raises the holds of other processes and after a restart, and those of no other team', async () => {
    if (place.databaseUrl !== null) {
      const second = await startServer({ ...place.variables })
      try {
        expect(await costOf(second)).toBe(trueCost)
        // A value learned by one process applies to all once the call is answered.
        reported = [400_000, 16]
        // The hold was rounded up.
        expect((await costOf(second)) - trueCost).toBeWithin(0, 2)
        expect(await costOf(server)).toBe(400_000 * 300 + 16 * 2500)
        reported = [100_000, 16]
      } finally {
        await second.stop()
      }
    }
    const before = await uncharged()
    await server.stop()
    server = await startServer(place.variables)
    expect(await uncharged()).toEqual(before)
    expect(await costOf(server)).toBe(trueCost)
    expect(await warnings()).toHaveLength(1)
    reported = [2000, 1]
    const other = await manage().team('blue')
    expect(await costOf(server, other)).toBe(2000 * 300 + 2500)
    expect(await uncharged('blue')).toEqual([])
  })

  test('changes nothing if no call can have it', async () => {
    const other = await manage().team('green', { max_budget: 0.05 })
    for (const absurd of [
      [5_000_000_000, 1],
      [1_048_577, 65_536],
      [9e15, 9e15],
    ] as const) {
      reported = absurd
      await send(server, other)
    }
    reported = [2000, 1]
    expect(await costOf(server, other)).toBe(2000 * 300 + 2500)
    expect(await uncharged('green')).toEqual([])
  })

  test('is cleared by an organiser, with a preview and a reason', async () => {
    const [sum] = await uncharged()
    const path = '/team/red/uncharged/clear'
    const preview = await manage().post<PreviewReply>(path, { reason: 'talked to them', dry_run: true })
    expect(preview).toMatchObject({ applied: false, warnings: [] })
    expect(preview.changes.map(({ what, subject, to }) => [what, subject, to])).toEqual([
      ['uncharged.hold_ratio', 'mm-2.5-flash chat image', 1],
      ['uncharged.open_nano', 'mm-2.5-flash chat image', 0],
    ])
    expect(await uncharged()).toEqual([sum].flatMap(each => each ?? []))
    const { preview_id } = preview
    expect(
      await manage().post<ClearUnchargedReply>(path, { reason: 'talked to them', preview_id }),
    ).toMatchObject({ team_id: 'red', cleared: 1 })
    const again = await manage().call('POST', path, { reason: 'talked to them', preview_id })
    expect(again.status).toBe(409)
    expect(await uncharged()).toEqual(
      [sum].flatMap(each => (each === undefined ? [] : [{ ...each, open_nano: 0, hold_ratio: 1 }])),
    )
    expect(await warnings()).toEqual([])
    const { items } = await read<AuditPage>('/audit?team_id=red&limit=5')
    expect(items.find(({ action }) => action === 'team.clear_uncharged')).toMatchObject({
      reason: 'talked to them',
    })
    // Another trick is another excess.
    reported = [100_000, 16]
    expect(await costOf(server)).toBeLessThan(trueCost / 5)
    expect(await warnings()).toHaveLength(1)
  })
})
