// Reads the layout of a settings file, so that added text looks like the rest.

export type TextStyle = { readonly lineEnd: '\n' | '\r\n'; readonly indent: string }

export function readStyle(text: string): TextStyle {
  const indent = /^[ \t]*[{[][^\S\n]*\r?\n([ \t]+)\S/m.exec(text)?.[1]
  return { lineEnd: /\r\n/.test(text) ? '\r\n' : '\n', indent: indent ?? '  ' }
}

/** The blanks at the beginning of the line at this position. */
export function indentationAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? ''
}

/** A value on several lines. All lines but the first begin with `indentation`. */
export function renderValue(value: unknown, { lineEnd, indent }: TextStyle, indentation: string): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `${lineEnd}${indentation}`)
}
