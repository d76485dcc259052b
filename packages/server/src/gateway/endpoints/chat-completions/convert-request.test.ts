// Chat requests as conversations: reasoning as LiteLLM's clients ask for it, and tools of other APIs.
import { describe, expect, test } from 'bun:test'
import { chatRequestSchema } from '@fairgate/contracts/chat/request.ts'
import { validateWith } from '../../../http/validate.ts'
import { convertRequest } from './convert-request.ts'

const validate = validateWith(chatRequestSchema)
const convert = (members: object) =>
  convertRequest(validate({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...members }))

describe('thinking', () => {
  test.each<[string, object, object]>([
    ['is the effort without it', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    [
      'enabled: a budget, and an effort for models without budgets',
      { thinking: { type: 'enabled', budget_tokens: 5000 } },
      { reasoning_effort: 'medium', thinking: { budget: 5000, isShown: true } },
    ],
    [
      'enabled without a budget: the model decides',
      { thinking: { type: 'enabled', isShown: false, budget: 1 } },
      { reasoning_effort: 'high', thinking: { budget: 'auto', isShown: true } },
    ],
    [
      'adaptive, with an effort',
      { thinking: { type: 'adaptive' }, reasoning_effort: 'high' },
      { reasoning_effort: 'high', thinking: { budget: 'auto', isShown: true } },
    ],
    ['disabled', { thinking: { type: 'disabled' }, reasoning_effort: 'high' }, { reasoning_effort: 'none' }],
    ['no tokens', { thinking: { type: 'enabled', budget_tokens: 0 } }, { reasoning_effort: 'none' }],
  ])('%s', (_name, members, expected) => {
    const { reasoning_effort, thinking } = convert(members)
    expect<object>({ reasoning_effort, thinking }).toEqual({ thinking: undefined, ...expected })
  })

  test.each<[unknown, string]>([
    [{ isShown: true, budget: 20_000 }, 'thinking.type is required.'],
    [{ type: 'loud' }, 'thinking.type must be one of "enabled", "adaptive", "disabled".'],
    [{ type: 'enabled', budget_tokens: 1e99 }, 'thinking.budget_tokens must be <= 10000000.'],
    [{ type: 'enabled', budget_tokens: -1 }, 'thinking.budget_tokens must be >= 0.'],
    ['on', 'thinking must be object.'],
  ])('%j is refused', (thinking, message) => {
    expect(() => convert({ thinking })).toThrow(message)
  })
})

test.each<[object, string]>([
  [
    { type: 'function', name: 'f', parameters: {} },
    'tools[0].function is required: put name, description and parameters into it. Tools without it are for POST /v1/responses.',
  ],
  [{ function: { name: 'f' } }, 'tools[0].type is required and must be "function".'],
  [
    { name: 'f', input_schema: {} },
    'tools[0].type is required and must be "function". Tools with input_schema are for POST /v1/messages.',
  ],
  [
    { type: 'web_search' },
    'tools[0]: web_search is not offered in chat completions. Send web_search_options: {} to let the model search the web.',
  ],
  [
    { codeExecution: {} },
    'tools[0]: codeExecution is not offered in chat completions. Declare a function and run it in your client.',
  ],
  [
    { type: 'custom', custom: { name: 'f' } },
    'tools[0]: custom is not offered in chat completions. Declare a function, or use POST /v1/responses.',
  ],
  [{ type: 'function', function: { name: '1' } }, 'tools[0].function.name'],
  [{ type: 'function' }, 'tools[0].function is required'],
])('the tool %j is refused with the way out', (tool, message) => {
  expect(() => convert({ tools: [tool] })).toThrow(message)
})

test('too many ends are counted', () => {
  const stop = ['1', '2', '3', '4', '5', '6']
  expect(() => convert({ stop })).toThrow('stop must not have more than 5 items.')
})
