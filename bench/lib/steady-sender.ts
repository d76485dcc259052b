// A process of its own that sends one request again and again over a few connections, so that its work is not the server's: started by
// greedy-key.ts. It ends when its input ends, and then prints what it was answered and how long each answer took.

export type SteadyOrder = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Path of a file with the body. */
  readonly body: string
  /** Each sends its next request when it has its answer. */
  readonly connections: number
  /** Between an answer and the next request. */
  readonly pauseMs: number
}

/** `waits`: milliseconds. `answers`: how often each status and error code was the answer. */
export type SteadyOutcome = {
  readonly answers: Readonly<Record<string, number>>
  readonly waits: readonly number[]
}

const [, , text = ''] = process.argv
const { url, headers, body: path, connections, pauseMs } = JSON.parse(text) as SteadyOrder
const body = await Bun.file(path).bytes()
const answers: Record<string, number> = {}
const waits: number[] = []
let isOver = false

async function send(): Promise<void> {
  while (!isOver) {
    const started = performance.now()
    const answer = await fetch(url, { method: 'POST', headers, body }).then(readAnswer, () => 'lost')
    waits.push(performance.now() - started)
    answers[answer] = (answers[answer] ?? 0) + 1
    await Bun.sleep(pauseMs)
  }
}

async function readAnswer(reply: Response): Promise<string> {
  const code = /"code":"(\w+)"/.exec(await reply.text())?.[1]
  return code === undefined || reply.ok ? String(reply.status) : `${reply.status} ${code}`
}

const running = Promise.all(Array.from({ length: connections }, send))
await Bun.stdin.text()
isOver = true
await running
console.log(JSON.stringify({ answers, waits } satisfies SteadyOutcome))
