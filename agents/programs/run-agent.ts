// Runs an agent to its end, or kills it when it has had its time.

export type AgentRun = {
  readonly folder: string
  /** All of its environment. */
  readonly variables: Readonly<Record<string, string>>
  readonly longestMs: number
}

export type EndedAgent = {
  readonly code: number
  /** What a person would have seen. */
  readonly text: string
  readonly seconds: number
  /** It had not ended by itself. */
  readonly isKilled: boolean
}

export async function runAgent(
  command: readonly string[],
  { folder, variables, longestMs }: AgentRun,
): Promise<EndedAgent> {
  const begun = performance.now()
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...variables, TERM: 'dumb', LANG: 'C.UTF-8' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  let isKilled = false
  // The whole group: some agents are a wrapper around the program, which would keep the output open.
  const timer = setTimeout(() => {
    isKilled = true
    process.kill(-child.pid, 'SIGKILL')
  }, longestMs)
  const [code, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  clearTimeout(timer)
  return { code, text: `${output}${errors}`, seconds: (performance.now() - begun) / 1000, isKilled }
}
