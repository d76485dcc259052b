// Builds the recorder as a program that needs no Node: Bun and the recorder in one file, for each platform that is asked for.
import { join } from 'node:path'
import { defineConstants, programEntry } from './build-program.ts'

/** Bun's names of platforms. For any but its own, Bun first downloads its runtime of that platform. */
export const targets = [
  'bun-linux-x64',
  'bun-linux-arm64',
  'bun-linux-x64-musl',
  'bun-darwin-x64',
  'bun-darwin-arm64',
  'bun-windows-x64',
] as const

export type Target = (typeof targets)[number]

/** The platform that this runs on; null when it is none of the list. */
export function findOwnTarget(platform: string, architecture: string): Target | null {
  const name = platform === 'win32' ? 'windows' : platform
  return targets.find(target => target === `bun-${name}-${architecture}`) ?? null
}

/** Answers the path of the program. */
export async function buildExecutable(target: Target, folder: string): Promise<string> {
  const ending = target.includes('windows') ? '.exe' : ''
  const path = join(folder, `${target.replace(/^bun-/, 'fairgate-recorder-')}${ending}`)
  const built = await Bun.build({
    entrypoints: [programEntry],
    compile: { target, outfile: path },
    minify: { syntax: true, whitespace: true },
    define: defineConstants(true),
  })
  if (!built.success) throw new AggregateError(built.logs, `The recorder does not build for ${target}.`)
  return path
}
