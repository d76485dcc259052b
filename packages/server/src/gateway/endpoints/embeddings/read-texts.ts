// What is to be embedded, as texts: tokens, which some clients send instead, are made texts again.
import { type EmbeddingsRequest, longestText } from '@fairgate/contracts/embeddings/request.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { Vocabulary } from './load-vocabulary.ts'

export type ReadTexts = (input: EmbeddingsRequest['input']) => Promise<readonly string[]>

/** Throws ApiError `invalid_request` for what is no token, and for tokens that are too long a text. */
export function createReadTexts(loadVocabulary: () => Promise<Vocabulary>): ReadTexts {
  return async input => {
    if (typeof input === 'string') return [input]
    if (isOf(input, 'string')) return input
    const vocabulary = await loadVocabulary()
    if (isOf(input, 'number')) return [decode(input, vocabulary, 'input')]
    return input.map((tokens, index) => decode(tokens, vocabulary, `input[${index}]`))
  }
}

type Item = { string: string; number: number }

/** The schema has judged that all items are of one kind. */
function isOf<Kind extends keyof Item>(
  input: readonly unknown[],
  kind: Kind,
): input is readonly Item[Kind][] {
  return typeof input[0] === kind
}

/** A character that a client has cut in two, since it cuts by tokens, ends as U+FFFD. The largest request takes 80 ms. */
function decode(tokens: readonly number[], vocabulary: Vocabulary, param: string): string {
  let bytes = ''
  for (const [index, token] of tokens.entries()) {
    const piece = vocabulary[token]
    if (piece === undefined) throw refuseToken(token, `${param}[${index}]`, vocabulary.length)
    bytes += atob(piece)
  }
  const text = Buffer.from(bytes, 'latin1').toString()
  if (text.length <= longestText) return text
  throw invalidRequest(param, `${param} is more than ${longestText} characters of text.`)
}

function refuseToken(token: number, param: string, count: number): ApiError {
  return invalidRequest(
    param,
    `${param} must be a token of the encoding cl100k_base, from 0 to ${count - 1}; ${token} is none. ` +
      'Send the texts themselves if your client counts in another encoding (LangChain: check_embedding_ctx_length=False).',
  )
}
