// The upstream's bill for a well-behaved call: prices × logged usage, independent of the server's arithmetic.

import type { LoggedCall } from '@fairgate/sandbox/hostile/call-log.ts'
import { counted } from '@fairgate/sandbox/hostile/families.ts'

/** Nano-dollars per token, image or call. */
type Price = {
  readonly input?: number
  readonly output?: number
  readonly image?: number
  readonly call?: number
}

const prices: Readonly<Record<string, Price>> = {
  chat: { input: 300, output: 2500 },
  'chat-of-two': { input: 300, output: 2500 },
  'chat-stream': { input: 300, output: 2500 },
  'chat-image': { input: 500, output: 60_000 },
  'images-of-chat': { input: 250, output: 30_000 },
  images: { image: 20_000_000 },
  edits: { input: 300, output: 30_000 },
  speech: { input: 500, output: 10_000 },
  music: { call: 40_000_000 },
  transcription: { input: 2000, output: 12_000 },
  embeddings: { input: 150 },
  relay: { input: 300, output: 2500 },
  'relay-events': { input: 300, output: 2500 },
  'relay-array': { input: 300, output: 2500 },
  'relay-speech': { input: 500, output: 10_000 },
  'relay-predict': { image: 20_000_000 },
  'relay-embed': { input: 150 },
  'relay-batch': { input: 150 },
  'other-chat': { input: 1000, output: 4000 },
  'other-stream': { input: 1000, output: 4000 },
  'claude-chat': { input: 3000, output: 15_000 },
  'claude-stream': { input: 3000, output: 15_000 },
  'claude-messages': { input: 3000, output: 15_000 },
  'claude-messages-stream': { input: 3000, output: 15_000 },
  'other-embeddings': { input: 20 },
  'other-images': { image: 40_000_000 },
}

const callsOf: Readonly<Record<string, number>> = { 'chat-of-two': 2 }

/** Texts with an output cap, which never use more of a token window than they reserve. */
export const isTextOnly = (endpointName: string): boolean =>
  /^(?:chat|chat-of-two|chat-stream|relay|relay-events|relay-array|other-chat|other-stream|claude-\w+(?:-stream)?|(?:relay-|other-)?embed\w*|relay-batch)(?:-once)?$/.test(
    endpointName,
  )

/** Null if no bill is defined: for a fault, a retry, or a price by unreported units. */
export function billOf(endpointName: string, logged: readonly LoggedCall[]): number | null {
  const name = endpointName.replace(/-once$/, '')
  const price = prices[name]
  if (price === undefined || logged.some(({ fault }) => fault !== null)) return null
  const isCounted = name === 'embeddings' || name === 'relay-embed' || name === 'relay-batch'
  // Embeddings report no usage, so the separate count is charged.
  const made = logged.filter(({ family, status }) => status === 200 && counted.includes(family) === isCounted)
  if (made.length !== (callsOf[name] ?? 1) || !made.every(({ isWhole }) => isWhole)) return null
  let bill = 0
  for (const { usage, images } of made) {
    if ((price.input !== undefined || price.output !== undefined) && usage === null) return null
    bill += (usage?.prompt ?? 0) * (price.input ?? 0) + (usage?.output ?? 0) * (price.output ?? 0)
    bill += images * (price.image ?? 0) + (price.call ?? 0)
  }
  return bill
}
