// suite: test on sqlite; 20 s
// The work between a body and the upstream is linear in the body, in every dialect and for any content. Steps are counted, not timed.
// Shown to fail with the schemas of tools walked again for each reference.
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalog } from '../catalog/load-catalog.ts'
import { smallestScanned } from '../http/check-json-structure.ts'
import type { Growth } from './testing/growth/count-steps.ts'

const program = fileURLToPath(new URL('testing/growth/count-steps.ts', import.meta.url))
const catalog = fileURLToPath(new URL('../../../../config/models.yaml', import.meta.url))
const maxGrowth = 2.3
/** The highest seen is 5.8, for the pass-through, which also looks at each byte for the names of models. */
const maxStepsPerByte = 8

async function countSteps(counts: readonly number[]): Promise<Growth[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-growth-'))
  try {
    const built = await Bun.build({
      entrypoints: [program],
      target: 'node',
      outdir: folder,
      naming: 'steps.mjs',
    })
    expect(built.success).toBe(true)
    const model = JSON.stringify(loadCatalog(catalog).find('mm-2.5-flash'))
    const counting = Bun.spawn(['node', join(folder, 'steps.mjs'), model, JSON.stringify(counts)], {
      stderr: 'inherit',
    })
    return JSON.parse(await new Response(counting.stdout).text()) as Growth[]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a body twice as large takes twice the steps, for any content', async () => {
  const grown = await countSteps([700, 1500, 3000])
  expect(grown.length).toBeGreaterThan(80)
  const faults = grown.flatMap(({ dialect, shape, sizes }) =>
    sizes.slice(1).flatMap(({ bytes, steps }, at) => {
      const before = sizes[at] ?? { bytes, steps }
      // From this size on bodies are scanned before they are parsed.
      if (before.bytes <= smallestScanned !== bytes <= smallestScanned) return []
      const growth = steps / before.steps / (bytes / before.bytes / 2)
      const perByte = steps / bytes
      return growth > maxGrowth || perByte > maxStepsPerByte
        ? [`${dialect}, ${shape}: ${bytes} bytes, ${perByte.toFixed(1)} steps a byte, × ${growth.toFixed(2)}`]
        : []
    }),
  )
  expect(faults).toEqual([])
})
