// Makes characters visible that a terminal would obey, hide or reorder, because names, messages and branches come from others.

/**
 * Control characters (C0, DEL, C1), formats (bidirectional marks, zero-width characters, BOM, tags), whatever else is ignorable when shown,
 * line and paragraph separators, lone halves of surrogate pairs. The variation selector of an emoji is shown as what it is.
 */
const hidden =
  /(?!(?<=\p{Extended_Pictographic})\u{fe0f})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Shows such a character as `\u{202e}`, line breaks included. */
export function showLine(text: string): string {
  return text.replace(hidden, escapeCharacter)
}

/** The same for a text of several lines. */
export function showText(text: string): string {
  return text.replace(hidden, character => (character === '\n' ? character : escapeCharacter(character)))
}

/** JSON with the same meaning and `\u202e` in place of the character. The line breaks between its members stay. */
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
