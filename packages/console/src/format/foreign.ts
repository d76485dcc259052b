// Splits untrusted text into parts, so that nothing in it can hide, reorder or widen the page's content.

/** `plain` is shown as is. `hidden` is shown as a small label. `marks` stands for combining marks that were folded. */
export type ForeignPart =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'hidden'; readonly label: string }
  | { readonly kind: 'marks'; readonly count: number }

export type Foreign = {
  readonly parts: readonly ForeignPart[]
  /** Number of invisible characters. */
  readonly hidden: number
  /** Number of terminal sequences, such as colours, that were removed. */
  readonly escapes: number
  /** Number of characters cut off at the end. */
  readonly cut: number
}

const names: Readonly<Record<number, string>> = {
  173: 'SHY',
  1564: 'ALM',
  6158: 'MVS',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LSEP',
  8233: 'PSEP',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
}

/** Terminal escape sequences: CSI, OSC up to its end, and single ones. */
const terminalSequence =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])|\u009b[0-?]*[ -/]*[@-~]/g

/** Characters shown as labels. The joiner within an emoji and the selector after one are not, because they form the emoji. */
const suspicious =
  /(?!(?<=\p{Extended_Pictographic})\u{fe0f})(?!(?<=(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f}))\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const manyMarks = /(\p{M}{8})(\p{M}+)/u
const interesting = new RegExp(`${suspicious.source}|${manyMarks.source}`, 'gu')

/** `keepsLines`: keeps tabs and line breaks; otherwise they are shown like other hidden characters. */
export function readForeign(text: string, { keepsLines = false, most = 5000 } = {}): Foreign {
  let escapes = 0
  const bare =
    text.includes('\u001b') || text.includes('\u009b') ? text.replace(terminalSequence, countEscape) : text
  const shown = cutAt(bare, most)
  const parts: ForeignPart[] = []
  let hidden = 0
  let plainFrom = 0
  for (const match of shown.matchAll(interesting)) {
    const [found, kept, folded] = match
    if (keepsLines && (found === '\n' || found === '\t' || found === '\r')) continue
    const isMarks = kept !== undefined && folded !== undefined
    const before = shown.slice(plainFrom, match.index + (isMarks ? kept.length : 0))
    if (before !== '') parts.push({ kind: 'plain', text: before })
    if (isMarks) parts.push({ kind: 'marks', count: [...folded].length })
    else {
      parts.push({ kind: 'hidden', label: labelOf(found) })
      hidden += 1
    }
    plainFrom = match.index + found.length
  }
  if (plainFrom < shown.length) parts.push({ kind: 'plain', text: shown.slice(plainFrom) })
  return { parts, hidden, escapes, cut: bare.length - shown.length }

  function countEscape(): string {
    escapes += 1
    return ''
  }
}

/** Cuts the text, but never within a surrogate pair. */
function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

function labelOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  if (code >= 0xe0000 && code <= 0xe007f) return `TAG ${number}`
  const name = names[code]
  return name === undefined ? number : `${name} ${number}`
}

/** True if a name has letters of several alphabets, because it may imitate another name. */
export function mixesScripts(name: string): boolean {
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u]
  return scripts.filter(script => script.test(name)).length > 1
}
