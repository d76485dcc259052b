// Switches for tests and curious developers: every way in which the real vendor can behave, on demand and repeatable.
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

const count = Type.Integer({ minimum: 0, maximum: 1_000_000 })

const switchesSchema = Type.Object(
  {
    outputTokens: Type.Optional({ ...count, description: 'Length of the answer; the cap still holds' }),
    thinkingTokens: Type.Optional({ ...count, description: 'Reasoning before the answer, inside the cap' }),
    cachedTokens: Type.Optional({ ...count, description: 'Part of the prompt said to come from a cache' }),
    chunks: Type.Optional({ ...count, description: 'Number of text chunks of a stream' }),
    firstByteDelayMs: Type.Optional({ ...count, description: 'Wait before the reply begins' }),
    chunkDelayMs: Type.Optional({ ...count, description: 'Wait before each further chunk' }),
    hang: Type.Optional(Type.Boolean({ description: 'Never answer' })),
    error: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: 'Answer with this status' }),
    ),
    errorTimes: Type.Optional({ ...count, description: 'Fail only so many times, then answer' }),
    retryDelay: Type.Optional(Type.String({ description: 'RetryInfo of an error 429, such as 3s' })),
    arrayError: Type.Optional(Type.Boolean({ description: 'Wrap the error in an array' })),
    errorInStream: Type.Optional({ ...count, description: 'Send an error event after so many chunks' }),
    cutStream: Type.Optional({ ...count, description: 'Break the connection off after so many chunks' }),
    endEarly: Type.Optional({
      ...count,
      description: 'End the stream after so many chunks without a finish reason',
    }),
    blockPrompt: Type.Optional(Type.String({ description: 'Refuse the prompt with this reason' })),
    finishReason: Type.Optional(Type.String({ description: 'End the answer with this reason' })),
    noUsage: Type.Optional(Type.Boolean({ description: 'Leave usageMetadata out' })),
    badUsage: Type.Optional(
      Type.Enum(['negative', 'fractional', 'absurd'], { description: 'Report figures that cannot be true' }),
    ),
    separator: Type.Optional(Type.Enum(['crlf', 'lf'], { description: 'What ends an event of a stream' })),
    splitUtf8: Type.Optional(
      Type.Boolean({ description: 'Answer in many scripts and cut the bytes inside characters' }),
    ),
    toolCalls: Type.Optional({
      ...count,
      maximum: 128,
      description: 'So many function calls at once when functions are declared (1); 0 answers with text',
    }),
    editFile: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Ask for this file to be written, by a tool that the caller has declared; then say so',
      }),
    ),
    safetyRatings: Type.Optional(Type.Boolean({ description: 'Give safety ratings with a text too' })),
    thoughtImage: Type.Optional(Type.Boolean({ description: 'Send an interim image as a thought first' })),
    imageBytes: Type.Optional({ ...count, maximum: 50_000_000, description: 'Fill images up by so much' }),
    raiFiltered: Type.Optional({ ...count, description: 'So many images or videos are filtered out' }),
    allFiltered: Type.Optional(Type.Boolean({ description: 'Answer :predict with an empty object' })),
    wavSpeech: Type.Optional(Type.Boolean({ description: 'Speech as WAV instead of bare PCM' })),
    mediaSeconds: Type.Optional({ ...count, maximum: 600, description: 'Length of speech or music' }),
    videoMs: Type.Optional({ ...count, description: 'How long a video takes to be made (1500)' }),
    videoError: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 16, description: 'The video ends with this google.rpc code' }),
    ),
    noToolIndex: Type.Optional(
      Type.Boolean({ description: 'Leave the index out of tool call deltas (OpenAI-compatible side)' }),
    ),
    fault: Type.Optional(
      Type.String({ description: 'A fault of hostile/fault-table.ts; only the hostile vendor plays it' }),
    ),
    mark: Type.Optional(Type.String({ description: 'Any word; the hostile vendor logs the call under it' })),
  },
  { additionalProperties: false },
)

export type Switches = Static<typeof switchesSchema>

/** Throws an Error that names the switch at fault. */
export function checkSwitches(value: unknown): Switches {
  if (Value.Check(switchesSchema, value)) return value
  const fault = Value.Errors(switchesSchema, value)[0]
  const place = fault?.instancePath.slice(1) || 'switches'
  throw new Error(
    `${place}: ${fault?.message ?? 'not valid'}. Known: ${Object.keys(switchesSchema.properties).join(', ')}.`,
  )
}

/** Reads `name=value; name=value`. A name alone means true. Throws an Error that names the switch at fault. */
export function parseSwitches(text: string): Switches {
  const pairs = text
    .split(';')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      const [name = '', ...rest] = part.split('=')
      return [name.trim(), parseValue(rest.join('=').trim())]
    })
  return checkSwitches(Object.fromEntries(pairs))
}

function parseValue(text: string): unknown {
  if (text === '' || text === 'true') return true
  if (text === 'false') return false
  return /^\d+$/.test(text) ? Number(text) : text
}

const magic = /\[\[sandbox:([^\]]*)\]\]/

export function hasSwitches(text: string): boolean {
  return text.includes('[[sandbox:')
}

/** The switches in a prompt, written as `[[sandbox: name=value; …]]`. */
export function findSwitches(prompt: string): Switches {
  // Most prompts have none, and a plain search costs a tenth of the pattern (measured).
  if (!hasSwitches(prompt)) return {}
  const found = magic.exec(prompt)?.[1]
  return found === undefined ? {} : parseSwitches(found)
}
