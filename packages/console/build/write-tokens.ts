// The colours of the pages for documents that the server writes by itself, such as those of a claim: from the one list, for both schemes.
import { readFileSync } from 'node:fs'

const source = new URL('../src/theme/tokens.css', import.meta.url)

/** CSS that sets the tokens by the scheme that the browser prefers. Throws an Error when the list has no such scheme. */
export function writeTokens(): string {
  const css = readFileSync(source, 'utf8')
  const readScheme = (scheme: 'light' | 'dark'): string => {
    const [, body] = new RegExp(`data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(css) ?? []
    if (body === undefined) throw new Error(`tokens.css has no ${scheme} scheme.`)
    return body.replaceAll(/\s+/g, ' ').trim()
  }
  return `:root{${readScheme('light')}}@media (prefers-color-scheme: dark){:root{${readScheme('dark')}}}`
}
