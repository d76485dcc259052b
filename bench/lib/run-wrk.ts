// Puts the load of a measurement on a program: the same chat call over so many connections, sent by wrk.
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
    console.error(`bench: ${name} is missing. Debian: apt-get install nginx-light wrk`)
    process.exit(2)
  }
}

/** Writes what wrk sends, a chat call of about `bodyBytes`; returns the path of the script. */
export function writeLoadScript(
  folder: string,
  name: string,
  headers: Readonly<Record<string, string>>,
  model: string,
  bodyBytes: number,
): string {
  const body = JSON.stringify({
    model,
    max_tokens: 256,
    messages: [{ role: 'user', content: 'word '.repeat(Math.ceil(bodyBytes / 5)) }],
  })
  const path = join(folder, `${name}-${bodyBytes}.lua`)
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
    ([header, value]) => `wrk.headers[${JSON.stringify(header)}] = ${JSON.stringify(value)}`,
  )
  writeFileSync(path, `wrk.method = "POST"\n${lines.join('\n')}\nwrk.body = [==[${body}]==]\n`)
  return path
}

export async function runWrk({ url, script }: Target, count: number, seconds: number): Promise<LoadFigures> {
  const command = ['wrk', '-t1', `-c${count}`, `-d${seconds}s`, '--latency', '-s', script, url]
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
