// The tokens of OpenAI's encoding cl100k_base, read when the first request has tokens: most servers never see one.

/** The bytes of each token in Base64, by its number. */
export type Vocabulary = readonly string[]

/**
 * 12 ms and 12 MB, once. Only the table is the library's: its decoder keeps each token twice over (83 MB), and passes over
 * numbers that it does not know.
 */
export function createVocabularyLoader(): () => Promise<Vocabulary> {
  let loading: Promise<Vocabulary> | null = null
  return () => {
    loading ??= import('js-tiktoken/ranks/cl100k_base').then(({ default: { bpe_ranks } }) =>
      readRanks(bpe_ranks),
    )
    return loading
  }
}

/** One line: a mark, the number of the first token, then the tokens in the order of their numbers. */
function readRanks(ranks: string): Vocabulary {
  const [mark, first, ...tokens] = ranks.trim().split(' ')
  if (mark !== '!' || first !== '0') throw new Error('The table of tokens has another form than expected.')
  return tokens
}
