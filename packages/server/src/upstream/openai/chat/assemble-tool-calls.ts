// Assembles the tool calls of a stream from their pieces, also when a server gives no index, or the same for every call.
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { tooLarge } from '../../byte-reader.ts'
import { asRecord, asString, type JsonRecord } from '../../narrow-json.ts'

type OpenCall = { readonly index: number | null; id: string | null; name: string; args: string }

/** Characters of all calls: they are kept until the answer ends. */
const mostHeld = 32 * 1024 * 1024

export class ToolCallAssembler {
  readonly #newId: () => string
  #open: OpenCall[] = []
  #held = 0

  /** `newId`: fresh ids for calls that have none. */
  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** Takes one piece; answers how many characters of output it showed. Throws ApiError `upstream_error` beyond a bound. */
  add(piece: JsonRecord): number {
    const index = typeof piece.index === 'number' ? piece.index : null
    const id = asString(piece.id) || null
    const given = asRecord(piece.function) ?? {}
    const name = asString(given.name) ?? ''
    const args =
      asString(given.arguments) ?? (asRecord(given.arguments) ? JSON.stringify(given.arguments) : '')
    this.#held += name.length + args.length
    if (this.#held > mostHeld) throw tooLarge()
    const call = this.#find(index, id, name)
    if (call === undefined) this.#open.push({ index, id, name, args })
    else {
      call.id ??= id
      // Names come whole. Some servers repeat the name with each piece, so it is not appended.
      if (call.name === '') call.name = name
      call.args += args
    }
    return name.length + args.length
  }

  /** The calls in the order in which they began, each once. */
  take(): readonly ToolCall[] {
    const calls = this.#open.filter(({ name }) => name !== '')
    this.#open = []
    return calls.map(({ id, name, args }) => buildToolCall(id, name, args, this.#newId))
  }

  /** The call that a piece belongs to; undefined when it begins a new one. */
  #find(index: number | null, id: string | null, name: string): OpenCall | undefined {
    if (index === null)
      return id === null && name === ''
        ? this.#open.at(-1)
        : this.#open.find(call => id !== null && call.id === id)
    const found = this.#open.findLast(call => call.index === index)
    const isOther = id !== null && found !== undefined && found.id !== null && found.id !== id
    return isOther ? undefined : found
  }
}

/**
 * A call with an id, and with arguments that can be parsed. `args`: JSON as text; some servers send the object itself. `newId`: a fresh id
 * of letters and digits, for servers that give none.
 */
export function buildToolCall(id: string | null, name: string, args: unknown, newId: () => string): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  return {
    id: id || `call_${newId()}`,
    type: 'function',
    function: { name, arguments: text.trim() === '' ? '{}' : text },
  }
}
