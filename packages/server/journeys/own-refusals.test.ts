// suite: test on sqlite and postgres; 6 s
// The provider refuses the calls of one team with 429. Its eight neighbours call the same model and notice nothing.
//
// Shown to fail on the build before: neighbours that do not wait were refused with 429 `rpm_exceeded` for a second after each round.
import { expect, test } from 'bun:test'
import { startFairgate } from './testing/start-fairgate.ts'

const model = 'mm-2.5-flash'
const rounds = 3
const atOnce = 4

test('a team whose calls the provider refuses slows down only itself', async () => {
  const fairgate = await startFairgate()
  try {
    const call = async (key: string, content: string) => {
      const reply = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-gateway-queue-ms': '0',
        },
        body: JSON.stringify({ model, max_tokens: 8, messages: [{ role: 'user', content }] }),
      })
      const text = await reply.text()
      return { status: reply.status, text, level: reply.headers.get('x-gateway-limit-level') }
    }
    let isOver = false
    const answers: number[] = []
    const failures: string[] = []
    const callOn = async (index: number) => {
      const key = await fairgate.manage.team(`neighbour-${index}`)
      while (!isOver) {
        const { status, text } = await call(key, 'Hi')
        if (status === 200) answers[index] = (answers[index] ?? 0) + 1
        else failures.push(`${index}: ${text}`)
      }
    }
    const neighbours = Array.from({ length: 8 }, (_, index) => callOn(index))
    const key = await fairgate.manage.team('refused')
    const levels: (string | null)[] = []
    for (let round = 0; round < rounds; round += 1) {
      const refused = await Promise.all(
        Array.from({ length: atOnce }, () => call(key, '[[sandbox: error=429; errorTimes=99]]')),
      )
      for (const { status, level } of refused) {
        expect(status).toBe(429)
        levels.push(level)
      }
      const before = [...answers]
      while (
        neighbours.some((_, index) => (answers[index] ?? 0) < (before[index] ?? 0) + 2) &&
        failures.length === 0
      )
        await call(key, 'Hi')
    }
    isOver = true
    await Promise.all(neighbours)
    expect(failures.slice(0, 3)).toEqual([])
    // From the second round on its calls wait for its own pace, which refuses those that do not want to wait.
    expect(levels).toContain('team_model')
    expect(levels).not.toContain('service_model')
  } finally {
    await fairgate.stop()
  }
}, 60_000)
