// Counts the columns of a text on a terminal. Korean, Chinese and Japanese characters and emoji take two.

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const withoutWidth = /^[\p{Mn}\p{Me}]$/u

export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

function widthOf(character: string): number {
  if (character <= '~') return 1
  if (withoutWidth.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** As much of a text as fits, with `…` at its end if something is missing. */
export function fitText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let taken = 0
  let fitting = ''
  for (const character of text) {
    taken += widthOf(character)
    if (taken > width - 1) break
    fitting += character
  }
  return width < 1 ? '' : `${fitting}…`
}

/** Fills a text with spaces up to a width. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/** Breaks a text into lines of a width, between words. Words that are too long are broken too. An empty text gives one empty line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<= )/)) {
    if (line !== '' && displayWidth(line + word.trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += word
    while (displayWidth(line.trimEnd()) > width) {
      const part = fitText(line, width + 1).slice(0, -1)
      if (part === '') break
      lines.push(part)
      line = line.slice(part.length)
    }
  }
  return [...lines, line.trimEnd()]
}
