// Finds the files that a browser loads before a page shows anything.
import type { AppName, Manifest } from './manifest.ts'

/** Bytes by gzip. */
export function firstViewBytes({ apps, files }: Manifest, name: AppName): { script: number; style: number } {
  const { script, style, preload } = apps[name]
  const sum = (names: readonly string[]) => names.reduce((total, each) => total + (files[each]?.gzip ?? 0), 0)
  return { script: sum([script, ...preload]), style: sum([style]) }
}
