// Builds the recorder as a program that needs no Node: Bun and the recorder in one file per platform.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConstants, programEntry, readLicenses } from './build-program.ts'

/** Bun's platform names. To build for another platform, Bun needs its runtime for that platform and downloads it if it is missing. */
export const targets = [
  'bun-linux-x64',
  'bun-linux-arm64',
  'bun-linux-x64-musl',
  'bun-darwin-x64',
  'bun-darwin-arm64',
  'bun-windows-x64',
] as const

export type Target = (typeof targets)[number]

/** The platform that this process runs on; null when the list does not have it. */
export function findOwnTarget(platform: string, architecture: string): Target | null {
  const name = platform === 'win32' ? 'windows' : platform
  return targets.find(target => target === `bun-${name}-${architecture}`) ?? null
}

/** The platform as it appears in the names of programs, such as `linux-x64`. */
export function platformOf(target: Target): string {
  return target.replace(/^bun-/, '')
}

export const platforms: readonly string[] = targets.map(platformOf)

export type Runtime = {
  readonly target: Target
  /** Bun's runtime for that platform. */
  readonly path: string
}

/** What can be built without a download: the program for this platform, and those whose runtime an earlier build left in Bun's cache. */
export function findRuntimes(
  own: { readonly target: Target | null; readonly path: string },
  version: string,
  environment: Readonly<Record<string, string | undefined>>,
): Runtime[] {
  const folders = [
    environment.BUN_INSTALL_CACHE_DIR,
    environment.BUN_INSTALL && join(environment.BUN_INSTALL, 'install', 'cache'),
    environment.XDG_CACHE_HOME && join(environment.XDG_CACHE_HOME, '.bun', 'install', 'cache'),
    environment.HOME && join(environment.HOME, '.bun', 'install', 'cache'),
  ].flatMap(folder => (folder ? [folder] : []))
  return targets.flatMap((target): Runtime[] => {
    if (target === own.target) return [{ target, path: own.path }]
    const path = folders.map(folder => join(folder, `${target}-v${version}`)).find(found => existsSync(found))
    return path === undefined ? [] : [{ target, path }]
  })
}

/** Returns the path of the program. Without `runtime`, Bun finds or downloads what it needs. */
export async function buildExecutable(
  target: Target,
  folder: string,
  runtime: string | null = null,
): Promise<string> {
  const ending = target.includes('windows') ? '.exe' : ''
  const path = join(folder, `fairgate-recorder-${platformOf(target)}${ending}`)
  const built = await Bun.build({
    entrypoints: [programEntry],
    compile: {
      target,
      outfile: path,
      ...(runtime === null ? {} : { executablePath: runtime }),
      // The program runs in other people's repositories, whose files must not set its environment or run code in it.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    minify: { syntax: true, whitespace: true },
    banner: readLicenses(),
    define: defineConstants(true),
  })
  if (!built.success) throw new AggregateError(built.logs, `The recorder does not build for ${target}.`)
  return path
}
