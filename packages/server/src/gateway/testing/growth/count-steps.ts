// A program for Node, which can count how often each block of a program has run: prints how many blocks every dialect runs for every
// shape, at a size and at twice that size.
import { Session } from 'node:inspector/promises'
import type { CatalogModel } from '../../../catalog/types.ts'
import { dialects, prepareCall } from './dialects.ts'
import { shapes } from './shapes.ts'

export type Growth = {
  readonly dialect: string
  readonly shape: string
  /** `steps`: blocks that have run. */
  readonly sizes: readonly { readonly bytes: number; readonly steps: number; readonly isRefused: boolean }[]
}

const [, , modelText = '{}', counts = '[]'] = process.argv
const model: CatalogModel = { ...JSON.parse(modelText), imageTokens: new Map() }
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

async function countSteps(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ours = result.filter(({ url }) => url === import.meta.url)
  return ours
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)
}

const grown: Growth[] = []
for (const dialect of dialects) {
  for (const { name, build } of shapes) {
    const sizes = []
    for (const count of JSON.parse(counts) as number[]) {
      const bytes = new TextEncoder().encode(JSON.stringify(build(dialect, count)))
      await countSteps()
      let isRefused = false
      try {
        prepareCall(dialect, bytes, model)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error
        isRefused = true
      }
      sizes.push({ bytes: bytes.length, steps: await countSteps(), isRefused })
    }
    grown.push({ dialect, shape: name, sizes })
  }
}
console.log(JSON.stringify(grown))
