// Caches the stand-alone recorders that participants can install. A separate process builds them at the first request; restarts keep them.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

const programSchema = Type.Object({
  /** Such as `linux-x64`. */
  platform: Type.String(),
  /** Name of the compressed file. */
  name: Type.String(),
  /** Size of the uncompressed program. */
  bytes: Type.Integer(),
  sha256: Type.String(),
})
const programs = Compile(Type.Array(programSchema))

export type StandAloneProgram = Static<typeof programSchema> & {
  /** Path of its compressed file. */
  readonly path: string
}

export type ProgramsDependencies = {
  /** Used only for these programs; everything else in it is removed. */
  readonly folder: string
  /** The source of the programs. They are rebuilt when it changes. */
  readonly readSource: () => Promise<Uint8Array>
  /** Builds into the folder; resolves with a list of what it built, as JSON text. */
  readonly build: (folder: string) => Promise<string>
  readonly reportFailure: (error: unknown) => void
  /** Unix ms. */
  readonly now: () => number
}

/** Pause (ms) before another build is tried after a failed one. */
const pauseAfterFailure = 600_000

/** Never rejects: if no program can be built, the list is empty. */
export function createPrograms(
  dependencies: ProgramsDependencies,
): () => Promise<readonly StandAloneProgram[]> {
  const { reportFailure, now } = dependencies
  let building: Promise<readonly StandAloneProgram[]> | null = null
  let failedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (building === null && now() - failedAt < pauseAfterFailure) return Promise.resolve([])
    building ??= findPrograms(dependencies).catch((error: unknown) => {
      reportFailure(error)
      failedAt = now()
      building = null
      return []
    })
    return building
  }
}

async function findPrograms({
  folder,
  readSource,
  build,
}: ProgramsDependencies): Promise<readonly StandAloneProgram[]> {
  const source = createHash('sha256')
    .update(await readSource())
    .update(Bun.version)
    .digest('hex')
  const own = join(folder, source.slice(0, 16))
  const list = join(own, 'programs.json')
  const kept = readList(list, own)
  if (kept !== null) return kept
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const text = await build(own)
  // Written last, so that every listed program is complete.
  writeFileSync(list, text)
  const built = readList(list, own)
  if (built === null) throw new Error('The build of the stand-alone recorders did not report its output.')
  return built
}

function readList(path: string, folder: string): readonly StandAloneProgram[] | null {
  if (!existsSync(path)) return null
  const value: unknown = parse(readFileSync(path, 'utf8'))
  if (!programs.Check(value)) return null
  const found = value.map(program => ({ ...program, path: join(folder, program.name) }))
  return found.every(program => existsSync(program.path)) ? found : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** One line each: platform, SHA-256 of the program, its size in bytes, the name of its compressed file. */
export function listPrograms(found: readonly StandAloneProgram[]): string {
  return found.map(({ platform, sha256, bytes, name }) => `${platform} ${sha256} ${bytes} ${name}\n`).join('')
}
