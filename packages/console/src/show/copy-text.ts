// Copies a text to the clipboard, in secure and insecure contexts.

/** The clipboard API needs TLS or localhost. A page on plain http falls back to `execCommand`. Rejects if neither works. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('The browser did not copy the text.')
}
