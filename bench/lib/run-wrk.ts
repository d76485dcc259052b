// Generates the load of a measurement with wrk: the same chat call over a given number of connections.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Target = { readonly name: string; readonly url: string; readonly script: string }

export type LoadFigures = {
  readonly requests: number
  readonly perSecond: number
  readonly p50: string
  readonly p99: string
  readonly failed: number
}

/** Ends the process with a message when a program that the measurement needs is not installed. */
export function requirePrograms(...names: readonly string[]): void {
  for (const name of names) {
    if (Bun.which(name) !== null) continue
    console.error(`bench: ${name} is missing. On Debian: apt-get install nginx-light wrk`)
    process.exit(2)
  }
}

/** wrk writes `812.00us`, `1.50ms` or `1.02s`. */
export function readMilliseconds(text: string): number {
  const value = Number.parseFloat(text)
  if (text.endsWith('us')) return value / 1000
  return text.endsWith('ms') ? value : value * 1000
}

/**
 * Writes what wrk sends, a chat call of about `bodyBytes`; returns the path of the script. A header with several values has the next one in
 * each call.
 */
export function writeLoadScript(
  folder: string,
  name: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  model: string,
  bodyBytes: number,
): string {
  const body = JSON.stringify({
    model,
    max_tokens: 256,
    messages: [{ role: 'user', content: 'word '.repeat(Math.ceil(bodyBytes / 5)) }],
  })
  const path = join(folder, `${name}-${bodyBytes}.lua`)
  const all = Object.entries({ 'Content-Type': 'application/json', ...headers })
  const quote = (value: string) => JSON.stringify(value)
  const lines: string[] = []
  const lists: string[] = []
  for (const [header, value] of all) {
    if (typeof value === 'string') lines.push(`wrk.headers[${quote(header)}] = ${quote(value)}`)
    else lists.push(`[${quote(header)}] = { ${[...value].map(quote).join(', ')} }`)
  }
  const turns = `local lists = { ${lists.join(', ')} }
local turn = 0
request = function()
  turn = turn + 1
  for header, values in pairs(lists) do wrk.headers[header] = values[turn % #values + 1] end
  return wrk.format()
end
`
  const script = `wrk.method = "POST"\n${lines.join('\n')}\nwrk.body = [==[${body}]==]\n`
  // A custom `request` function costs wrk time, so it is written only when needed.
  writeFileSync(path, lists.length === 0 ? script : script + turns)
  return path
}

export async function runWrk({ url, script }: Target, count: number, seconds: number): Promise<LoadFigures> {
  const command = [
    'wrk',
    '-t1',
    `-c${count}`,
    `-d${seconds}s`,
    '--timeout',
    '60s',
    '--latency',
    '-s',
    script,
    url,
  ]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  const read = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    requests: Number(read(/(\d+) requests in/)),
    perSecond: Number(read(/Requests\/sec: +([\d.]+)/)),
    p50: read(/50% +(\S+)/),
    p99: read(/99% +(\S+)/),
    failed: Number(read(/Non-2xx or 3xx responses: (\d+)/) || 0),
  }
}
