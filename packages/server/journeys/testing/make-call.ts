// Makes a call that is on record at once: what journeys about the record of calls start with.
import { expect } from 'bun:test'

/** Answers the id of the call. */
export async function makeCall(gatewayUrl: string, key: string): Promise<string> {
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  expect(response.status).toBe(200)
  return response.headers.get('x-gateway-call-id') ?? ''
}
