// Checks the error messages for an empty answer.
import { expect, test } from 'bun:test'
import { explainFault } from './answer-turn.ts'

test.each(['malformed_call', 'empty'] as const)('%s is a failure of the upstream', fault => {
  const error = explainFault(fault)
  expect(error.code).toBe('upstream_error')
  expect(error.message).toEndWith('Send the request again.')
})
