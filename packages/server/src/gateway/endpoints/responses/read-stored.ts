// Reads stored responses: the conversation that a request continues, the items that it refers to, and the input of one response. Memory
// and work are bounded as those of request bodies are.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest, unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { type InputItem, inputItemSchema } from '@fairgate/contracts/responses/input-items.ts'
import { maxInputItems, type ResponsesRequest } from '@fairgate/contracts/responses/request.ts'
import Type from 'typebox'
import { smallBody } from '../../../http/body-pool.ts'
import { parseJson, usualValues } from '../../../http/read-body.ts'
import { type OpenStream, streamOf } from '../../../http/server-sent-events.ts'
import { validateWith } from '../../../http/validate.ts'
import type { MeasuredResponse, ReadResponse } from '../../../store/statements/stored-responses.ts'
import type { Store } from '../../../store/store.ts'
import { createByteBudget } from '../../../upstream/reply-limits.ts'
import type { KeepResponses } from './keep-responses.ts'
import { nameItem, readItemId, readResponseId } from './response-ids.ts'

export type ReadDependencies = {
  readonly read: Pick<Store['read'], 'measureChain' | 'measureResponses' | 'readResponses'>
  readonly keep: Pick<KeepResponses, 'isOn' | 'since'>
  /** The max of a request body, and of a conversation with all that is stored of it. */
  readonly maxBodyBytes: number
  /** Resolves when the team's texts of so many bytes may be parsed. */
  readonly takeTurn: (teamId: string, bytes: number) => Promise<void>
}

/** A request whose references are resolved. */
export type ExpandedRequest = {
  readonly request: ResponsesRequest
  /** Number of items that precede those of the client. */
  readonly earlier: number
}

/** Each response is one look-up. */
const maxChain = 1000
/** Conversations of the largest size that may be in memory at once. Each team may have one. */
const conversationsTogether = 3

const readItems = validateWith(Type.Array(inputItemSchema))

/** True if a request refers to anything stored. */
export function refersToStored({ previous_response_id: previous, input }: ResponsesRequest): boolean {
  return Boolean(previous) || (Array.isArray(input) && input.some(isReference))
}

type Reference = Extract<InputItem, { readonly type: 'item_reference' }>

function isReference(item: InputItem): item is Reference {
  return item.type === 'item_reference'
}

export function listItems(input: ResponsesRequest['input']): readonly InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input ?? [])
}

export class StoredReader {
  readonly #dependencies: ReadDependencies
  readonly #room: ReturnType<typeof createByteBudget>
  readonly #roomOfTeams = new Map<string, number>()

  constructor(dependencies: ReadDependencies) {
    this.#dependencies = dependencies
    this.#room = createByteBudget(conversationsTogether * dependencies.maxBodyBytes)
  }

  /**
   * Calls `use` with the whole conversation, which stays in memory while a stream that it returns runs. `sentBytes`: size of the request's
   * body. Throws ApiError `not_found` for what is not stored for this team, `invalid_request` if the whole is too long,
   * `body_bytes_exceeded` and `unavailable` if too much is in use.
   */
  async expand<Result>(
    teamId: string,
    request: ResponsesRequest,
    sentBytes: number,
    use: (expanded: ExpandedRequest) => Promise<Result>,
  ): Promise<Result> {
    const { previous_response_id: previous } = request
    const sent = listItems(request.input)
    this.#requireOn(previous ? 'previous_response_id' : nameItem(sent.findIndex(isReference), 0))
    const reading = new Reading(this, teamId, sentBytes)
    try {
      const earlier = previous ? await this.#readEarlier(reading, previous) : []
      const items = await this.#resolve(reading, [...earlier, ...sent], earlier.length)
      if (items.length > maxInputItems) throw refuseLong(`${maxInputItems} items`)
      const result = await use({ request: { ...request, input: items }, earlier: earlier.length })
      const stream = result instanceof Response ? streamOf(result) : undefined
      if (stream !== undefined) reading.continueIn(stream)
      else reading.end()
      return result
    } catch (error) {
      reading.end()
      throw error
    }
  }

