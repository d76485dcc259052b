// Reads the instructions of a Dockerfile in their order.

export type Step = { readonly name: string; readonly rest: string }

export function parseDockerfile(text: string): Step[] {
  const lines = text
    .replaceAll(/\\\n/g, '')
    .split('\n')
    .map(line => line.trim())
  return lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const end = line.indexOf(' ')
      return { name: line.slice(0, end), rest: line.slice(end).trim() }
    })
}
