// Decides whether a .dockerignore excludes a file: by the last line that matches the file or one of its folders.

export function isIgnored(ignoreFile: string, path: string): boolean {
  const parts = path.split('/')
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  let isOut = false
  for (const line of ignoreFile.split('\n').map(text => text.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const pattern = new Bun.Glob(line.replace(/^!/, ''))
    if (places.some(place => pattern.match(place))) isOut = !line.startsWith('!')
  }
  return isOut
}
