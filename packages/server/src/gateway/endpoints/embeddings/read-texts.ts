// Reads the texts to embed. Some clients send tokens instead; these are decoded.
import {
  type EmbeddingsRequest,
  longestText,
  maximumTokensTogether,
} from '@fairgate/contracts/embeddings/request.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'

/** Throws ApiError `invalid_request` for an invalid token, for too many tokens, and for tokens with a text that is too long. */
export async function readTexts(input: EmbeddingsRequest['input']): Promise<readonly string[]> {
  if (typeof input === 'string') return [input]
  if (isOf(input, 'string')) return input
  if (isOf(input, 'number')) return [decode(input, await loadVocabulary(), 'input')]
  const count = input.reduce((sum, { length }) => sum + length, 0)
  if (count > maximumTokensTogether) throw refuseTokens(count)
  const vocabulary = await loadVocabulary()
  return input.map((tokens, index) => decode(tokens, vocabulary, `input[${index}]`))
}

type Item = { string: string; number: number }

/** The schema has checked that all items are of one kind. */
function isOf<Kind extends keyof Item>(
  input: readonly unknown[],
  kind: Kind,
): input is readonly Item[Kind][] {
  return typeof input[0] === kind
}

/** Clients cut by tokens; a character that was cut in two ends as U+FFFD. The largest request takes 40 ms. */
function decode(tokens: readonly number[], vocabulary: Vocabulary, param: string): string {
  let bytes = ''
  for (const [index, token] of tokens.entries()) {
    const piece = vocabulary[token]
    if (piece === undefined) throw refuseToken(token, `${param}[${index}]`, vocabulary.length)
    bytes += atob(piece)
  }
  const text = Buffer.from(bytes, 'latin1').toString()
  if (text.length <= longestText) return text
  throw invalidRequest(param, `${param} has more than ${longestText} characters of text.`)
}

function refuseTokens(count: number): ApiError {
  return invalidRequest(
    'input',
    `input has ${count} tokens. One request may have at most ${maximumTokensTogether}. ` +
      'Send fewer texts per request (LangChain: chunk_size).',
  )
}

function refuseToken(token: number, param: string, count: number): ApiError {
  return invalidRequest(
    param,
    `${param} must be a cl100k_base token from 0 to ${count - 1}, not ${token}. ` +
      'Send text instead if your client uses another encoding (LangChain: check_embedding_ctx_length=False).',
  )
}

/** The tokens of OpenAI's encoding cl100k_base: the bytes of each in Base64, by number. */
type Vocabulary = readonly string[]

let loading: Promise<Vocabulary> | null = null

/**
 * Takes 12 ms and 12 MB, once, when the first request has tokens: most servers never see one. Only the table is the library's: its
 * decoder keeps each token twice (83 MB) and ignores numbers that it does not know.
 */
export function loadVocabulary(): Promise<Vocabulary> {
  loading ??= import('js-tiktoken/ranks/cl100k_base').then(({ default: { bpe_ranks } }) =>
    readRanks(bpe_ranks),
  )
  return loading
}

/** One line: a mark, the number of the first token, then the tokens in the order of their numbers. */
function readRanks(ranks: string): Vocabulary {
  const [mark, first, ...tokens] = ranks.trim().split(' ')
  if (mark !== '!' || first !== '0') throw new Error('The token table has an unexpected format.')
  return tokens
}
