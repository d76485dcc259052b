// Which files a .dockerignore keeps out of the image: the last line that matches the file, or a folder it lies in, decides.

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
