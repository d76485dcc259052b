// Requests of real agents (recorded from Codex, Copilot, opencode and pi; long texts are replaced by their length) and the model's input.
import { expect, test } from 'bun:test'
import { responsesRequestSchema } from '@fairgate/contracts/responses/request.ts'
import { validateWith } from '../../../http/validate.ts'
import { buildChatCall } from '../../../upstream/testing/build-chat-call.ts'
import expected from './__fixtures__/agent-requests.expected.json'
import agentRequests from './__fixtures__/agent-requests.json'
import { translateRequest } from './translate-request.ts'

const validate = validateWith(responsesRequestSchema)
const { model } = buildChatCall()

function show(body: unknown): readonly string[] {
  const { conversation, tools: table, isCompaction } = translateRequest(validate(body), model)
  const { messages, tools, ...others } = conversation
  const declared = (tools ?? []).map(tool => {
    const { name, namespace } = table.names.toOuter(tool.function.name)
    const kind = table.customNames.has(tool.function.name) ? 'custom' : 'function'
    return `${kind} ${tool.function.name}${namespace === null ? '' : ` = ${name} of ${namespace}`}`
  })
  return [
    ...messages.map(message => JSON.stringify(message)),
    ...declared,
    JSON.stringify(others),
    ...(isCompaction ? ['the conversation in short'] : []),
  ]
}

if (process.env.UPDATE_AGENT_REQUESTS === '1') {
  const all = Object.fromEntries(Object.entries(agentRequests).map(([name, body]) => [name, show(body)]))
  await Bun.write(
    `${import.meta.dir}/__fixtures__/agent-requests.expected.json`,
    JSON.stringify(all, null, 2),
  )
}

test.each(Object.entries(agentRequests))('%s', (name, body) => {
  expect(show(body)).toEqual(Object(expected)[name])
})

test('every recorded request has an expectation', () => {
  expect(Object.keys(expected)).toEqual(Object.keys(agentRequests))
})
