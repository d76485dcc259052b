// The event stream of an OpenAI-compatible server → chat events, as they arrive, with whole tool calls and the finish reason last.
import { afterAnswerMs, afterFinishMs } from '../../after-answer.ts'
import type { UpstreamStream } from '../../exchange.ts'
import { asRecord, type JsonRecord } from '../../narrow-json.ts'
import { parseReply } from '../../parse-json.ts'
import type { ChatEvent } from '../../port.ts'
import { createSseDecoder } from '../../sse-decoder.ts'
import { statusOfError } from '../map-openai-error.ts'
import { createToolCallAssembler } from './assemble-tool-calls.ts'
import { mapFinishReason } from './map-finish-reason.ts'
import { mapStreamChunk } from './map-stream-chunk.ts'

/**
 * `newId`: fresh ids for tool calls that have none. Reads a stream once and closes it on every way out. Throws ApiError when
 * the stream carries an error, is cut, or runs past its deadline; one that ends with neither a finish reason nor `[DONE]` is cut.
 */
export async function* readChatStream(
  stream: UpstreamStream,
  newId: () => string,
): AsyncGenerator<ChatEvent> {
  const assembler = createToolCallAssembler(newId)
  let finish: string | null = null
  let hasRefusal = false
  let hasUsage = false
  let isDone = false
  try {
    for await (const payload of readPayloads(stream)) {
      isDone = payload === '[DONE]'
      if (isDone) break
      const mapped = mapStreamChunk(parseChunk(payload, stream.mapError))
      finish = mapped.finish ?? finish
      hasUsage ||= mapped.events.some(({ type }) => type === 'usage')
      // All is said: whether the server also closes, and when, is its own affair.
      if (finish !== null) stream.endWithin(hasUsage ? afterAnswerMs : afterFinishMs)
      hasRefusal ||= mapped.hasRefusal
      // Nothing of a call can be shown before it is whole; what it is charged by when the client leaves now is counted.
      const characters = mapped.calls.reduce((sum, call) => sum + assembler.add(call), 0)
      if (characters > 0) yield { type: 'progress', characters }
      yield* mapped.events
    }
    if (isDone) finish ??= 'stop'
    if (finish === null) throw new Error('The stream ended without a finish reason.')
  } catch (cause) {
    throw stream.explain(cause)
  } finally {
    if (isDone) readOut(stream)
    else stream.close()
  }
  const calls = assembler.take()
  for (const call of calls) yield { type: 'tool-call', call, isMeasured: true }
  yield { type: 'finish', reason: mapFinishReason(finish, { hasCalls: calls.length > 0, hasRefusal }) }
}

async function* readPayloads(stream: UpstreamStream): AsyncGenerator<string> {
  const decoder = createSseDecoder()
  for (let ended = false; !ended; ) {
    const { done, value } = await stream.read()
    ended = done
    yield* value === undefined ? decoder.end() : decoder.push(value)
  }
}

/** Nothing is waited for after `[DONE]`, but a connection read to its end serves the next call. */
function readOut(stream: UpstreamStream): void {
  stream.endWithin(afterAnswerMs)
  const readOn = async (): Promise<void> => {
    while (!(await stream.read()).done);
  }
  readOn()
    .catch(() => undefined)
    .finally(stream.close)
}

/** Errors after the start may come wrapped in an array; nothing else does. */
function parseChunk(payload: string, mapError: UpstreamStream['mapError']): JsonRecord {
  const parsed: unknown = parseReply(payload)
  const chunk = asRecord(Array.isArray(parsed) ? parsed[0] : parsed)
  const hasError = chunk?.error !== undefined && chunk.error !== null
  if (hasError || chunk?.object === 'error') throw mapError(statusOfError(chunk), chunk)
  if (chunk === null || Array.isArray(parsed)) throw new Error('A chunk of the stream is not an object.')
  return chunk
}
