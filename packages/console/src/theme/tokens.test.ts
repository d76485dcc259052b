// The contrast of every foreground and background pair, computed from the style sheet by WCAG 2.2.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

function readScheme(scheme: string): (name: string) => number {
  const block = css.split(`[data-mantine-color-scheme="${scheme}"] {`)[1]?.split('}')[0] ?? ''
  return name => {
    const [, hex = ''] = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(block) ?? []
    expect(hex).toHaveLength(6)
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map(start => {
      const share = Number.parseInt(hex.slice(start, start + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
}

const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

const grounds = ['ground', 'panel', 'sunken']
const pairs: readonly (readonly [string, readonly string[], number])[] = [
  ['text', grounds, 7],
  ['muted', grounds, 4.5],
  ['faint', grounds, 4.5],
  ['accent', ['ground', 'panel', 'accent-tint'], 4.5],
  ['control', ['ground', 'panel'], 3],
  ...['ok', 'warn', 'bad', 'info', 'held'].map(name => [name, ['panel', `${name}-tint`], 4.5] as const),
  ...['fill-ok', 'fill-warn', 'fill-bad', 'series-1', 'series-2', 'series-3', 'series-4', 'series-5'].map(
    name => [name, ['panel'], 3] as const,
  ),
]

test.each(['light', 'dark'])('colours of the %s theme have enough contrast with their background', scheme => {
  const luminance = readScheme(scheme)
  const tooFaint = pairs.flatMap(([name, behind, least]) =>
    behind
      .map(ground => [name, ground, contrast(luminance(name), luminance(ground))] as const)
      .filter(([, , ratio]) => ratio < least),
  )
  expect(tooFaint).toEqual([])
})
