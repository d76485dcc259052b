// Server-sent events from bytes: any separator, events and characters split over chunks, bounded memory.

const maximumEventCharacters = 32 * 1024 * 1024

/** A body that is not a well-formed event stream. */
export class EventStreamError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EventStreamError'
  }
}

export type SseDecoder = {
  /** The payloads that these bytes complete. Throws EventStreamError when an event exceeds the bound. */
  readonly push: (bytes: Uint8Array) => readonly string[]
  /** What the body ended with: the payload of a last event without its separator, if any. */
  readonly end: () => readonly string[]
}

/** `maximum`: the largest event in UTF-16 units, 32 Mi by default. */
export function createSseDecoder(maximum = maximumEventCharacters): SseDecoder {
  const decoder = new TextDecoder('utf-8')
  /** Pieces of the event under way: joined once, so that a large event costs no repeated copying. */
  let pieces: string[] = []
  let length = 0
  let endsInLineFeed = false
  /** The last chunk ended in \r, already taken as a line end: a \n that follows belongs to it. */
  let afterReturn = false

  const normalise = (text: string): string => {
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') afterReturn = text.endsWith('\r')
    return rest.includes('\r') ? rest.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : rest
  }

  const keep = (text: string): void => {
    if (text === '') return
    pieces.push(text)
    length += text.length
    endsInLineFeed = text.endsWith('\n')
    if (length > maximum) throw new EventStreamError('An event of the stream is too large.')
  }

  const takeWhole = (last: string): string => {
    const whole = pieces.length === 0 ? last : pieces.join('') + last
    pieces = []
    length = 0
    endsInLineFeed = false
    return whole
  }

  return {
    push: bytes => {
      const text = normalise(decoder.decode(bytes, { stream: true }))
      const completes = text.includes('\n\n') || (endsInLineFeed && text.startsWith('\n'))
      if (!completes) {
        keep(text)
        return []
      }
      const events = takeWhole(text).split('\n\n')
      keep(events.pop() ?? '')
      return payloadsOf(events)
    },
    end: () => payloadsOf([takeWhole(normalise(decoder.decode()))]),
  }
}

function payloadsOf(events: readonly string[]): readonly string[] {
  return events.map(payloadOf).filter(payload => payload !== '')
}

function payloadOf(event: string): string {
  if (event.startsWith('data: ') && !event.includes('\n')) return event.slice(6)
  const data = event
    .split('\n')
    .filter(line => line.startsWith('data:'))
    .map(line => line.slice(line.startsWith('data: ') ? 6 : 5))
  // Upstreams that fail after the start may write the bare error object, with no `data:` before it.
  return data.length === 0 && /^\s*[[{]/.test(event) ? event.trim() : data.join('\n')
}
