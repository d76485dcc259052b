// The plan of the sample data is repeatable, within its budgets, and never ahead of the current time.
import { expect, test } from 'bun:test'
import { teamBudget } from './cast.ts'
import { type PastModel, pastMs, planPast } from './plan-past.ts'
import { createSeededRandom, pastSeed } from './seeded-random.ts'
import { hostilePrompt } from './words.ts'

const now = Date.parse('2026-11-21T15:00:00Z')
const model = (id: string, input: number, output: number): PastModel => ({
  id,
  costOf: ({ inputText = 0, cachedInput = 0, outputText = 0, reasoning = 0 }) =>
    inputText * input + Math.floor(cachedInput * input * 0.1) + (outputText + reasoning) * output,
})
const models = [model('small', 100, 400), model('middle', 300, 2500), model('large', 2000, 12_000)]
const plan = (given = models) => planPast({ now, random: createSeededRandom(pastSeed), models: given })

test('the plan is the same for the same seed, and different for another', () => {
  expect(plan()).toEqual(plan())
  expect(plan()).not.toEqual(planPast({ now, random: createSeededRandom(pastSeed + 1), models }))
})

test('no team exceeds its budget, and each spends its intended share', () => {
  for (const { team, calls } of plan()) {
    const spent = calls.reduce((sum, { cost }) => sum + cost, 0)
    expect(spent).toBeLessThanOrEqual(teamBudget * 1e9)
    expect(spent / (teamBudget * 1e9)).toBeCloseTo(team.share, 1)
  }
})

test('all calls and entries lie within five hours, in order, and are pushed after they happened', () => {
  for (const { calls, pushes, recorders } of plan()) {
    for (const { at, lastAt, durationMs } of calls) {
      expect(at).toBeGreaterThanOrEqual(now - pastMs)
      expect(lastAt + durationMs).toBeLessThanOrEqual(now)
    }
    expect(calls.map(({ at }) => at)).toEqual(calls.map(({ at }) => at).sort((one, other) => one - other))
    for (const push of pushes) {
      expect(push.at).toBeLessThanOrEqual(now)
      for (const { at } of push.entries) expect(at).toBeLessThan(push.at)
    }
    // A recorder's numbers have no gaps.
    for (const { member } of recorders) {
      const own = pushes.filter(push => push.member === member).flatMap(({ entries }) => entries)
      expect(own.map(({ members }) => Object(members.recorder).n)).toEqual(own.map((_, index) => index + 1))
    }
  }
})

test('one prompt is hostile, some commands fail, and one recorder has unsent entries', () => {
  const works = plan()
  const entries = works.flatMap(({ pushes }) => pushes.flatMap(push => push.entries))
  expect(entries.filter(({ members }) => members.prompt === hostilePrompt)).toHaveLength(1)
  expect(entries.filter(({ members }) => typeof members.tool_error === 'string').length).toBeGreaterThan(5)
  const unsent = works.filter(({ recorders }) => recorders.some(recorder => recorder.unsent > 0))
  expect(unsent.map(({ team }) => team.role)).toEqual(['recorder_silent'])
})

test('one chat model is enough', () => {
  expect(plan(models.slice(0, 1)).flatMap(({ calls }) => calls).length).toBeGreaterThan(1000)
  expect(() => plan([])).toThrow('no chat model')
})

// Buckets of five minutes: how much earlier time counts depends on the second in which the data is filled in.
test("the teams' intended states do not depend on the minute", () => {
  const minute = 60_000
  for (const { team, calls, pushes } of plan()) {
    const since = (minutes: number) => calls.filter(({ at }) => at >= now - minutes * minute)
    for (let minutes = 5; minutes <= 10; minutes += 1) {
      const recent = since(minutes)
      const refused = recent
        .filter(({ outcome }) => outcome === 'refused')
        .reduce((sum, { count }) => sum + count, 0)
      const charged = recent.filter(({ cost }) => cost > 0).length
      const isRefusedNow = refused >= 20 || (refused >= 5 && refused >= 0.1 * (charged + refused))
      if (team.role !== 'budget_spent')
        expect([team.id, minutes, isRefusedNow]).toEqual([team.id, minutes, team.role === 'refused_now'])
    }
    const lastPush = pushes.at(-1)?.at ?? 0
    if (team.role === 'recorder_silent') {
      expect(since(15).filter(({ cost }) => cost > 0).length).toBeGreaterThanOrEqual(5)
      expect(lastPush).toBeLessThan(now - 20 * minute)
    }
    if (['working', 'near_budget', 'refused_now'].includes(team.role))
      expect(lastPush).toBeGreaterThan(now - 12 * minute)
    if (team.role === 'quiet')
      expect(Math.max(lastPush, calls.at(-1)?.lastAt ?? 0)).toBeLessThan(now - 35 * minute)
  }
})
