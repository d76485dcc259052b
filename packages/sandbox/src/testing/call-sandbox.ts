// Calls a sandbox in tests as a vendor client would, and reads the replies.
import { type Sandbox, startSandbox } from '../start-sandbox.ts'

export type Part = {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  inlineData?: { mimeType: string; mime_type?: string; data: string }
  functionCall?: { name: string; args: Record<string, unknown>; id?: string }
  audioTranscription?: { text: string; words?: { word: string; startOffset: string; endOffset: string }[] }
}

export type Reply = {
  candidates?: {
    content: { parts?: Part[] }
    finishReason?: string
    groundingMetadata?: Record<string, unknown[]>
    logprobsResult?: { chosenCandidates: { token: string }[]; topCandidates?: unknown[] }
    safetyRatings?: unknown[]
  }[]
  usageMetadata?: {
    promptTokenCount: number
    candidatesTokenCount?: number
    totalTokenCount: number
    promptTokensDetails: object[]
    candidatesTokensDetails?: object[]
  }
  error?: { code: number; message: string; status: string }
}

const keys = ['right', 'other']

export function startTestSandbox(now?: () => number): Sandbox {
  return startSandbox({ port: 0, keys, ...(now === undefined ? {} : { now }) })
}

export function post(sandbox: Sandbox, path: string, body: unknown, key = 'right'): Promise<Response> {
  return fetch(`${sandbox.url}/v1beta/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify(body),
  })
}

export function get(sandbox: Sandbox, path: string, key = 'right'): Promise<Response> {
  return fetch(`${sandbox.url}/v1beta/${path}`, { headers: { 'x-goog-api-key': key }, redirect: 'manual' })
}

/** Calls generateContent with one text and more members of the body. */
export async function generate(
  sandbox: Sandbox,
  model: string,
  text: string,
  more: object = {},
): Promise<Reply> {
  const body = { contents: [{ role: 'user', parts: [{ text }] }], ...more }
  return (await (await post(sandbox, `models/${model}:generateContent`, body)).json()) as Reply
}

export function partsOf(reply: Reply): Part[] {
  return reply.candidates?.[0]?.content.parts ?? []
}

/** The bytes of the last part that has any. */
export function mediumOf(reply: Reply): { mimeType: string; bytes: Buffer } {
  const data = partsOf(reply).findLast(part => part.inlineData !== undefined)?.inlineData
  return { mimeType: data?.mimeType ?? '', bytes: Buffer.from(data?.data ?? '', 'base64') }
}

/** Checks the signature and reads the header. */
export function readPngSize(png: Buffer): string {
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('not a PNG')
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`
}

/** Walks all frames of an MPEG-1 Layer III file at 44.1 kHz. Throws at bytes that are not a frame. */
export function readMp3Seconds(mp3: Buffer): number {
  const rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  let frames = 0
  for (let offset = 0; offset < mp3.length; frames += 1) {
    if (mp3.readUInt16BE(offset) !== 0xfffb) throw new Error(`no frame at ${offset}`)
    const flags = mp3.readUInt8(offset + 2)
    const rate = rates[flags >> 4] ?? 0
    offset += Math.floor((144_000 * rate) / 44_100) + ((flags >> 1) & 1)
    if (offset > mp3.length) throw new Error('the last frame is cut')
  }
  return (frames * 1_152) / 44_100
}
