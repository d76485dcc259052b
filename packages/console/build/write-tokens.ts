// Colours for documents that the server writes itself, such as the claim pages: from the same list, for both schemes.
import { readFileSync } from 'node:fs'

const source = new URL('../src/theme/tokens.css', import.meta.url)

/**
 * CSS that sets fonts and tokens by the scheme that the browser prefers. `root`: the address of the built files, which has the fonts. Throws
 * an Error when the list has no such scheme.
 */
export function writeTokens(root: string): string {
  const css = readFileSync(source, 'utf8')
  const faces = [...css.matchAll(/@font-face \{[^}]*\}/g)]
    .map(([face]) => face.replaceAll(/\s+/g, ' ').replace('./fonts/', `${root}/`))
    .join('')
  const readScheme = (scheme: 'light' | 'dark'): string => {
    const [, body] = new RegExp(`data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(css) ?? []
    if (body === undefined) throw new Error(`tokens.css has no ${scheme} scheme.`)
    return body.replaceAll(/\s+/g, ' ').trim()
  }
  return `${faces}:root{${readScheme('light')}}@media (prefers-color-scheme: dark){:root{${readScheme('dark')}}}`
}
