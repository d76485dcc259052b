// Makes characters visible that a terminal would interpret, hide or reorder, because names, messages and branches are untrusted.

/**
 * Control characters (C0, DEL, C1), formats (bidirectional marks, zero-width characters, BOM, tags), other default-ignorable characters,
 * line and paragraph separators, lone surrogates. The variation selector of an emoji is left as it is.
 */
const hidden =
  /(?!(?<=\p{Extended_Pictographic})\u{fe0f})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Shows such characters as `\u{202e}`, including line breaks. */
export function showLine(text: string): string {
  return text.replace(hidden, escapeCharacter)
}

/** The same for multi-line text, keeping line breaks. */
export function showText(text: string): string {
  return text.replace(hidden, character => (character === '\n' ? character : escapeCharacter(character)))
}

/** Returns JSON with the same meaning and `\u202e` in place of such characters. Line breaks between members stay. */
export function showJson(json: string): string {
  return json.replace(hidden, character =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(
          '',
        ),
  )
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
