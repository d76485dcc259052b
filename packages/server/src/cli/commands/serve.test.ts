// `fairgate serve` passes the environment to the server and reports why it did not start.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

test('starts the server with the environment', async () => {
  const given: unknown[] = []
  const variables = { FAIRGATE_GATEWAY_PORT: '4100' }
  const { exitCode } = await runCli(['serve'], [], {
    variables,
    serve: async environment => void given.push(environment),
  })
  expect(exitCode).toBe(0)
  expect(given).toEqual([variables])
})

test('a start that fails ends with 1 and its reason', async () => {
  const serve = () => Promise.reject(new Error('Cannot listen on 127.0.0.1:4000.'))
  const { exitCode, stderr } = await runCli(['serve'], [], { serve })
  expect(exitCode).toBe(1)
  expect(stderr).toBe('Cannot listen on 127.0.0.1:4000.\n')
})

test.each([
  [['serve'], { takeOver: false, processes: null, isMember: false }],
  [['serve', '--take-over'], { takeOver: true, processes: null, isMember: false }],
  [['serve', '--processes', '3'], { takeOver: false, processes: 3, isMember: false }],
  [['serve', '--processes=auto'], { takeOver: false, processes: 'auto', isMember: false }],
])('%p is understood', async (words, expected) => {
  const given: unknown[] = []
  const { exitCode } = await runCli(words, [], {
    serve: async (_, options) => void given.push(options),
  })
  expect([exitCode, given]).toEqual([0, [expected]])
})

test.each(['0', '1.5', '65', 'many', '-1'])('--processes %s is wrong usage', async text => {
  const { exitCode, stderr } = await runCli(['serve', `--processes=${text}`])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('It must be a whole number from 1 to 64, or auto.')
})
