// Codes of claim links: short enough to type from a sheet of paper, with a check character that detects typing errors.

/** Without 0, O, 1, I and L, which look alike on paper. 31 is a prime number, which the check needs. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
/** 31¹¹ ≈ 2.5 · 10¹⁶ codes, so guessing is hopeless at any rate that a server can answer (decision 037). */
const randomLength = 11
export const codeLength = randomLength + 1

export function createCode(randomBytes: (size: number) => Buffer): string {
  let text = ''
  while (text.length < randomLength) {
    // 248 = 8 · 31: larger values are discarded, so that every character is equally likely.
    const [value = 255] = randomBytes(1)
    if (value < 248) text += alphabet.charAt(value % 31)
  }
  return text + checkCharacter(text)
}

/** As people read it: `ABCD-EFGH-JKMN`. */
export function groupCode(code: string): string {
  return code.replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** As people type it: in upper or lower case, with spaces and hyphens. */
export function normaliseCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]+/g, '')
}

/** Checks whether this can be a code at all. The result reveals nothing that could not be computed from the alphabet. */
export function isWholeCode(code: string): boolean {
  return code.length === codeLength && checkCharacter(code.slice(0, -1)) === code.slice(-1)
}

/**
 * Σ position · value modulo 31, as in ISBN-10: it detects every single wrong character and every swap of two. Null for characters that no
 * code has.
 */
function checkCharacter(text: string): string | null {
  let sum = 0
  for (const [index, character] of [...text].entries()) {
    const value = alphabet.indexOf(character)
    if (value < 0) return null
    sum += (index + 1) * value
  }
  return alphabet.charAt(sum % 31)
}