  /** Calls `use` with the input of a stored response, references resolved; null if it is not stored for this team. */
  async readInput<Result>(
    teamId: string,
    callId: string,
    use: (items: readonly InputItem[]) => Result,
  ): Promise<Result | null> {
    const { read, keep } = this.#dependencies
    const reading = new Reading(this, teamId, 0)
    try {
      const [measured] = await read.measureResponses({ teamId, callIds: [callId], since: keep.since })
      if (measured === undefined) return null
      const [row] = await this.#readRows(reading, [measured], true)
      if (row === undefined) return null
      const items = readItems(parseJson(Buffer.from(row.input)))
      return use(await this.#resolve(reading, items, items.length))
    } finally {
      reading.end()
    }
  }

  takeRoom(teamId: string, bytes: number): void {
    const taken = this.#roomOfTeams.get(teamId) ?? 0
    if (taken > 0 && taken + bytes > this.#dependencies.maxBodyBytes)
      throw new ApiError('body_bytes_exceeded', {
        message: 'Too many stored conversations of this team are in use at once. Try again shortly.',
        headers: { 'retry-after': '2' },
      })
    if (!this.#room.take(bytes))
      throw unavailable(2, undefined, 'Too many stored conversations are in use at once. Try again shortly.')
    this.#roomOfTeams.set(teamId, taken + bytes)
  }

  giveRoom(teamId: string, bytes: number): void {
    this.#room.give(bytes)
    const left = (this.#roomOfTeams.get(teamId) ?? 0) - bytes
    if (left > 0) this.#roomOfTeams.set(teamId, left)
    else this.#roomOfTeams.delete(teamId)
  }

  get maxBytes(): number {
    return this.#dependencies.maxBodyBytes
  }

  #requireOn(param: string): void {
    if (this.#dependencies.keep.isOn) return
    throw invalidRequest(
      param,
      `${param} refers to something stored, but this server stores no responses. Send the earlier items in input (clients that have the setting: set store to false).`,
    )
  }

  /** The conversation that ends with this response, from its last compaction on. */
  async #readEarlier(reading: Reading, id: string): Promise<readonly InputItem[]> {
    const { read, keep } = this.#dependencies
    const { teamId } = reading
    const callId = readResponseId(id)
    const chain = { teamId, since: keep.since, maxLength: maxChain }
    const { links, brokenAt } = callId === null ? nothing : await read.measureChain({ ...chain, callId })
    if (links.length === 0) throw refuseMissing('previous_response_id', `Previous response with id '${id}'`)
    if (brokenAt !== null && links.length >= maxChain) throw refuseLong(`${maxChain} responses`)
    if (brokenAt !== null)
      throw new ApiError('not_found', {
        param: 'previous_response_id',
        message: `The conversation of previous_response_id cannot be continued: the response before resp_${brokenAt} is no longer stored. Send the earlier items in input.`,
      })
    reading.count(links.reduce((sum, link) => sum + link.responseBytes + link.inputBytes, 0))
    const rows = await this.#readRows(reading, links, true)
    const byCall = new Map(rows.map(row => [row.callId, row]))
    const oldestFirst = links.toReversed().map(link => byCall.get(link.callId))
    const texts = oldestFirst.flatMap(row => {
      if (row === undefined) throw refuseMissing('previous_response_id', `Previous response with id '${id}'`)
      return [row.input, row.response]
    })
    const items = readItems(parseTexts(texts).flatMap(readStoredText))
    const compacted = items.findLastIndex(({ type }) => type === 'compaction')
    return compacted === -1 ? items : items.slice(compacted)
  }

  /** `earlier`: number of items that the client did not send with this request. */
  async #resolve(reading: Reading, items: readonly InputItem[], earlier: number): Promise<InputItem[]> {
    const { read, keep } = this.#dependencies
    const { teamId } = reading
    const callIds = new Set<string>()
    items.forEach((item, index) => {
      if (!isReference(item)) return
      const place = readItemId(item.id)
      if (place === null) throw refuseItem(item, index, earlier)
      callIds.add(place.callId)
    })
    if (callIds.size === 0) return [...items]
    const measured = await read.measureResponses({ teamId, callIds: [...callIds], since: keep.since })
    const rows = await this.#readRows(reading, measured, false)
    const outputs = parseTexts(rows.map(({ response }) => response)).map(readStoredText)
    const found = new Map<string, InputItem>()
    for (const item of readItems(outputs.flat()))
      if ('id' in item && typeof item.id === 'string') found.set(item.id, item)
    const sizes = new Map<InputItem, number>()
    return items.map((item, index) => {
      if (!isReference(item)) return item
      const referenced = found.get(item.id)
      if (referenced === undefined) throw refuseItem(item, index, earlier)
      // One item can be referred to many times.
      const bytes = sizes.get(referenced) ?? JSON.stringify(referenced).length
      sizes.set(referenced, bytes)
      reading.count(bytes)
      return referenced
    })
  }

  /** Their texts, in any order, once there is memory for them and a turn to parse them. */
  async #readRows(
    reading: Reading,
    measured: readonly MeasuredResponse[],
    withInput: boolean,
  ): Promise<readonly ReadResponse[]> {
    const { read, keep, takeTurn } = this.#dependencies
    const { teamId } = reading
    const bytes = measured.reduce(
      (sum, { responseBytes, inputBytes }) => sum + responseBytes + (withInput ? inputBytes : 0),
      0,
    )
    reading.take(bytes)
    const callIds = measured.map(({ callId }) => callId)
    const rows = await read.readResponses({ teamId, callIds, since: keep.since, withInput })
    await takeTurn(teamId, bytes)
    return rows
  }
}

const nothing = { links: [], brokenAt: null }

/** The memory of one request, and the length of its conversation. */
class Reading {
  readonly teamId: string
  readonly #reader: StoredReader
  #taken = 0
  #counted: number

