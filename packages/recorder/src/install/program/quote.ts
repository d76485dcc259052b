// Quotes a path or an argument so that a shell reads it as one word.

/** For a POSIX shell; plain words stay as they are. */
export function quoteForShell(word: string): string {
  return /^[A-Za-z0-9_/.:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** For PowerShell. */
export function quoteForPowershell(word: string): string {
  return `'${word.replaceAll("'", "''")}'`
}
