// How much output an event of a stream shows, in characters: what a stream cut before any usage is charged by.
import type { ChatEvent } from '../../upstream/port.ts'

const charactersPerToken = 4
/** The most that one image has in any size. */
const imageTokens = 2520
/** 24 kHz of 16 bits, 25 tokens a second. */
const audioBytesPerToken = 1920

export function measureEvent(event: ChatEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return event.text.length
    case 'progress':
      return event.characters
    case 'tool-call':
      if (event.isMeasured === true) return 0
      return event.call.function.name.length + event.call.function.arguments.length
    case 'image':
      return imageTokens * charactersPerToken
    case 'audio-delta':
      return Math.ceil((event.audio.base64.length * 0.75) / audioBytesPerToken) * charactersPerToken
    default:
      return 0
  }
}
