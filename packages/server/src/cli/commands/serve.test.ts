// `fairgate serve` hands the environment to the server and tells why it did not start.
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
