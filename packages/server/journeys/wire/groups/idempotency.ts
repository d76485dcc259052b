// Calls with an Idempotency-Key: made once, replayed, refused if they differ or are still running.
import type { Ask, Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { during } from './refusals.ts'
import { pixelFile } from './samples.ts'

const chat = '/v1/chat/completions'
const hello = (content: string, more: object = {}) => ({
  model: 'mm-2.5-flash',
  messages: [{ role: 'user', content }],
  max_tokens: 16,
  ...more,
})

export async function recordIdempotency(wire: Wire): Promise<void> {
  const key = await wire.team('careful', { rpm_limit: 100 })
  const twice = async (name: string, path: string, ask: Ask) => {
    const whole = { bearer: key, ...ask, headers: { 'Idempotency-Key': name.replaceAll(' ', '-') } }
    await wire.ask(`${name}, first`, `POST ${path}`, whole)
    await wire.ask(`${name}, again`, `POST ${path}`, whole)
  }
  await twice('chat', chat, { body: hello('Hello') })
  await twice('stream', chat, {
    body: hello('Hello [[sandbox: chunks=2]]', { stream: true, stream_options: { include_usage: true } }),
  })
  await twice('stream that fails', chat, {
    body: hello('Hello [[sandbox: errorInStream=1; chunks=2]]', { stream: true }),
  })
  await twice('refusal', chat, { body: hello('Hello', { temperature: 3 }) })
  await twice('upstream refusal', chat, { body: hello('[[sandbox: error=400]]') })
  await twice('refusal that is charged', '/v1/images/generations', {
    body: { model: 'imgalias-2', prompt: 'A cat [[sandbox: blockPrompt=SAFETY]]' },
  })
  await twice('speech', '/v1/audio/speech', {
    body: { model: 'mm-2.5-flash-preview-tts', voice: 'Zephyr', input: 'Hi', response_format: 'wav' },
  })
  await twice('form', '/v1/images/edits', {
    form: { model: 'imgalias-2', prompt: 'Make it night', image: pixelFile() },
  })
  const relayed: Ask = {
    vendorKey: key,
    body: { contents: [{ parts: [{ text: 'Hello' }] }], generationConfig: { maxOutputTokens: 16 } },
  }
  const root = 'POST /vendor/v1beta/models/mm-2.5-flash'
  for (const [name, verb] of [
    ['relayed', 'generateContent'],
    ['relayed stream', 'streamGenerateContent?alt=sse'],
  ]) {
    const headers = { 'Idempotency-Key': `${verb}` }
    await wire.ask(`${name}, first`, `${root}:${verb}`, { ...relayed, headers })
    await wire.ask(`${name}, again`, `${root}:${verb}`, { ...relayed, headers })
  }

  const ask = (name: string, idempotencyKey: string, content: string) =>
    wire.ask(name, `POST ${chat}`, {
      bearer: key,
      headers: { 'Idempotency-Key': idempotencyKey },
      body: hello(content),
    })
  await ask('another body', 'chat', 'Good-bye')
  await wire.ask('another path', 'POST /v1/embeddings', {
    bearer: key,
    headers: { 'Idempotency-Key': 'chat' },
    body: { model: 'mm-embedding-001', input: 'Hello' },
  })
  await wire.ask('another body of the pass-through', `${root}:generateContent`, {
    vendorKey: key,
    headers: { 'Idempotency-Key': 'chat' },
    body: { contents: [{ parts: [{ text: 'Good-bye' }] }] },
  })
  await ask('too long a key', 'x'.repeat(256), 'Hello')
  await during(
    wire,
    () =>
      wire.askQuietly(`POST ${chat}`, {
        bearer: key,
        headers: { 'Idempotency-Key': 'slow' },
        body: hello('[[sandbox: firstByteDelayMs=1]]'),
      }),
    () => ask('the first still runs', 'slow', '[[sandbox: firstByteDelayMs=1]]'),
  )
  await ask('the first has ended', 'slow', '[[sandbox: firstByteDelayMs=1]]')
  wire.changeRows("update idempotent_calls set status = null where idempotency_key = 'slow'")
  await ask('the answer was lost', 'slow', '[[sandbox: firstByteDelayMs=1]]')
  await wire.ask('the same key of another team', `POST ${chat}`, {
    bearer: await wire.team('careless'),
    headers: { 'Idempotency-Key': 'chat' },
    body: hello('Good-bye'),
  })
  recordMoney(wire, 'careful')
}
