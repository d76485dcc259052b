// Switches for tests and curious developers: every behaviour of the real vendor, on demand and repeatable.
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'

const count = Type.Integer({ minimum: 0, maximum: 1_000_000 })

const switchesSchema = Type.Object(
  {
    outputTokens: Type.Optional({ ...count, description: 'Length of the answer; the cap still holds' }),
    thinkingTokens: Type.Optional({ ...count, description: 'Reasoning before the answer, inside the cap' }),
    cachedTokens: Type.Optional({ ...count, description: 'Prompt tokens reported as cached' }),
    chunks: Type.Optional({ ...count, description: 'Number of text chunks in a stream' }),
    firstByteDelayMs: Type.Optional({ ...count, description: 'Wait before the reply begins' }),
    chunkDelayMs: Type.Optional({ ...count, description: 'Wait between chunks' }),
    hang: Type.Optional(Type.Boolean({ description: 'Never answer' })),
    error: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: 'Answer with this error status' }),
    ),
    errorTimes: Type.Optional({ ...count, description: 'Fail this many times, then answer' }),
    retryDelay: Type.Optional(Type.String({ description: 'RetryInfo of a 429 error, such as 3s' })),
    arrayError: Type.Optional(Type.Boolean({ description: 'Wrap the error in an array' })),
    errorInStream: Type.Optional({ ...count, description: 'Send an error event after this many chunks' }),
    cutStream: Type.Optional({ ...count, description: 'Break the connection after this many chunks' }),
    endEarly: Type.Optional({
      ...count,
      description: 'End the stream without a finish reason after this many chunks',
    }),
    blockPrompt: Type.Optional(Type.String({ description: 'Refuse the prompt with this reason' })),
    finishReason: Type.Optional(Type.String({ description: 'End the answer with this reason' })),
    noUsage: Type.Optional(Type.Boolean({ description: 'Omit usageMetadata' })),
    badUsage: Type.Optional(
      Type.Enum(['negative', 'fractional', 'absurd'], { description: 'Report impossible usage figures' }),
    ),
    separator: Type.Optional(
      Type.Enum(['crlf', 'lf'], { description: 'Line ending after each event of a stream' }),
    ),
    splitUtf8: Type.Optional(
      Type.Boolean({ description: 'Answer in many scripts and cut the bytes inside characters' }),
    ),
    toolCalls: Type.Optional({
      ...count,
      maximum: 128,
      description: 'Number of parallel function calls if functions are declared (1); 0 answers with text',
    }),
    toolSteps: Type.Optional({
      ...count,
      maximum: 128,
      description: 'Number of steps in a row that call functions (1), before the answer with text',
    }),
    editFile: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Write this file with a tool that the caller has declared, then report it',
      }),
    ),
    safetyRatings: Type.Optional(Type.Boolean({ description: 'Add safety ratings to text answers' })),
    thoughtImage: Type.Optional(Type.Boolean({ description: 'Send an interim image as a thought first' })),
    imageBytes: Type.Optional({
      ...count,
      maximum: 50_000_000,
      description: 'Pad images by this many bytes',
    }),
    raiFiltered: Type.Optional({ ...count, description: 'Filter out this many images or videos' }),
    allFiltered: Type.Optional(Type.Boolean({ description: 'Answer :predict with an empty object' })),
    wavSpeech: Type.Optional(Type.Boolean({ description: 'Speech as WAV instead of raw PCM' })),
    mediaSeconds: Type.Optional({ ...count, maximum: 600, description: 'Length of speech or music' }),
    videoMs: Type.Optional({ ...count, description: 'How long a video takes to generate (1500)' }),
    videoError: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 16, description: 'End the video with this google.rpc error code' }),
    ),
    fileMs: Type.Optional({ ...count, description: 'How long an uploaded file is processed (0)' }),
    fileError: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: 'Refuse uploads of files with this status' }),
    ),
    noToolIndex: Type.Optional(
      Type.Boolean({ description: 'Omit the index in tool call deltas (OpenAI-compatible side)' }),
    ),
    redactThinking: Type.Optional(
      Type.Boolean({ description: 'Send thoughts as a redacted block (Anthropic side)' }),
    ),
    fault: Type.Optional(
      Type.String({
        description: 'A fault from hostile/fault-table.ts, which only the hostile vendor plays',
      }),
    ),
    mark: Type.Optional(
      Type.String({ description: 'Any word, under which the hostile vendor logs the call' }),
    ),
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
