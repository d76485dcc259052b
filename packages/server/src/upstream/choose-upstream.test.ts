// Checks which model gets a call when the requested one fails: a fallback if it is certain that nothing was done, and none otherwise.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../catalog/types.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { chooseUpstream, type Upstream } from './choose-upstream.ts'
import type { ChatCall, ChatResult } from './port.ts'
import { buildChatCall } from './testing/build-chat-call.ts'

type Fate = 'answers' | 'undone' | 'broken'

/** Three models, each on its own upstream. */
function setUp(fates: Readonly<Record<string, Fate>>) {
  const asked: string[] = []
  const undone = new Set<unknown>()
  const answer = async ({ model }: ChatCall): Promise<ChatResult> => {
    asked.push(model.id)
    if (fates[model.id] === 'answers') return { responseId: model.id, choices: [], usage: { kind: 'absent' } }
    const error = new ApiError('upstream_error', { message: model.id })
    if (fates[model.id] === 'undone') undone.add(error)
    throw error
  }
  const never = () => Promise.reject(new Error('Not asked for.'))
  const upstream: Upstream = {
    chat: { complete: answer, stream: never, countTokens: never },
    media: { makeImages: never, speak: never, makeMusic: never, embed: never, transcribe: never },
  }
  const chosen = chooseUpstream(new Map([['vendor', upstream]]), error => undone.has(error))
  const call = buildChatCall()
  const named = (id: string): CatalogModel => ({ ...call.model, id })
  const whole: ChatCall = {
    ...call,
    model: named('first'),
    fallbacks: [
      { ...call, model: named('second') },
      { ...call, model: named('third') },
    ],
  }
  return { asked, ask: (signal: AbortSignal | null = null) => chosen.chat.complete(whole, signal, 'red') }
}

test.each<[string, Readonly<Record<string, Fate>>, readonly string[], string]>([
  ['the requested model', { first: 'answers' }, ['first'], ''],
  ['the first fallback', { first: 'undone', second: 'answers' }, ['first', 'second'], 'second'],
  [
    'the next one',
    { first: 'undone', second: 'undone', third: 'answers' },
    ['first', 'second', 'third'],
    'third',
  ],
])('%s answers', async (_, fates, asked, servedBy) => {
  const world = setUp(fates)
  const { servedBy: model } = await world.ask()
  expect([world.asked, model?.id ?? '']).toEqual([asked as string[], servedBy])
})

// A guard of money: work that may have been done, and billed, is not requested from another.
test.each<[string, Readonly<Record<string, Fate>>, readonly string[], string]>([
  ['a failure that may have been work', { first: 'broken', second: 'answers' }, ['first'], 'first'],
  [
    'a failure of a fallback',
    { first: 'undone', second: 'broken', third: 'answers' },
    ['first', 'second'],
    'second',
  ],
  [
    'if all fail, that of the requested model',
    { first: 'undone', second: 'undone', third: 'undone' },
    ['first', 'second', 'third'],
    'first',
  ],
])('%s is reported', async (_, fates, asked, reported) => {
  const world = setUp(fates)
  expect(await failureOf(world.ask())).toMatchObject({ message: reported })
  expect(world.asked).toEqual(asked as string[])
})

test('a client that has left is not served', async () => {
  const world = setUp({ first: 'undone', second: 'answers' })
  expect(await failureOf(world.ask(AbortSignal.abort()))).toMatchObject({ message: 'first' })
  expect(world.asked).toEqual(['first'])
})
