// Counts the tokens of text. In the sandbox a token is four code points, so that every count can be checked by hand.

const codePointsPerToken = 4

/** At least 1, as the vendor counts an empty part. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(countCodePoints(text) / codePointsPerToken))
}

function countCodePoints(text: string): number {
  let pairs = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit < 0xdc00) pairs += 1
  }
  return text.length - pairs
}

const plain = 'The sandbox answers without a model, always the same way. '
const manyScripts = 'Grüße, 日本語, Ελλάδα, 😀👍🏽, العربية. '

/** A text of exactly this many tokens, always the same. It begins with `start`. */
export function writeText(tokens: number, start: string, inManyScripts: boolean): string {
  const wanted = tokens * codePointsPerToken
  const filler = inManyScripts ? manyScripts : plain
  const codePoints = Array.from(start)
  while (codePoints.length < wanted) codePoints.push(...filler)
  return codePoints.slice(0, wanted).join('')
}
