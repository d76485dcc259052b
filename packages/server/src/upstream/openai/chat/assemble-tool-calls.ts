// Puts the tool calls of a stream together from their pieces, also where a server leaves the index out or gives each call the same.
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { tooLarge } from '../../byte-reader.ts'
import { asRecord, asString, type JsonRecord } from '../../narrow-json.ts'

type OpenCall = { readonly index: number | null; id: string | null; name: string; args: string }

export type ToolCallAssembler = {
  /** Takes one piece; answers how many characters of output it showed. Throws ApiError `upstream_error` beyond a bound. */
  readonly add: (piece: JsonRecord) => number
  /** The calls in the order in which they began, each once. */
  readonly take: () => readonly ToolCall[]
}

/** Characters of all calls: they are kept until the answer ends. */
const mostHeld = 32 * 1024 * 1024

/** `newId`: fresh ids for calls that have none. */
export function createToolCallAssembler(newId: () => string): ToolCallAssembler {
  let open: OpenCall[] = []
  let held = 0

  /** The call that a piece belongs to; undefined when it begins a new one. */
  const find = (index: number | null, id: string | null, name: string): OpenCall | undefined => {
    const last = open.at(-1)
    if (index === null)
      return id === null && name === '' ? last : open.find(call => id !== null && call.id === id)
    const found = open.findLast(call => call.index === index)
    const isOther = id !== null && found !== undefined && found.id !== null && found.id !== id
    return isOther ? undefined : found
  }

  return {
    add: piece => {
      const index = typeof piece.index === 'number' ? piece.index : null
      const id = asString(piece.id) || null
      const given = asRecord(piece.function) ?? {}
      const name = asString(given.name) ?? ''
      const args =
        asString(given.arguments) ?? (asRecord(given.arguments) ? JSON.stringify(given.arguments) : '')
      held += name.length + args.length
      if (held > mostHeld) throw tooLarge()
      const call = find(index, id, name)
      if (call === undefined) open.push({ index, id, name, args })
      else {
        call.id ??= id
        // A name comes whole; servers that repeat it with each piece do not mean it to grow.
        if (call.name === '') call.name = name
        call.args += args
      }
      return name.length + args.length
    },
    take: () => {
      const calls = open.filter(({ name }) => name !== '')
      open = []
      return calls.map(call => buildToolCall(call, newId))
    },
  }
}

type CallParts = {
  readonly id: string | null
  readonly name: string
  /** Text in JSON; some servers send the object itself. */
  readonly args: unknown
}

/** A call as servers send it → as we give it on: with an id, and with arguments that can be parsed. `newId`: a fresh id of letters and digits, for servers that give none. */
export function buildToolCall({ id, name, args }: CallParts, newId: () => string): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  return {
    id: id || `call_${newId()}`,
    type: 'function',
    function: { name, arguments: text.trim() === '' ? '{}' : text },
  }
}
