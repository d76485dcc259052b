// Writes a cell of a CSV file so that no spreadsheet takes it for a formula.

/**
 * Text that a spreadsheet may take for a formula: an operator at the start, narrow or wide, even after blanks and control characters. A
 * cell that begins with a tab, a line break or an apostrophe counts too.
 */
const looksLikeFormula = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n']/u

/**
 * Puts an apostrophe in front of anything that looks like a formula or begins with an apostrophe. Removing one apostrophe from each cell
 * that begins with one restores the original text.
 */
export function writeCell(text: string): string {
  return `"${looksLikeFormula.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`
}
