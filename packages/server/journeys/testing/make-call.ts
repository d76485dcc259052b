// Makes a call that is recorded at once, for journeys about the record of calls.
import { expect } from 'bun:test'

/** Returns the call id. */
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