  constructor(reader: StoredReader, teamId: string, sentBytes: number) {
    this.#reader = reader
    this.teamId = teamId
    this.#counted = sentBytes
  }

  take(bytes: number): void {
    if (bytes > this.#reader.maxBytes) throw refuseLong(`${this.#reader.maxBytes} bytes`)
    this.#reader.takeRoom(this.teamId, bytes)
    this.#taken += bytes
  }

  count(bytes: number): void {
    this.#counted += bytes
    if (this.#counted > this.#reader.maxBytes) throw refuseLong(`${this.#reader.maxBytes} bytes`)
  }

  /** As for bodies: half of it counts until the stream has ended, and nothing if it is small. */
  continueIn({ ended }: Pick<OpenStream, 'ended'>): void {
    const kept = this.#taken > smallBody ? Math.ceil(this.#taken / 2) : 0
    this.#reader.giveRoom(this.teamId, this.#taken - kept)
    this.#taken = kept
    if (kept > 0) void ended.then(() => this.end())
  }

  end(): void {
    this.#reader.giveRoom(this.teamId, this.#taken)
    this.#taken = 0
  }
}

/** One parse for all, so that the bounds on the members of a body apply to the whole. */
function parseTexts(texts: readonly string[]): readonly unknown[] {
  try {
    const parsed = parseJson(Buffer.from(`[${texts.join(',')}]`))
    return Array.isArray(parsed) ? parsed : []
  } catch (error) {
    if (error instanceof ApiError && error.code === 'payload_too_large')
      throw refuseLong(`${usualValues} JSON values`)
    throw error
  }
}

/** The items of an input, or those of a response's output. */
function readStoredText(stored: unknown): readonly unknown[] {
  if (Array.isArray(stored)) return stored
  const output = typeof stored === 'object' && stored !== null && 'output' in stored ? stored.output : null
  return Array.isArray(output) ? output : []
}

const howToGoOn =
  'Responses are stored for a limited time, and only for their team. Send the earlier items in input.'

function refuseMissing(param: string, what: string): ApiError {
  return new ApiError('not_found', { param, message: `${what} not found. ${howToGoOn}` })
}

function refuseItem({ id }: Reference, index: number, earlier: number): ApiError {
  return refuseMissing(nameItem(index, earlier), `Item with id '${id}'`)
}

function refuseLong(limit: string): ApiError {
  return invalidRequest(
    'input',
    `The conversation with its stored items is longer than ${limit}, which is the maximum. Start a new one: send the items that still matter, or a summary, in input.`,
  )
}
