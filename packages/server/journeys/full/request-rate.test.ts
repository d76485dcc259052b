// suite: 248 s
// The request window on the real clock, for more than two minutes: never more than the limit in any 60 s, and a correct retry-after.
import { expect, test } from 'bun:test'
import { createSteadyClock } from '../../src/world/steady-clock.ts'
import { startFairgate } from '../testing/start-fairgate.ts'
import { runStored } from '../testing/stored-rows.ts'

const limit = 105
const windowMs = 60_000
const lengthMs = 2 * windowMs + 10_000

test('spec 8: 105 requests per minute, hammered for 130 s', async () => {
  const clock = createSteadyClock(Date.now, () => performance.now())
  const fairgate = await startFairgate({}, clock)
  try {
    const key = await fairgate.manage.team('rate', { rpm_limit: limit })
    const ask = () =>
      fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'mm-2.5-flash',
          max_tokens: 16,
          messages: [{ role: 'user', content: 'Hi' }],
        }),
      })
    const end = clock() + lengthMs
    const refusals: { readonly from: number; readonly to: number }[] = []
    let accepted = 0
    let promisesKept = 0
    // A slow machine takes longer to fill three windows.
    const isOver = () => clock() > end && refusals.length > limit && accepted > 2 * limit
    const hammer = async () => {
      while (!isOver()) {
        const from = clock()
        const response = await ask()
        if (response.status === 429) refusals.push({ from, to: clock() })
        if (response.status === 200) accepted += 1
        await response.text()
        await Bun.sleep(100 + Math.random() * 100)
      }
    }
    /** One patient caller follows retry-after; alone it would always be admitted when it comes back. */
    const patient = async () => {
      while (!isOver()) {
        const response = await ask()
        if (response.status === 200) promisesKept += 1
        await response.text()
        await Bun.sleep(1000 * Number(response.headers.get('retry-after') ?? 1))
      }
    }
    await Promise.all([hammer(), hammer(), hammer(), patient()])

    const rows = await runStored<{ admitted_at: number }>(
      fairgate.place,
      'select admitted_at from charges order by admitted_at',
      [],
    )
    const admitted = rows.map(row => Number(row.admitted_at))
    let most = 0
    for (const [index, from] of admitted.entries()) {
      const inWindow = admitted.slice(index).findIndex(moment => moment >= from + windowMs)
      most = Math.max(most, inWindow === -1 ? admitted.length - index : inWindow)
    }
    console.log(
      `${admitted.length} admitted, ${refusals.length} refused, at most ${most} in any 60 s, patient: ${promisesKept}`,
    )
    expect(most).toBe(limit)
    // A limiter that wastes capacity would refuse too early.
    const early = refusals.filter(
      ({ from, to }) => admitted.filter(moment => moment > from - windowMs && moment <= to).length < limit,
    )
    expect(early).toEqual([])
  } finally {
    await fairgate.stop()
  }
}, 900_000)

test('spec 8: the next call is admitted exactly after the time in the refusal', async () => {
  const fairgate = await startFairgate()
  try {
    const key = await fairgate.manage.team('patience', { rpm_limit: 3 })
    const ask = async () => {
      const response = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }),
      })
      await response.text()
      return response
    }
    for (let call = 0; call < 3; call += 1) expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect(refused.status).toBe(429)
    await Bun.sleep(1000 * Number(refused.headers.get('retry-after')))
    expect((await ask()).status).toBe(200)
  } finally {
    await fairgate.stop()
  }
}, 900_000)
