// The minimal work of any gateway on Bun, for `npm run bench:cpu` and `bench:streams`: parses a chat call, calls the upstream with
// `fetch`, parses the reply, whole or event by event, and answers as OpenAI does. It is not a gateway: it has no keys, limits, money,
// log, deadlines or errors, and trusts both sides.
//
// Usage: bun bench/lib/bare.ts <port> <url of the upstream>

type ChatCall = {
  readonly model: string
  readonly stream?: boolean
  readonly max_tokens: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

type VendorReply = {
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly { readonly text: string }[] }
    readonly finishReason?: string
  }[]
  readonly usageMetadata: {
    readonly promptTokenCount: number
    readonly candidatesTokenCount: number
    readonly totalTokenCount: number
  }
}

const [port, upstreamUrl] = process.argv.slice(2)
const upstreamModel = `${upstreamUrl}/v1beta/models/gemini-2.5-flash`
const upstreamHeaders = { 'content-type': 'application/json', 'x-goog-api-key': 'bench-key' }
let calls = 0

function ask({ max_tokens, messages }: ChatCall, method: string): Promise<Response> {
  return fetch(`${upstreamModel}:${method}`, {
    method: 'POST',
    headers: upstreamHeaders,
    body: JSON.stringify({
      contents: messages.map(({ role, content }) => ({ role, parts: [{ text: content }] })),
      generationConfig: { maxOutputTokens: max_tokens },
    }),
  })
}

function joinText({ content }: VendorReply['candidates'][number]): string {
  return content.parts.map(({ text }) => text).join('')
}

function buildCompletion(model: string, { candidates, usageMetadata: usage }: VendorReply): Response {
  calls += 1
  return Response.json({
    id: `chatcmpl-${calls}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: candidates.map((candidate, index) => ({
      index,
      message: { role: 'assistant', content: joinText(candidate), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    })),
    usage: {
      prompt_tokens: usage.promptTokenCount,
      completion_tokens: usage.candidatesTokenCount,
      total_tokens: usage.totalTokenCount,
    },
  })
}

/** Events that arrive together leave together. A client that leaves ends the generator, and so the upstream. */
async function* writeChunks(model: string, body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  calls += 1
  const id = `chatcmpl-${calls}`
  const created = Math.floor(Date.now() / 1000)
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const events = (rest + decoder.decode(value, { stream: true })).split('\r\n\r\n')
      rest = events.pop() ?? ''
      let chunks = ''
      for (const event of events) {
        const { candidates } = JSON.parse(event.slice('data: '.length)) as VendorReply
        const choices = candidates.map((candidate, index) => ({
          index,
          delta: { content: joinText(candidate) },
          logprobs: null,
          finish_reason: candidate.finishReason === undefined ? null : 'stop',
        }))
        chunks += `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices })}\n\n`
      }
      if (chunks !== '') yield chunks
    }
    yield 'data: [DONE]\n\n'
  } finally {
    await reader.cancel()
  }
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  idleTimeout: 0,
  fetch: async request => {
    if (request.method !== 'POST') return new Response('alive')
    const call = (await request.json()) as ChatCall
    if (call.stream !== true) {
      const reply = await ask(call, 'generateContent')
      return buildCompletion(call.model, (await reply.json()) as VendorReply)
    }
    const { body } = await ask(call, 'streamGenerateContent?alt=sse')
    if (body === null) return new Response(null, { status: 502 })
    return new Response(writeChunks(call.model, body), { headers: { 'content-type': 'text/event-stream' } })
  },
})
