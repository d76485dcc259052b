// The event decides at admission, to the millisecond: a call admitted before the end finishes, one at the end is refused with the event's times.
import { expect, test } from 'bun:test'
import { type Event, emptyEvent } from '../../directory/event/event.ts'
import { eventLimitsAt } from '../../directory/event/event-limits-at.ts'
import { buildPhase } from '../../directory/event/testing/build-event.ts'
import { LevelsOver } from '../../limits/levels.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { admit } from './admit.ts'
import { modelsOfPhase } from './check-event.ts'

const from = Date.parse('2026-11-21T01:00:00Z')
const until = Date.parse('2026-11-21T09:00:00Z')
const model = buildModel()
const contest = buildPhase({ name: 'contest', from, until })
const event: Event = { ...emptyEvent, timeZone: 'Asia/Seoul', phases: [contest] }
const caller = { team: buildTeam({ teamId: 'red' }), key: buildKey() }
const plan = {
  model,
  endpoint: 'chat',
  tokens: { input: 1, output: 1 },
  estimate: { kind: 'none' },
} as const

async function admitAt(now: number, given: Event = event) {
  const limits = createMemoryLimits({ clock: () => now })
  const refusals: string[] = []
  const dependencies = {
    limits,
    isLedgerHealthy: () => true,
    event: () => given,
    clock: () => now,
    observeRefusal: (code: string, level: string) => void refusals.push(`${code} ${level}`),
  }
  const outcome = await Promise.resolve()
    .then(() => admit(dependencies, { caller, callId: 'call', plan }))
    .then(
      () => null,
      (error: { code: string; status: number; message: string }) => error,
    )
  expect(limits.totals().slots).toBe(outcome === null ? 1 : 0)
  return { outcome, refusals }
}

const messageAt = async (now: number, given?: Event) => (await admitAt(now, given)).outcome?.message

test.each([
  [from - 1, 'contest_closed'],
  [from, null],
  [until - 1, null],
  [until, 'contest_closed'],
])('at %d: %p', async (now, code) => {
  const { outcome, refusals } = await admitAt(now)
  expect(outcome?.code ?? null).toBe(code)
  expect(refusals).toEqual(code === null ? [] : [`${code} event`])
  if (outcome !== null) expect(outcome.status).toBe(403)
})

test('the times are those of the event', async () => {
  expect(await messageAt(from - 1)).toBe(
    'The gateway is not open yet. It opens at 2026-11-21 10:00:00 +09:00 (Asia/Seoul).',
  )
  expect(await messageAt(until)).toBe(
    'The contest ended at 2026-11-21 18:00:00 +09:00 (Asia/Seoul): the gateway no longer accepts paid calls.',
  )
  const finals = buildPhase({ name: 'finals', from: until + 3_600_000 })
  expect(await messageAt(until, { ...event, phases: [contest, finals] })).toBe(
    'The gateway closed at 2026-11-21 18:00:00 +09:00 (Asia/Seoul). It opens at 2026-11-21 19:00:00 +09:00 (Asia/Seoul).',
  )
  expect(await messageAt(from, { ...event, ended: { at: from, entriesUntil: from, reason: '' } })).toBe(
    'The organisers ended the contest at 2026-11-21 10:00:00 +09:00 (Asia/Seoul): the gateway no longer accepts paid calls.',
  )
})

test('a pause shows its reason', async () => {
  const pause = (reason: string) => ({ ...event, paused: { since: from, reason } })
  const { outcome } = await admitAt(from, pause('fire alarm.'))
  expect(outcome).toMatchObject({
    code: 'event_paused',
    status: 403,
    message:
      'The event has been paused since 2026-11-21 10:00:00 +09:00 (Asia/Seoul): fire alarm. Calls will work again when it resumes.',
  })
  expect(await messageAt(from, pause(''))).toContain('(Asia/Seoul). Calls')
})

test('a model that is not in the phase is refused like one that the key may not call', async () => {
  const only = (id: string) => ({ ...event, phases: [{ ...contest, models: [id] }] })
  expect((await admitAt(from, only('another'))).outcome).toMatchObject({
    code: 'model_not_allowed',
    status: 403,
  })
  expect((await admitAt(from, only(model.id))).outcome).toBeNull()
  const modelsAt = (now: number) => modelsOfPhase({ event: () => only('another'), clock: () => now })
  expect([modelsAt(from), modelsAt(until)]).toEqual([['another'], null])
})

test('a decision before the end is repeated after it if the estimate is refined', async () => {
  let now = until - 1
  const limits = createMemoryLimits({ clock: () => now })
  const dependencies = {
    limits,
    isLedgerHealthy: () => false,
    awaitLedgerHealth: async () => {
      now = until
      return true
    },
    event: () => event,
    clock: () => now,
    observeRefusal: () => undefined,
  }
  const code = await Promise.resolve(admit(dependencies, { caller, callId: 'call', plan })).then(
    () => 'admitted',
    (error: { code: string }) => error.code,
  )
  expect(code).toBe('contest_closed')
  expect(limits.totals().slots).toBe(0)
})

test('if the admission clock is past the end of a phase, the next phase decides the call', async () => {
  const next = buildPhase({ name: 'next', from: until, until: until + 1000, accounting: 'new' })
  const askedUntil: (number | null)[] = []
  const memory = createMemoryLimits({ clock: () => until })
  const admitIn = (given: Event) =>
    Promise.resolve()
      .then(() =>
        admit(
          {
            limits: {
              preview: memory.preview,
              admit: async request => {
                askedUntil.push(request.levels.until)
                if (request.levels.until === until) throw new LevelsOver(until)
                return await memory.admit(request)
              },
            },
            isLedgerHealthy: () => true,
            event: () => given,
            clock: () => until - 1,
            observeRefusal: () => undefined,
          },
          { caller, callId: `call-${askedUntil.length}`, plan },
        ),
      )
      .then(
        () => 'admitted',
        (error: { code: string }) => error.code,
      )
  expect(await admitIn({ ...event, phases: [contest, next] })).toBe('admitted')
  expect(askedUntil).toEqual([until, until + 1000])
  expect(await admitIn(event)).toBe('contest_closed')
})

test('a planned end limits the rules before it', () => {
  const ending = { ...event, ended: { at: until - 500, entriesUntil: until - 500, reason: '' } }
  expect(eventLimitsAt(ending, from)?.until).toBe(until - 500)
  expect(
    eventLimitsAt({ ...emptyEvent, ended: { at: from, entriesUntil: from, reason: '' } }, from - 1)?.until,
  ).toBe(from)
  expect(eventLimitsAt(emptyEvent, from)).toBeNull()
  // The same object as long as it applies, even when the clock goes back.
  expect(eventLimitsAt(event, from + 1)).toBe(eventLimitsAt(event, from + 2))
  expect(eventLimitsAt(event, until - 1)?.until).toBe(until)
  expect(eventLimitsAt(event, from)?.until).toBe(until)
})
