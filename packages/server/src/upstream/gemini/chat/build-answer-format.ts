// The format that an answer should have → the vendor's members for it, or words in the instruction where the vendor refuses these members.
import type { ChatCall } from '../../port.ts'
import { cleanAnswerSchema } from './clean-schema.ts'

type FormattedCall = Pick<ChatCall, 'request'> & { readonly model: Pick<ChatCall['model'], 'reasoning'> }

export type AnswerFormat = {
  readonly config: { readonly responseMimeType?: string; readonly responseJsonSchema?: unknown }
  /** '' where the members say it all. */
  readonly instruction: string
}

const free: AnswerFormat = { config: {}, instruction: '' }

/**
 * Models before the third generation, which have no levels of reasoning, refuse JSON beside functions: "Function calling with a response
 * mime type: 'application/json' is unsupported" (googleapis/python-genai issue 867). What they answer to words is not checked by anybody.
 */
export function buildAnswerFormat({ request, model }: FormattedCall): AnswerFormat {
  const { response_format: format, tools } = request
  if (!format || format.type === 'text') return free
  const schema = format.type === 'json_schema' ? format.json_schema.schema : null
  if (tools?.length && model.reasoning !== 'level') return { config: {}, instruction: describeFormat(schema) }
  const responseMimeType = 'application/json'
  if (schema === null) return { config: { responseMimeType }, instruction: '' }
  return { config: { responseMimeType, responseJsonSchema: cleanAnswerSchema(schema) }, instruction: '' }
}

/** In words the schema stays as it came: a model reads more of it than the vendor's members take. */
function describeFormat(schema: object | null): string {
  if (schema === null) return 'Your final answer must be a JSON object and nothing else, without Markdown.'
  return `Your final answer must be JSON and nothing else, without Markdown. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
}
