// Checks which texts of a prompt in the vendor's format are digested, on requests of Gemini CLI 0.61.0.
import { expect, test } from 'bun:test'
import { gatherContents } from './plan-generate.ts'

const user = (...parts: object[]) => ({ role: 'user', parts })
const response = (value: unknown) => ({ functionResponse: { name: 'write_file', response: value } })

test('typed texts and tool results, oldest first', () => {
  const contents = [
    user({ text: '<session_context>' }, { text: 'Create hello.txt' }),
    { role: 'model', parts: [{ text: 'I will.' }, { functionCall: { name: 'write_file' } }] },
    user(
      response({ output: 'Written.' }),
      response({ error: 'No such file.' }),
      response({ rows: 3 }),
      response('x'),
    ),
    { parts: [{ text: 'And now?' }] },
  ]
  expect(gatherContents(contents)).toEqual({
    prompts: ['<session_context>', 'Create hello.txt', 'And now?'],
    results: ['Written.', 'No such file.'],
  })
})

test('only the newest 8 and 32', () => {
  const contents = Array.from({ length: 50 }, (_, index) =>
    user({ text: `${index}` }, response({ output: `${index}` })),
  )
  const { prompts, results } = gatherContents(contents)
  expect([prompts.length, prompts[0], prompts.at(-1)]).toEqual([8, '42', '49'])
  expect([results.length, results[0], results.at(-1)]).toEqual([32, '18', '49'])
})
