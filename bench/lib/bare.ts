// What no gateway on Bun can do without, for `npm run bench:cpu`: it parses a chat call, asks the upstream by `fetch`, parses the
// reply and answers as OpenAI does. It is no gateway: it knows no keys, limits, money, log, deadlines or errors, and trusts both sides.
//
// Usage: bun bench/lib/bare.ts <port> <url of the upstream>

type ChatCall = {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

type VendorReply = {
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly { readonly text: string }[] }
  }[]
  readonly usageMetadata: {
    readonly promptTokenCount: number
    readonly candidatesTokenCount: number
    readonly totalTokenCount: number
  }
}

const [port, upstreamUrl] = process.argv.slice(2)
const address = `${upstreamUrl}/v1beta/models/gemini-2.5-flash:generateContent`
const upstreamHeaders = { 'content-type': 'application/json', 'x-goog-api-key': 'bench-key' }
let calls = 0

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch: async request => {
    if (request.method !== 'POST') return new Response('alive')
    const { model, max_tokens, messages } = (await request.json()) as ChatCall
    const reply = await fetch(address, {
      method: 'POST',
      headers: upstreamHeaders,
      body: JSON.stringify({
        contents: messages.map(({ role, content }) => ({ role, parts: [{ text: content }] })),
        generationConfig: { maxOutputTokens: max_tokens },
      }),
    })
    const { candidates, usageMetadata: usage } = (await reply.json()) as VendorReply
    calls += 1
    return Response.json({
      id: `chatcmpl-${calls}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model,
      choices: candidates.map(({ content }, index) => ({
        index,
        message: {
          role: 'assistant',
          content: content.parts.map(({ text }) => text).join(''),
          refusal: null,
        },
        logprobs: null,
        finish_reason: 'stop',
      })),
      usage: {
        prompt_tokens: usage.promptTokenCount,
        completion_tokens: usage.candidatesTokenCount,
        total_tokens: usage.totalTokenCount,
      },
    })
  },
})
