// Builds the pages into a folder and prints what a browser loads for the first view of each.
import { buildPages } from './build-pages.ts'
import { firstViewBytes } from './first-view.ts'
import { appNames } from './manifest.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder to build into; it must not be there yet.')
const manifest = await buildPages(folder)
for (const name of appNames) {
  const { script, style } = firstViewBytes(manifest, name)
  console.log(`${name}: ${kilobytes(script)} script, ${kilobytes(style)} style (gzip, first view)`)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`
}
